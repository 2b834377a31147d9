#pragma once

#include "core/analysis/calls/exposed_kinds.h"
#include "widgets/session/content.h"

#include <memory>

// Hand-made content: Table 3 of Li et al. (p, t, d = 4, 2, 4) with round figures, and a run that agrees with
// it but for one size. Times and memory are invented: panels only draw them.
namespace shardscope::sample
{

inline constexpr std::int64_t mib = 1024 * 1024;
inline constexpr std::int64_t gib = 1024 * mib;

inline Message message(Kind kind, Op op, Phase phase, std::string_view what, int group, std::int64_t bytes,
                       std::int64_t count)
{
    return {kind,
            op,
            phase,
            Dtype::fp16,
            ModelPart::none,
            what,
            group,
            bytes,
            count,
            bytes * count,
            wireBytes(op, group, bytes) * static_cast<double>(count)};
}

inline std::vector<Message> stageMessages(int stage)
{
    const std::int64_t x = 125 * mib;
    std::vector<Message> messages{
        message(Kind::tp, Op::all_reduce, Phase::forward, "attention", 2, x, 112),
        message(Kind::tp, Op::all_reduce, Phase::forward, "mlp", 2, x, 112),
        message(Kind::tp, Op::all_reduce, Phase::recompute, "attention", 2, x, 112),
        message(Kind::tp, Op::all_reduce, Phase::recompute, "mlp", 2, x, 112),
        message(Kind::tp, Op::all_reduce, Phase::backward, "attention", 2, x, 112),
        message(Kind::tp, Op::all_reduce, Phase::backward, "mlp", 2, x, 112),
    };
    if (stage == 0)
        messages.push_back(message(Kind::tp, Op::all_reduce, Phase::forward, "embedding", 2, x, 8));
    if (stage < 3) {
        messages.push_back(message(Kind::pp, Op::send, Phase::forward, "activation", 2, x, 8));
        messages.push_back(message(Kind::pp, Op::recv, Phase::backward, "gradient", 2, x, 8));
    }
    if (stage > 0) {
        messages.push_back(message(Kind::pp, Op::recv, Phase::forward, "activation", 2, x, 8));
        messages.push_back(message(Kind::pp, Op::send, Phase::backward, "gradient", 2, x, 8));
    }
    messages.push_back(message(Kind::dp, Op::all_reduce, Phase::step, "gradients", 4, 777492000, 1));
    if (stage == 3)
        messages.push_back(message(Kind::dp, Op::all_reduce, Phase::forward, "reported loss", 4, 4, 8));
    if (stage == 0 || stage == 3)
        messages.push_back(
            message(Kind::emb, Op::all_reduce, Phase::step, "embedding gradients", 2, 100864000, 1));
    messages.push_back(message(Kind::mp, Op::all_reduce, Phase::step, "gradient norm", 8, 4, 1));
    return messages;
}

inline std::shared_ptr<PredictedScenario> predicted(double speed = 1.0)
{
    auto predicted = std::make_shared<PredictedScenario>();
    predicted->scenario.name = "GPT-3B";
    predicted->scenario.parallel.pipeline = 4;
    predicted->scenario.parallel.tensor = 2;
    predicted->scenario.parallel.data = 4;
    predicted->scenario.cluster.memory_GB = 24.0;
    predicted->prediction.memory.capacity_bytes = 24 * gib;
    Prediction& prediction = predicted->prediction;
    prediction.world_size = 32;
    prediction.micro_batches = 8;
    TimePrediction& time = prediction.time;
    time.compute_s = 14.1 / speed;
    time.tp_s = 6.2 / speed;
    time.pp_s = 0.84 / speed;
    time.dp_s = 0.9 / speed;
    time.bubble_s = 7.9 / speed;
    time.iteration_s = time.compute_s + time.tp_s + time.pp_s + time.dp_s + time.bubble_s;
    for (int stage = 0; stage < 4; ++stage) {
        prediction.stages.push_back({stage, {}, 388746000, 388746000, stageMessages(stage)});
        StageMemory memory;
        memory.stage = stage;
        memory.weights_bytes = 777492000;
        memory.gradients_bytes = 777492000;
        memory.optimizer_bytes = 4664952000;
        memory.activations_bytes = (4 - stage) * 3 * gib;
        memory.total_bytes = memory.allocatedBytes();
        prediction.memory.stages.push_back(memory);
        prediction.memory.peak_bytes = std::max(prediction.memory.peak_bytes, memory.total_bytes);
        prediction.memory.device_bytes = prediction.memory.peak_bytes;
    }
    return predicted;
}

// Every rank sends what its stage was predicted to, but the data-parallel gradients come in two calls on
// ranks 24 to 31.
inline std::shared_ptr<MeasuredRun> measured()
{
    auto run = std::make_shared<MeasuredRun>();
    for (int rank = 0; rank < 32; ++rank) {
        RankMeasurement measurement;
        measurement.rank = rank;
        measurement.has_timeline = true;
        measurement.window_ns = 31'000'000'000 + rank * 10'000'000;
        measurement.compute_ns = 15'000'000'000;
        measurement.communication_ns = 9'000'000'000;
        measurement.overlap_ns = 1'500'000'000;
        measurement.exposed_communication_ns = 7'500'000'000;
        measurement.memory_ns = 400'000'000;
        measurement.busy_ns = 15'000'000'000 + 7'500'000'000 + 400'000'000;
        measurement.non_compute_ns = measurement.busy_ns - measurement.compute_ns;
        measurement.idle_ns = measurement.window_ns - measurement.busy_ns;
        const int stage = rank / 8;
        for (const Message& message : stageMessages(stage)) {
            MeasuredCollective call;
            call.name = std::string{word(message.op)};
            call.op = message.op;
            call.kind = message.kind;
            call.message_bytes = message.message_bytes;
            call.group_size = message.group_size;
            call.count = message.count;
            call.sum_ns = message.kind == Kind::tp ? 900'000'000 : 500'000'000;
            if (stage == 3 && message.what == "gradients") {
                call.message_bytes /= 2;
                call.count = 2;
            }
            measurement.exposed_of_kind_ns[static_cast<std::size_t>(call.kind)] += call.sum_ns;
            measurement.collectives.push_back(call);
        }
        shareExposedKinds(measurement);
        run->measurement.ranks.push_back(measurement);
    }
    return run;
}

inline Content content(bool with_measured = false, bool with_pinned = false)
{
    Content content;
    content.predicted = predicted();
    if (with_measured)
        content.measured = measured();
    if (with_pinned)
        content.pinned = predicted(1.1);
    return content;
}

} // namespace shardscope::sample
