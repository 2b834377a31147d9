#include "core/report/explanation/message_count.h"

#include "core/prediction/messages/message_contents.h"

#include <string>
#include <string_view>

namespace shardscope
{

namespace
{

class MessageCount
{
public:
    MessageCount(const Message& message, const ExplainedRun& run, const StageShape& shape)
        : m_message{message}, m_run{run}, m_shape{shape}
    {
    }

    Product factors() const
    {
        const std::string_view what = m_message.what;
        switch (m_message.kind) {
        case Kind::tp:
            if (what == contents::attention || contents::isOfLatentAttention(what))
                return perAttention();
            if (what == contents::recurrence)
                return perLayerWith("recurrences", hasRecurrence);
            if (what == contents::encoder_attention || what == contents::encoder_mlp)
                return perLayer("layers of the encoder", m_shape.counts.encoder, m_shape.recomputed.encoder);
            if (what == contents::mlp || what == contents::cross_attention
                || what == contents::encoder_output)
                return perLayerWith("layers", hasMlp);
            if (what == contents::experts || what == contents::shared_experts)
                return perLayerWith("MoE layers", hasExperts);
            if (what == contents::regather)
                return perLayer("blocks", m_message.count / m());
            return m_message.phase == Phase::step ? Product{}.times("once a step", 1) : perMessage();
        case Kind::cp:
            return contents::isOfRecurrence(what) ? perRecurrence() : perTurn(perAttention());
        case Kind::ep:
            return perLayerWith("MoE layers", hasExperts);
        case Kind::pp:
            return perMessage();
        case Kind::dp:
        case Kind::edp:
            return what == contents::loss ? perMessage() : perUnit();
        default:
            return Product{}.times("once a step", 1);
        }
    }

private:
    // dualpipe sends half of the micro-batches through each of a stage's layers.
    std::int64_t m() const { return m_run.figures.passes; }
    Product perPass() const { return Product{}.times(m_run.figures.mirrored ? "m / 2" : "m", m()); }

    Product perLayer(std::string_view symbol, std::int64_t layers) const
    {
        return perPass().times(symbol, layers);
    }

    // Calls that come once for each of the stage's units in every micro-batch, or in every step.
    Product perUnit() const
    {
        const std::int64_t count = m_message.count;
        if (m_message.phase == Phase::step || count % m() != 0)
            return Product{}.times("calls", count);
        return perPass().times("units", count / m());
    }

    // Those that the message is of: of a recomputation, those that are computed again whole.
    bool isOfSomeLayers() const
    {
        return m_message.phase == Phase::recompute && m_run.scenario.training.recompute == Recompute::full;
    }
    Product perLayer(std::string_view symbol, std::int64_t all, std::int64_t again) const
    {
        const std::int64_t layers = isOfSomeLayers() ? again : all;
        return perLayer((layers == all ? "" : "recomputed ") + std::string{symbol}, layers);
    }
    Product perLayerWith(std::string_view symbol, bool (*has)(LayerForm)) const
    {
        return perLayer(symbol, m_shape.layersWith(has), m_shape.recomputed.decoder.with(has));
    }
    Product perAttention() const
    {
        const bool are_all = m_shape.layersWith(hasAttention) == m_shape.decoderLayers();
        return perLayerWith(are_all ? "layers" : "layers with attention", hasAttention);
    }

    // The numbers of a delta rule's heads go in two calls.
    Product perRecurrence() const
    {
        Product product = perLayerWith("recurrences", hasRecurrence);
        const auto calls = static_cast<std::int64_t>(static_cast<double>(m_message.count) / product.value());
        return calls > 1 ? product.times("calls", calls) : product;
    }

    // Around a ring; in the backward pass the first turn has no gradients yet, and the last has them alone.
    // PyTorch's gradients go round by themselves.
    Product perTurn(Product product) const
    {
        if (!isPointToPoint(m_message.op))
            return product;
        const std::int64_t c = m_run.figures.context;
        const auto turns = static_cast<std::int64_t>(static_cast<double>(m_message.count) / product.value());
        if (m_message.what == contents::key_value_and_gradient)
            return product.times("(c - 2)", c - 2);
        if (turns == c)
            return product.times("c", c);
        return m_message.phase != Phase::backward || turns > 1 ? product.times("(c - 1)", c - 1) : product;
    }

    // Once in a micro-batch, or once for each of the stage's chunks.
    Product perMessage() const
    {
        Product product = perPass();
        if (m_message.count != m() && m_message.count % m() == 0)
            product.times("chunks", m_message.count / m());
        return product;
    }

    const Message& m_message;
    const ExplainedRun& m_run;
    const StageShape& m_shape;
};

} // namespace

Product countOf(const Message& message, const ExplainedRun& run, const StageShape& shape)
{
    return MessageCount{message, run, shape}.factors();
}

} // namespace shardscope
