#include "core/prediction/timeline/pass_parts.h"

#include "core/prediction/messages/message_contents.h"
#include "core/prediction/model/chunk_shape.h"
#include "core/prediction/time/ends_time.h"
#include "core/prediction/time/layer_time.h"
#include "core/prediction/timeline/layer_messages.h"

#include <algorithm>
#include <array>
#include <functional>

namespace shardscope
{

namespace
{

// A part before it is known how long it takes beside others, and which of the pass's sums it belongs to.
struct RawPart {
    PassPart part; // duration_s: alone
    LayerStep step = LayerStep::layer_in;
};

double& partOf(PassTime& pass, const PassPart& part)
{
    if (!part.is_message)
        return pass.compute_s;
    switch (part.kind) {
    case Kind::tp:
        return pass.tp_s;
    case Kind::cp:
        return pass.cp_s;
    case Kind::ep:
        return pass.ep_s;
    default:
        return pass.dp_s;
    }
}

PassPart computing(Phase phase, std::string_view what, int layer, double seconds)
{
    PassPart part;
    part.phase = phase;
    part.what = what;
    part.layer = layer;
    part.duration_s = seconds;
    return part;
}

// What all layers of a sort compute.
struct LayerCompute {
    std::vector<OperatorCost> operators;
    double forward_s = 0.0;
    double recompute_s = 0.0;
};

class PassMaker
{
public:
    PassMaker(const IterationFigures& figures, const Prediction& prediction, const IterationTime& time)
        : m_figures{figures},
          m_is_selective{figures.scenario.training.recompute == Recompute::selective},
          m_time{time},
          m_machine{figures.scenario.cluster},
          m_layer_time{figures, m_machine},
          m_embedding{EndsTime{figures, m_machine}.embedding()},
          m_head{EndsTime{figures, m_machine}.head()},
          m_messages{figures, m_machine, prediction}
    {
        const Model& model = figures.scenario.model;
        layersByForm(model).each([&](LayerForm form, std::int64_t) { readLayer(form); });
        if (model.mtp_layers > 0)
            readModule();
        if (model.hasEncoder()) {
            const double cross_s = m_layer_time.crossAttention().forward_s;
            LayerCompute& of_decoder = m_layers[static_cast<std::size_t>(LayerForm::attention_mlp)];
            m_layers[encoder_layer_sort.index()] = of_decoder;
            of_decoder.operators.push_back({"attention to the encoder",
                                            LayerStep::cross_attention,
                                            {},
                                            1.0,
                                            cross_s,
                                            2.0 * cross_s,
                                            0.0});
        }
    }

    // `first_layer`: of the chunk.
    PassParts pass(int place, const ChunkShape& chunk, int first_layer, PassForm form)
    {
        m_raw.clear();
        const StageTime& time = m_time.chunks[static_cast<std::size_t>(place)];
        const auto layers = static_cast<int>(chunk.layers());
        const int stage = m_messages.stageOf(place);
        if (!m_messages.hasLayers(stage) && place == stage)
            addReplicas(stage, -1, form == PassForm::forward ? Phase::forward : Phase::backward);
        if (form == PassForm::forward) {
            if (chunk.embedding)
                addEnd(stage, ModelPart::embedding, Phase::forward);
            else if (chunk.loads)
                addBatch(stage);
            for (int layer = first_layer; layer < first_layer + layers; ++layer)
                addLayer(stage, layer, Phase::forward);
            if (chunk.head)
                addEnd(stage, ModelPart::head, Phase::forward);
            return timed(time.forward);
        }
        if (chunk.head)
            addEnd(stage, ModelPart::head, Phase::backward);
        for (int layer = first_layer + layers - 1; layer >= first_layer; --layer) {
            if (m_is_selective || chunk.isAgain(layer - first_layer))
                addLayer(stage, layer, Phase::recompute);
            addLayer(stage, layer, Phase::backward);
        }
        if (chunk.embedding)
            addEnd(stage, ModelPart::embedding, Phase::backward);
        PassTime backward = time.backward;
        if (form == PassForm::split_backward)
            backward.compute_s -= time.weight_gradient_s;
        return timed(backward);
    }

private:
    const LayerCompute& compute(LayerSort sort) const { return m_layers[sort.index()]; }

    void readLayer(LayerForm form)
    {
        LayerCompute& layer = m_layers[static_cast<std::size_t>(form)];
        const ComputeTime time = m_layer_time.layer(form);
        layer.operators = m_layer_time.layerOperators(form);
        std::ranges::stable_sort(layer.operators, {}, &OperatorCost::step);
        layer.forward_s = time.forward_s;
        layer.recompute_s = time.recompute_s;
    }

