#include <QTest>

#include "widgets/plots/timeline/time_axis.h"

using namespace shardscope;

class TestTimeAxis : public QObject
{
    Q_OBJECT
private slots:
    void timesFallIntoColumns_data()
    {
        QTest::addColumn<qint64>("time");
        QTest::addColumn<qint64>("start");
        QTest::addColumn<qint64>("length");
        QTest::addColumn<int>("width");
        QTest::addColumn<qint64>("column");
        QTest::newRow("the start is column 0")
            << qint64{100} << qint64{100} << qint64{50} << 100 << qint64{0};
        QTest::newRow("a nanosecond is two columns")
            << qint64{101} << qint64{100} << qint64{50} << 100 << qint64{2};
        QTest::newRow("the end is one past the last")
            << qint64{150} << qint64{100} << qint64{50} << 100 << qint64{100};
        QTest::newRow("before the start rounds down")
            << qint64{99} << qint64{100} << qint64{200} << 100 << qint64{-1};
        QTest::newRow("nanoseconds since 1970") << qint64{1795227090183146001} << qint64{1795227090183146000}
                                                << qint64{10} << 1000 << qint64{100};
        QTest::newRow("a year on one screen does not overflow")
            << qint64{31536000000000000} / 2 << qint64{0} << qint64{31536000000000000} << 16384
            << qint64{8192};
    }
    void timesFallIntoColumns()
    {
        QFETCH(qint64, time);
        QFETCH(qint64, start);
        QFETCH(qint64, length);
        QFETCH(int, width);
        QTEST(qint64{columnOf(time, {start, length}, width)}, "column");
    }

    void firstTimeOfAColumnIsInThatColumn()
    {
        const TimeRange range{1795227090183146001, 7'919};
        for (const int width : {1, 97, 1600, 10007})
            for (int column = 0; column <= width; column += 13) {
                const TraceTime time = timeOfColumn(column, range, width);
                QVERIFY(columnOf(time, range, width) >= column);
                QVERIFY(columnOf(time - 1, range, width) < column);
            }
    }

    void zoomingKeepsTheAnchorWhereItIs()
    {
        const TimeRange bounds{0, 1'000'000'000};
        TimeRange range = bounds;
        const TraceTime anchor = 123'456'789;
        for (int step = 0; step < 120; ++step) {
            range = zoomed(range, 0.8, anchor, bounds);
            QVERIFY(range.start_ns <= anchor && anchor < range.end_ns());
        }
        QCOMPARE(qint64{range.length_ns}, qint64{shortest_range_ns});
        for (int step = 0; step < 200; ++step)
            range = zoomed(range, 1.25, anchor, bounds);
        QCOMPARE(qint64{range.length_ns}, qint64{3 * bounds.length_ns});
    }

    void panningStaysNearTheRun_data()
    {
        QTest::addColumn<qint64>("by");
        QTest::addColumn<qint64>("start");
        QTest::newRow("inside it is free") << qint64{300} << qint64{300};
        QTest::newRow("far right keeps a quarter") << qint64{5000} << qint64{975};
        QTest::newRow("far left keeps a quarter") << qint64{-5000} << qint64{-75};
    }
    void panningStaysNearTheRun()
    {
        QFETCH(qint64, by);
        QTEST(qint64{panned({0, 100}, by, {0, 1000}).start_ns}, "start");
    }

    void panningThereAndBackIsExact()
    {
        const TimeRange bounds{0, 1'000'000};
        const TimeRange begin{333'333, 777};
        TimeRange range = begin;
        for (int step = 0; step < 1000; ++step)
            range = panned(range, step % 2 == 0 ? 131 : -131, bounds);
        QVERIFY(range == begin);
    }

    void ticksAreOneTwoFive_data()
    {
        QTest::addColumn<qint64>("length");
        QTest::addColumn<int>("width");
        QTest::addColumn<qint64>("step");
        QTest::newRow("nanoseconds") << qint64{10} << 1000 << qint64{1};
        QTest::newRow("exact fit") << qint64{1000} << 1000 << qint64{100};
        QTest::newRow("rounds up to two") << qint64{1001} << 1000 << qint64{200};
        QTest::newRow("rounds up to five") << qint64{4000} << 1000 << qint64{500};
        QTest::newRow("seconds") << qint64{12'000'000'000} << 1200 << qint64{1'000'000'000};
    }
    void ticksAreOneTwoFive()
    {
        QFETCH(qint64, length);
        QFETCH(int, width);
        QTEST(qint64{tickStep({0, length}, width, 100)}, "step");
    }

    void labelsHaveTheDigitsOfTheStep_data()
    {
        QTest::addColumn<qint64>("time");
        QTest::addColumn<qint64>("step");
        QTest::addColumn<QString>("label");
        QTest::newRow("zero") << qint64{0} << qint64{5} << "0";
        QTest::newRow("whole milliseconds") << qint64{15'000'000} << qint64{5'000'000} << "15 ms";
        QTest::newRow("microseconds in milliseconds") << qint64{1'250'000} << qint64{1'000} << "1.250 ms";
        QTest::newRow("nanoseconds in seconds") << qint64{1'000'000'001} << qint64{1} << "1.000000001 s";
        QTest::newRow("below a microsecond") << qint64{250} << qint64{50} << "250 ns";
        QTest::newRow("before the start") << qint64{-2'500'000} << qint64{500'000} << "-2.5 ms";
    }
    void labelsHaveTheDigitsOfTheStep()
    {
        QFETCH(qint64, time);
        QFETCH(qint64, step);
        QTEST(QString::fromStdString(formatTick(time, step)), "label");
    }

    void deepZoomCountsFromABase()
    {
        const TimeTicks near = timeTicks({0, 1'000'000}, 1000, 100);
        QVERIFY(near.base_label.empty());
        QCOMPARE(near.ticks.size(), std::size_t{10});
        QCOMPARE(QString::fromStdString(near.ticks[3].label), QStringLiteral("300 µs"));

        const TimeTicks deep = timeTicks({1'234'567'894, 10}, 1000, 100);
        QCOMPARE(QString::fromStdString(deep.base_label), QStringLiteral("1.23456789 s"));
        QCOMPARE(QString::fromStdString(deep.ticks.front().label), QStringLiteral("+4 ns"));
        QCOMPARE(deep.ticks.size(), std::size_t{10});
    }

    void anotherScaleKeepsThePlaceOnScreen()
    {
        const TimeRange whole{0, 1'000};
        const TimeRange other{0, 50'000};
        QVERIFY(onOtherScale(whole, whole, other) == other);
        QVERIFY((onOtherScale({250, 500}, whole, other) == TimeRange{12'500, 25'000}));
    }
};

QTEST_APPLESS_MAIN(TestTimeAxis)
#include "tst_time_axis.moc"
