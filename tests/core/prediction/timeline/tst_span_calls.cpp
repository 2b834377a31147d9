#include <QTest>

#include "core/prediction/timeline/span_calls.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/scenarios.h"

#include <algorithm>

using namespace shardscope;

namespace
{

// Buckets beneath the last backward pass; ZeRO 1 gathers their parameters, from the first forward pass on.
Scenario inBuckets(int pipeline, int zero_stage)
{
    Scenario scenario = test::gpt3b(pipeline, 2, 4);
    scenario.time_model = TimeModel::detailed;
    scenario.parallel.zero_stage = zero_stage;
    scenario.conventions.zero_reduction = ZeroReduction::reduce_scatter;
    scenario.conventions.dp_overlap = true;
    scenario.conventions.param_overlap = true;
    scenario.conventions.dp_reduction = DpReduction::buckets;
    scenario.conventions.dp_bucket_bytes = 1 << 28;
    return scenario;
}

std::int64_t callsOf(const TimelineSpan& span)
{
    return span.all_count > 0 ? span.all_count : span.count;
}

// Kinds of a stage's bars beside the buckets'.
struct ReplicaBars {
    const TimelineSpan* parameters = nullptr; // beneath the first forward pass
    const TimelineSpan* rest = nullptr;       // what is waited for
};

ReplicaBars barsOf(const PredictedTimeline& timeline, int stage)
{
    ReplicaBars bars;
    for (const auto* spans : {&timeline.hidden, &timeline.spans})
        for (const TimelineSpan& span : *spans)
            if (span.stage == stage && isOfReplicasStep(span))
                (span.op == Op::all_gather ? bars.parameters : bars.rest) = &span;
    return bars;
}

} // namespace

class TestSpanCalls : public QObject
{
    Q_OBJECT
private slots:
    void everyCallOfReplicasIsCountedOnce_data()
    {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("zero_stage");
        QTest::newRow("all_reduces") << 1 << 0;
        QTest::newRow("reduce_scatters and all_gathers") << 1 << 1;
        QTest::newRow("stages that are through early") << 4 << 1;
    }
    void everyCallOfReplicasIsCountedOnce()
    {
        QFETCH(int, pipeline);
        QFETCH(int, zero_stage);
        const Scenario scenario = inBuckets(pipeline, zero_stage);
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        for (const StagePrediction& stage : prediction.stages) {
            std::int64_t listed = 0;
            for (const Message& message : stage.messages)
                listed += message.kind == Kind::dp && message.what != "loss" ? message.count : 0;
            std::int64_t of_buckets = 0;
            for (const TimelineSpan& span : timeline.hidden)
                of_buckets += span.stage == stage.stage && span.bucket >= 0 ? span.count : 0;
            const ReplicaBars bars = barsOf(timeline, stage.stage);
            QVERIFY(of_buckets > 0 || stage.stage > 0); // Megatron-LM cuts the first stage's gradients alone
            QVERIFY(bars.rest != nullptr);
            QVERIFY(bars.parameters == nullptr || zero_stage > 0);
            QVERIFY(bars.parameters != nullptr || zero_stage == 0 || stage.stage > 0);
            const std::int64_t gathered = bars.parameters != nullptr ? callsOf(*bars.parameters) : 0;
            QCOMPARE(of_buckets + gathered + callsOf(*bars.rest), listed);
        }
    }

    // Buckets that are ready when the pass is over travel behind it.
    void theRestIsOfBucketsWithoutBars()
    {
        const Scenario scenario = inBuckets(1, 1);
        const Prediction prediction = predicted(scenario);
        const StagePrediction& stage = prediction.stages.front();
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        const ReplicaBars bars = barsOf(timeline, 0);
        const auto last = static_cast<std::size_t>(stage.buckets.back().reduced);
        QCOMPARE(stage.buckets.back().ready, 1.0);
        QVERIFY(timeline.replica_calls.front()[last] > 0);
        for (const Message* message : replicaMessages(timeline, stage, *bars.rest))
            QVERIFY(message->op == Op::reduce_scatter);
        for (const Message* message : replicaMessages(timeline, stage, *bars.parameters))
            QVERIFY(gathersParameters(*message));
        const auto first = static_cast<std::size_t>(stage.buckets.front().reduced);
        QVERIFY(first != last);
        const auto rest = replicaMessages(timeline, stage, *bars.rest);
        QVERIFY(std::ranges::find(rest, &stage.messages[last]) != rest.end());
        QVERIFY(std::ranges::find(rest, &stage.messages[first]) == rest.end());
    }

    // ZeRO 3 gathers in every pass, which has bars for it; Li et al.'s formula has one time for all of it.
    void whatPassesSendIsNoPartOfTheRest()
    {
        Scenario scenario = inBuckets(1, 3);
        scenario.conventions.reduce_each_micro_batch = false;
        const Prediction prediction = predicted(scenario);
        const StagePrediction& stage = prediction.stages.front();
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        for (const Message* message : replicaMessages(timeline, stage, *barsOf(timeline, 0).rest))
            QVERIFY(message->op != Op::all_gather);
        scenario.time_model = TimeModel::li;
        const Prediction by_formula = predicted(scenario);
        const PredictedTimeline of_formula = predictTimeline(scenario, by_formula);
        const auto all = replicaMessages(of_formula, by_formula.stages.front(), *barsOf(of_formula, 0).rest);
        QVERIFY(std::ranges::any_of(all, [](const Message* one) { return one->op == Op::all_gather; }));
    }

    // The largest message, and all of them where there are several sizes.
    void aSpanTellsItsLargestMessage()
    {
        StagePrediction stage;
        for (const std::int64_t bytes : {100, 300, 200}) {
            Message message;
            message.kind = Kind::dp;
            message.message_bytes = bytes;
            message.count = 5;
            stage.messages.push_back(message);
        }
        TimelineSpan several;
        tellCalls(stage, {2, 0, 3}, several);
        QCOMPARE(several.message_bytes, std::int64_t{200});
        QCOMPARE(several.count, std::int64_t{3});
        QCOMPARE(several.all_count, std::int64_t{5});
        QCOMPARE(several.all_bytes, std::int64_t{800});
        TimelineSpan one;
        tellCalls(stage, {0, 4, 0}, one);
        QCOMPARE(one.message_bytes, std::int64_t{300});
        QCOMPARE(one.count, std::int64_t{4});
        QCOMPARE(one.all_count, std::int64_t{0});
        TimelineSpan none;
        tellCalls(stage, {0, 0, 0}, none);
        QCOMPARE(none.count, std::int64_t{0});
        QCOMPARE(none.message_bytes, std::int64_t{0});
    }
};

QTEST_APPLESS_MAIN(TestSpanCalls)
#include "tst_span_calls.moc"
