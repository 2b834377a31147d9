#include <QTest>

#include "core/prediction/predict.h"
#include "core/scenario/scenario_change.h"
#include "tests/core/prediction/scenarios.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/timeline/predicted_lanes.h"
#include "widgets/panels/timeline/timeline_legend.h"
#include "widgets/plots/timeline/predicted_flow.h"
#include "widgets/plots/timeline/timeline_strips.h"

#include <algorithm>
#include <cmath>

using namespace shardscope;

namespace
{

Scenario scenarioOf(Schedule schedule, TimeModel model)
{
    Scenario scenario = test::gpt3b(4, 2, 4);
    setSchedule(scenario.parallel, schedule);
    scenario.time_model = model;
    return scenario;
}

std::optional<std::size_t> rowOf(const PredictedLanes& lanes, StageRow row)
{
    const auto found = std::ranges::find(lanes.shown, row);
    return found == lanes.shown.end() ? std::nullopt
                                      : std::optional{std::size_t(found - lanes.shown.begin())};
}

// Of the first stage's passes, wide enough for each of them.
LanePicture picturesOf(const PredictedLanes& lanes)
{
    LanePicture picture;
    lanes.stages.front().front().draw({0, lanes.iteration_ns}, 20000, picture);
    return picture;
}

} // namespace

class TestPredictedLanes : public QObject
{
    Q_OBJECT
private slots:
    // Every second virtual stage has a shade of its own; one chunk has none.
    void chunksAreToldApart_data()
    {
        QTest::addColumn<int>("model");
        QTest::newRow("with parts") << static_cast<int>(TimeModel::detailed);
        QTest::newRow("Li et al.") << static_cast<int>(TimeModel::li);
    }
    void chunksAreToldApart()
    {
        QFETCH(int, model);
        Scenario scenario = scenarioOf(Schedule::interleaved, static_cast<TimeModel>(model));
        scenario.model.layers = 16;
        for (const std::int64_t chunks : {2, 1}) {
            scenario.parallel.virtual_stages = chunks;
            scenario.parallel.schedule = chunks > 1 ? Schedule::interleaved : Schedule::one_f_one_b;
            const auto lanes = predictedLanes(predictedOf(scenario));
            const auto passes_of = [&](int chunk) {
                return std::ranges::count_if(lanes->timeline.spans, [&](const TimelineSpan& span) {
                    return span.activity == Activity::forward && span.chunk == chunk;
                });
            };
            QVERIFY(passes_of(0) > 0);
            QCOMPARE(passes_of(1), chunks > 1 ? passes_of(0) : 0);
            const LanePicture picture = picturesOf(*lanes);
            const auto has = [&](LanePaint paint) {
                return std::ranges::any_of(picture.bars,
                                           [=](const LaneBar& bar) { return bar.paint == paint; });
            };
            QVERIFY(has(LanePaint::forward) && has(LanePaint::backward));
            QCOMPARE(has(LanePaint::forward_of_even_chunk), chunks > 1);
            QCOMPARE(has(LanePaint::backward_of_even_chunk), chunks > 1);
            const auto legend =
                timelineLegend(lanes.get(), nullptr, nullptr, true, std::nullopt, Theme{QPalette{}});
            const auto says = [&](const char* text) {
                return std::ranges::find(legend, QString{text}, &LegendChip::text) != legend.end();
            };
            QCOMPARE(says("forward, even chunks"), chunks > 1);
            QVERIFY(says("pinned: thin lines, dashed end"));
        }
    }

