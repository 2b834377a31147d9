#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/model/expert_routing.h"

namespace shardscope
{

// Tokens travel to the ranks that hold their experts and back; their gradients go the same ways in the other
// order.
void addExpertMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    const Scenario& scenario = figures.scenario;
    if (shape.moe_layers == 0 || figures.expert < 2)
        return;
    const ExpertRouting routing{figures};
    const std::int64_t calls = figures.passes * shape.moe_layers;
    const auto exchange = [&](Phase phase, ModelPart part, std::string_view what, Dtype dtype,
                              std::int64_t bytes) {
        list.add({Kind::ep, Op::all_to_all, figures.expert, part}, phase, dtype, what, bytes, calls);
    };
    const auto tokens = [&](Phase phase, ModelPart part) {
        exchange(phase, part, part == ModelPart::dispatch ? contents::dispatch : contents::combine,
                 figures.activation_dtype, routing.bytes);
    };
    const auto forward = [&](Phase phase) {
        if (!routing.sizes_are_fixed) {
            const std::int64_t counts = scenario.model.experts.count * bytesPerElement(Dtype::int64);
            exchange(phase, ModelPart::dispatch, contents::expert_counts, Dtype::int64, counts);
        }
        tokens(phase, ModelPart::dispatch);
        tokens(phase, ModelPart::combine);
    };
    forward(Phase::forward);
    if (scenario.training.recompute == Recompute::full)
        forward(Phase::recompute);
    tokens(Phase::backward, ModelPart::combine);
    tokens(Phase::backward, ModelPart::dispatch);
}

} // namespace shardscope
