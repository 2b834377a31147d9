#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/time/stage_communication.h"
#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

namespace
{

StageCommunication communicationOf(const Scenario& scenario, int stage)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    const IterationFigures figures{scenario};
    const Machine machine{scenario.cluster};
    return CommunicationTime{figures, machine}.stage(
        prediction.value().stages.at(static_cast<std::size_t>(stage)));
}

// Seconds of one call of each message that `is_asked` names: the longest, and all calls of the iteration.
struct Asked {
    double longest_s = 0.0;
    double all_s = 0.0;
};
template<class IsAsked>
Asked timeOf(const Scenario& scenario, IsAsked is_asked)
{
    const IterationFigures figures{scenario};
    const Machine machine{scenario.cluster};
    const CommunicationTime times{figures, machine};
    Asked asked;
    for (const Message& message : messagesOf(scenario, 0))
        if (is_asked(message)) {
            const double call_s = times.timeOf(message).value();
            asked.longest_s = std::max(asked.longest_s, call_s);
            asked.all_s += call_s * static_cast<double>(message.count);
        }
    return asked;
}

} // namespace

// What a stage's messages take, pass by pass.
class TestStageCommunication : public QObject
{
    Q_OBJECT
private slots:
    // Twice the layers for half of the micro-batches: a micro-batch finds twice the messages.
    void aMicroBatchOfDualPipePassesTwoPartsOfTheModel()
    {
        Scenario scenario = small(2, 2, 1);
        scenario.training.global_batch_size = 16;
        const double one_way = communicationOf(scenario, 0).of(Phase::forward).tp_layers_s;
        scenario.parallel.schedule = Schedule::dualpipe;
        QVERIFY(one_way > 0.0);
        QCOMPARE(communicationOf(scenario, 0).of(Phase::forward).tp_layers_s, 2.0 * one_way);
    }

    void gradientsAreSummedAndStandInTheOrderOfTheirBuckets()
    {
        Scenario scenario = small(1, 1, 4);
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 100'000;
        scenario.conventions.report_loss = false;
        const auto gradients = [](const Message& message) { return message.what == "gradients"; };
        const StageCommunication sum = communicationOf(scenario, 0);
        const Asked asked = timeOf(scenario, gradients);
        QVERIFY(sum.gradient_calls.empty()); // nothing overlaps
        QCOMPARE(sum.gradients_s, asked.all_s);
        scenario.conventions.dp_overlap = true;
        const StageCommunication beside = communicationOf(scenario, 0);
        QVERIFY(beside.gradient_calls.size() > 2);
        QVERIFY(std::ranges::is_sorted(beside.gradient_calls, {}, &ReplicaCall::share));
        QCOMPARE(beside.gradient_calls.back().share, 1.0);
        double calls_s = 0.0;
        for (const ReplicaCall& call : beside.gradient_calls)
            calls_s += call.seconds;
        QVERIFY(std::abs(calls_s - beside.gradients_s) < 1e-9 * calls_s);
        scenario.conventions.dp_overlap = false;
        QCOMPARE(sum.parameters_s, 0.0);
        scenario.conventions.report_loss = true;
        const auto losses = [](const Message& message) { return message.what == "loss"; };
        const StageCommunication with_losses = communicationOf(scenario, 0);
        QCOMPARE(with_losses.gradients_s, asked.all_s);
        QCOMPARE(with_losses.of(Phase::forward).losses_s, timeOf(scenario, losses).all_s / 4);
    }

    // Stage 1 gathers once an iteration, stage 3 in every pass.
    void parametersAreGatheredInTheStepOrInEveryPass()
    {
        Scenario scenario = small(1, 1, 4);
        const auto parameters = [](const Message& message) { return message.what == "parameters"; };
        scenario.parallel.zero_stage = 1;
        QCOMPARE(communicationOf(scenario, 0).parameters_s, timeOf(scenario, parameters).all_s);
        QVERIFY(communicationOf(scenario, 0).parameters_s > 0.0);
        scenario.parallel.zero_stage = 3;
        scenario.conventions.zero3_by_tensor = false;
        const StageCommunication sum = communicationOf(scenario, 0);
        QCOMPARE(sum.parameters_s, 0.0);
        const auto forward = [&](const Message& message) {
            return parameters(message) && message.phase == Phase::forward;
        };
        QCOMPARE(sum.of(Phase::forward).gathers_s, timeOf(scenario, forward).all_s / 4);
    }

