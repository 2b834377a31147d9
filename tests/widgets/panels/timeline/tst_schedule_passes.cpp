#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/timeline/small_runs.h"
#include "widgets/panels/timeline/schedule_passes.h"
#include "widgets/panels/timeline/timeline_lanes.h"
#include "widgets/panels/timeline/timeline_panel.h"
#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/timeline/range_table.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

// Two forward passes and two backward ones of a stage that begins so late; a pass takes a tenth of the
// iteration.
void addIteration(TraceFile& file, std::int64_t number, double late_s, double length_s)
{
    for (const auto& [is_forward, start] : {std::pair{true, 0.0}, {true, 0.1}, {false, 0.3}, {false, 0.6}}) {
        const double start_s = late_s + start * length_s;
        file.schedule.push_back({is_forward, number, start_s, start_s + 0.1 * length_s});
    }
}

TraceFile stageOf(std::int64_t rank, const std::vector<double>& lengths_s)
{
    TraceFile file;
    file.path = "pp_rank_" + std::to_string(rank) + ".json";
    file.format = "primus";
    file.rank = rank;
    file.rank_is_known = true;
    file.store = TraceBuilder{}.finish();
    for (std::size_t i = 0; i < lengths_s.size(); ++i)
        addIteration(file, static_cast<std::int64_t>(i) + 1, 0.1 * static_cast<double>(rank), lengths_s[i]);
    return file;
}

// Of two stages, the first iteration being slow.
std::shared_ptr<const MeasuredRun> twoStagesMeasured()
{
    auto run = std::make_shared<MeasuredRun>();
    run->traces.files = {stageOf(0, {7.0, 3.0, 4.0}), stageOf(1, {7.0, 3.0, 4.0})};
    return run;
}

TimelineSpot passOf(std::size_t rank, std::uint32_t pass)
{
    return {TimelineSection::measured, rank, 0, 0, pass};
}

} // namespace

