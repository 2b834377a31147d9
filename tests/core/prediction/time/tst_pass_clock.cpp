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
        QTest::addColumn<double>("through_s"); // with it
        QTest::addColumn<double>("behind_s");  // where what follows it begins
        QTest::newRow("before the first layer") << 0.0 << 3.0 << 3.0;
        QTest::newRow("within a chunk") << 0.125 << 4.0 << 4.0;
        QTest::newRow("a chunk's end is not the next one's beginning") << 0.25 << 5.0 << 16.0;
        QTest::newRow("in the second chunk") << 0.375 << 17.0 << 17.0;
        QTest::newRow("chunks without anything between them") << 0.5 << 18.0 << 18.0;
        QTest::newRow("all of them") << 1.0 << 29.0 << 22.0;
    }
    void aShareOfTheLayersHasItsTime()
    {
        QFETCH(double, share);
        PassClock clock;
        clock.add({2.0, 3.0, 2.0, 1.0});
        clock.add({2.0, 10.0, 2.0, 0.0});
        clock.add({4.0, 0.0, 4.0, 7.0});
        QTEST(clock.endOf(share), "through_s");
        QTEST(clock.beginBehind(share), "behind_s");
        QCOMPARE(clock.end_s(), 29.0);
    }

    // Two layers of 1 s and two of 3 s.
    void unlikeLayersHaveTheirOwnParts()
    {
        PassClock clock;
        clock.add({4.0, 1.0, 8.0, 2.0, {1.0, 1.0, 3.0, 3.0}});
        QCOMPARE(clock.endOf(0.0), 1.0);
        QCOMPARE(clock.endOf(0.25), 2.0);
        QCOMPARE(clock.endOf(0.5), 3.0);
        QCOMPARE(clock.beginBehind(0.5), 3.0);
        QCOMPARE(clock.endOf(0.625), 4.5);
        QCOMPARE(clock.beginBehind(0.75), 6.0);
        QCOMPARE(clock.endOf(1.0), 11.0);
        PassClock untimed; // nothing is known of them
        untimed.add({2.0, 0.0, 8.0, 0.0, {0.0, 0.0}});
        QCOMPARE(untimed.endOf(0.5), 4.0);
    }

    // The head on a stage, or in a chunk, of its own.
    void chunksWithoutLayersHaveTheirTurn()
    {
        PassClock alone;
        QCOMPARE(alone.endOf(0.5), 0.0);
        alone.add({0.0, 1.0, 2.0, 3.0});
        QCOMPARE(alone.endOf(0.0), 3.0);
        QCOMPARE(alone.endOf(1.0), 6.0);
        QCOMPARE(alone.beginBehind(0.0), 0.0);
        PassClock forward;
        forward.add({2.0, 0.0, 2.0, 10.0});
        forward.add({0.0, 0.0, 0.0, 5.0});
        QCOMPARE(forward.beginBehind(1.0), 12.0);
        PassClock backward;
        backward.add({0.0, 5.0, 0.0, 0.0});
        backward.add({2.0, 10.0, 2.0, 0.0});
        QCOMPARE(backward.endOf(0.0), 5.0);
        QCOMPARE(backward.endOf(0.5), 16.0);
    }
};

QTEST_APPLESS_MAIN(TestPassClock)
#include "tst_pass_clock.moc"
