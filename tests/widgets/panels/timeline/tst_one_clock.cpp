#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "tests/widgets/panels/timeline/small_runs.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/timeline/timeline_lanes.h"
#include "widgets/panels/timeline/timeline_panel.h"
#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/timeline/range_table.h"
#include "widgets/plots/timeline/timeline_search.h"
#include "widgets/plots/timeline/timeline_strips.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

constexpr TraceTime ahead_ns = 50'000'000;

TraceFile kernelsOf(std::int64_t rank, TraceTime later_ns)
{
    TraceFile file = tenKernels()->traces.files.front();
    TraceBuilder builder;
    const TrackIndex track = builder.addTrack("0", "7", true);
    for (std::size_t i = 0; i < file.store->size(); ++i) {
        const EventIndex event{static_cast<std::uint32_t>(i)};
        builder.addEvent(track, file.store->start(event) + later_ns, file.store->duration(event),
                         builder.intern(file.store->name(event)), builder.intern("kernel"),
                         static_cast<std::int64_t>(i));
    }
    file.rank = rank;
    file.rank_is_known = true;
    file.store = builder.finish();
    return file;
}

// The same ten kernels on both ranks, by clocks of which the second's is ahead.
std::shared_ptr<const MeasuredRun> twoClocks(bool trusted, TraceTime second_ahead_ns = ahead_ns)
{
    auto run = std::make_shared<MeasuredRun>();
    run->traces.files = {kernelsOf(0, 0), kernelsOf(1, second_ahead_ns)};
    CrossRank& across = run->measurement.cross_rank;
    across.matched = 5;
    across.clock_offset_ns = {{0, 0}, {1, second_ahead_ns}};
    across.alignment_median_ns = ahead_ns;
    across.alignment_spread_ns = 1000;
    across.alignment_trusted = trusted;
    return run;
}

TimelineSpot firstOf(std::size_t rank)
{
    return {TimelineSection::measured, rank, 0, 0, 0};
}

} // namespace

