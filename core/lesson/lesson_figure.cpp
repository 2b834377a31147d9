#include "core/lesson/lesson_figure.h"

#include "core/base/format.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace shardscope
{

namespace
{

template<auto Member>
double ofParameters(const Prediction& prediction)
{
    return static_cast<double>(prediction.parameters.*Member);
}

double modelFlops(const Prediction& prediction)
{
    return prediction.flops.model;
}

// Stages differ: the one that decides whether the model fits.
const StageMemory& fullestStage(const Prediction& prediction)
{
    assert(!prediction.memory.stages.empty());
    return *std::ranges::max_element(prediction.memory.stages, {}, &StageMemory::deviceBytes);
}

template<auto Member>
double ofFullestStage(const Prediction& prediction)
{
    return static_cast<double>(fullestStage(prediction).*Member);
}

double deviceBytes(const Prediction& prediction)
{
    return static_cast<double>(fullestStage(prediction).deviceBytes());
}

template<auto Member>
double ofTime(const Prediction& prediction)
{
    return prediction.time.*Member;
}

// The sum over one kind's messages, of the stage that has most.
template<auto Member>
double mostOf(Kind kind, const Prediction& prediction)
{
    double most = 0.0;
    for (const StagePrediction& stage : prediction.stages) {
        double sum = 0.0;
        for (const Message& message : stage.messages)
            if (message.kind == kind)
                sum += static_cast<double>(message.*Member);
        most = std::max(most, sum);
    }
    return most;
}

template<Kind kind>
double sentBytes(const Prediction& prediction)
{
    return mostOf<&Message::wire_bytes>(kind, prediction);
}

template<Kind kind>
double calls(const Prediction& prediction)
{
    return mostOf<&Message::count>(kind, prediction);
}

std::string flopText(double flops)
{
    constexpr double peta = 1e15;
    return formatCount(flops / peta) + " PFLOP";
}

std::string callText(double count)
{
    return formatGrouped(std::llround(count));
}

std::string throughputText(double tokens_per_s)
{
    return formatCount(tokens_per_s) + " tokens/s";
}

constexpr std::array figures{
    LessonFigure{"parameters", "parameters of the model", ofParameters<&ParameterCount::total>, formatCount},
    LessonFigure{"active_parameters", "parameters that a token passes through",
                 ofParameters<&ParameterCount::active>, formatCount},
    LessonFigure{"flops", "floating-point operations of an iteration", modelFlops, flopText},
    LessonFigure{"weights_bytes", "weights on the fullest GPU", ofFullestStage<&StageMemory::weights_bytes>,
                 formatBytes},
    LessonFigure{"gradients_bytes", "gradients on the fullest GPU",
                 ofFullestStage<&StageMemory::gradients_bytes>, formatBytes},
    LessonFigure{"optimizer_bytes", "optimizer states on the fullest GPU",
                 ofFullestStage<&StageMemory::optimizer_bytes>, formatBytes},
    LessonFigure{"activations_bytes", "activations on the fullest GPU",
                 ofFullestStage<&StageMemory::activations_bytes>, formatBytes},
    LessonFigure{"memory_bytes", "memory of the fullest GPU", deviceBytes, formatBytes},
    LessonFigure{"iteration_s", "time of an iteration", ofTime<&TimePrediction::iteration_s>, formatSeconds},
    LessonFigure{"compute_s", "time of an iteration that goes into computing",
                 ofTime<&TimePrediction::compute_s>, formatSeconds},
    LessonFigure{"tp_s", "time of an iteration that goes into tensor-parallel messages",
                 ofTime<&TimePrediction::tp_s>, formatSeconds},
    LessonFigure{"cp_s", "time of an iteration that goes into context-parallel messages",
                 ofTime<&TimePrediction::cp_s>, formatSeconds},
    LessonFigure{"ep_s", "time of an iteration that goes into messages to and from experts",
                 ofTime<&TimePrediction::ep_s>, formatSeconds},
    LessonFigure{"pp_s", "time of an iteration that goes into messages between stages",
                 ofTime<&TimePrediction::pp_s>, formatSeconds},
    LessonFigure{"dp_s", "time of an iteration that goes into messages between replicas",
                 ofTime<&TimePrediction::dp_s>, formatSeconds},
    LessonFigure{"bubble_s", "time of an iteration that goes into the pipeline's bubble",
                 ofTime<&TimePrediction::bubble_s>, formatSeconds},
    LessonFigure{"bubble_ratio", "the bubble's share of an iteration", ofTime<&TimePrediction::bubble_ratio>,
                 formatRatio},
    LessonFigure{"tokens_per_s", "tokens that are trained in a second", ofTime<&TimePrediction::tokens_per_s>,
                 throughputText},
    LessonFigure{"tp_sent_bytes", "bytes that a GPU sends for tensor parallelism in an iteration",
                 sentBytes<Kind::tp>, formatBytes},
    LessonFigure{"tp_calls", "tensor-parallel messages of a GPU in an iteration", calls<Kind::tp>, callText},
    LessonFigure{"cp_sent_bytes", "bytes that a GPU sends for context parallelism in an iteration",
                 sentBytes<Kind::cp>, formatBytes},
    LessonFigure{"cp_calls", "context-parallel messages of a GPU in an iteration", calls<Kind::cp>, callText},
    LessonFigure{"ep_sent_bytes", "bytes that a GPU sends to and for experts in an iteration",
                 sentBytes<Kind::ep>, formatBytes},
    LessonFigure{"ep_calls", "messages of a GPU to and from experts in an iteration", calls<Kind::ep>,
                 callText},
    LessonFigure{"pp_sent_bytes", "bytes that a GPU sends to other stages in an iteration",
                 sentBytes<Kind::pp>, formatBytes},
    LessonFigure{"pp_calls", "messages that a GPU sends to or receives from other stages in an iteration",
                 calls<Kind::pp>, callText},
    LessonFigure{"dp_sent_bytes", "bytes that a GPU sends to other replicas in an iteration",
                 sentBytes<Kind::dp>, formatBytes},
    LessonFigure{"dp_calls", "messages of a GPU to other replicas in an iteration", calls<Kind::dp>,
                 callText},
};

} // namespace

std::span<const LessonFigure> lessonFigures()
{
    return figures;
}

const LessonFigure* lessonFigure(std::string_view key)
{
    const auto found = std::ranges::find(figures, key, &LessonFigure::key);
    return found == figures.end() ? nullptr : &*found;
}

} // namespace shardscope
