#include "widgets/panels/sweep/layout_labels.h"

#include "core/scenario/defaults.h"

#include <QTest>

using namespace shardscope;

namespace
{

SweepPoint pointOf(std::int64_t pipeline, std::int64_t data, std::int64_t micro_batch, int zero,
                   Recompute recompute)
{
    SweepPoint point;
    point.scenario.parallel.pipeline = pipeline;
    point.scenario.parallel.data = data;
    point.scenario.parallel.zero_stage = zero;
    point.scenario.training.micro_batch_size = micro_batch;
    point.scenario.training.recompute = recompute;
    return point;
}

} // namespace

class TestLayoutLabels : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void eachBarSaysInWhatLayoutsDiffer()
    {
        const LayoutLabels found = layoutLabels(
            {pointOf(1, 8, 1, 1, Recompute::none), pointOf(2, 4, 2, 1, Recompute::full)}, Scenario{});
        QCOMPARE(found.labels, (std::vector<QString>{"1·1·8\nb1 r\u00a0none", "2·1·4\nb2 r\u00a0full"}));
        QVERIFY(found.title.contains("micro-batch"));
        QVERIFY(found.title.contains("r recomputation"));
        QVERIFY2(found.title.endsWith("; all with ZeRO 1"), qPrintable(found.title));
    }

    void modulesAreNamedWhereTheyCount()
    {
        std::vector<SweepPoint> points{pointOf(1, 8, 1, 1, Recompute::none),
                                       pointOf(1, 8, 1, 1, Recompute::selective)};
        for (SweepPoint& point : points)
            point.scenario.training.recompute_modules = {RecomputeModule::layernorm, RecomputeModule::mlp};
        QVERIFY(layoutLabels(points, Scenario{}).labels[1].endsWith("r\u00a0modules"));
        for (SweepPoint& point : points) // whose modules count for nothing
            point.scenario.conventions.framework = Framework::ddp;
        QVERIFY(layoutLabels(points, Scenario{}).labels[1].endsWith("r\u00a0selective"));
    }

    void wholeExpertsAreNamedWhereALayoutHasThem()
    {
        std::vector<SweepPoint> points{pointOf(1, 4, 2, 1, Recompute::none),
                                       pointOf(1, 4, 2, 1, Recompute::none)};
        for (SweepPoint& point : points) {
            point.scenario.parallel.tensor = 2;
            point.scenario.parallel.expert = 4;
        }
        points[1].scenario.parallel.expert_tensor_parallel = false;
        const LayoutLabels found = layoutLabels(points, Scenario{});
        QVERIFY(!found.labels[0].contains("etp1"));
        QVERIFY2(found.labels[1].contains("etp1"), qPrintable(found.labels[1]));
        QVERIFY(found.title.contains("etp1 experts whole on tensor ranks"));
    }

    void degreesSufficeWhereAllElseIsAlike()
    {
        const LayoutLabels found = layoutLabels(
            {pointOf(1, 8, 1, 1, Recompute::none), pointOf(2, 4, 1, 1, Recompute::none)}, Scenario{});
        QCOMPARE(found.labels, (std::vector<QString>{"1·1·8", "2·1·4"}));
        QVERIFY2(found.title.endsWith("; all with micro-batch 1, ZeRO 1, no recomputation"),
                 qPrintable(found.title));
    }

    void contextAndExpertsAreNamedWhereALayoutHasThem()
    {
        std::vector<SweepPoint> points{pointOf(1, 8, 1, 1, Recompute::none),
                                       pointOf(1, 4, 1, 1, Recompute::none)};
        points[1].scenario.parallel.context = 2;
        const LayoutLabels context = layoutLabels(points, Scenario{});
        QCOMPARE(context.labels, (std::vector<QString>{"1·1·1·8", "1·1·2·4"}));
        QVERIFY(context.title.contains("pipeline·tensor·context·data"));
        points[0].scenario.parallel.expert = 8;
        const LayoutLabels experts = layoutLabels(points, Scenario{});
        QCOMPARE(experts.labels, (std::vector<QString>{"1·1·1·8 ep8", "1·1·2·4 ep1"}));
        QVERIFY(experts.title.contains("ep expert"));
        points.resize(1);
        points[0].scenario.parallel.expert = 1;
        Scenario base; // that the layouts are compared with
        base.parallel.context = 4;
        QCOMPARE(layoutLabels(points, base).labels, (std::vector<QString>{"1·1·1·8"}));
    }

    void whatMayRunOutOfMemoryIsMarked()
    {
        SweepPoint full = pointOf(1, 8, 1, 1, Recompute::none);
        full.device_bytes = std::int64_t{79} << 30; // of 80
        const LayoutLabels found = layoutLabels({full, pointOf(2, 4, 1, 1, Recompute::none)}, Scenario{});
        QCOMPARE(found.labels, (std::vector<QString>{"1·1·8 !", "2·1·4"}));
        QVERIFY(found.title.contains("! may run out of memory"));
    }

    void theOneOnScreenIsToldByItsPlace_data()
    {
        QTest::addColumn<qint64>("place");
        QTest::addColumn<bool>("is_exact");
        QTest::addColumn<bool>("fits");
        QTest::addColumn<QString>("label");
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("clause");
        QTest::newRow("first") << qint64{1} << true << true << "now 2·1·4\n1st"
                               << "on screen: 1st of the 2\u00a0112 that fit"
                               << "the one on screen is 1st of these";
        QTest::newRow("by bounds") << qint64{1112} << false << true << "now 2·1·4\n≤ 1\u00a0112th"
                                   << "on screen: 1\u00a0112th or better of the 2\u00a0112 that fit"
                                   << "the one on screen is 1\u00a0112th or better of these";
        QTest::newRow("second") << qint64{22} << true << true << "now 2·1·4\n22nd"
                                << "on screen: 22nd of the 2\u00a0112 that fit"
                                << "the one on screen is 22nd of these";
        QTest::newRow("third") << qint64{13} << true << true << "now 2·1·4\n13th"
                               << "on screen: 13th of the 2\u00a0112 that fit"
                               << "the one on screen is 13th of these";
        QTest::newRow("too large") << qint64{3} << true << false << "now 2·1·4\ntoo large"
                                   << "on screen: does not fit"
                                   << "the one on screen does not fit";
    }
    void theOneOnScreenIsToldByItsPlace()
    {
        QFETCH(qint64, place);
        QFETCH(bool, is_exact);
        QFETCH(bool, fits);
        QFETCH(QString, label);
        QFETCH(QString, words);
        std::vector<SweepPoint> points{pointOf(1, 8, 1, 1, Recompute::none),
                                       pointOf(2, 4, 1, 1, Recompute::none)};
        points.back().fits = fits;
        LayoutsFound layouts;
        layouts.fitting = 2112;
        layouts.own = OwnLayout{1, false, place, is_exact};
        const LayoutLabels found = layoutLabels(points, Scenario{}, layouts.own);
        QCOMPARE(found.labels.back(), label);
        QVERIFY(found.title.startsWith("from fastest to smallest, then the one on screen: "));
        QCOMPARE(ownLayoutWords(layouts, points.back()), words);
        QTEST(ownLayoutClause(layouts, points.back()), "clause");
        layouts.own->is_of_front = true;
        QCOMPARE(layoutLabels(points, Scenario{}, layouts.own).labels.back(), QString{"now 2·1·4"});
    }

    // Tensor messages overlap with one of them alone, though the search does not vary that.
    void overlapThatFollowsALayoutIsNamed()
    {
        Scenario base;
        base.conventions.framework = Framework::megatron;
        base.conventions = defaultConventions(Framework::megatron, base.model, base.training, base.parallel);
        Layout layout = layoutOf(base);
        layout.parallel.tensor = 2;
        layout.parallel.data = 2;
        layout.parallel.zero_stage = 1;
        layout.parallel.sequence_parallel = true;
        std::vector<SweepPoint> points(2);
        points[0].scenario = base;
        points[1].scenario = withLayout(base, layout);
        const LayoutLabels found = layoutLabels(points, base);
        QVERIFY(!found.labels[0].contains("ot"));
        QVERIFY2(found.labels[1].endsWith(" ot"), qPrintable(found.labels[1]));
        QVERIFY(found.title.contains("ot overlap of tensor messages"));
        QVERIFY(followingWords(base, layout).contains("Overlap tensor on (now off)"));
        QCOMPARE(followingWords(base, layoutOf(base)), QString{});
        QVERIFY(searchedWords(base, {layout}).contains(". Following the layout: "));
        QVERIFY(searchedWords(base, {layout}).contains("Overlap tensor"));
    }

    void whatIsVariedAndWhatIsKeptIsSaid()
    {
        Scenario base;
        base.training.global_batch_size = 64;
        QCOMPARE(searchedWords(base, {}),
                 QString{"Varied: p t d b v, ZeRO stage, sequence parallelism, recomputation. Kept: global "
                         "batch 64, context 1"});
        base.training.flash_attention = true;
        base.model.experts.count = 8;
        base.parallel.schedule = Schedule::zb_h1;
        QCOMPARE(searchedWords(base, {}),
                 QString{"Varied: p t c d ep etp b, ZeRO stage, sequence parallelism, recomputation. Kept: "
                         "global batch 64, schedule zb-h1"});
    }
};

QTEST_GUILESS_MAIN(TestLayoutLabels)
#include "tst_layout_labels.moc"
