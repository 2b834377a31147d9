#include "tests/widgets/predicted_of.h"
#include "widgets/panels/timeline/bar_messages.h"
#include "widgets/panels/timeline/message_search.h"
#include "widgets/panels/timeline/predicted_lanes.h"
#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/timeline/timeline_strips.h"

#include "core/prediction/timeline/span_calls.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

// Gradients in buckets beneath the last backward pass, their parameters from the first forward pass on.
TimelineScene inBuckets()
{
    Scenario scenario;
    scenario.time_model = TimeModel::detailed;
    scenario.parallel.data = 8;
    scenario.parallel.zero_stage = 1;
    scenario.training.global_batch_size = 16;
    scenario.training.micro_batch_size = 1;
    scenario.conventions.dp_overlap = true;
    scenario.conventions.param_overlap = true;
    scenario.conventions.zero_reduction = ZeroReduction::reduce_scatter;
    scenario.conventions.dp_reduction = DpReduction::buckets;
    scenario.conventions.dp_bucket_bytes = 1 << 26;
    TimelineScene scene;
    scene.predicted = predictedLanes(predictedOf(scenario));
    return scene;
}

std::vector<TimelineSpot> barsOf(const TimelineScene& scene, StageRow shown)
{
    const std::vector<StageRow>& rows = scene.predicted->shown;
    const auto row = static_cast<std::size_t>(std::ranges::find(rows, shown) - rows.begin());
    std::vector<TimelineSpot> bars;
    scene.predicted->stages[0][row].forEachBar(wholePredicted(scene), false, [&](std::uint32_t bar) {
        bars.push_back({TimelineSection::predicted, 0, 0, row, bar});
    });
    return bars;
}

const TimelineSpan& spanOf(const TimelineScene& scene, const TimelineSpot& spot)
{
    return shownBar(*scene.predicted, spot).span;
}

const StagePrediction& stageOf(const TimelineScene& scene)
{
    return scene.predicted->source->prediction.stages.front();
}

const Message& reducedBy(const StagePrediction& stage, const GradientBucket& bucket)
{
    return stage.messages[static_cast<std::size_t>(bucket.reduced)];
}

} // namespace

class TestBarMessages : public QObject
{
    Q_OBJECT
private slots:
    // One after the other from the first bar on, and only the bars of its own size.
    void theSearchForABucketGoesFromBucketToBucket()
    {
        const TimelineScene scene = inBuckets();
        const Message& first = reducedBy(stageOf(scene), stageOf(scene).buckets.front());
        std::size_t of_size = 0;
        for (const TimelineSpot& bar : barsOf(scene, StageRow::replicas))
            of_size += spanOf(scene, bar).bucket >= 0 && messageAt(scene, bar) == &first ? 1 : 0;
        QVERIFY(of_size > 0);
        QCOMPARE(static_cast<std::int64_t>(of_size), first.count); // each has a bar
        std::optional<TimelineSpot> chosen;
        for (std::size_t i = 0; i < of_size; ++i) {
            chosen = nextMessage(scene, {first, 0}, chosen);
            QVERIFY(chosen);
            QVERIFY(spanOf(scene, *chosen).bucket >= 0);
            QCOMPARE(messageAt(scene, *chosen), &first);
        }
        QCOMPARE(nextMessage(scene, {first, 0}, chosen), nextMessage(scene, {first, 0}, std::nullopt));
    }

    // The parameters' bar stands for all_gathers, what is waited for in the end for what has no bar else.
    void otherBarsStandForWhatIsLeft()
    {
        const TimelineScene scene = inBuckets();
        const StagePrediction& stage = stageOf(scene);
        const TimelineSpot parameters = barsOf(scene, StageRow::replicas).front();
        const std::vector<TimelineSpot> waited = barsOf(scene, StageRow::messages);
        const auto rest = std::ranges::find_if(
            waited, [&](const TimelineSpot& bar) { return isOfReplicasStep(spanOf(scene, bar)); });
        QVERIFY(rest != waited.end());
        const Message& first = reducedBy(stage, stage.buckets.front());
        const Message& last = reducedBy(stage, stage.buckets.back());
        QVERIFY(!standsFor(scene, parameters, first) && !standsFor(scene, *rest, first));
        QVERIFY(!standsFor(scene, parameters, last) && standsFor(scene, *rest, last));
        for (const Message& message : stage.messages)
            if (gathersParameters(message))
                QVERIFY(standsFor(scene, parameters, message) && !standsFor(scene, *rest, message));
        QCOMPARE(messageAt(scene, parameters)->op, Op::all_gather);
        QVERIFY(barTip(scene, parameters).contains("all_gather of parameters"));
        QCOMPARE(messageAt(scene, *rest), &last);
        QVERIFY(barTip(scene, *rest).contains("reduce_scatter of gradients"));
        QVERIFY(!barTip(scene, *rest).contains("all_gather"));
    }
};

QTEST_MAIN(TestBarMessages)
#include "tst_bar_messages.moc"
