#include "core/prediction/timeline/layer_messages.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

bool sends(LayerSort sort, ModelPart part)
{
    switch (part) {
    case ModelPart::encoder_attention:
    case ModelPart::encoder_mlp:
        return sort == LayerSort::encoder;
    case ModelPart::attention:
        return sort != LayerSort::encoder;
    case ModelPart::cross_attention:
    case ModelPart::mlp:
        return sort == LayerSort::dense;
    case ModelPart::dispatch:
    case ModelPart::experts:
    case ModelPart::shared_experts:
    case ModelPart::combine:
        return sort == LayerSort::experts;
    default:
        return false;
    }
}

// Where a block's tensor group gathers, and where it sums: before the products and after them. Backward goes
// the other way, and so do the two.
LayerStep tensorStep(const Message& message)
{
    const bool gathers = message.op == Op::all_gather;
    const bool enters = gathers == (message.phase != Phase::backward);
    switch (message.part) {
    case ModelPart::encoder_attention:
    case ModelPart::attention:
        return enters ? LayerStep::attention_in : LayerStep::attention_out;
    case ModelPart::cross_attention:
        return enters ? LayerStep::cross_in : LayerStep::cross_out;
    default:
        return enters ? LayerStep::mlp_in : LayerStep::mlp_out;
    }
}

LayerStep stepOf(const Message& message)
{
    if (message.kind == Kind::cp)
        return message.phase == Phase::backward ? LayerStep::projection : LayerStep::attention_exchange;
    if (message.kind == Kind::ep)
        return message.part == ModelPart::dispatch ? LayerStep::dispatch : LayerStep::combine;
    return tensorStep(message);
}

} // namespace

LayerSort layerSort(const Model& model, std::int64_t layer)
{
    if (layer < model.encoder_layers)
        return LayerSort::encoder;
    return isMoeLayer(model, layer - model.encoder_layers) ? LayerSort::experts : LayerSort::dense;
}

LayerMessages::LayerMessages(const IterationFigures& figures, const Machine& machine,
                             const Prediction& prediction)
    : m_figures{figures}, m_prediction{prediction}, m_communication{figures, machine}
{
}

const std::vector<LayerMessage>& LayerMessages::ofLayer(int stage, LayerSort sort, Phase phase)
{
    const auto [known, is_new] = m_known.try_emplace({stage, sort, phase});
    if (is_new)
        known->second = messagesOf(stage, sort, phase);
    return known->second;
}

std::vector<LayerMessage> LayerMessages::messagesOf(int stage, LayerSort sort, Phase phase) const
{
    std::vector<LayerMessage> messages;
    const auto passes = static_cast<double>(m_figures.passes);
    for (const Message& message : m_prediction.stages[static_cast<std::size_t>(stage)].messages)
        if (message.phase == phase && message.op != Op::recv && sends(sort, message.part))
            messages.push_back(messageOf(message, static_cast<double>(message.count) / passes
                                                      / layersThatSend(stage, message.part)));
    if (m_figures.scenario.parallel.zero_stage > 1)
        addUnits(stage, phase, messages);
    return messages;
}

std::vector<LayerMessage> LayerMessages::ofEnd(int stage, ModelPart end, Phase phase) const
{
    std::vector<LayerMessage> messages;
    const auto passes = static_cast<double>(m_figures.passes);
    for (const Message& message : m_prediction.stages[static_cast<std::size_t>(stage)].messages)
        if (message.phase == phase && message.part == end)
            messages.push_back(messageOf(message, static_cast<double>(message.count) / passes));
    return messages;
}

LayerMessage LayerMessages::messageOf(const Message& message, double calls) const
{
    LayerMessage result;
    result.step = stepOf(message);
    PassPart& part = result.part;
    part.phase = message.phase;
    part.is_message = true;
    part.what = message.what;
    part.kind = message.kind;
    part.op = message.op;
    part.dtype = message.dtype;
    part.group_size = message.group_size;
    part.message_bytes = message.message_bytes;
    part.calls = calls;
    part.duration_s = m_communication.loadOf(message) * calls * m_communication.timeOf(message).value();
    return result;
}

double LayerMessages::layersOf(int stage, LayerSort sort) const
{
    const std::vector<int>& layers = m_prediction.stages[static_cast<std::size_t>(stage)].layers;
    return static_cast<double>(std::ranges::count_if(
        layers, [&](int layer) { return layerSort(m_figures.scenario.model, layer) == sort; }));
}

double LayerMessages::layersThatSend(int stage, ModelPart part) const
{
    double layers = 0.0;
    for (const LayerSort sort : {LayerSort::encoder, LayerSort::dense, LayerSort::experts})
        if (sends(sort, part))
            layers += layersOf(stage, sort);
    return layers;
}

// From ZeRO stage 2 on parameters and gradients travel in units that are about a layer. All those of a pass
// are shared out evenly, each way by the largest of its messages.
void LayerMessages::addUnits(int stage, Phase phase, std::vector<LayerMessage>& messages) const
{
    const StagePrediction& of_stage = m_prediction.stages[static_cast<std::size_t>(stage)];
    const auto each =
        1.0 / static_cast<double>(m_figures.passes) / static_cast<double>(of_stage.layers.size());
    for (const bool gathers : {true, false}) {
        std::optional<LayerMessage> largest;
        double all_s = 0.0;
        for (const Message& message : of_stage.messages) {
            if (!isOfEveryMicroBatch(m_figures, message) || message.phase != phase
                || (message.op == Op::all_gather) != gathers)
                continue;
            const LayerMessage one = messageOf(message, each * static_cast<double>(message.count));
            all_s += one.part.duration_s;
            if (!largest || one.part.duration_s > largest->part.duration_s)
                largest = one;
        }
        if (!largest)
            continue;
        const bool enters = gathers == (phase != Phase::backward);
        largest->step = enters ? LayerStep::layer_in : LayerStep::layer_out;
        largest->part.duration_s = all_s;
        messages.push_back(*largest);
    }
}

} // namespace shardscope
