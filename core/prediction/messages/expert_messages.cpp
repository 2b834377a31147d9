#include "core/prediction/messages/forwarded_rows.h"
#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/messages/token_exchange.h"
#include "core/prediction/model/recomputation.h"

namespace shardscope
{

namespace
{

class ExpertMessages
{
public:
    ExpertMessages(const IterationFigures& figures, MessageList& list)
        : m_figures{figures},
          m_exchange{figures},
          m_forwarded{ForwardedRows::of(figures.scenario)},
          m_list{list}
    {
    }

    // Of so many layers.
    void forward(Phase phase, std::int64_t layers)
    {
        m_calls = m_figures.passes * layers;
        if (m_exchange.counts_first)
            add(phase, ModelPart::dispatch, contents::expert_counts, Dtype::int64,
                m_figures.scenario.model.experts.count * bytesPerElement(Dtype::int64));
        toExperts(phase, ModelPart::dispatch, contents::dispatch);
        fromExperts(phase, ModelPart::combine, contents::combine);
    }

    void backward(std::int64_t layers)
    {
        m_calls = m_figures.passes * layers;
        toExperts(Phase::backward, ModelPart::combine, contents::combine);
        fromExperts(Phase::backward, ModelPart::dispatch, contents::dispatch);
    }

private:
    int add(Phase phase, ModelPart part, std::string_view what, Dtype dtype, std::int64_t bytes)
    {
        return m_list.add({Kind::ep, Op::all_to_all, m_figures.expert, part}, phase, dtype, what, bytes,
                          m_calls);
    }

    void addRows(Phase phase, ModelPart part, std::string_view what, Dtype dtype, std::int64_t bytes)
    {
        const int row = add(phase, part, what, dtype, bytes);
        if (row >= 0 && m_forwarded) // of the mean rank
            m_list.setSentShare(row, m_forwarded->meanSent());
    }

    void toExperts(Phase phase, ModelPart part, std::string_view what)
    {
        const bool is_fp8 = m_figures.scenario.conventions.fp8_dispatch;
        addRows(phase, part, what, is_fp8 ? Dtype::fp8 : m_figures.activation_dtype,
                m_exchange.dispatchBytes());
    }

    void fromExperts(Phase phase, ModelPart part, std::string_view what)
    {
        addRows(phase, part, what, m_figures.activation_dtype, m_exchange.combineBytes());
    }

    const IterationFigures& m_figures;
    TokenExchange m_exchange;
    std::optional<ForwardedRows> m_forwarded;
    std::int64_t m_calls = 0;
    MessageList& m_list;
};

} // namespace

// Tokens travel to the ranks that hold their experts and back; their gradients go the same ways in the other
// order.
void addExpertMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    const std::int64_t layers = shape.layersWith(hasExperts);
    if (layers == 0 || figures.expert < 2)
        return;
    const bool is_of_others = repeatsOfOthers(figures.scenario).has(RecomputeModule::moe);
    ExpertMessages messages{figures, list};
    messages.forward(Phase::forward, layers);
    messages.forward(Phase::recompute, is_of_others ? layers : shape.recomputed.decoder.with(hasExperts));
    messages.backward(layers);
}

} // namespace shardscope
