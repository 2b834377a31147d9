#include <QTest>

#include "widgets/plots/timeline/lane_layout.h"
#include "widgets/plots/timeline/timeline_layout.h"

#include <algorithm>

using namespace shardscope;

namespace
{

constexpr LaneHeights heights{20, 8, 26, 18, 16, 14, 2};

// Two ranks: a GPU stream, a deep main thread, and a thread nobody asked for.
std::vector<RankShape> twoRanks()
{
    const RankShape rank{{{1, true}, {8, true}, {3, false}}};
    return {rank, rank};
}

} // namespace

class TestLaneLayout : public QObject
{
    Q_OBJECT
private slots:
    void stagesStandBelowEachOther()
    {
        const auto lanes = layOutStages(3, 1, heights);
        QCOMPARE(lanes.size(), std::size_t{3});
        QCOMPARE(lanes[2].top, 44);
        QCOMPARE(heightOf(lanes), 64);
        QCOMPARE(heightOf({}), 0);
    }

    void closedRanksAreOneLane()
    {
        const auto lanes = layOutRanks(twoRanks(), {}, heights);
        QCOMPARE(lanes.size(), std::size_t{2});
        QCOMPARE(lanes[1].top, 28);
        QVERIFY(lanes[1].role == LaneRole::rank);
    }

    void openRanksShowTheTracksOfInterest()
    {
        OpenLanes open;
        open.ranks = {0};
        const auto lanes = layOutRanks(twoRanks(), open, heights);
        QCOMPARE(lanes.size(), std::size_t{5}); // title, stream, main thread, "1 more", rank 1
        QCOMPARE(lanes[0].height, heights.rank_title);
        QVERIFY(lanes[1].is_open);  // one row
        QVERIFY(!lanes[2].is_open); // eight
        QCOMPARE(lanes[2].height, heights.closed_track);
        QVERIFY(lanes[3].role == LaneRole::more_tracks);
        QVERIFY(lanes[4].role == LaneRole::rank);

        open.ranks_with_all_tracks = {0};
        open.turned_tracks = {{0, 1}, {0, 2}};
        const auto all = layOutRanks(twoRanks(), open, heights);
        QCOMPARE(all.size(), std::size_t{6});
        QCOMPARE(all[2].height, 8 * heights.row);
        QCOMPARE(all[3].height, 3 * heights.row);
    }

    void groupsHoldTheirRanksOrALineForEach()
    {
        OpenLanes open;
        open.closed_groups = {1};
        const auto lanes =
            layOutRanks({twoRanks()[0], twoRanks()[0], twoRanks()[0]}, open, heights, {{2}, {0, 1}});
        QCOMPARE(lanes.size(), std::size_t{3}); // title, rank 2, the closed group
        QVERIFY(lanes[0].role == LaneRole::group && lanes[0].is_open);
        QCOMPARE(lanes[0].height, heights.rank_title);
        QCOMPARE(lanes[1].rank, std::size_t{2});
        QVERIFY(lanes[2].role == LaneRole::group && !lanes[2].is_open);
        QCOMPARE(lanes[2].rows, 2);
        QCOMPARE(lanes[2].height, heights.closed_rank);
    }

    void countersStandBelowTheTracks()
    {
        std::vector<RankShape> ranks = twoRanks();
        ranks[0].counters = counters_at_first + 2;
        OpenLanes open;
        open.ranks = {0};
        const auto of_role = [](const std::vector<Lane>& lanes, LaneRole role) {
            return std::ranges::count(lanes, role, &Lane::role);
        };
        QCOMPARE(of_role(layOutRanks(ranks, open, heights), LaneRole::counter), std::ptrdiff_t{8});
        open.ranks_with_all_tracks = {0};
        QCOMPARE(of_role(layOutRanks(ranks, open, heights), LaneRole::counter), std::ptrdiff_t{10});
        QCOMPARE(of_role(layOutRanks(ranks, {}, heights), LaneRole::counter), std::ptrdiff_t{0});
    }

    void lanesAreFoundByHeight_data()
    {
        QTest::addColumn<int>("y");
        QTest::addColumn<int>("lane");
        QTest::newRow("top") << 0 << 0;
        QTest::newRow("a gap belongs to the lane above") << 21 << 0;
        QTest::newRow("next") << 22 << 1;
        QTest::newRow("last pixel") << 63 << 2;
        QTest::newRow("below") << 64 << -1;
        QTest::newRow("above") << -1 << -1;
    }
    void lanesAreFoundByHeight()
    {
        QFETCH(int, y);
        const auto lane = laneAt(layOutStages(3, 1, heights), y);
        QTEST(lane ? static_cast<int>(*lane) : -1, "lane");
    }

    void onlyLanesOnScreenAreDrawn()
    {
        const auto lanes = layOutStages(1000, 1, heights);
        const auto [first, last] = lanesBetween(lanes, 2205, 2300);
        QCOMPARE(first, std::size_t{100}); // 2200..2220
        QCOMPARE(last, std::size_t{105});  // 2288..2308
    }

