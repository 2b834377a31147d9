#include "widgets/plots/axis_ticks.h"

#include <QStringList>
#include <QTest>

using namespace shardscope;

Q_DECLARE_METATYPE(shardscope::AxisUnit)

static QStringList labels(const std::vector<AxisTick>& ticks)
{
    QStringList texts;
    for (const AxisTick& tick : ticks)
        texts << tick.label;
    return texts;
}

class TestAxisTicks : public QObject
{
    Q_OBJECT
private slots:
    void linearAxesHaveRoundStepsInOneUnit_data()
    {
        QTest::addColumn<double>("high");
        QTest::addColumn<AxisUnit>("unit");
        QTest::addColumn<int>("most");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("seconds") << 35.0 << AxisUnit::seconds << 5
                                 << QStringList{"0", "10 s", "20 s", "30 s"};
        QTest::newRow("halves of a second keep the second")
            << 1.6 << AxisUnit::seconds << 5 << QStringList{"0", "0.5 s", "1 s", "1.5 s"};
        QTest::newRow("hours from two on, as figures are written")
            << 9900.0 << AxisUnit::seconds << 6 << QStringList{"0", "1 h", "2 h"};
        QTest::newRow("milliseconds") << 0.09 << AxisUnit::seconds << 4 << QStringList{"0", "50 ms"};
        QTest::newRow("bytes go by powers of two")
            << 26.0 * 0x1p30 << AxisUnit::bytes << 5 << QStringList{"0", "8 GiB", "16 GiB", "24 GiB"};
        QTest::newRow("counts are never split") << 2.0 << AxisUnit::count << 8 << QStringList{"0", "1", "2"};
        QTest::newRow("shares") << 1.0 << AxisUnit::share << 6
                                << QStringList{"0", "20 %", "40 %", "60 %", "80 %", "100 %"};
        QTest::newRow("a low axis has one beside the zero")
            << 96.0 * 0x1p30 << AxisUnit::bytes << 2 << QStringList{"0", "64 GiB"};
        QTest::newRow("and of seconds") << 4.5 << AxisUnit::seconds << 2 << QStringList{"0", "4 s"};
        QTest::newRow("nothing to show") << 0.0 << AxisUnit::bytes << 5 << QStringList{"0"};
    }
    void linearAxesHaveRoundStepsInOneUnit()
    {
        QFETCH(double, high);
        QFETCH(AxisUnit, unit);
        QFETCH(int, most);
        QFETCH(QStringList, expected);
        QCOMPARE(labels(linearTicks(high, unit, most)), expected);
    }

    void thereAreNeverMoreTicksThanAskedFor()
    {
        for (const AxisUnit unit : {AxisUnit::seconds, AxisUnit::bytes, AxisUnit::count})
            for (double high = 1.0; high < 1e15; high *= 1.7)
                for (int most = 2; most < 9; ++most) {
                    QVERIFY(static_cast<int>(linearTicks(high, unit, most).size()) <= most);
                    QVERIFY(static_cast<int>(logTicks(0.5, high, unit, most).size()) <= most + 1);
                }
    }

    void logarithmicAxesGoByPowers()
    {
        QCOMPARE(labels(logTicks(0.5, 20000.0, AxisUnit::count, 6)),
                 (QStringList{"1", "10", "100", "1 K", "10 K"}));
        QCOMPARE(labels(logTicks(0.04, 5.0, AxisUnit::count, 7)),
                 (QStringList{"0.05", "0.1", "0.2", "0.5", "1", "2", "5"}));
        QCOMPARE(labels(logTicks(0.04, 5.0, AxisUnit::count, 6)), (QStringList{"0.1", "1", "5"}));
        QCOMPARE(labels(logTicks(0.0015, 4.5, AxisUnit::count, 7)),
                 (QStringList{"0.01", "0.1", "1", "4"})); // the axis ends high above 1
        QCOMPARE(labels(logTicks(0.04, 2.5, AxisUnit::count, 5)), (QStringList{"0.1", "1"})); // and not here
        QCOMPARE(labels(logTicks(0.5, 5000.0, AxisUnit::bytes, 4)),
                 (QStringList{"0.5 B", "8 B", "128 B", "2 KiB"}));
        QCOMPARE(labels(logTicks(0.93, 17.1, AxisUnit::doublings, 6)),
                 (QStringList{"1", "2", "4", "8", "16"}));
        QCOMPARE(labels(logTicks(8.0, 2048.0, AxisUnit::doublings, 5)),
                 (QStringList{"8", "32", "128", "512", "2\u00a0048"}));
        QVERIFY(logTicks(0.0, 10.0, AxisUnit::count, 4).empty());
        QCOMPARE(labels(logTicks(1.0, 8.0, AxisUnit::count, 6)), (QStringList{"1", "2", "5"}));
    }

    void narrowLogarithmicAxesGoByEvenSteps()
    {
        QCOMPARE(labels(logTicks(3.0, 8.0, AxisUnit::count, 6)), (QStringList{"3", "4", "5", "6", "7", "8"}));
        QCOMPARE(labels(logTicks(0.97, 1.42, AxisUnit::share, 6)),
                 (QStringList{"100 %", "110 %", "120 %", "130 %", "140 %"}));
    }

    void anAxisEndsAtATickAboveItsData()
    {
        QCOMPARE(ceilingTick(29.9, AxisUnit::seconds), 30.0);
        QCOMPARE(ceilingTick(31.2, AxisUnit::seconds), 35.0);
        QCOMPARE(ceilingTick(17.8 * 0x1p30, AxisUnit::bytes), 20.0 * 0x1p30);
        QCOMPARE(ceilingTick(0.0, AxisUnit::count), 1.0);
    }
};

QTEST_APPLESS_MAIN(TestAxisTicks)
#include "tst_axis_ticks.moc"
