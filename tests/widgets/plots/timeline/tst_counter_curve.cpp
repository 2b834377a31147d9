#include <QTest>

#include "widgets/plots/timeline/counter_curve.h"

#include <algorithm>

using namespace shardscope;

class TestCounterCurve : public QObject
{
    Q_OBJECT
private slots:
    void aValueHoldsUntilTheNext_data()
    {
        QTest::addColumn<qint64>("time");
        QTest::addColumn<double>("value"); // below 0: none
        QTest::newRow("before the first") << qint64{9} << -1.0;
        QTest::newRow("at a sample") << qint64{10} << 5.0;
        QTest::newRow("between") << qint64{19} << 5.0;
        QTest::newRow("of two at one time the later") << qint64{20} << 3.0;
        QTest::newRow("behind the last") << qint64{1000} << 3.0;
    }
    void aValueHoldsUntilTheNext()
    {
        QFETCH(qint64, time);
        const Counter counter{"0", "memory", true, {10, 20, 20}, {5.0, 7.0, 3.0}};
        QTEST(CounterCurve{counter}.valueAt(time).value_or(-1.0), "value");
    }

    void columnsHoldWhatPassesThroughThem()
    {
        const Counter counter{"0", "memory", true, {10, 22, 25}, {5.0, 7.0, 3.0}};
        const auto columns = CounterCurve{counter}.columns({0, 40}, 4);
        QVERIFY(!columns[0].is_known);
        QCOMPARE(columns[1].low, 5.0);
        QCOMPARE(columns[1].high, 5.0);
        QCOMPARE(columns[2].low, 3.0);
        QCOMPARE(columns[2].high, 7.0); // it holds 5 until the sample at 22
        QCOMPARE(columns[3].high, 3.0);
    }

    // Zoomed out, blocks answer for their samples.
    void manySamplesInAColumnKeepTheirExtremes()
    {
        Counter counter{"0", "memory", true, {}, {}};
        for (int i = 0; i < 100'000; ++i) {
            counter.times.push_back(i * 10);
            counter.values.push_back(i == 77'777 ? 900.0 : i == 12'345 ? -50.0 : i % 100);
        }
        const CounterCurve curve{counter};
        QCOMPARE(curve.least(), -50.0);
        QCOMPARE(curve.most(), 900.0);
        const auto columns = curve.columns({0, 1'000'000}, 7);
        for (int column = 0; column < 7; ++column) {
            double low = 1e9;
            double high = -1e9;
            for (std::size_t i = 0; i < counter.values.size(); ++i)
                if (columnOf(counter.times[i], {0, 1'000'000}, 7) == column) {
                    low = std::min(low, counter.values[i]);
                    high = std::max(high, counter.values[i]);
                }
            QCOMPARE(columns[static_cast<std::size_t>(column)].low, low);
            QCOMPARE(columns[static_cast<std::size_t>(column)].high, high);
        }
    }
};

QTEST_APPLESS_MAIN(TestCounterCurve)
#include "tst_counter_curve.moc"