    // The look-up is not recomputed; a full recomputation takes as long all the same, shared out over all.
    void readModule()
    {
        const LayerSort sort = moduleSort(m_figures.scenario.model);
        LayerCompute& layer = m_layers[sort.index()];
        const ComputeTime time = m_layer_time.module(sort.form);
        layer.operators = m_layer_time.moduleOperators(sort.form);
        layer.operators.push_back(EndsTime{m_figures, m_machine}.lookUpOperator());
        std::ranges::stable_sort(layer.operators, {}, &OperatorCost::step);
        layer.forward_s = time.forward_s + layer.operators.front().forward_s;
        layer.recompute_s = time.recompute_s;
    }

    // A full recomputation repeats the layer, or as much of it as the sum says. Of a selective one what is no
    // operator of its own is one part: every second product, or norms.
    void addRecomputation(const LayerCompute& compute, int layer)
    {
        double left_s = compute.recompute_s;
        if (left_s == 0.0)
            return;
        const double share = m_is_selective ? 1.0 : compute.recompute_s / compute.forward_s;
        for (const OperatorCost& cost : compute.operators) {
            if (m_is_selective && !cost.is_repeated)
                continue;
            const double seconds = share * cost.forward_s;
            left_s -= seconds;
            m_raw.push_back({computing(Phase::recompute, cost.what, layer, seconds), cost.step});
        }
        constexpr double rounding = 1e-9; // of sums in another order
        if (left_s > rounding * compute.recompute_s)
            m_raw.push_back(
                {computing(Phase::recompute, "recomputation", layer, left_s), LayerStep::attention});
    }

    void addLayer(int stage, int layer, Phase phase)
    {
        const std::size_t begin = m_raw.size();
        const LayerSort sort = layerSort(m_figures.scenario.model, layer);
        if (phase == Phase::recompute)
            addRecomputation(compute(sort), layer);
        else
            for (const OperatorCost& cost : compute(sort).operators)
                m_raw.push_back({computing(phase, cost.what, layer,
                                           phase == Phase::forward ? cost.forward_s : cost.backward_s),
                                 cost.step});
        for (const LayerMessage& message : m_messages.ofLayer(stage, sort, phase)) {
            m_raw.push_back({message.part, message.step});
            m_raw.back().part.layer = layer;
        }
        addReplicas(stage, layer, phase);
        const auto first = m_raw.begin() + static_cast<std::ptrdiff_t>(begin);
        if (phase == Phase::backward)
            std::stable_sort(first, m_raw.end(),
                             [](const RawPart& a, const RawPart& b) { return a.step > b.step; });
        else
            std::stable_sort(first, m_raw.end(),
                             [](const RawPart& a, const RawPart& b) { return a.step < b.step; });
    }

    void addReplicas(int stage, int layer, Phase phase)
    {
        for (const LayerMessage& message : m_messages.ofReplicas(stage, layer, phase)) {
            m_raw.push_back({message.part, message.step});
            m_raw.back().part.layer = layer;
        }
    }

    // Tokens arrive and rows are gathered before an end computes, sums follow it.
    void addEnd(int stage, ModelPart end, Phase phase)
    {
        const ComputeTime& time = end == ModelPart::embedding ? m_embedding : m_head;
        const double seconds =
            phase == Phase::forward ? time.forward_s : time.input_gradient_s + time.weight_gradient_s;
        const auto precedes = [](Op op) { return op == Op::broadcast || op == Op::all_gather; };
        addEndMessages(stage, end, phase, precedes);
        m_raw.push_back(
            {computing(phase, end == ModelPart::embedding ? "embedding" : "logits and loss", -1, seconds)});
        addEndMessages(stage, end, phase, std::not_fn(precedes));
    }

    // The same tokens on a stage that has no embedding for them.
    void addBatch(int stage)
    {
        addEndMessages(stage, ModelPart::embedding, Phase::forward, [](Op) { return true; });
    }

    template<class Chosen>
    void addEndMessages(int stage, ModelPart end, Phase phase, Chosen is_chosen)
    {
        for (const LayerMessage& message : m_messages.ofEnd(stage, end, phase))
            if (is_chosen(message.part.op))
                m_raw.push_back({message.part, message.step});
    }

    // The time model's sums, shared out in proportion.
    PassParts timed(PassTime target)
    {
        PassTime alone;
        double exposed_tp_s = 0.0;
        for (const RawPart& raw : m_raw)
            if (isNeverHidden(raw.part))
                exposed_tp_s += raw.part.duration_s;
            else
                partOf(alone, raw.part) += raw.part.duration_s;
        target.tp_s = std::max(0.0, target.tp_s - exposed_tp_s);
        addWhatNoPartHas(alone, target);
        PassParts parts;
        for (const RawPart& raw : m_raw) {
            const double all_s = partOf(alone, raw.part);
            const double share = isNeverHidden(raw.part) ? 1.0
                                 : all_s > 0.0           ? partOf(target, raw.part) / all_s
                                                         : 0.0;
            place(raw.part, share, parts);
        }
        putInTurn(parts);
        return parts;
    }