// Measured pipeline schedules, beside the predicted one.
class TestSchedulePasses : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void theIterationOfMedianLengthIsDrawn_data()
    {
        QTest::addColumn<QList<double>>("lengths_s");
        QTest::addColumn<qint64>("number");
        QTest::newRow("one") << QList<double>{5.0} << qint64{1};
        QTest::newRow("the first is slow") << QList<double>{7.0, 3.0, 4.0} << qint64{3};
        QTest::newRow("an even number of them") << QList<double>{7.0, 3.0, 4.0, 5.0} << qint64{3};
    }
    void theIterationOfMedianLengthIsDrawn()
    {
        QFETCH(QList<double>, lengths_s);
        QFETCH(qint64, number);
        TraceSet traces;
        traces.files = {stageOf(0, {lengths_s.begin(), lengths_s.end()})};
        const std::optional<DrawnIteration> drawn = drawnIteration(traces);
        QVERIFY(drawn);
        QCOMPARE(drawn->number, std::int64_t{number});
        QCOMPARE(drawn->count, std::int64_t{lengths_s.size()});
    }

    void passesAreCountedInTheirDirection()
    {
        const auto passes = passesOf(stageOf(1, {10.0}), 1);
        QVERIFY(passes);
        QCOMPARE(passes->size(), std::size_t{4});
        QCOMPARE(passes->tracks().size(), std::size_t{1});
        QVERIFY(!passes->tracks().front().is_gpu);
        QStringList names;
        for (std::uint32_t i = 0; i < passes->size(); ++i)
            names << QString::fromStdString(std::string{passes->name(EventIndex{i})});
        QCOMPARE(names, (QStringList{"forward 1", "forward 2", "backward 1", "backward 2"}));
        QCOMPARE(passes->start(EventIndex{0}), TraceTime{100'000'000});
        QCOMPARE(passes->duration(EventIndex{0}), TraceTime{1'000'000'000});
        QCOMPARE(paintOfPass(*passes, EventIndex{1}), LanePaint::forward);
        QCOMPARE(paintOfPass(*passes, EventIndex{2}), LanePaint::backward);
        QVERIFY(!passesOf(stageOf(1, {10.0}), 2));
    }

    void whatIsDamagedIsLeftOut()
    {
        TraceFile file = stageOf(0, {1.0});
        file.schedule.push_back({true, 1, 1e300, 1e301});
        file.schedule.push_back({true, 1, 3.0, 2.0});
        QCOMPARE(passesOf(file, 1)->size(), std::size_t{4});
        TraceSet traces;
        traces.files = {file};
        QCOMPARE(drawnIteration(traces)->count, std::int64_t{1});
    }

    void theyAreDrawnAsPredictedPassesAre()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, twoStagesMeasured(), false});
        const TimelineScene& scene = panel.view().scene();
        QVERIFY(scene.measured);
        QCOMPARE(scene.measured->ranks.size(), std::size_t{2});
        QCOMPARE(scene.measured->origin_ns, TraceTime{0});
        QCOMPARE(scene.measured->whole.length_ns, TraceTime{2'900'000'000}); // of 4 s, the second stage later
        QVERIFY(scene.measured->paints[static_cast<std::size_t>(LanePaint::forward)]);
        QVERIFY(scene.measured->paints[static_cast<std::size_t>(LanePaint::backward)]);
        QVERIFY2(scene.scale_note.contains("iteration 3, of median length among 3"),
                 qPrintable(scene.scale_note));
        const MeasuredRank& rank = scene.measured->ranks.back();
        QCOMPARE(rank.tracks.size(), std::size_t{1});
        QVERIFY(rank.tracks.front().is_of_interest);
        QCOMPARE(barLabel(scene, passOf(1, 1)), QString{"2"});
        QVERIFY2(barTip(scene, passOf(1, 1)).contains("forward 2"), qPrintable(barTip(scene, passOf(1, 1))));
        QVERIFY(panel.csv().contains("measured,rank 1,passes,forward 2"));
    }

    void theirTimeIsSummedUp()
    {
        const auto lanes = measuredLanes(twoStagesMeasured(), false);
        const std::vector<RangeRow> rows = rangeTable(*lanes, lanes->whole, RangeGrouping::kind);
        QCOMPARE(rows.size(), std::size_t{2});
        for (const RangeRow& row : rows) {
            QVERIFY(row.name == "forward" || row.name == "backward");
            QCOMPARE(row.sum_ns, TraceTime{1'600'000'000}); // two of 400 ms on each stage
        }
    }

    void theLegendNamesThemWithoutAPrediction()
    {
        TimelinePanel panel;
        panel.setContent({{}, {}, twoStagesMeasured(), false});
        QStringList names;
        for (const LegendChip& chip : panel.legend().chips())
            names << chip.text;
        QCOMPARE(names, (QStringList{"forward", "backward"}));
    }

    // Their clocks do not go together.
    void eventsOfATraceAreDrawnAlone()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->traces.files = {tenKernels()->traces.files.front(), stageOf(1, {1.0})};
        QVERIFY(!drawnIteration(run->traces));
        const auto lanes = measuredLanes(run, false);
        QCOMPARE(lanes->ranks.size(), std::size_t{1});
        QVERIFY(lanes->iteration_note.isEmpty());
    }

    // Analysed anew, the run keeps its place on screen.
    void aNewAnalysisIsOfTheSameRun()
    {
        const auto run = twoStagesMeasured();
        const auto again = std::make_shared<MeasuredRun>(*run);
        const auto lanes = measuredLanes(run, false);
        QVERIFY(areOfOneRun(lanes.get(), measuredLanes(again, false).get()));
        QVERIFY(!areOfOneRun(lanes.get(), measuredLanes(twoStagesMeasured(), false).get()));
    }
};

QTEST_MAIN(TestSchedulePasses)
#include "tst_schedule_passes.moc"
