#include <QTest>

#include "core/prediction/ranks/rank_layout.h"
#include "widgets/plots/heatmap/rank_window.h"

#include <algorithm>

using namespace shardscope;

class TestRankWindow : public QObject
{
    Q_OBJECT
private slots:
    void zoomingKeepsTheRankUnderTheCursor()
    {
        RankWindow window = wholeWorld(1024);
        window = zoomed(window, 0.25, 300.0, 700.0, 1024);
        QCOMPARE(window.span, 256.0);
        // (300 - 0) / 1024 of the picture is left of it before and after.
        QCOMPARE((300.0 - window.first_row) / window.span, 300.0 / 1024.0);
        QCOMPARE((700.0 - window.first_column) / window.span, 700.0 / 1024.0);
    }

    void zoomStopsAtTwoRanksAndAtAll_data()
    {
        QTest::addColumn<double>("factor");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("span");
        QTest::newRow("in") << 1e-6 << 64 << 2.0;
        QTest::newRow("out") << 1e6 << 64 << 64.0;
        QTest::newRow("one rank") << 0.5 << 1 << 1.0;
    }
    void zoomStopsAtTwoRanksAndAtAll()
    {
        QFETCH(double, factor);
        QFETCH(int, ranks);
        QTEST(zoomed(wholeWorld(ranks), factor, 0.0, 0.0, ranks).span, "span");
    }

    void panningStaysInTheWorld()
    {
        const RankWindow window = panned({10, 20, 8}, 1000.0, -1000.0, 64);
        QCOMPARE(window.first_row, 56.0);
        QCOMPARE(window.first_column, 0.0);
    }

    void aRubberBandIsFittedWhole()
    {
        const RankWindow window = fitted(10, 40, 4, 8, 64);
        QCOMPARE(window.span, 8.0);
        QCOMPARE(window.first_row, 8.0);
        QCOMPARE(window.first_column, 40.0);
    }

    void ticksStandApart_data()
    {
        QTest::addColumn<double>("span");
        QTest::addColumn<double>("size");
        QTest::addColumn<int>("step");
        QTest::newRow("every rank") << 8.0 << 400.0 << 1;
        QTest::newRow("every eighth") << 64.0 << 320.0 << 8;
        QTest::newRow("131072 ranks") << 131072.0 << 640.0 << 8192;
    }
    void ticksStandApart()
    {
        QFETCH(double, span);
        QFETCH(double, size);
        const auto ticks = rankTicks(0.0, span, size, 40.0, static_cast<std::int64_t>(span));
        QCOMPARE(ticks.front(), std::int64_t{0});
        QTEST(static_cast<int>(ticks.at(1)), "step");
    }

    void nodeBordersNeedRoom()
    {
        QCOMPARE(nodeBorderStep(8, 64, 640), std::int64_t{8});
        QCOMPARE(nodeBorderStep(8, 4096, 640), std::int64_t{0});
        QCOMPARE(nodeBorderStep(0, 64, 640), std::int64_t{0});
    }

    void bandsFollowTheRankOrder()
    {
        Parallel parallel;
        parallel.tensor = 2;
        parallel.data = 4;
        parallel.pipeline = 4;
        const auto megatron = axisBands(parallel);
        QCOMPARE(megatron.size(), std::size_t{3});
        QVERIFY(megatron[0].dimension == Dimension::pp && megatron[0].block == 8 && megatron[0].size == 4);
        QVERIFY(megatron[1].dimension == Dimension::dp && megatron[1].block == 2);
        QVERIFY(megatron[2].dimension == Dimension::tp && megatron[2].block == 1);

        // The custom mapping of Li et al.: tp, pp, dp.
        parallel.rank_order = {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp, Dimension::dp};
        const auto custom = axisBands(parallel);
        QVERIFY(custom[0].dimension == Dimension::dp && custom[0].block == 8);
        QVERIFY(custom[1].dimension == Dimension::pp && custom[1].block == 2);
    }

    void expertsHaveABandWhereTheirPlacesFollowEachOther_data()
    {
        QTest::addColumn<RankOrder>("order");
        QTest::addColumn<int>("context");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("block"); // 0: no band
        using enum Dimension;
        QTest::newRow("a part of the data ranks") << RankOrder{tp, cp, ep, dp, pp} << 1 << 8 << 4 << 2;
        QTest::newRow("all data ranks") << RankOrder{tp, cp, ep, dp, pp} << 1 << 8 << 8 << 2;
        QTest::newRow("data outside of the pipeline") << RankOrder{tp, cp, ep, pp, dp} << 1 << 8 << 4 << 4;
        QTest::newRow("context and data") << RankOrder{tp, cp, ep, dp, pp} << 2 << 4 << 4 << 2;
        QTest::newRow("more than whole data ranks") << RankOrder{tp, cp, ep, dp, pp} << 3 << 4 << 2 << 2;
        QTest::newRow("inside of context") << RankOrder{tp, cp, pp, ep, dp} << 4 << 4 << 2 << 2;
        QTest::newRow("stages in the middle of a group") << RankOrder{tp, cp, pp, ep, dp} << 2 << 4 << 4 << 0;
        QTest::newRow("no expert groups") << RankOrder{tp, cp, ep, dp, pp} << 2 << 4 << 1 << 0;
    }
    void expertsHaveABandWhereTheirPlacesFollowEachOther()
    {
        QFETCH(RankOrder, order);
        QFETCH(int, context);
        QFETCH(int, data);
        QFETCH(int, expert);
        QFETCH(int, block);
        Parallel parallel;
        parallel.tensor = 2;
        parallel.pipeline = 2;
        parallel.context = context;
        parallel.data = data;
        parallel.expert = expert;
        parallel.rank_order = order;
        const auto bands = axisBands(parallel);
        const auto band = std::ranges::find(bands, Dimension::ep, &AxisBand::dimension);
        QCOMPARE(band != bands.end(), block > 0);
        if (block == 0)
            return;
        QCOMPARE(band->block, std::int64_t{block});
        const RankLayout layout{parallel};
        for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank)
            QCOMPARE(rank / band->block % band->size, std::int64_t{layout.coordinates(rank).ep});
    }
};

QTEST_APPLESS_MAIN(TestRankWindow)
#include "tst_rank_window.moc"
