#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/timeline/timeline.h"
#include "core/scenario/scenario_change.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/scenarios.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace shardscope;

namespace
{

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

double timeOf(const PredictedTimeline& timeline, int stage, Activity activity)
{
    double seconds = 0.0;
    for (const TimelineSpan& span : timeline.spans)
        if (span.stage == stage && span.activity == activity)
            seconds += span.duration_s;
    return seconds;
}

} // namespace

class TestTimeline : public QObject
{
    Q_OBJECT
private slots:
    void bubblesSayWhyTheyAre_data() { addSchedules(); }
    void bubblesSayWhyTheyAre()
    {
        Scenario scenario = current();
        scenario.time_model = TimeModel::detailed;
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        for (const StagePrediction& stage : prediction.stages) {
            const auto idle = [&](IdleCause cause) {
                double seconds = 0.0;
                for (const TimelineSpan& span : timeline.spans)
                    if (span.stage == stage.stage && span.activity == Activity::bubble && span.cause == cause)
                        seconds += span.duration_s;
                return seconds;
            };
            const double nothing = 1e-6 * timeline.iteration_s;
            QVERIFY(std::abs(idle(IdleCause::imbalance) - stage.use.imbalance_s) <= nothing);
            QVERIFY(idle(IdleCause::message) <= stage.use.message_s + nothing);
            if (scenario.parallel.schedule != Schedule::zb_h2) { // its stages need not begin together
                QVERIFY(std::abs(idle(IdleCause::fill) - stage.use.fill_s) <= nothing);
                QVERIFY(std::abs(idle(IdleCause::drain) - stage.use.drain_s) <= nothing);
            }
        }
    }

    void spansFollowOneAnother_data() { addSchedules(); }
    void spansFollowOneAnother()
    {
        const Scenario scenario = current();
        const PredictedTimeline timeline = predictTimeline(scenario, predicted(scenario));
        QCOMPARE(timeline.stages, 4);
        double end_s = 0.0;
        int stage = 0;
        for (const TimelineSpan& span : timeline.spans) {
            if (span.stage != stage) {
                QCOMPARE(span.stage, stage + 1);
                QVERIFY(near(end_s, timeline.iteration_s));
                stage = span.stage;
                end_s = 0.0;
            }
            QVERIFY(std::abs(span.start_s - end_s) <= 1e-9 * timeline.iteration_s);
            QVERIFY(span.duration_s > 0.0);
            end_s = span.start_s + span.duration_s;
        }
        QVERIFY(near(end_s, timeline.iteration_s));
    }

    // With equal stages the closed forms of the bubble hold: (p-1)(f+b), a v-th of it interleaved (Narayanan
    // et al. 2021), (p-1)(f+b-2w) for zb-h1 (Qi et al. 2024; b is both gradients).
    void bubblesFollowTheClosedForms_data() { addSchedules(); }
    void bubblesFollowTheClosedForms()
    {
        const Scenario scenario = current();
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        QVERIFY(near(timeline.iteration_s, prediction.time.iteration_s));
        for (int stage = 0; stage < 4; ++stage)
            QVERIFY(near(timeOf(timeline, stage, Activity::bubble), prediction.time.bubble_s));
    }

    void everyMicroBatchPassesEveryStage()
    {
        const Scenario scenario = test::gpt3b(4, 2, 4);
        const PredictedTimeline timeline = predictTimeline(scenario, predicted(scenario));
        std::int64_t forward = 0;
        std::int64_t backward = 0;
        std::int64_t tensor_calls = 0;
        for (const TimelineSpan& span : timeline.spans) {
            forward += span.activity == Activity::forward ? 1 : 0;
            backward += span.activity == Activity::backward ? 1 : 0;
            if (span.stage == 1 && span.kind == Kind::tp)
                tensor_calls += span.count;
        }
        QCOMPARE(forward, std::int64_t{4 * 8});
        QCOMPARE(backward, std::int64_t{4 * 8});
        QCOMPARE(tensor_calls, std::int64_t{8 * 14 * 6});
    }

    void everyMicroBatchHasItsOwnNumberInBothWaysOfDualPipe()
    {
        Scenario scenario = test::gpt3b(4, 2, 4);
        scenario.parallel.schedule = Schedule::dualpipe;
        std::set<std::pair<int, int>> forwards; // stage, micro-batch
        for (const TimelineSpan& span : predictTimeline(scenario, predicted(scenario)).spans)
            if (span.activity == Activity::forward)
                QVERIFY(forwards.insert({span.stage, span.micro_batch}).second);
        QCOMPARE(forwards.size(), std::size_t{4 * 8});
        QCOMPARE(forwards.rbegin()->second, 7);
    }

