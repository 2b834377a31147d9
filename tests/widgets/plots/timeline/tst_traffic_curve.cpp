#include <QTest>

#include <memory>

#include "widgets/plots/timeline/traffic_curve.h"
#include "widgets/plots/timeline/traffic_painting.h"

using namespace shardscope;

class TestTrafficCurve : public QObject
{
    Q_OBJECT
private slots:
    void overlappingSendingsAddUp_data()
    {
        QTest::addColumn<qint64>("time");
        QTest::addColumn<double>("bytes");
        // 1000 bytes over [100, 200), 300 over [150, 300).
        QTest::newRow("before") << qint64{50} << 0.0;
        QTest::newRow("half of the first") << qint64{150} << 500.0;
        QTest::newRow("both") << qint64{200} << 1100.0;
        QTest::newRow("the second alone") << qint64{250} << 1200.0;
        QTest::newRow("after") << qint64{1000} << 1300.0;
    }
    void overlappingSendingsAddUp()
    {
        QFETCH(qint64, time);
        const CumulativeBytes curve = cumulative({{150, 150, 300.0}, {100, 100, 1000.0}});
        QTEST(curve.until(time), "bytes");
    }

    void columnsHoldEverything()
    {
        const CumulativeBytes curve = cumulative({{10, 5, 123.0}, {503, 1, 77.0}, {777, 0, 100.0}});
        for (const int width : {1, 7, 100, 1000}) {
            const TimeRange range{0, 1000};
            const TrafficColumns columns = columnsOf({&curve}, range, width);
            double sum = 0.0;
            for (int c = 0; c < width; ++c) {
                const auto ns = timeOfColumn(c + 1, range, width) - timeOfColumn(c, range, width);
                sum += columns.rates[0][static_cast<std::size_t>(c)] * static_cast<double>(ns) * 1e-9;
            }
            QVERIFY(qAbs(sum - 300.0) < 1e-6);
        }
    }

    // Whether their scales are the same or not.
    void twoCurvesHaveAKey_data()
    {
        QTest::addColumn<double>("predicted");
        QTest::addColumn<double>("measured");
        QTest::addColumn<bool>("own_scales");
        QTest::addColumn<int>("room");
        QTest::addColumn<QStringList>("key");
        constexpr double mib = 1024.0 * 1024.0;
        QTest::newRow("one scale") << 1.5 * mib << 1.2 * mib << false << 100
                                   << QStringList{"▆ predicted 2 MiB/s", "— measured 2 MiB/s"};
        QTest::newRow("little room") << 1.5 * mib << 1.2 * mib << false << 12
                                     << QStringList{"▆ 2 MiB/s", "— 2 MiB/s"};
        QTest::newRow("scales of their own") << 1.5 * mib << 4.0 * mib << true << 100
                                             << QStringList{"▆ predicted 2 MiB/s", "— measured 5 MiB/s"};
        QTest::newRow("nothing measured") << 1.5 * mib << 0.0 << false << 100 << QStringList{"2 MiB/s"};
    }
    void twoCurvesHaveAKey()
    {
        QFETCH(double, predicted);
        QFETCH(double, measured);
        QFETCH(bool, own_scales);
        QFETCH(int, room);
        constexpr TraceTime second = 1'000'000'000;
        auto lanes = std::make_shared<PredictedLanes>();
        lanes->traffic[Kind::tp] = cumulative({{0, second, predicted}});
        auto run = std::make_shared<MeasuredLanes>();
        if (measured > 0.0)
            run->traffic = cumulative({{0, second, measured}});
        TimelineScene scene;
        scene.predicted = lanes;
        scene.measured = run;
        scene.own_scales = own_scales;
        const auto has_room = [room](const QString& text) { return text.size() <= room; };
        QTEST(trafficScales(scene, {0, second}, 10, has_room), "key");
    }

    void layersAreStacked()
    {
        const CumulativeBytes tp = cumulative({{0, 1000, 1000.0}});
        const CumulativeBytes dp = cumulative({{500, 500, 1000.0}});
        const TrafficColumns columns = columnsOf({&tp, &dp}, {0, 1000}, 2);
        QCOMPARE(columns.rates[0][1], 1e9); // a byte a nanosecond
        QCOMPARE(columns.rates[1][0], 0.0);
        QCOMPARE(columns.most, 3e9);
    }

    void deepZoomRepeatsTheRate()
    {
        const CumulativeBytes curve = cumulative({{0, 1000, 1000.0}});
        const TrafficColumns columns = columnsOf({&curve}, {500, 10}, 100);
        for (const double rate : columns.rates[0])
            QCOMPARE(rate, 1e9);
    }

    void axesEndAtRoundNumbers_data()
    {
        QTest::addColumn<double>("rate");
        QTest::addColumn<double>("ceiling");
        QTest::newRow("nothing") << 0.0 << 0.0;
        QTest::newRow("bytes") << 130.0 << 200.0;
        QTest::newRow("half of a KiB counts up to its end") << 600.0 << 1000.0;
        QTest::newRow("GiB") << 3.2 * 1073741824.0 << 5.0 * 1073741824.0;
    }
    void axesEndAtRoundNumbers()
    {
        QFETCH(double, rate);
        QTEST(niceCeiling(rate), "ceiling");
    }
};

QTEST_APPLESS_MAIN(TestTrafficCurve)
#include "tst_traffic_curve.moc"
