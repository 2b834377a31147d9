#pragma once

#include "core/prediction/prediction.h"
#include "core/prediction/time/time_model.h"

#include <string_view>
#include <vector>

namespace shardscope
{

// One thing that a rank does in a pass of a micro-batch: an operator of a layer, or a layer's calls of one
// message.
struct PassPart {
    Phase phase = Phase::forward;
    bool is_message = false;
    std::string_view what;     // of the operator or the message
    int layer = -1;            // of the model, an encoder's first; -1: one of the model's ends
    Kind kind = Kind::unknown; // of a message, as op and sizes are
    Op op = Op::other;
    Dtype dtype = Dtype::fp16;
    int group_size = 0;
    std::int64_t message_bytes = 0; // of one call
    bool follows_load = false;      // other ranks' are as much larger as their experts receive more tokens
    double calls = 0.0;             // on average over layers and micro-batches
    bool is_rest = false;           // beside: of calls that stand in turn, what of them takes no time
    double start_s = 0.0;           // from the start of the pass
    double duration_s = 0.0;

    double end_s() const { return start_s + duration_s; }
};

// A pass of a micro-batch over a virtual stage, without the messages between stages.
struct PassParts {
    std::vector<PassPart> in_turn; // one after the other, without a gap
    std::vector<PassPart> beside;  // messages beneath the computing; in order, they do not overlap
    double duration_s = 0.0;
};

// What a stage does at once in a pass: split_backward leaves the weights' gradients for later.
enum class PassForm : std::uint8_t { forward, backward, split_backward };
inline constexpr int pass_form_count = static_cast<int>(PassForm::split_backward) + 1;

constexpr std::size_t passPartsIndex(int place, PassForm form)
{
    return static_cast<std::size_t>(place) * pass_form_count + static_cast<std::size_t>(form);
}

// The passes of every virtual stage in the order of the model, at passPartsIndex(). Operators and messages
// stand in the order in which the layers work through them, and take what the time model gives them all
// together. Empty where the model knows no layers: lists of parameters, Li et al.'s formula.
// Pre: `time` is predictTime() of the same.
std::vector<PassParts> passParts(const IterationFigures& figures, const Prediction& prediction,
                                 const IterationTime& time);

} // namespace shardscope