    // The ends sum their tied embeddings; no stage knows the norm before they have, and none begins the next
    // iteration before all are through.
    void theStepSendsWhatItsMessagesSay()
    {
        Scenario scenario = test::gpt3b(4, 2, 4);
        scenario.time_model = TimeModel::detailed;
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.gradient_norm = true;
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        std::set<double> norms;
        for (const StagePrediction& stage : prediction.stages) {
            std::map<Kind, std::int64_t> listed;
            std::map<Kind, std::int64_t> drawn;
            for (const Message& message : stage.messages)
                if (message.phase == Phase::step && message.kind != Kind::dp)
                    listed[message.kind] += message.count * message.message_bytes;
            for (const TimelineSpan& span : timeline.spans) {
                if (span.stage != stage.stage || span.phase != Phase::step || span.kind == Kind::dp)
                    continue;
                if (span.activity == Activity::communication)
                    drawn[span.kind] += span.count * span.message_bytes;
                if (span.kind == Kind::mp)
                    norms.insert(span.start_s);
            }
            QVERIFY(listed == drawn);
            QCOMPARE(listed.contains(Kind::emb), stage.stage == 0 || stage.stage == 3);
            QVERIFY(listed.contains(Kind::tp) && listed.contains(Kind::mp));
        }
        QVERIFY(near(*norms.begin(), *norms.rbegin()));
        QVERIFY(near(timeline.iteration_s, prediction.time.iteration_s));
    }

    // A stage that is through early reduces while others still work, and not again behind them.
    void everyStageReducesItsGradientsOnce()
    {
        Scenario scenario = test::gpt3b(4, 2, 4);
        scenario.time_model = TimeModel::detailed;
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        std::map<int, double> seconds;
        std::map<int, std::int64_t> bytes;
        for (const auto* spans : {&timeline.spans, &timeline.hidden})
            for (const TimelineSpan& span : *spans)
                if (span.kind == Kind::dp && span.activity == Activity::communication)
                    seconds[span.stage] += span.duration_s;
        for (const StagePrediction& stage : prediction.stages)
            for (const Message& message : stage.messages)
                if (message.kind == Kind::dp && message.phase == Phase::step)
                    bytes[stage.stage] += message.total_bytes;
        QCOMPARE(seconds.size(), std::size_t{4});
        for (const auto& [stage, took_s] : seconds) { // large messages: their time follows their size
            const double share = static_cast<double>(bytes[stage]) / static_cast<double>(bytes[0]);
            QVERIFY2(std::abs(took_s / (seconds[0] * share) - 1.0) < 0.01,
                     qPrintable(QString::number(stage)));
        }
    }

    // In their order, none before the layers whose gradients it holds are through, and the last not at all.
    void bucketsTravelBeneathTheLastBackwardPass()
    {
        Scenario scenario = test::gpt3b(1, 2, 4);
        scenario.time_model = TimeModel::detailed;
        scenario.conventions.dp_overlap = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 1 << 28;
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        const StagePrediction& stage = prediction.stages.front();
        double backward_s = 0.0;
        double end_s = 0.0;
        for (const TimelineSpan& span : timeline.spans)
            if (span.activity == Activity::backward && span.phase == Phase::backward) {
                backward_s = span.duration_s;
                end_s = span.end_s();
            }
        std::vector<int> buckets;
        double free_s = 0.0;
        for (const TimelineSpan& span : timeline.hidden) {
            if (span.bucket < 0)
                continue;
            buckets.push_back(span.bucket);
            const GradientBucket& bucket = stage.buckets[static_cast<std::size_t>(span.bucket)];
            QCOMPARE(span.message_bytes,
                     stage.messages[static_cast<std::size_t>(bucket.reduced)].message_bytes);
            QCOMPARE(span.count, std::int64_t{1});
            QVERIFY(span.start_s >= end_s - (1.0 - bucket.ready) * backward_s - 1e-9 * end_s);
            QVERIFY(span.start_s >= free_s);
            free_s = span.end_s();
        }
        QVERIFY(buckets.size() > 3 && buckets.size() < stage.buckets.size());
        QCOMPARE(buckets.front(), 0);
        QVERIFY(std::ranges::is_sorted(buckets));
    }

