#include "widgets/models/map_grid.h"

#include "core/sweep/sweep_place.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

using namespace shardscope;

static constexpr SweepAxis x_axis = SweepAxis::sequence_length;
static constexpr SweepAxis y_axis = SweepAxis::network_bandwidth;
static constexpr int side = 48;

static Scenario scenarioOf(std::int64_t length, double bandwidth_GBps)
{
    Scenario scenario;
    const std::array place{AxisValue{x_axis, static_cast<double>(length)}, AxisValue{y_axis, bandwidth_GBps}};
    Scenario moved = scenario;
    if (setPlace(moved, scenario, place) != Misfit::none)
        qFatal("a place that does not fit");
    return moved;
}

class TestMapGrid : public QObject
{
    Q_OBJECT
private slots:
    void sizesHaveThreeDigits()
    {
        const MapGrid grid = mapGrid(scenarioOf(2048, 12.3456), x_axis, y_axis, side, {});
        QCOMPARE(grid.y_values.size(), std::size_t{side});
        for (const double value : grid.y_values)
            QCOMPARE(QString::number(value, 'g', 3).toDouble(), value);
        QVERIFY(std::ranges::is_sorted(grid.x_values));
        for (const double length : grid.x_values)
            if (length > 20'000.0)
                QCOMPARE(std::fmod(length, 128.0), 0.0);
    }

    void aGridStaysWhileTheScenarioMovesWithinIt_data()
    {
        QTest::addColumn<qint64>("length");
        QTest::addColumn<double>("bandwidth_GBps");
        QTest::addColumn<bool>("lengths_stay");
        QTest::addColumn<bool>("bandwidths_stay");
        QTest::newRow("to a place on it") << qint64{16384} << 100.0 << true << true;
        QTest::newRow("the bandwidth leaves it") << qint64{2048} << 10'000.0 << true << false;
        QTest::newRow("the length leaves it") << qint64{1 << 20} << 25.0 << false << true;
    }
    void aGridStaysWhileTheScenarioMovesWithinIt()
    {
        QFETCH(qint64, length);
        QFETCH(double, bandwidth_GBps);
        const MapGrid shown = mapGrid(scenarioOf(2048, 25.0), x_axis, y_axis, side, {});
        const Scenario moved = scenarioOf(length, bandwidth_GBps);
        const MapGrid now = mapGrid(moved, x_axis, y_axis, side, shown);
        QTEST(now.y_values == shown.y_values, "bandwidths_stay");
        QTEST(now.x_values == shown.x_values, "lengths_stay");
    }

    void anotherScenarioHasSizesThatFitIt()
    {
        const MapGrid shown = mapGrid(scenarioOf(2048, 25.0), x_axis, y_axis, side, {});
        Scenario other = scenarioOf(2048, 25.0);
        other.parallel.context = 3;
        const MapGrid now = mapGrid(other, x_axis, y_axis, side, shown);
        QVERIFY(std::ranges::all_of(now.x_values, [](double value) { return std::fmod(value, 3.0) == 0.0; }));
        QCOMPARE(now.y_values, shown.y_values);
    }
};

QTEST_APPLESS_MAIN(TestMapGrid)
#include "tst_map_grid.moc"
