#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "tests/widgets/panels/heatmap/run_with.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/heatmap/expert_view.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/rank_order_strip.h"
#include "widgets/panels/heatmap/step_strip.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/heatmap/heatmap_view.h"

#include "core/analysis/analyze.h"
#include "core/prediction/predict.h"
#include "core/scenario/rank_order.h"
#include "core/trace/trace_builder.h"

#include <QApplication>
#include <QComboBox>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <numeric>

using namespace shardscope;

// (p, t, d) = (2, 2, 2) on nodes of four GPUs: tensor pairs and data pairs inside nodes, pipelines between
// them.
static std::shared_ptr<const PredictedScenario> eightRanks(RankOrder order = megatron_rank_order)
{
    Scenario scenario;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    scenario.parallel.rank_order = order;
    scenario.cluster.gpus_per_node = 4;
    return predictedOf(scenario);
}

static std::shared_ptr<const PredictedScenario> largeWorld(std::int64_t data)
{
    Scenario scenario;
    scenario.parallel.tensor = 8;
    scenario.parallel.pipeline = 4;
    scenario.parallel.data = data;
    scenario.training.global_batch_size = 4 * data;
    scenario.training.micro_batch_size = 1;
    return predictedOf(scenario);
}

// Two ranks of two steps: 100 elements are sent in step 5, 300 in step 6.
static std::shared_ptr<const MeasuredRun> twoSteps()
{
    auto run = std::make_shared<MeasuredRun>();
    for (std::int64_t rank = 0; rank < 2; ++rank) {
        TraceBuilder builder;
        const TrackIndex thread = builder.addTrack("1", "1");
        const TrackIndex stream = builder.addTrack("0", "7", true);
        builder.addEvent(thread, 0, 1000, "ProfilerStep#5", "user_annotation");
        builder.addEvent(thread, 1000, 1000, "ProfilerStep#6", "user_annotation");
        for (const std::int64_t step : {0, 1}) {
            CollectiveCall call;
            call.event = builder.addEvent(stream, 100 + 1000 * step, 50, "ncclDevKernel_AllReduce", "kernel");
            call.name = builder.intern("allreduce");
            call.in_bytes = call.out_bytes = 100 + 200 * step;
            call.group_size = 2;
            call.group_ranks = builder.intern("[0, 1]");
            call.sizes_from = SizesFrom::kernel;
            builder.addCollective(call);
        }
        TraceFile file;
        file.path = "rank" + std::to_string(rank);
        file.rank = rank;
        file.rank_is_known = true;
        file.world_size = 2;
        file.store = builder.finish();
        run->traces.files.push_back(std::move(file));
    }
    run->measurement = analyze(run->traces);
    return run;
}

class TestHeatmapPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void whoHasZoomedInIsShownTheWayBack()
    {
        HeatmapPanel panel;
        panel.setContent({eightRanks(), {}, {}, false});
        panel.show();
        auto* view = panel.findChild<HeatmapView*>();
        QToolButton* back = nullptr;
        for (QToolButton* button : panel.findChildren<QToolButton*>())
            back = button->text() == "all ranks" ? button : back;
        QVERIFY(back && back->isHidden());
        view->setWindow({2.0, 2.0, 2.0});
        QVERIFY(!back->isHidden());
        back->click();
        QCOMPARE(view->window(), wholeWorld(8));
        QVERIFY(back->isHidden());
    }

    void withoutTrafficItSaysWhy()
    {
        HeatmapPanel panel;
        QVERIFY(!panel.view().scene().hint.isEmpty());
        Scenario alone;
        panel.setContent({predictedOf(alone), {}, {}, false});
        QVERIFY(panel.view().scene().hint.contains("One GPU"));
    }

    void aScenarioOfOneGpuLeavesThePictureToTheTraces()
    {
        HeatmapPanel panel;
        Scenario alone;
        const auto predicted = predictedOf(alone);
        panel.setContent({predicted, {}, runWith({{Kind::dp, 0, 2, 4096.0}}), false});
        QCOMPARE(panel.mode(), HeatmapMode::measured);
        QVERIFY(panel.view().scene().hint.isEmpty());
        QCOMPARE(panel.view().scene().ranks, 8);
        panel.setMode(HeatmapMode::predicted);
        QVERIFY(panel.view().scene().hint.contains("choose \"measured\""));
        auto untold = std::make_shared<MeasuredRun>();
        untold->measurement.ranks.resize(1);
        untold->measurement.ranks[0].collectives.resize(1);
        panel.setContent({predicted, {}, untold, false});
        QVERIFY(panel.view().scene().hint.contains("do not tell who sends to whom"));
    }

    void predictionStandsAloneUntilARunIsOpen()
    {
        HeatmapPanel panel;
        panel.setContent({eightRanks(), {}, {}, false});
        QCOMPARE(panel.mode(), HeatmapMode::predicted);
        QCOMPARE(panel.view().scene().squares.size(), 1U);
        QCOMPARE(panel.view().scene().ranks, 8);
        panel.setContent({eightRanks(), {}, runWith({{Kind::pp, 0, 4, 4096.0}}), false});
        QCOMPARE(panel.mode(), HeatmapMode::side_by_side);
        QCOMPARE(panel.view().scene().squares.size(), 2U);
        panel.setContent({eightRanks(), {}, {}, false});
        QCOMPARE(panel.mode(), HeatmapMode::predicted);
    }

    void differencesSpanBothWays()
    {
        HeatmapPanel panel;
        panel.setContent({eightRanks(), {}, runWith({{Kind::dp, 0, 2, 1.0}}), false});
        panel.setMode(HeatmapMode::measured_change);
        QVERIFY(panel.view().scene().span.diverging);
        QVERIFY(panel.csv().contains("Measured − predicted"));
    }

    // The custom mapping of Li et al. puts data peers four ranks apart, so that they leave their node.
    void mappingMovesTrafficBetweenNodes()
    {
        const auto dataLine = [](const HeatmapScene& scene) {
            return *std::ranges::find(scene.totals, QString{"dp"}, &NodeTotalsLine::name);
        };
        HeatmapPanel panel;
        panel.setContent({eightRanks(), {}, {}, false});
        QCOMPARE(dataLine(panel.view().scene()).inter, QString{"0 B"});
        const RankOrder custom{Dimension::tp, Dimension::pp, Dimension::cp, Dimension::ep, Dimension::dp};
        panel.setContent({eightRanks(custom), {}, {}, false});
        QCOMPARE(dataLine(panel.view().scene()).intra, QString{"0 B"});
    }

    void aMarkedKindIsShownAloneAndClicksAskForIt()
    {
        HeatmapPanel panel;
        panel.setContent({eightRanks(), {}, {}, false});
        QSignalSpy wishes{&panel, &PicturePanel::selectionWished};
        emit const_cast<LegendChips&>(panel.legend()).clicked(static_cast<int>(Kind::pp));
        QCOMPARE(wishes.size(), 1);
        const auto wish = wishes.front().front().value<Selection>();
        QCOMPARE(wish.kind, std::optional{Kind::pp});
        panel.setSelection(wish);
        QCOMPARE(panel.view().scene().kind, std::optional{Kind::pp});
        emit panel.view().rankPicked(3);
        QCOMPARE(wishes.back().front().value<Selection>().rank, std::optional<std::int64_t>{3});
    }

    // (p, t, d) = (2, 2, 2): tp 2 ‹ dp 2 ‹ pp 2.
    void dimensionsAreDraggedToAnotherPlace()
    {
        HeatmapPanel panel;
        panel.resize(600, 500);
        panel.setContent({eightRanks(), {}, {}, false});
        QSignalSpy wishes{&panel, &PicturePanel::scenarioWished};
        auto& strip = *panel.findChild<RankOrderStrip*>();
        QCOMPARE(strip.chips(), (std::vector{Dimension::tp, Dimension::dp, Dimension::pp}));
        const QPoint from = strip.chipRectangle(2).center().toPoint();
        const QPoint to = strip.chipRectangle(1).center().toPoint();
        QTest::mousePress(&strip, Qt::LeftButton, {}, from);
        QTest::mouseMove(&strip, (from + to) / 2);
        QMouseEvent move{QEvent::MouseMove, to, strip.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {}};
        QApplication::sendEvent(&strip, &move);
        QTest::mouseRelease(&strip, Qt::LeftButton, {}, to);
        QCOMPARE(wishes.size(), 1);
        QCOMPARE(rankOrderWord(wishes.front().front().value<Scenario>().parallel.rank_order, false),
                 std::string{"tp-pp-dp"});
        // The same by keyboard, from tp-pp-dp: choose the first, move it behind the second.
        QTest::keyClick(&strip, Qt::Key_Left);
        QTest::keyClick(&strip, Qt::Key_Left);
        QTest::keyClick(&strip, Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(wishes.size(), 2);
        QCOMPARE(rankOrderWord(wishes.back().front().value<Scenario>().parallel.rank_order, false),
                 std::string{"pp-tp-dp"});
    }

    // Nodes of four GPUs and Megatron's order: each rank sends one pipeline neighbour in the other node, and
    // every card carries the same.
    void theBusiestLinksAreNamed()
    {
        HeatmapPanel panel;
        panel.setContent({eightRanks(), {}, {}, false});
        const std::vector<NodeTotalsLine>& links = panel.view().scene().links;
        QCOMPARE(links.size(), 3U);
        QVERIFY(links[0].is_faded);
        QVERIFY(links[1].name.startsWith("NIC of "));
        QVERIFY(links[2].name.startsWith("inside node "));
    }

    // Trays of four GPUs in a rack whose eight share NVLink: no network card is needed between the trays.
    void whatARackJoinsGoesOverNoNetworkCard()
    {
        Scenario scenario = eightRanks()->scenario;
        scenario.cluster.scale_up_gpus = 8;
        HeatmapPanel panel;
        panel.setContent({predictedOf(scenario), {}, {}, false});
        for (const NodeTotalsLine& line : panel.view().scene().totals)
            if (!line.is_faded)
                QCOMPARE(line.inter, QString{"0 B"});
        for (const NodeTotalsLine& link : panel.view().scene().links)
            QVERIFY(!link.name.startsWith("NIC of "));
    }

    void everyCellIsInTheCsv()
    {
        HeatmapPanel panel;
        panel.setContent({{}, {}, runWith({{Kind::pp, 0, 4, 4096.0}, {Kind::pp, 4, 0, 512.0}}), false});
        QCOMPARE(panel.csv(), QString{"square,kind,sender,receiver,bytes\n"
                                      "Measured,pp,0,4,4096\nMeasured,pp,4,0,512\n"});
    }

    void aLargeWorldIsDrawnAtOnce()
    {
        HeatmapPanel panel;
        panel.setContent({largeWorld(4096), {}, {}, false});
        QVERIFY(!panel.view().isPooling());
        QCOMPARE(panel.view().scene().ranks, 131072);
        QCOMPARE(panel.view().scene().totals.size(), 5U); // tp, pp, dp, emb, mp
    }

    void differencesOfLargeWorldsAreAddedUpBesideTheWindow()
    {
        HeatmapPanel panel;
        panel.setContent({largeWorld(256), largeWorld(256), {}, false});
        panel.setMode(HeatmapMode::change_of_pinned);
        QVERIFY(panel.isBusy());
        QTRY_VERIFY(!panel.isBusy());
        QCOMPARE(panel.view().scene().ranks, 8192);
    }

    void itDrawsAtAnySize()
    {
        HeatmapPanel panel;
        panel.setContent({eightRanks(), {}, runWith({{Kind::pp, 0, 4, 4096.0}}), false});
        for (const QSize size : {QSize{300, 200}, QSize{480, 360}, QSize{1600, 1000}}) {
            panel.resize(size);
            QCOMPARE(panel.grab().size(), size);
        }
    }

    // An all_reduce of two ranks sends each its message once.
    void theStepsOfARunAreShownOneByOne()
    {
        HeatmapPanel panel;
        panel.setContent({{}, {}, twoSteps(), false});
        panel.show();
        QVERIFY(panel.steps().isVisible());
        const auto sent = [&] {
            const auto rows = panel.view().scene().squares.front().rows;
            std::vector<TrafficEntry> entries;
            rows->appendRow(0, entries);
            return entries.empty() ? 0.0 : entries.front().bytes;
        };
        QCOMPARE(sent(), 200.0); // the mean of a step
        QVERIFY(panel.view().scene().headline.startsWith("Mean of 2 steps: "));
        auto* slider = panel.steps().findChild<QSlider*>();
        slider->setValue(1);
        QTRY_COMPARE(sent(), 100.0);
        slider->setValue(2);
        QTRY_COMPARE(sent(), 300.0);
        QVERIFY(panel.view().scene().headline.startsWith("Step 6: "));
        slider->setValue(0);
        QCOMPARE(sent(), 200.0);
        panel.setContent({eightRanks(), {}, {}, false});
        QVERIFY(!panel.steps().isVisible());
    }

    void severalStepsAreComparedByTheirMean()
    {
        HeatmapPanel panel;
        panel.setContent({eightRanks(), {}, twoSteps(), false});
        panel.setMode(HeatmapMode::side_by_side);
        QCOMPARE(panel.view().scene().squares.back().title, "Measured mean");
        QVERIFY(panel.view().scene().headline.startsWith("Predicted, one iteration: "));
        const auto cellOf = [](const TrafficRows& rows) { return bytesBetween(rows, 0, 1); };
        const auto measured = cellOf(*panel.view().scene().squares.back().rows);
        const auto predicted = cellOf(*panel.view().scene().squares.front().rows);
        panel.setMode(HeatmapMode::measured_change);
        const auto change = cellOf(*panel.view().scene().squares.front().rows);
        for (std::size_t kind = 0; kind < kind_count; ++kind)
            QCOMPARE(change[kind], measured[kind] - predicted[kind]);
        QCOMPARE(std::accumulate(measured.begin(), measured.end(), 0.0), 200.0);
    }

    void podsAreDrawnWhenTheUserSaysTheirSize()
    {
        HeatmapPanel panel;
        panel.resize(400, 400);
        panel.setContent({largeWorld(4), {}, {}, false});
        const QImage without = panel.grab().toImage();
        controlOf<QSpinBox>(panel, "Nodes of a pod").setValue(4);
        QCOMPARE(panel.view().scene().nodes_per_pod, std::int64_t{4});
        QVERIFY(panel.grab().toImage() != without);
    }

    // Fedus et al.'s capacity: slots are sent, filled or not, so bytes grow with factor and top-k alike.
    void bytesToExpertsFollowTopKAndCapacity()
    {
        Scenario scenario;
        scenario.parallel.data = 4;
        scenario.parallel.expert = 4;
        scenario.training.global_batch_size = 16;
        scenario.training.micro_batch_size = 4;
        scenario.model.experts.count = 8;
        scenario.model.experts.per_token = 1;
        scenario.model.experts.capacity_factor = 1.0;
        const double one = expertBytes(scenario);
        QVERIFY(one > 0.0);
        scenario.model.experts.per_token = 2;
        QCOMPARE(expertBytes(scenario), 2.0 * one);
        scenario.model.experts.capacity_factor = 2.0;
        QCOMPARE(expertBytes(scenario), 4.0 * one);
    }

    void theExpertsOfAModelHaveAViewOfTheirOwn()
    {
        auto predicted = std::make_shared<PredictedScenario>(*eightRanks());
        HeatmapPanel panel;
        panel.setContent({predicted, {}, {}, false});
        panel.showExperts(true); // of a dense model: it goes back with the next content
        panel.setContent({predicted, {}, {}, false});
        QVERIFY(!panel.showsExperts());
        predicted = std::make_shared<PredictedScenario>(*predicted);
        predicted->scenario.model.experts.count = 8;
        predicted->scenario.model.experts.skew = 1.0;
        panel.setContent({predicted, {}, {}, false});
        panel.showExperts(true);
        QVERIFY(panel.showsExperts());
        // Zipf's law, each token two experts: the first gets no more than a half, four times an even share.
        const BarScene loads = expertLoadScene(predicted->scenario, Theme{panel.palette()});
        QCOMPARE(loads.bars.size(), std::size_t{8});
        double sum = 0.0;
        for (const Bar& bar : loads.bars)
            sum += bar.segments.front().value;
        QVERIFY(std::abs(sum - 8.0) < 1e-9);
        QVERIFY(loads.bars[0].segments.front().value > loads.bars[7].segments.front().value);
        QVERIFY(loads.bars[0].segments.front().value <= 4.0 + 1e-9);
        panel.resize(700, 300);
        panel.grab();
    }
};

QTEST_MAIN(TestHeatmapPanel)
#include "tst_heatmap_panel.moc"
