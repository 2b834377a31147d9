#include "core/prediction/timeline/layer_messages.h"

#include "core/base/quantity.h"
#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/zero_messages.h"
#include "core/prediction/model/expert_load.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool sends(LayerSort sort, ModelPart part)
{
    switch (part) {
    case ModelPart::encoder_attention:
    case ModelPart::encoder_mlp:
        return sort.isOfEncoder();
    case ModelPart::attention:
        return !sort.isOfEncoder() && hasAttention(sort.form);
    case ModelPart::recurrence:
        return hasRecurrence(sort.form);
    case ModelPart::cross_attention:
    case ModelPart::mlp:
        return !sort.isOfEncoder() && hasMlp(sort.form);
    case ModelPart::dispatch:
    case ModelPart::experts:
    case ModelPart::shared_experts:
    case ModelPart::combine:
        return hasExperts(sort.form);
    case ModelPart::mtp:
        return sort.isModule();
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
    case ModelPart::recurrence:
        return enters ? LayerStep::attention_in : LayerStep::attention_out;
    case ModelPart::cross_attention:
        return enters ? LayerStep::cross_in : LayerStep::cross_out;
    default:
        return enters ? LayerStep::mlp_in : LayerStep::mlp_out;
    }
}

// The look-up's rows are summed behind it. What the projection reads is gathered before it and what it
// returns behind it; in backward their gradients go the other way.
LayerStep moduleStep(const Message& message)
{
    if (message.what == contents::mtp_embedding)
        return LayerStep::look_up_out;
    return message.what == contents::mtp_projected ? LayerStep::join_out : LayerStep::join_in;
}

// Rings of context parallelism stand behind the attention, both ways; what is gathered stands before it, and
// its gradients behind, as does what a recurrence's ranks hand each other.
LayerStep contextStep(const Message& message)
{
    const bool is_backward = message.phase == Phase::backward;
    if (message.part == ModelPart::recurrence)
        return message.what == contents::recurrence_output ? LayerStep::attention_exchange
                                                           : LayerStep::attention_gather;
    if (message.op == Op::all_gather)
        return is_backward ? LayerStep::attention_exchange : LayerStep::attention_gather;
    if (message.op == Op::reduce_scatter)
        return LayerStep::attention_gather;
    return is_backward ? LayerStep::attention : LayerStep::attention_exchange;
}

LayerStep stepOf(const Message& message)
{
    if (message.kind == Kind::cp)
        return contextStep(message);
    if (message.kind == Kind::ep)
        return message.part == ModelPart::dispatch ? LayerStep::dispatch : LayerStep::combine;
    return message.part == ModelPart::mtp ? moduleStep(message) : tensorStep(message);
}

} // namespace

LayerMessages::LayerMessages(const IterationFigures& figures, const Machine& machine,
                             const Prediction& prediction)
    : m_figures{figures}, m_prediction{prediction}, m_communication{figures, machine}
{
}

const std::vector<LayerMessage>& LayerMessages::ofLayer(int stage, LayerSort sort, Phase phase)
{
    const auto [known, is_new] = m_known.try_emplace({stage, sort.index(), phase});
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
                                                      / layersThatSend(stage, message.part, phase)));
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
    part.follows_load = followsLoad(m_figures.scenario, message);
    part.calls = calls;
    part.duration_s = calls * m_communication.timeOf(message).value();
    return result;
}

double LayerMessages::layersOf(int stage, LayerSort sort) const
{
    return static_cast<double>(std::ranges::count_if(stageAt(stage).layers, [&](int layer) {
        return layerSort(m_figures.scenario.model, layer) == sort;
    }));
}

// Those that are computed again whole.
double LayerMessages::layersAgain(int stage, LayerSort sort) const
{
    const LayersBySort& again = stageAt(stage).recomputed;
    if (sort.isOfEncoder())
        return asDouble(again.encoder);
    if (sort.isModule())
        return asDouble(again.mtp);
    const bool are_modules_like = moduleSort(m_figures.scenario.model).form == sort.form;
    return asDouble(again.decoder[sort.form] - (are_modules_like ? again.mtp : 0));
}

double LayerMessages::layersThatSend(int stage, ModelPart part, Phase phase) const
{
    const bool are_some =
        phase == Phase::recompute && m_figures.scenario.training.recompute == Recompute::full;
    double layers = 0.0;
    const Model& model = m_figures.scenario.model;
    const auto add = [&](LayerSort sort) {
        if (sends(sort, part))
            layers += are_some ? layersAgain(stage, sort) : layersOf(stage, sort);
    };
    add(encoder_layer_sort);
    layersByForm(model).each([&](LayerForm form, std::int64_t) { add({LayerSort::Stack::decoder, form}); });
    add(moduleSort(model));
    return layers;
}