    // Messages of the model's ends and of routed experts.
    static bool isNeverHidden(const PassPart& part)
    {
        return part.is_message && part.kind == Kind::tp && (part.layer < 0 || part.what == contents::experts);
    }

    // A virtual stage without layers, or a sum without a message.
    void addWhatNoPartHas(PassTime& alone, PassTime& target)
    {
        for (const Kind kind : {Kind::tp, Kind::cp, Kind::ep, Kind::dp}) {
            PassPart part;
            part.is_message = true;
            part.kind = kind;
            part.layer = 0;
            if (partOf(alone, part) > 0.0 || partOf(target, part) <= 0.0)
                continue;
            part.duration_s = partOf(alone, part) = partOf(target, part);
            m_raw.push_back({part});
        }
    }

    // What of a message is hidden runs beneath the computing next to it: a product works on what of an
    // all_gather has arrived, a reduce_scatter sends what a product has finished; parameters are gathered
    // ahead, gradients reduced behind; a ring's turns go on while attention works on what has come.
    static void place(PassPart part, double share, PassParts& parts)
    {
        const double alone_s = part.duration_s;
        part.duration_s = alone_s * share;
        part.start_s = parts.duration_s;
        parts.duration_s += part.duration_s;
        if (part.duration_s > 0.0)
            parts.in_turn.push_back(part);
        PassPart hidden = part;
        hidden.duration_s = alone_s - part.duration_s;
        hidden.is_rest = part.duration_s > 0.0;
        if (!part.is_message || hidden.duration_s <= 1e-9 * alone_s)
            return;
        const bool follows = part.kind != Kind::cp && (part.kind == Kind::tp) == (part.op == Op::all_gather);
        hidden.start_s = follows ? part.end_s() : part.start_s - hidden.duration_s;
        if (part.kind == Kind::cp)
            putBeneathAttention(hidden, parts);
        parts.beside.push_back(hidden);
    }

    // The turns of a ring end with the attention, one after the other; what of them is exposed follows it.
    static void putBeneathAttention(PassPart& turn, PassParts& parts)
    {
        const auto isOfRing = [&turn](const PassPart& part) {
            return part.kind == Kind::cp && part.layer == turn.layer && part.phase == turn.phase;
        };
        for (auto part = parts.in_turn.rbegin(); part != parts.in_turn.rend() && isOfRing(*part); ++part)
            turn.start_s = part->start_s - turn.duration_s;
        for (auto part = parts.beside.rbegin(); part != parts.beside.rend() && isOfRing(*part); ++part)
            part->start_s -= turn.duration_s;
    }

    // What runs beneath stays within the pass and does not overlap. Calls for which no time is left are there
    // all the same.
    static void putInTurn(PassParts& parts)
    {
        std::ranges::stable_sort(parts.beside, {}, &PassPart::start_s);
        double free_s = 0.0;
        for (PassPart& part : parts.beside) {
            part.start_s = std::min(std::max(part.start_s, free_s), parts.duration_s);
            part.duration_s = std::min(part.duration_s, parts.duration_s - part.start_s);
            free_s = std::max(free_s, part.end_s());
        }
        std::erase_if(parts.beside,
                      [](const PassPart& part) { return part.is_rest && part.duration_s <= 0.0; });
    }

    const IterationFigures& m_figures;
    bool m_is_selective; // every layer computes something again, none of them all
    const IterationTime& m_time;
    Machine m_machine;
    LayerTime m_layer_time;
    ComputeTime m_embedding;
    ComputeTime m_head;
    LayerMessages m_messages;
    std::array<LayerCompute, layer_sort_count> m_layers;
    std::vector<RawPart> m_raw; // of the pass that is made
};

} // namespace

std::vector<PassParts> passParts(const IterationFigures& figures, const Prediction& prediction,
                                 const IterationTime& time)
{
    const Scenario& scenario = figures.scenario;
    if (scenario.time_model != TimeModel::detailed || scenario.model.kind != ModelKind::transformer)
        return {};
    PassMaker maker{figures, prediction, time};
    const std::vector<ChunkShape> chunks = chunkShapes(figures);
    std::vector<PassParts> passes;
    passes.reserve(chunks.size() * pass_form_count);
    const bool splits = splitsBackward(scenario.parallel.schedule);
    double layer = 0.0;
    for (std::size_t place = 0; place < chunks.size(); ++place) {
        const auto add = [&](PassForm form) {
            passes.push_back(
                maker.pass(static_cast<int>(place), chunks[place], static_cast<int>(layer), form));
        };
        add(PassForm::forward);
        add(PassForm::backward);
        if (splits)
            add(PassForm::split_backward);
        else
            passes.emplace_back();
        layer += chunks[place].layers();
    }
    return passes;
}

} // namespace shardscope
