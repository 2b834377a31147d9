#include <QTest>

#include "widgets/plots/timeline/lane_heights.h"

using namespace shardscope;

class TestLaneHeights : public QObject
{
    Q_OBJECT
private slots:
    // Eight stages with two rows of messages each, in a docked panel of a laptop's screen.
    void stagesThatDoNotFitBecomeThinner()
    {
        constexpr double line = 14.0;
        constexpr int room = 124;
        const LaneHeights usual = heightsFor(line, 8);
        const int content = heightOf(layOutStages(8, 3, usual));
        QVERIFY(content > 2 * room);
        const LaneHeights thin = thinned(usual, static_cast<double>(room) / content, line);
        QVERIFY(heightOf(layOutStages(8, 3, thin)) <= room);
        QVERIFY(thin.stage > thin.stage_row && thin.stage_row >= 3);
    }

    // What hardly fits keeps most of its height, and names stay readable in what does not fit at all.
    void lanesAreThinnedNoMoreThanNeeded_data()
    {
        QTest::addColumn<double>("factor");
        QTest::addColumn<int>("stage");
        QTest::newRow("a little") << 0.9 << 14;
        QTest::newRow("as far as it goes") << 0.01 << 8;
    }
    void lanesAreThinnedNoMoreThanNeeded()
    {
        QFETCH(double, factor);
        QTEST(thinned(heightsFor(14.0, 4), factor, 14.0).stage, "stage");
    }

    // Lanes of so many stages are thin from the start.
    void thinLanesStayAsTheyAre()
    {
        const LaneHeights usual = heightsFor(14.0, 64);
        const LaneHeights thin = thinned(usual, 0.1, 14.0);
        QCOMPARE(thin.stage, usual.stage);
        QCOMPARE(thin.stage_row, usual.stage_row);
    }
};

QTEST_APPLESS_MAIN(TestLaneHeights)
#include "tst_lane_heights.moc"