std::span<const LayerMessage> LayerMessages::ofReplicas(int stage, int layer, Phase phase)
{
    if (m_figures.scenario.parallel.zero_stage < 2)
        return {};
    const auto [known, is_new] = m_known_replicas.try_emplace({stage, phase});
    if (is_new)
        known->second = replicasOf(stage, phase);
    const std::vector<int>& layers = stageAt(stage).layers;
    const auto place = std::ranges::find(layers, layer);
    return known->second[place == layers.end() ? 0 : static_cast<std::size_t>(place - layers.begin())];
}

LayerMessages::MessagesOfLayers LayerMessages::replicasOf(int stage, Phase phase) const
{
    MessagesOfLayers layers(std::max<std::size_t>(1, stageAt(stage).layers.size()));
    for (const Kind kind : {Kind::dp, Kind::edp})
        for (const bool gathers : {true, false})
            addUnits(stage, kind, phase, gathers, layers);
    return layers;
}

// Places in the stage, in the order of the model; a stage without layers has one all the same.
std::vector<std::size_t> LayerMessages::layersThatHold(int stage, Kind kind) const
{
    const std::vector<int>& layers = stageAt(stage).layers;
    std::vector<std::size_t> places;
    const Model& model = m_figures.scenario.model;
    for (std::size_t place = 0; place < layers.size(); ++place)
        if (kind == Kind::dp || hasExperts(layerSort(model, layers[place]).form))
            places.push_back(place);
    if (places.empty())
        places.push_back(0);
    return places;
}

// Units, or buckets, are a layer, the model's ends, several layers or a part of one. Each call stands with
// the layer that is its like when both are counted in the order of the model. One of several layers stands
// with that which a pass comes to first, where it gathers parameters, and with the last one, where it sums
// what all of them leave.
void LayerMessages::addUnits(int stage, Kind kind, Phase phase, bool gathers, MessagesOfLayers& layers) const
{
    std::vector<const Message*> rows;
    for (const Message& message : stageAt(stage).messages)
        if (message.kind == kind && message.phase == phase && (message.op == Op::all_gather) == gathers
            && isOfEveryMicroBatch(m_figures, message))
            rows.push_back(&message);
    const std::size_t in_fp8 = std::min(rowsInFp8(stage, kind), rows.size());
    const std::span all{rows};
    addCalls(all.first(rows.size() - in_fp8), stage, kind, phase, layers);
    addCalls(all.last(in_fp8), stage, kind, phase, layers);
}

// Rows of units that Megatron-LM gathers in fp8, and reduces by themselves. They stand behind the others.
std::size_t LayerMessages::rowsInFp8(int stage, Kind kind) const
{
    const Scenario& scenario = m_figures.scenario;
    if (!gathersInFp8(scenario) || scenario.conventions.framework != Framework::megatron)
        return 0;
    const Phase phase = scenario.parallel.zero_stage == 3 ? Phase::forward : Phase::step;
    return static_cast<std::size_t>(
        std::ranges::count_if(stageAt(stage).messages, [&](const Message& message) {
            return message.kind == kind && message.phase == phase && message.dtype == Dtype::fp8
                   && message.op == Op::all_gather;
        }));
}

void LayerMessages::addCalls(std::span<const Message* const> rows, int stage, Kind kind, Phase phase,
                             MessagesOfLayers& layers) const
{
    std::vector<const Message*> calls; // in the order of the model
    for (const Message* row : rows)
        calls.insert(calls.end(), static_cast<std::size_t>(row->count / m_figures.passes), row);
    if (calls.empty())
        return;
    const bool gathers = calls.front()->op == Op::all_gather;
    if (phase == Phase::backward)
        std::ranges::reverse(calls);
    const std::vector<std::size_t> places = layersThatHold(stage, kind);
    const bool at_input = gathers == (phase != Phase::backward);
    const bool with_the_higher = !at_input && calls.size() < places.size();
    std::map<std::pair<std::size_t, const Message*>, int> counts;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::size_t at =
            with_the_higher ? ((i + 1) * places.size() - 1) / calls.size() : i * places.size() / calls.size();
        ++counts[{places[at], calls[i]}];
    }
    for (const auto& [where, count] : counts) { // messages as the prediction lists them
        LayerMessage message = messageOf(*where.second, count);
        message.step = at_input ? LayerStep::layer_in : LayerStep::layer_out;
        layers[where.first].push_back(message);
    }
}

} // namespace shardscope