    void rowsFillTheLane_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("row");
        QTest::addColumn<int>("top");
        QTest::addColumn<int>("height");
        QTest::newRow("one") << 1 << 0 << 0 << 14;
        QTest::newRow("last of two") << 2 << 1 << 7 << 7;
        QTest::newRow("last of eight") << 8 << 7 << 12 << 2;
        QTest::newRow("thinner than a pixel") << 100 << 99 << 13 << 1;
    }
    void rowsFillTheLane()
    {
        QFETCH(int, rows);
        QFETCH(int, row);
        const Lane lane{LaneRole::track, 0, 0, 0, 14, rows, false};
        const auto [top, height] = rowPlace(lane, row);
        QTEST(top, "top");
        QTEST(height, "height");
        QVERIFY(std::abs(rowAt(lane, top) - row) <= rows / 14);
    }

    void sectionsShareTheRoom_data()
    {
        QTest::addColumn<int>("predicted");
        QTest::addColumn<int>("measured");
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("predictedRoom");
        // 600 high: 2 rulers of 20, a divider of 5, traffic 96: 459 for lanes.
        QTest::newRow("both fit") << 86 << 200 << -1.0 << 86;
        QTest::newRow("neither fits") << 1000 << 1000 << -1.0 << 206;
        QTest::newRow("a short measurement leaves its room") << 1000 << 100 << -1.0 << 359;
        QTest::newRow("as dragged") << 86 << 200 << 0.5 << 230;
        QTest::newRow("dragged too far") << 86 << 200 << 1.0 << 435;
    }
    void sectionsShareTheRoom()
    {
        QFETCH(int, predicted);
        QFETCH(int, measured);
        QFETCH(double, share);
        TimelineNeeds needs;
        needs.predicted_height = predicted;
        needs.measured_height = measured;
        needs.predicted_share = share;
        const TimelineLayout layout = layOutTimeline({0, 0, 800, 600}, needs);
        QTEST(layout.predicted_lanes.height(), "predictedRoom");
        QCOMPARE(layout.measured_lanes.bottom() + 1, layout.traffic.top());
        QCOMPARE(layout.traffic.bottom(), 599);
        QCOMPARE(layout.gutter, 72);
    }

    // Where both sections scroll.
    void thePredictedSectionHoldsWholeLanes()
    {
        for (int height = 160; height < 500; height += 7) {
            TimelineNeeds needs;
            needs.predicted_height = 8 * 37;
            needs.predicted_lane_height = 37;
            needs.measured_height = 2000;
            const TimelineLayout layout = layOutTimeline({0, 0, 800, height}, needs);
            const int lanes = layout.predicted_lanes.height();
            const int room = lanes + layout.measured_lanes.height();
            QVERIFY2(room < 74 || lanes % 37 == 0, qPrintable(QString::number(height)));
            QVERIFY(room < 74 || lanes <= room / 2);
        }
    }

    void inTheWholeHeightNothingHasToBeScrolledTo_data()
    {
        QTest::addColumn<int>("predicted");
        QTest::addColumn<int>("measured");
        QTest::newRow("little") << 20 << 30;
        QTest::newRow("some") << 160 << 300;
        QTest::newRow("many ranks") << 160 << 4000;
        QTest::newRow("no measurement") << 900 << 0;
    }
    void inTheWholeHeightNothingHasToBeScrolledTo()
    {
        QFETCH(int, predicted);
        QFETCH(int, measured);
        TimelineNeeds needs;
        needs.predicted_height = predicted;
        needs.measured_height = measured;
        needs.has_measured = measured > 0;
        const int height = wholeHeight(needs);
        const TimelineLayout layout = layOutTimeline({0, 0, 800, height}, needs);
        QVERIFY(layout.predicted_lanes.height() >= predicted);
        QVERIFY(layout.measured_lanes.height() >= measured);
        QVERIFY(!layout.traffic.isEmpty());
        QVERIFY(height <= predicted + measured + 300);
    }

    void smallAreasDropTheTrafficUnlessLanesLeaveRoom()
    {
        TimelineNeeds needs;
        needs.has_measured = false;
        needs.predicted_height = 60;
        QVERIFY(!layOutTimeline({0, 0, 300, 160}, needs).traffic.isEmpty());
        needs.predicted_height = 140;
        const TimelineLayout layout = layOutTimeline({0, 0, 300, 160}, needs);
        QVERIFY(layout.traffic.isEmpty());
        QVERIFY(layout.measured_lanes.isEmpty());
        QCOMPARE(layout.predicted_lanes.height(), 140);
    }

    void messagesStandInThinnerRowsBelowWhatAStageComputes()
    {
        const Lane lane = layOutStages(2, 3, heights).back();
        QCOMPARE(lane.top, 20 + 2 * 8 + 2);
        QCOMPARE(rowPlace(lane, 0), (std::pair{0, 20}));
        QCOMPARE(rowPlace(lane, 1), (std::pair{20, 8}));
        QCOMPARE(rowPlace(lane, 2), (std::pair{28, 8}));
        for (int row = 0; row < 3; ++row) {
            const auto [top, height] = rowPlace(lane, row);
            QCOMPARE(rowAt(lane, top), row);
            QCOMPARE(rowAt(lane, top + height - 1), row);
        }
    }
};

QTEST_APPLESS_MAIN(TestLaneLayout)
#include "tst_lane_layout.moc"
