#include <QTest>

#include "core/prediction/time/pass_clock.h"

using namespace shardscope;

class TestPassClock : public QObject
{
    Q_OBJECT
private slots:
    // Two chunks of two layers and one of four, of 1 s each; something else before, between and behind.
    void aShareOfTheLayersHasItsTime_data()
    {
        QTest::addColumn<double>("share");
        QTest::addColumn<double>("expected_s");
        QTest::newRow("before the first layer") << 0.0 << 3.0;
        QTest::newRow("within a chunk") << 0.125 << 4.0;
        QTest::newRow("a chunk's end is not the next one's beginning") << 0.25 << 5.0;
        QTest::newRow("in the second chunk") << 0.375 << 17.0;
        QTest::newRow("all of them, without what comes behind") << 1.0 << 22.0;
    }
    void aShareOfTheLayersHasItsTime()
    {
        QFETCH(double, share);
        PassClock clock;
        clock.add({2.0, 3.0, 2.0, 1.0});
        clock.add({2.0, 10.0, 2.0, 0.0});
        clock.add({4.0, 0.0, 4.0, 7.0});
        QTEST(clock.at(share), "expected_s");
        QCOMPARE(clock.end_s(), 29.0);
    }

    void withoutLayersEverythingIsReadyAtTheEnd()
    {
        PassClock clock;
        QCOMPARE(clock.at(0.5), 0.0);
        clock.add({0.0, 1.0, 2.0, 3.0});
        QCOMPARE(clock.at(0.0), 6.0);
        QCOMPARE(clock.at(1.0), 6.0);
    }
};

QTEST_APPLESS_MAIN(TestPassClock)
#include "tst_pass_clock.moc"
