#include "core/analysis/analyze.h"
#include "core/prediction/predict.h"
#include "core/trace/trace_builder.h"
#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "tests/widgets/panels/timeline/small_runs.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/timeline/bar_messages.h"
#include "widgets/panels/timeline/timeline_details.h"
#include "widgets/panels/timeline/timeline_panel.h"
#include "widgets/panels/timeline/timeline_search_bar.h"
#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/timeline/timeline_strips.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>

#include <algorithm>

using namespace shardscope;

class TestTimelinePanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void withoutAnythingItSaysWhatToDo()
    {
        TimelinePanel panel;
        QVERIFY(!panel.view().scene().hint.isEmpty());
    }

    // A bar of the tensor group stands for the calls of attention, MLP and embedding; a gap says its cause.
    void barsSayAllThatTheyStandFor()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        const TimelineScene& scene = panel.view().scene();
        QString of_tensor;
        QString of_bubble;
        QString of_layer;
        for (std::size_t row = 0; row < scene.predicted->shown.size(); ++row)
            scene.predicted->stages[0][row].forEachBar(wholePredicted(scene), true, [&](std::uint32_t bar) {
                const TimelineSpot spot{TimelineSection::predicted, 0, 0, row, bar};
                const auto& [span, part] = shownBar(*scene.predicted, spot);
                const QString tip = barTip(scene, spot);
                if (part != nullptr && part->is_message && part->what == "mlp" && of_tensor.isEmpty())
                    of_tensor = tip;
                if (part != nullptr && part->what == "attention" && of_layer.isEmpty())
                    of_layer = tip;
                if (span.activity == Activity::bubble && of_bubble.isEmpty())
                    of_bubble = tip;
            });
        for (const char* what : {"tp all_reduce of layer 0", "all_reduce of mlp among", "32 MiB"})
            QVERIFY2(of_tensor.contains(QLatin1String{what}), qPrintable(of_tensor));
        QVERIFY2(of_layer.contains("attention of layer 0"), qPrintable(of_layer));
        QVERIFY2(of_bubble.contains("before this stage's first backward pass"), qPrintable(of_bubble));
    }

    // Beneath the last backward pass every bar is one bucket, and a click asks for its size alone.
    void aBucketSaysWhenItIsReady()
    {
        Scenario scenario;
        scenario.time_model = TimeModel::detailed;
        scenario.parallel.data = 8;
        scenario.training.global_batch_size = 8;
        scenario.training.micro_batch_size = 1;
        scenario.conventions.framework = Framework::ddp;
        scenario.conventions.dp_overlap = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        TimelinePanel panel;
        panel.setContent({predictedOf(scenario), {}, {}, false});
        const TimelineScene& scene = panel.view().scene();
        const std::vector<StageRow>& shown = scene.predicted->shown;
        const auto replicas = std::ranges::find(shown, StageRow::replicas);
        QVERIFY(replicas != shown.end());
        std::vector<TimelineSpot> bars;
        const auto row = static_cast<std::size_t>(replicas - shown.begin());
        scene.predicted->stages[0][row].forEachBar(wholePredicted(scene), true, [&](std::uint32_t bar) {
            bars.push_back({TimelineSection::predicted, 0, 0, row, bar});
        });
        QVERIFY(bars.size() > 10);
        const QString tip = barTip(scene, bars.front());
        for (const char* what : {"all_reduce of gradients among 8 ranks", "bucket 1 of ", "of the layers"})
            QVERIFY2(tip.contains(QLatin1String{what}), qPrintable(tip));
        const StagePrediction& stage = scene.predicted->source->prediction.stages.front();
        for (const Message& message : stage.messages)
            QCOMPARE(standsFor(scene, bars.front(), message), &message == messageAt(scene, bars.front()));
    }

    // From afar the messages of a pass are one shade: the tooltip tells how much of what it stands for.
    void aShadeSaysWhoseMessagesItStandsFor()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        const TimelineScene& scene = panel.view().scene();
        const QString tip = barTip(scene, {TimelineSection::predicted, 0, 0, 1, 0});
        QVERIFY2(tip.contains("messages of forward"), qPrintable(tip));
        QVERIFY2(tip.contains(" tp"), qPrintable(tip));
        QVERIFY2(!tip.contains("computing"), qPrintable(tip));
        const QString pass = barTip(scene, {TimelineSection::predicted, 0, 0, 0, 0});
        QVERIFY2(pass.contains("of it computing"), qPrintable(pass));
    }

    void everyStageHasALane()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        QCOMPARE(panel.view().scene().predicted->stages.size(), 2U);
        QVERIFY(panel.view().scene().hint.isEmpty());
        const QString csv = panel.csv();
        QVERIFY(csv.contains("predicted,stage 0,computing,"));
        QVERIFY(csv.contains("predicted,stage 1,computing,bubble"));
    }

    void theCsvNamesTheTrackOfEveryBar()
    {
        Scenario scenario = twoStages()->scenario;
        scenario.parallel.schedule = Schedule::zb_h1;
        scenario.parallel.data = 2;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_overlap = true;
        TimelinePanel panel;
        panel.setContent({predictedOf(scenario), {}, {}, false});
        const QString csv = panel.csv();
        QVERIFY(csv.contains("predicted,stage 0,sends,pp"));
        QVERIFY(csv.contains("predicted,stage 0,replicas,dp"));
        QVERIFY(!csv.contains("predicted,stage 0,,"));
    }

    void aRankMarksItsStage()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        Selection selection;
        selection.rank = 3; // tensor pairs are innermost: ranks 2 and 3 are stage 1
        panel.setSelection(selection);
        QCOMPARE(panel.view().scene().marked_stage, std::optional<std::size_t>{1});
        QSignalSpy wishes{&panel, &PicturePanel::selectionWished};
        emit panel.view().laneClicked(TimelineSection::predicted, 1);
        QCOMPARE(wishes.front().front().value<Selection>().rank, std::optional<std::int64_t>{2});
    }

    void theLegendAsksForItsKind()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        const auto& chips = panel.legend().chips();
        QVERIFY(std::ranges::find(chips, static_cast<int>(Kind::tp), &LegendChip::id) != chips.end());
        QSignalSpy wishes{&panel, &PicturePanel::selectionWished};
        emit const_cast<LegendChips&>(panel.legend()).clicked(static_cast<int>(Kind::tp));
        QCOMPARE(wishes.front().front().value<Selection>().kind, std::optional{Kind::tp});
    }

    // Colours alone are counted where there is no room for all.
    void theLegendsButtonsComeFirst()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        const auto& chips = panel.legend().chips();
        const auto first_colour =
            std::ranges::find_if(chips, [](const LegendChip& chip) { return chip.id < 0; });
        QVERIFY(first_colour != chips.begin());
        QVERIFY(std::all_of(first_colour, chips.end(), [](const LegendChip& chip) { return chip.id < 0; }));
    }

    void trafficIsOfferedWhereItHasRoom()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        panel.resize(700, 500);
        panel.show();
        const auto buttons = panel.findChildren<SegmentButton*>();
        const SegmentButton* traffic = *std::ranges::find(buttons, QStringLiteral("traffic"),
                                                          [](const auto* one) { return one->text(); });
        QTRY_VERIFY(traffic->isEnabled());
        panel.resize(700, 110);
        QTRY_VERIFY(!traffic->isEnabled());
        QVERIFY(traffic->toolTip().contains("no room"));
        panel.resize(700, 500);
        QTRY_VERIFY(traffic->isEnabled());
    }

    // Where something is hidden, and only there.
    void theLegendSaysWhatStripesMean()
    {
        const auto tellsOfHidden = [](const Scenario& scenario) {
            TimelinePanel panel;
            panel.setContent({predictedOf(scenario), {}, {}, false});
            const auto& chips = panel.legend().chips();
            const auto hidden = std::ranges::find(chips, QStringLiteral("hidden"), &LegendChip::text);
            return hidden != chips.end() && hidden->is_striped;
        };
        Scenario scenario = twoStages()->scenario;
        QVERIFY(!tellsOfHidden(scenario));
        scenario.parallel.data = 2;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_overlap = true;
        QVERIFY(tellsOfHidden(scenario));
    }

    void thePinStaysAsAGhost()
    {
        TimelinePanel panel;
        const auto pinned = twoStages();
        panel.setContent({twoStages(), pinned, {}, false});
        const auto ghost = panel.view().scene().pinned;
        QVERIFY(ghost);
        panel.setContent({twoStages(), pinned, {}, false});
        QCOMPARE(panel.view().scene().pinned, ghost); // not made anew
        QCOMPARE(boundsOf(panel.view().scene()).length_ns, ghost->iteration_ns);
        TimelineScene longer = panel.view().scene();
        auto slower = std::make_shared<PredictedLanes>(*ghost);
        slower->iteration_ns *= 2;
        longer.pinned = slower;
        QCOMPARE(boundsOf(longer).length_ns, slower->iteration_ns);
    }

    void digestsOnScreenCanBeReadInFull()
    {
        TimelinePanel panel;
        panel.resize(900, 400);
        const auto whole = tenKernels();
        panel.setContent({{}, {}, whole, false});
        QVERIFY(!panel.menuOf(0)); // all of it has been read
        auto digested = std::make_shared<MeasuredRun>(*whole);
        digested->traces.files.front().digest = std::make_shared<TraceDigest>();
        digested->traces.files.push_back(digested->traces.files.front());
        digested->traces.files.back().path = "elsewhere.json";
        digested->traces.files.back().rank = 1;
        digested->traces.files.back().rank_is_known = true;
        panel.setContent({{}, {}, digested, false});
        panel.grab(); // lays it out
        const auto menu = panel.menuOf(1);
        QVERIFY(menu);
        QCOMPARE(menu->actions().size(), 2);
        QCOMPARE(menu->actions().front()->text(), "Read rank 1 in full");
        QCOMPARE(menu->actions().back()->text(), "Read the 2 ranks on screen in full");
        QSignalSpy wishes{&panel, &PicturePanel::fullTracesWished};
        menu->actions().front()->trigger();
        QCOMPARE(wishes.front().front().toStringList(), QStringList{"elsewhere.json"});
    }

    void searchingTellsHowManyAndGoesThere()
    {
        TimelinePanel panel;
        panel.resize(900, 400);
        panel.setContent({{}, {}, tenKernels(), false});
        panel.show();
        QTest::keyClick(&panel.view(), '/');
        auto& bar = *panel.findChild<TimelineSearchBar*>();
        QVERIFY(bar.isVisible());
        auto* field = bar.findChild<QLineEdit*>();
        QTest::keyClicks(field, "allr");
        const auto place = [&] { return bar.findChild<QLabel*>()->text(); };
        QCOMPARE(place(), QString{"1 of 5"});
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(place(), QString{"2 of 5"});
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(place(), QString{"5 of 5"});
        QCOMPARE(panel.view().chosen()->span, 9U);
        const auto& event = controlOf<QTextBrowser>(panel, "The chosen event");
        QVERIFY(event.toPlainText().contains("AllReduce"));
        // The file is not there: that is said instead of its arguments.
        QTRY_VERIFY(event.toPlainText().contains("cannot be opened"));
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!bar.isVisible());
    }

    void theSelectedTimeHasATable()
    {
        TimelinePanel panel;
        panel.setContent({{}, {}, tenKernels(), false});
        QVERIFY(panel.details().isHidden());
        panel.view().selectRange(TimeRange{0, 2'500'000});
        QVERIFY(!panel.details().isHidden());
        const RangeTableModel& table = panel.details().table();
        QCOMPARE(table.rowCount(), 2);
        QCOMPARE(table.index(0, RangeTableModel::name).data().toString(), QString{"matrix"});
        QCOMPARE(table.index(0, RangeTableModel::share).data().toString(), QString{"60.0 %"});
        panel.view().selectRange(std::nullopt);
        QVERIFY(panel.details().isHidden());
    }

    // Eight ranks as p2t2d2 lays them out: tensor pairs innermost, then data, then the pipeline.
    void ranksAreGroupedAsTheLayoutSays()
    {
        MeasuredLanes lanes;
        lanes.ranks.resize(8);
        for (std::size_t rank = 0; rank < 8; ++rank)
            lanes.ranks[rank].rank = static_cast<std::int64_t>(rank);
        Scenario scenario;
        scenario.parallel.pipeline = scenario.parallel.tensor = scenario.parallel.data = 2;
        scenario.cluster.gpus_per_node = 4;
        const auto groupings = rankGroupings(lanes, &scenario);
        QStringList names;
        for (const RankGrouping& grouping : groupings)
            names << grouping.name;
        QCOMPARE(names, (QStringList{"node", "pipeline stage", "tp group", "dp group"}));
        QCOMPARE(groupings[0].groups[1].ranks, (std::vector<std::size_t>{4, 5, 6, 7}));
        QCOMPARE(groupings[1].groups[1].ranks, (std::vector<std::size_t>{4, 5, 6, 7}));
        QCOMPARE(groupings[2].groups[1].name, QString{"ranks 2, 3"});
        QCOMPARE(groupings[3].groups[1].ranks, (std::vector<std::size_t>{1, 3}));
        auto run = std::make_shared<MeasuredRun>(); // which had its stages within the replicas
        run->measurement.other_order = {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp,
                                        Dimension::dp};
        lanes.run = run;
        QCOMPARE(rankGroupings(lanes, &scenario)[1].groups[1].ranks, (std::vector<std::size_t>{2, 3, 6, 7}));
    }

    void ranksHaveNoPlacesInTheLayoutOfAnotherRun()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->traces.files.resize(2);
        for (std::size_t rank = 0; rank < 2; ++rank) {
            run->traces.files[rank].rank = static_cast<std::int64_t>(rank);
            run->traces.files[rank].rank_is_known = true;
            run->traces.files[rank].world_size = 2;
            run->traces.files[rank].calls.resize(1); // a file of nothing is of no rank
        }
        MeasuredLanes lanes;
        lanes.run = run;
        lanes.ranks.resize(2);
        lanes.ranks[1].rank = 1;
        Parallel parallel;
        parallel.tensor = 2;
        QVERIFY(standIn(lanes, RankLayout{parallel}));
        parallel.data = 64;
        QVERIFY(!standIn(lanes, RankLayout{parallel}));
    }

    void processGroupsOfTheTraceCount()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->traces.files.resize(1);
        run->traces.files[0].groups = {
            {"1", "EXPERT", {0, 2}, 2}, {"2", "EXPERT", {1, 3}, 2}, {"0", "", {0, 1}, 2}};
        MeasuredLanes lanes;
        lanes.run = run;
        lanes.ranks.resize(3);
        for (std::size_t rank = 0; rank < 3; ++rank)
            lanes.ranks[rank].rank = static_cast<std::int64_t>(rank);
        const auto groupings = rankGroupings(lanes, nullptr);
        QCOMPARE(groupings.size(), std::size_t{1});
        QCOMPARE(groupings[0].name, QString{"EXPERT"});
        QCOMPARE(groupings[0].groups[0].ranks, (std::vector<std::size_t>{0, 2}));
        QCOMPARE(groupings[0].groups[1].name, QString{"ranks 1, 3"});
    }

    void theTableIsAModel()
    {
        RangeTableModel model;
        const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        model.setRows({{"a", LanePaint::compute, 1, 5, 5, 5}, {"b", LanePaint::memory, 4, 20, 1, 9}}, {},
                      "Kind");
        model.sort(RangeTableModel::count, Qt::DescendingOrder);
        QCOMPARE(model.index(0, RangeTableModel::name).data().toString(), QString{"b"});
        QCOMPARE(model.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QString{"Kind"});
    }

    void itDrawsAtAnySize()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        for (const QSize size : {QSize{200, 120}, QSize{800, 300}, QSize{1600, 1000}}) {
            panel.resize(size);
            QCOMPARE(panel.grab().size(), size);
        }
    }
};

QTEST_MAIN(TestTimelinePanel)
#include "tst_timeline_panel.moc"
