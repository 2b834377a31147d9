#include <QTest>

#include "widgets/plots/timeline/bin_pyramid.h"

#include <vector>

using namespace shardscope;

class TestBinPyramid : public QObject
{
    Q_OBJECT
private slots:
    void coarseBinsHaveTheMeanFillAndThePaintOfMost_data()
    {
        QTest::addColumn<std::vector<Shade>>("finest");
        QTest::addColumn<int>("paint");
        QTest::addColumn<int>("fill");
        const LanePaint a = LanePaint::matrix;
        const LanePaint b = LanePaint::memory;
        const LanePaint c = paintOf(Kind::tp);
        using Shades = std::vector<Shade>;
        QTest::newRow("nothing") << Shades(8) << -1 << 0;
        QTest::newRow("one paint") << Shades(8, Shade{a, 200}) << int(a) << 200;
        QTest::newRow("little of it is still there")
            << Shades{{}, {}, {}, {}, {}, {c, 1}, {}, {}} << int(c) << 1;
        QTest::newRow("three small ones are more than a large one")
            << Shades{{a, 100}, {b, 60}, {b, 60}, {b, 60}} << int(b) << 70;
        QTest::newRow("across the halves")
            << Shades{{a, 90}, {b, 80}, {a, 90}, {b, 80}, {b, 80}, {c, 90}, {b, 80}, {c, 90}} << int(b) << 85;
    }
    void coarseBinsHaveTheMeanFillAndThePaintOfMost()
    {
        QFETCH(std::vector<Shade>, finest);
        QFETCH(int, paint);
        QFETCH(int, fill);
        std::vector<std::vector<Shade>> bins;
        std::array<Shade*, BinPyramid::most_levels> levels{};
        int top = 0;
        for (std::size_t count = 1; count <= finest.size(); count *= 2, ++top) {
            bins.push_back(count == finest.size() ? finest : std::vector<Shade>(count));
            levels[static_cast<std::size_t>(top)] = bins.back().data();
        }
        BinPyramid{}.fill(levels, top - 1);
        const Shade all = bins.front().front();
        QCOMPARE(all.isEmpty() ? -1 : int(all.paint()), paint);
        QCOMPARE(all.fill(), fill);
    }

    void eachLevelStandsOverItsOwnBins()
    {
        const LanePaint a = LanePaint::matrix;
        const LanePaint b = LanePaint::memory;
        std::vector<std::vector<Shade>> bins(5);
        std::array<Shade*, BinPyramid::most_levels> levels{};
        for (std::size_t level = 0; level < bins.size(); ++level) {
            bins[level].resize(std::size_t{1} << level);
            levels[level] = bins[level].data();
        }
        for (std::size_t bin = 0; bin < 16; ++bin)
            bins[4][bin] = bin < 8 ? Shade{a, 255} : bin == 13 ? Shade{b, 200} : Shade{};
        BinPyramid{}.fill(levels, 4);
        QVERIFY((bins[1] == std::vector<Shade>{{a, 255}, {b, 25}}));
        QVERIFY((bins[2] == std::vector<Shade>{{a, 255}, {a, 255}, {}, {b, 50}}));
        QVERIFY(bins[3][5].isEmpty());
        QCOMPARE(bins[3][6].fill(), 100);
        QVERIFY((bins[0] == std::vector<Shade>{{a, 140}}));
    }
};

QTEST_APPLESS_MAIN(TestBinPyramid)
#include "tst_bin_pyramid.moc"