    void allMessagesToOtherStagesAreInTheTraffic_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<int>("model");
        QTest::addColumn<bool>("has_sends"); // in a row of their own
        const auto row = [](const char* name, Schedule schedule, TimeModel model, bool has_sends) {
            QTest::newRow(name) << static_cast<int>(schedule) << static_cast<int>(model) << has_sends;
        };
        row("senders wait", Schedule::one_f_one_b, TimeModel::detailed, false);
        row("Li et al.", Schedule::one_f_one_b, TimeModel::li, false);
        row("Li et al., zb-h1", Schedule::zb_h1, TimeModel::li, false);
        row("zb-h1", Schedule::zb_h1, TimeModel::detailed, true);
        row("v-half", Schedule::v_half, TimeModel::detailed, true);
        row("dualpipe", Schedule::dualpipe, TimeModel::detailed, true);
    }
    void allMessagesToOtherStagesAreInTheTraffic()
    {
        QFETCH(int, schedule);
        QFETCH(int, model);
        const auto predicted =
            predictedOf(scenarioOf(static_cast<Schedule>(schedule), static_cast<TimeModel>(model)));
        const auto lanes = predictedLanes(predicted);
        QTEST(rowOf(*lanes, StageRow::sends).has_value(), "has_sends");
        double listed = 0.0;
        for (const StagePrediction& stage : predicted->prediction.stages)
            for (const Message& message : stage.messages)
                if (message.kind == Kind::pp && message.op == Op::send)
                    listed += message.wire_bytes;
        listed *= 8.0; // ranks of a stage
        const double drawn = lanes->traffic.at(Kind::pp).until(2 * lanes->iteration_ns);
        QVERIFY2(std::abs(drawn / listed - 1.0) < 1e-6, qPrintable(QString::number(drawn / listed)));
    }

    // The last stage's passes report a loss to its replicas: gradients are other messages of that kind.
    void allGradientsAreInTheTraffic_data()
    {
        QTest::addColumn<bool>("overlaps");
        QTest::newRow("behind the passes") << false;
        QTest::newRow("beneath them, in buckets") << true;
    }
    void allGradientsAreInTheTraffic()
    {
        QFETCH(bool, overlaps);
        Scenario scenario = scenarioOf(Schedule::one_f_one_b, TimeModel::detailed);
        scenario.conventions.report_loss = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_overlap = overlaps;
        const auto predicted = predictedOf(scenario);
        const auto lanes = predictedLanes(predicted);
        double listed = 0.0;
        for (const StagePrediction& stage : predicted->prediction.stages)
            for (const Message& message : stage.messages)
                if (message.kind == Kind::dp)
                    listed += message.wire_bytes;
        listed *= 8.0; // ranks of a stage
        const double drawn = lanes->traffic.at(Kind::dp).until(2 * lanes->iteration_ns);
        QVERIFY2(std::abs(drawn / listed - 1.0) < 1e-6, qPrintable(QString::number(drawn / listed)));
    }

    void rowsBeneathOtherWorkAreDrawnAsHidden()
    {
        const auto lanes = predictedLanes(predictedOf(scenarioOf(Schedule::zb_h1, TimeModel::detailed)));
        const std::vector<Lane> stages = layOutStages(lanes->stages.size(), int(lanes->shown.size()), {});
        const std::vector<LaneStrip> strips =
            predictedStrips(*lanes, stages, 0, stages.size(), {0, lanes->iteration_ns}, 500);
        QVERIFY(rowOf(*lanes, StageRow::sends));
        for (const LaneStrip& strip : strips) {
            const StageRow row = lanes->shown[strip.row.row];
            QCOMPARE(strip.is_hidden, row != StageRow::computing && row != StageRow::messages);
        }
    }

    // From afar a column of the steady phase holds several passes of either kind.
    void forwardPassesAreSeenFromAfar()
    {
        Scenario scenario = scenarioOf(Schedule::one_f_one_b, TimeModel::detailed);
        scenario.training.global_batch_size = scenario.training.micro_batch_size * 2 * 256;
        const auto lanes = predictedLanes(predictedOf(scenario));
        LanePicture picture;
        lanes->stages[0].front().draw({0, lanes->iteration_ns}, 50, picture);
        for (std::size_t column = 10; column < 40; ++column) {
            const double forward = picture.columns.part(column, LanePaint::forward);
            const double backward = picture.columns.part(column, LanePaint::backward);
            QVERIFY(forward > 0.2 * LaneColumns::whole && backward > 0.4 * LaneColumns::whole);
        }
    }

    void aMessageBesideWorkLeadsToThePassThatNeedsIt()
    {
        const auto lanes = predictedLanes(predictedOf(scenarioOf(Schedule::zb_h1, TimeModel::detailed)));
        const std::optional<std::size_t> row = rowOf(*lanes, StageRow::sends);
        QVERIFY(row);
        const TimelineSpot spot{TimelineSection::predicted, 1, 0, *row, 0};
        const TimelineSpan& send = shownBar(*lanes, spot).span;
        QCOMPARE(send.kind, Kind::pp);
        const TimelineFlow flow = flowOf(*lanes, spot);
        QVERIFY(flow.message);
        const ShownBar needs = shownBar(*lanes, flow.message->second);
        QCOMPARE(needs.span.stage, 2);
        QCOMPARE(needs.span.micro_batch, send.micro_batch);
        QCOMPARE(needs.span.activity, Activity::forward);
    }
};

QTEST_APPLESS_MAIN(TestPredictedLanes)
#include "tst_predicted_lanes.moc"