    // Whether their sender waits or not.
    void everyMessageToAnotherStageIsThere_data()
    {
        addSchedules();
        QTest::newRow("zb-h1") << static_cast<int>(Schedule::zb_h1);
        QTest::newRow("zb-h2") << static_cast<int>(Schedule::zb_h2);
        QTest::newRow("zb-v") << static_cast<int>(Schedule::zb_v);
        QTest::newRow("v-half") << static_cast<int>(Schedule::v_half);
        QTest::newRow("v-min") << static_cast<int>(Schedule::v_min);
        QTest::newRow("dualpipe") << static_cast<int>(Schedule::dualpipe);
    }
    void everyMessageToAnotherStageIsThere()
    {
        Scenario scenario = current();
        scenario.time_model = TimeModel::detailed;
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        for (const StagePrediction& stage : prediction.stages) {
            std::int64_t listed = 0;
            for (const Message& message : stage.messages)
                listed += message.kind == Kind::pp && message.op == Op::send ? message.count : 0;
            std::int64_t there = 0;
            for (const auto* spans : {&timeline.spans, &timeline.sends})
                for (const TimelineSpan& span : *spans)
                    if (span.stage == stage.stage && span.kind == Kind::pp && span.op == Op::send)
                        ++there;
            QCOMPARE(there, listed);
            double free_s = 0.0;
            for (const TimelineSpan& span : sendsInTurn(timeline)) {
                if (span.stage != stage.stage)
                    continue;
                QVERIFY(span.start_s >= free_s && span.duration_s >= 0.0);
                free_s = span.end_s();
            }
        }
        const bool waits = scenario.parallel.schedule == Schedule::gpipe
                           || scenario.parallel.schedule == Schedule::one_f_one_b;
        QCOMPARE(timeline.sends.empty(), waits || scenario.parallel.schedule == Schedule::interleaved);
    }

    // Both messages of a pair of passes go to the same stage: one behind the other, none hidden.
    void messagesOfOneWayFollowEachOther()
    {
        Scenario scenario = test::gpt3b(4, 1, 1);
        scenario.time_model = TimeModel::detailed;
        scenario.parallel.schedule = Schedule::dualpipe;
        scenario.training.global_batch_size = 16 * scenario.training.micro_batch_size;
        const PredictedTimeline timeline = predictTimeline(scenario, predicted(scenario));
        std::map<std::pair<int, bool>, double> free_s; // by stage and way
        for (const TimelineSpan& span : timeline.sends) {
            double& free = free_s[{span.stage, (span.phase == Phase::forward) != span.reversed}];
            QVERIFY(span.start_s >= free);
            free = span.end_s();
        }
        QCOMPARE(free_s.size(), std::size_t{6});
        const std::vector<TimelineSpan> drawn = sendsInTurn(timeline);
        QVERIFY(std::ranges::all_of(drawn, [](const TimelineSpan& span) { return span.duration_s > 0.0; }));
    }

    // Of six stages the third and the fourth lie on two nodes: what goes between them, either way and in
    // either direction of the pipeline, takes longer.
    void sendsTakeAsLongAsTheirLink()
    {
        Scenario scenario = test::gpt3b(6, 1, 1);
        scenario.time_model = TimeModel::detailed;
        scenario.parallel.schedule = Schedule::dualpipe;
        scenario.training.global_batch_size = 24 * scenario.training.micro_batch_size;
        scenario.cluster.gpus_per_node = 3;
        scenario.cluster.inter_node.bandwidth_GBps = 1.0;
        const PredictedTimeline timeline = predictTimeline(scenario, predicted(scenario));
        double fast_s = timeline.iteration_s;
        for (const TimelineSpan& span : timeline.sends)
            fast_s = std::min(fast_s, span.duration_s);
        std::map<int, std::set<bool>> is_slow; // by stage
        for (const TimelineSpan& span : timeline.sends)
            is_slow[span.stage].insert(span.duration_s > 1.5 * fast_s);
        QCOMPARE(is_slow.size(), std::size_t{6});
        for (const auto& [stage, slow] : is_slow)
            QCOMPARE(slow, (stage == 2 || stage == 3 ? std::set{false, true} : std::set{false}));
        // A forward pass of the usual direction goes on to the next stage, of the other one to that before.
        for (const TimelineSpan& span : timeline.sends) {
            const bool goes_on = (span.phase == Phase::forward) != span.reversed;
            const bool crosses = goes_on ? span.stage == 2 : span.stage == 3;
            QCOMPARE(span.duration_s > 1.5 * fast_s, crosses);
        }
    }

    // Li et al.'s messages are among the passes' own.
    void liHasEachMessageOnce()
    {
        const Scenario scenario = test::gpt3b(4, 2, 4);
        QVERIFY(predictTimeline(scenario, predicted(scenario)).sends.empty());
    }

    void oneStageHasNoBubble()
    {
        const Scenario scenario = test::gpt3b(1, 2, 4);
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        QCOMPARE(timeOf(timeline, 0, Activity::bubble), 0.0);
        QVERIFY(near(timeline.iteration_s, prediction.time.iteration_s));
    }

private:
    static void addSchedules()
    {
        QTest::addColumn<int>("schedule");
        QTest::newRow("gpipe") << static_cast<int>(Schedule::gpipe);
        QTest::newRow("1f1b") << static_cast<int>(Schedule::one_f_one_b);
        QTest::newRow("interleaved") << static_cast<int>(Schedule::interleaved);
    }
    static Scenario current()
    {
        QFETCH(int, schedule);
        Scenario scenario = test::gpt3b(4, 2, 4);
        setSchedule(scenario.parallel, static_cast<Schedule>(schedule));
        return scenario;
    }
};

QTEST_APPLESS_MAIN(TestTimeline)
#include "tst_timeline.moc"
