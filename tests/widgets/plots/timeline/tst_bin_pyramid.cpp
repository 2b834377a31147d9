#include <QTest>

#include "widgets/plots/timeline/bin_pyramid.h"

#include <vector>

using namespace shardscope;

namespace
{

using Bins = std::vector<std::uint8_t>;

// All levels over the finest bins, the coarsest first.
std::vector<Bins> pyramidOver(const std::vector<LaneColumns::Part>& finest)
{
    std::vector<Bins> bins;
    for (std::size_t count = 1; count <= finest.size(); count *= 2)
        bins.emplace_back(count, std::uint8_t{99});
    BinPyramid::Levels levels{};
    for (std::size_t level = 0; level < bins.size(); ++level)
        levels[level] = bins[level].data();
    BinPyramid{}.fill(finest, levels);
    return bins;
}

} // namespace

class TestBinPyramid : public QObject
{
    Q_OBJECT
private slots:
    void coarseBinsHaveTheMeanOfAllBelow_data()
    {
        QTest::addColumn<std::vector<LaneColumns::Part>>("finest");
        QTest::addColumn<int>("all");
        using Parts = std::vector<LaneColumns::Part>;
        constexpr LaneColumns::Part whole = LaneColumns::whole;
        QTest::newRow("nothing") << Parts(8, 0) << 0;
        QTest::newRow("all of it") << Parts(8, whole) << 255;
        QTest::newRow("half of each") << Parts(8, whole / 2) << 128;
        QTest::newRow("all of a quarter") << Parts{whole, 0, 0, 0, 0, 0, whole, 0} << 64;
        QTest::newRow("little of it is still there") << Parts{0, 0, 0, 0, 0, 1, 0, 0} << 1;
        QTest::newRow("more than fits is all of it") << Parts(4, 3 * whole) << 255;
        // Rounded up on each level it would be 11.
        QTest::newRow("rounded once") << Parts(1024, 4) << 1;
    }
    void coarseBinsHaveTheMeanOfAllBelow()
    {
        QFETCH(std::vector<LaneColumns::Part>, finest);
        QTEST(int(pyramidOver(finest).front().front()), "all");
    }

    void eachLevelStandsOverItsOwnBins()
    {
        std::vector<LaneColumns::Part> finest(16, 0);
        std::fill(finest.begin(), finest.begin() + 8, LaneColumns::whole);
        finest[13] = LaneColumns::whole;
        const std::vector<Bins> bins = pyramidOver(finest);
        QCOMPARE(bins[0], (Bins{143}));
        QCOMPARE(bins[1], (Bins{255, 32}));
        QCOMPARE(bins[2], (Bins{255, 255, 0, 64}));
        QCOMPARE(bins[3], (Bins{255, 255, 255, 255, 0, 0, 128, 0}));
        QCOMPARE(bins[4][13], std::uint8_t{255});
        QCOMPARE(bins[4][12], std::uint8_t{0});
    }
};

QTEST_APPLESS_MAIN(TestBinPyramid)
#include "tst_bin_pyramid.moc"