class TestOneClock : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void aStepThatAloneCountsIsOnScreen()
    {
        Content content;
        content.measured = tenKernels();
        TimelinePanel panel;
        panel.resize(800, 400);
        panel.setContent(content);
        const TimeRange all = panel.view().range();
        auto of_step = std::make_shared<MeasuredRun>(*content.measured);
        RankMeasurement rank;
        StepMeasurement step;
        step.number = 6;
        step.start_ns = 4'000'000;
        step.duration_ns = 2'000'000;
        rank.steps = {step};
        of_step->measurement.ranks = {rank};
        of_step->measurement.step = 6;
        content.measured = of_step;
        panel.setContent(content);
        QCOMPARE(panel.view().selectedRange()->start_ns, TraceTime{4'000'000});
        QCOMPARE(panel.view().selectedRange()->length_ns, TraceTime{2'000'000});
        QCOMPARE(panel.view().range().length_ns, TraceTime{2'200'000});
        content.measured = tenKernels();
        panel.setContent(content);
        QVERIFY(!panel.view().selectedRange());
        QCOMPARE(panel.view().range().length_ns, all.length_ns);
    }

    void offsetsAreTakenOutWhereTheyAreAskedForAndTrusted_data()
    {
        QTest::addColumn<bool>("asked");
        QTest::addColumn<bool>("trusted");
        QTest::addColumn<qint64>("apart_ns");
        QTest::newRow("as recorded") << false << true << qint64{ahead_ns};
        QTest::newRow("one clock") << true << true << qint64{0};
        QTest::newRow("what is not trusted stays") << true << false << qint64{ahead_ns};
    }
    void offsetsAreTakenOutWhereTheyAreAskedForAndTrusted()
    {
        QFETCH(bool, asked);
        QFETCH(bool, trusted);
        QFETCH(qint64, apart_ns);
        TimelineScene scene;
        scene.measured = measuredLanes(twoClocks(trusted), asked);
        QCOMPARE(scene.measured->has_one_clock, apart_ns == 0);
        QCOMPARE(spotRange(scene, firstOf(1)).start_ns - spotRange(scene, firstOf(0)).start_ns, apart_ns);
        QCOMPARE(scene.measured->whole.length_ns, 10'000'000 + apart_ns);
        // What lies in the first millisecond.
        const TimeRange first{0, 1'000'000};
        QCOMPARE(rangeTable(*scene.measured, first, RangeGrouping::stream).size(),
                 std::size_t{apart_ns == 0 ? 2U : 1U});
        const RangeSummary summary = summarize(scene, first);
        TraceTime worked_ns = 0;
        for (const TraceTime of_paint : summary.measured)
            worked_ns += of_paint;
        QCOMPARE(worked_ns, TraceTime{apart_ns == 0 ? 2 : 1} * 1'000'000);
    }

    void barsAreFoundWhereTheyAreDrawn()
    {
        TimelineScene scene;
        scene.measured = measuredLanes(twoClocks(true), true);
        Lane lane;
        lane.role = LaneRole::track;
        lane.rank = 1;
        lane.height = 20;
        lane.is_open = true;
        const TimeRange range = inSection(scene, TimelineSection::measured, {0, 10'000'000});
        const std::vector<LaneStrip> strips = measuredStrips(*scene.measured, {lane}, 0, 1, range, 100);
        QCOMPARE(strips.size(), std::size_t{1});
        QCOMPARE(strips.front().picture.bars.size(), std::size_t{10});
        QVERIFY(measuredSpot(*scene.measured, lane, 5, range, 100, 25)
                == (TimelineSpot{TimelineSection::measured, 1, 0, 0, 2}));
        QVERIFY(barTip(scene, firstOf(1)).contains("from 0"));
    }

    // Hits of both ranks by turns, as they are drawn.
    void searchGoesByTheSharedClock()
    {
        const std::shared_ptr<const MeasuredLanes> lanes = measuredLanes(twoClocks(true), true);
        const TimelineSearch search{lanes, QStringLiteral("gemm")};
        std::optional<TimelineSpot> spot;
        std::vector<std::size_t> ranks;
        for (int i = 0; i < 4; ++i) {
            spot = search.next(spot);
            QVERIFY(spot);
            ranks.push_back(spot->rank);
        }
        QCOMPARE(ranks, (std::vector<std::size_t>{0, 1, 0, 1}));
        QCOMPARE(search.placeOf(*spot), std::int64_t{4});
    }

    void thePanelOffersItWhereThereIsSomethingToTakeOut()
    {
        TimelinePanel panel;
        auto& button = controlOf<SegmentButton>(panel, "one clock");
        panel.setContent({{}, {}, twoClocks(false), false});
        QVERIFY(button.isHidden());
        panel.setContent({{}, {}, twoClocks(true), false});
        QVERIFY(!button.isHidden());
        QVERIFY2(button.toolTip().contains("50 ms"), qPrintable(button.toolTip()));
        QVERIFY(!panel.view().scene().measured->has_one_clock);
        button.click();
        QVERIFY(panel.view().scene().measured->has_one_clock);
        QVERIFY(panel.view().scene().scale_note.contains("one clock"));
        button.click();
        QVERIFY(!panel.view().scene().measured->has_one_clock);
    }

    void anotherRunBeginsAsItWasRecorded()
    {
        TimelinePanel panel;
        auto& button = controlOf<SegmentButton>(panel, "one clock");
        panel.setContent({{}, {}, twoClocks(true), false});
        button.click();
        panel.setContent({{}, {}, twoClocks(true), false});
        QVERIFY(!button.isChecked());
        QVERIFY(!panel.view().scene().measured->has_one_clock);
    }

    // The first rank's kernels are selected; of a clock that is behind, the picture then begins later.
    void selectedTimesStayWithTheirEvents()
    {
        TimelinePanel panel;
        panel.setContent({{}, {}, twoClocks(true, -ahead_ns), false});
        TimelineView& view = panel.view();
        view.selectRange(TimeRange{ahead_ns, 10'000'000});
        controlOf<SegmentButton>(panel, "one clock").click();
        QVERIFY(view.selectedRange());
        QCOMPARE(view.selectedRange()->start_ns, TraceTime{0});
    }

    void ranksWhoseClockIsNotKnownAreCounted()
    {
        auto run = std::make_shared<MeasuredRun>(*twoClocks(true));
        run->traces.files.push_back(kernelsOf(2, 0));
        TimelinePanel panel;
        panel.setContent({{}, {}, run, false});
        controlOf<SegmentButton>(panel, "one clock").click();
        QVERIFY(panel.view().scene().scale_note.contains("but for one rank"));
    }
};

QTEST_MAIN(TestOneClock)
#include "tst_one_clock.moc"
