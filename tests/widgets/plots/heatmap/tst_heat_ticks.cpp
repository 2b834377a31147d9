#include "widgets/plots/heatmap/heat_ticks.h"

#include <QStringList>
#include <QTest>

using namespace shardscope;

class TestHeatTicks : public QObject
{
    Q_OBJECT
private slots:
    void spansLeaveNegligibleDifferencesAndCellsWithoutColour_data()
    {
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("most");
        QTest::addColumn<double>("foot");
        QTest::addColumn<bool>("has_less");
        QTest::newRow("one value stands at the top of a decade") << 1000.0 << 1000.0 << 100.0 << false;
        QTest::newRow("values a few bytes apart too") << 999.0 << 1000.0 << 100.0 << false;
        QTest::newRow("a wider span is taken as it is") << 7.0 << 1000.0 << 7.0 << false;
        QTest::newRow("a norm of four bytes does not set the foot") << 7.0 << 0x1p36 << 0x1p16 << true;
        QTest::newRow("six decades exactly are all shown") << 1.0 << 1e6 << 1.0 << false;
    }
    void spansLeaveNegligibleDifferencesAndCellsWithoutColour()
    {
        QFETCH(double, least);
        QFETCH(double, most);
        const HeatSpan span = sequentialSpan(least, most, HeatScale::logarithmic);
        QTEST(span.least, "foot");
        QTEST(span.has_less, "has_less");
        QCOMPARE(span.most, most);
        QCOMPARE(span.colourOf(least), least > span.least ? span.colourOf(least) : 0);
    }

    void aFewBytesAreNoDifferenceOfColour()
    {
        const HeatSpan span = sequentialSpan(262'140.0, 262'144.0, HeatScale::logarithmic);
        QCOMPARE(span.colourOf(262'140.0), span.colourOf(262'144.0));
    }

    void labelsAreRoundAndDiffer_data()
    {
        QTest::addColumn<HeatSpan>("span");
        QTest::addColumn<int>("most");
        QTest::addColumn<QStringList>("expected");
        const auto logarithmic = HeatScale::logarithmic;
        QTest::newRow("values near each other") << sequentialSpan(262'140.0, 262'144.0, logarithmic) << 5
                                                << QStringList{"32 KiB", "64 KiB", "128 KiB", "256 KiB"};
        QTest::newRow("where smaller ones are, the lowest says so")
            << sequentialSpan(7.0, 0x1p36, logarithmic) << 6
            << QStringList{"≤ 64 KiB", "1 MiB", "16 MiB", "256 MiB", "4 GiB", "64 GiB"};
        QTest::newRow("linear") << sequentialSpan(7.0, 900.0 * 0x1p20, HeatScale::linear) << 5
                                << QStringList{"0", "256 MiB", "512 MiB", "768 MiB"};
        QTest::newRow("differences have their sign")
            << HeatSpan{7.0, 1024.0, true, HeatScale::linear} << 6
            << QStringList{"−1 KiB", "−0.5 KiB", "0", "+0.5 KiB", "+1 KiB"};
        QTest::newRow("nothing") << HeatSpan{} << 5 << QStringList{};
    }
    void labelsAreRoundAndDiffer()
    {
        QFETCH(HeatSpan, span);
        QFETCH(int, most);
        QStringList labels;
        double before = -1.0;
        for (const HeatTick& tick : heatTicks(span, most)) {
            labels << tick.label;
            QVERIFY(tick.place > before && tick.place <= 1.0);
            before = tick.place;
        }
        QTEST(labels, "expected");
    }
};

QTEST_APPLESS_MAIN(TestHeatTicks)
#include "tst_heat_ticks.moc"