    void reductionsOfSummedGradientsAreThoseOfTheIteration()
    {
        Scenario scenario = small(1, 1, 4);
        scenario.parallel.zero_stage = 3;
        scenario.conventions.zero3_by_tensor = false;
        QCOMPARE(communicationOf(scenario, 0).gradients_s, 0.0);
        scenario.conventions.reduce_each_micro_batch = false;
        const StageCommunication sum = communicationOf(scenario, 0);
        const auto reductions = [](const Message& message) {
            return message.kind == Kind::dp && message.op != Op::all_gather && message.what != "loss";
        };
        QCOMPARE(sum.gradients_s, timeOf(scenario, reductions).all_s);
        const auto gathers = [](const Message& message) {
            return message.what == "parameters" && message.phase == Phase::backward;
        };
        QCOMPARE(sum.of(Phase::backward).gathers_s, timeOf(scenario, gathers).all_s / 4);
        QCOMPARE(sum.parameters_s, 0.0);
    }

    void bothEndsHaveTheirOwnMessages()
    {
        const Scenario scenario = small(1, 2, 1);
        const auto of = [&](ModelPart part) {
            return timeOf(scenario, [part](const Message& message) {
                return message.part == part && message.phase == Phase::forward;
            });
        };
        const PassCommunication forward = communicationOf(scenario, 0).of(Phase::forward);
        QCOMPARE(forward.tp_embedding_s, of(ModelPart::embedding).all_s / 4);
        QCOMPARE(forward.tp_head_s, of(ModelPart::head).all_s / 4);
        QCOMPARE(forward.tp_layers_s, (of(ModelPart::attention).all_s + of(ModelPart::mlp).all_s) / 4);
        QVERIFY(forward.tp_embedding_s > 0.0 && forward.tp_head_s > 0.0);
    }

    // Nothing runs beneath what routed experts gather and scatter, so that it stands by itself.
    void routedExpertsHaveTheirOwnTensorMessages()
    {
        Scenario scenario = withExperts(small(1, 2, 4), 0.0);
        scenario.parallel.sequence_parallel = true;
        const auto of = [&](ModelPart part) {
            return timeOf(scenario, [part](const Message& message) {
                return message.kind == Kind::tp && message.part == part && message.phase == Phase::backward;
            });
        };
        const PassCommunication backward = communicationOf(scenario, 0).of(Phase::backward);
        QCOMPARE(backward.tp_experts_s, of(ModelPart::experts).all_s / 4);
        QCOMPARE(backward.tp_layers_s, (of(ModelPart::attention).all_s + of(ModelPart::mlp).all_s) / 4);
        QVERIFY(backward.tp_experts_s > 0.0);
        const auto exposed = [&](bool overlaps) {
            scenario.conventions.tp_overlap = overlaps;
            return predict(scenario).value().time.tp_s;
        };
        const double experts_s = 2.0 * of(ModelPart::experts).all_s; // as much forward
        QVERIFY(exposed(false) - exposed(true) < 0.76 * (exposed(false) - experts_s));
    }

    // All wait for the rank whose experts receive most; how many tokens come is told in as many bytes to all.
    void unevenRoutingSendsWhatTheFullestRankReceives()
    {
        Scenario scenario = small(1, 1, 4);
        scenario.model.experts.count = 4;
        scenario.parallel.expert = 4;
        const auto counts = [](const Message& message) { return message.what == "expert_counts"; };
        const auto tokens = [&](const Message& message) {
            return message.kind == Kind::ep && !counts(message);
        };
        const double even_counts_s = timeOf(scenario, counts).longest_s;
        const double even_tokens_s = timeOf(scenario, tokens).longest_s;
        scenario.model.experts.skew = 1.0;
        const double load = IterationFigures{scenario}.busiest_load;
        QVERIFY(load > 1.5);
        QCOMPARE(timeOf(scenario, counts).longest_s, even_counts_s);
        QVERIFY(timeOf(scenario, tokens).longest_s > even_tokens_s);
        // A call of so many bytes, its latency once.
        for (const Message& message : messagesOf(scenario, 0))
            if (tokens(message)) {
                const Machine machine{scenario.cluster};
                const CommunicationTime times{IterationFigures{scenario}, machine};
                const Bytes bytes{load * static_cast<double>(message.message_bytes)};
                QCOMPARE(times.bytesOf(message).value(), bytes.value());
                QCOMPARE(timeOf(scenario, tokens).longest_s,
                         collectiveTime(Op::all_to_all, bytes, times.group(Kind::ep), machine.interconnect)
                             .value());
                break;
            }
    }
};

QTEST_APPLESS_MAIN(TestStageCommunication)
#include "tst_stage_communication.moc"
