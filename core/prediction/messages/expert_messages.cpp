#include "core/prediction/messages/forwarded_rows.h"
#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/messages/token_exchange.h"

namespace shardscope
{

namespace
{

class ExpertMessages
{
public:
    ExpertMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
        : m_figures{figures},
          m_exchange{figures},
          m_forwarded{ForwardedRows::of(figures.scenario)},
          m_calls{figures.passes * shape.moe_layers},
          m_list{list}
    {
    }

    void forward(Phase phase)
    {
        if (m_exchange.counts_first)
            add(phase, ModelPart::dispatch, contents::expert_counts, Dtype::int64,
                m_figures.scenario.model.experts.count * bytesPerElement(Dtype::int64));
        toExperts(phase, ModelPart::dispatch, contents::dispatch);
        fromExperts(phase, ModelPart::combine, contents::combine);
    }

    void backward()
    {
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
    std::int64_t m_calls;
    MessageList& m_list;
};

} // namespace

// Tokens travel to the ranks that hold their experts and back; their gradients go the same ways in the other
// order.
void addExpertMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    if (shape.moe_layers == 0 || figures.expert < 2)
        return;
    ExpertMessages messages{figures, shape, list};
    messages.forward(Phase::forward);
    if (figures.scenario.training.recompute == Recompute::full)
        messages.forward(Phase::recompute);
    messages.backward();
}

} // namespace shardscope
