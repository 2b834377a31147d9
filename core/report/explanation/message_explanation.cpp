#include "core/base/format.h"
#include "core/prediction/messages/forwarded_rows.h"
#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/token_exchange.h"
#include "core/report/explanation/convention_gaps.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/message_count.h"
#include "core/report/explanation/message_purpose.h"
#include "core/report/explanation/worked_formula.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace shardscope
{

namespace
{

// Where the count and the size of one message class come from.
class MessageExplanation
{
public:
    MessageExplanation(const Message& message, const ExplainedRun& run, const StageShape& shape)
        : m_message{message}, m_run{run}, m_shape{shape}
    {
    }

    Explanation explain() const
    {
        const MessagePurpose purpose = purposeOf(m_message);
        const Product count = agreed(countOf(m_message, m_run, m_shape), "calls", m_message.count);
        const Product size = agreed(sizeFactors(), "bytes", m_message.message_bytes);
        const auto n = std::int64_t{m_message.group_size};
        const auto [factor, values] = wire(n);
        Explanation explanation;
        explanation.title = std::string{word(m_message.kind)} + " " + std::string{word(m_message.op)} + ": "
                            + std::string{m_message.what} + ", " + std::string{word(m_message.phase)};
        explanation.why = std::string{purpose.why} + paddingSentence();
        explanation.source = purpose.source;
        explanation.formula = "count " + count.symbols() + "; size " + size.symbols()
                              + "; payload count * size; wire " + factor;
        explanation.with_values =
            worked("count " + count.values(), std::to_string(m_message.count)) + "\n"
            + worked("size " + size.values(), bytes(m_message.message_bytes)) + "\n"
            + worked("payload " + plain(m_message.count) + " * " + sizeText(m_message.message_bytes),
                     bytes(m_message.total_bytes))
            + "\n" + worked("wire " + values, formatBytes(m_message.wire_bytes));
        return explanation;
    }

private:
    static std::string bytes(std::int64_t value) { return formatBytes(static_cast<double>(value)); }

    // What Vp is, where the size has it.
    std::string paddingSentence() const
    {
        if (m_message.kind != Kind::emb)
            return {};
        const std::int64_t multiple = m_run.scenario.model.vocab_padding;
        return " Vp: the vocabulary padded to a multiple of "
               + (multiple > 1 ? plain(multiple) + " t." : "t.");
    }

    // A product that does not come out at the predicted value explains nothing: then the value stands alone.
    static Product agreed(const Product& product, std::string_view symbol, std::int64_t value)
    {
        if (product.value() == static_cast<double>(value))
            return product;
        return Product{}.times(symbol, value);
    }

    bool ofEncoder() const
    {
        return m_run.scenario.model.hasEncoder()
               && (contents::isOfEncoder(m_message.what)
                   || (m_message.what == contents::regather
                       && m_message.message_bytes == m_run.figures.encoder_bytes));
    }
    std::int64_t sequenceLength() const
    {
        const Model& model = m_run.scenario.model;
        return ofEncoder() ? model.encoderLength() : model.sequence_length;
    }

    // Tokens of a micro-batch on one rank, in elements of this message.
    Product tokens() const
    {
        Product product = Product{}
                              .times("e", bytesPerElement(m_message.dtype))
                              .times("b", m_run.scenario.training.micro_batch_size)
                              .times(ofEncoder() ? "s of the encoder" : "s", sequenceLength());
        if (m_run.figures.context > 1)
            product.over("c", m_run.figures.context);
        return product;
    }

    Product activation() const
    {
        Product product = tokens().times("h", m_run.scenario.model.hidden_size);
        const auto whole = static_cast<double>(m_message.message_bytes);
        if (product.value() != whole && m_run.figures.tensor > 1)
            product.over("t", m_run.figures.tensor);
        return product;
    }

    // Width of a head on one side of attention: keys of latent attention rotate in part.
    void timesHeadWidth(Product& product, bool of_key_side) const
    {
        const Model& model = m_run.scenario.model;
        const Mla& mla = model.mla;
        const std::string_view what = m_message.what;
        if (mla.kv_lora_rank == 0)
            product.times("dh", model.head_dim);
        else if (of_key_side)
            product.times("(dn + dr + dv)", mla.qk_nope_head_dim + mla.qk_rope_head_dim + mla.v_head_dim);
        else if (what == contents::value || what == contents::value_gradient
                 || what == contents::attention_output)
            product.times("dv", mla.v_head_dim);
        else
            product.times("(dn + dr)", mla.qk_nope_head_dim + mla.qk_rope_head_dim);
    }

    Product heads() const
    {
        const Model& model = m_run.scenario.model;
        const bool latent = model.mla.kv_lora_rank > 0;
        const std::string_view what = m_message.what;
        const bool is_both = what == contents::key_value || what == contents::key_value_gradient
                             || what == contents::key_value_and_gradient;
        const bool is_one = what == contents::key || what == contents::key_gradient || what == contents::value
                            || what == contents::value_gradient;
        const bool keys = !latent && (is_one || is_both);
        Product product = tokens();
        if (m_message.op == Op::all_gather || m_message.op == Op::reduce_scatter)
            product.times("c", m_run.figures.context);
        if (is_both && !latent)
            product.times("2", 2);
        if (what == contents::key_value_and_gradient)
            product.times("2", 2);
        product.times(keys ? "k" : "a", keys ? model.kv_heads : model.attention_heads);
        if (m_run.figures.tensor > 1)
            product.over("t", m_run.figures.tensor);
        timesHeadWidth(product, is_both);
        // More ranks than heads of keys and values: each has a copy.
        const double copies = static_cast<double>(m_message.message_bytes) / product.value();
        if (keys && copies > 1.0 && copies == std::floor(copies))
            product.times("copies", static_cast<std::int64_t>(copies));
        return product;
    }

    // Of all heads of a recurrence that the tensor rank has.
    Product ofRecurrence() const
    {
        const Recurrence& recurrence = m_run.scenario.model.recurrence;
        const std::string_view what = m_message.what;
        const bool is_key = what == contents::recurrence_key || what == contents::recurrence_query;
        Product product = tokens();
        if (is_key)
            product.times("groups", recurrence.key_groups).times("dk", recurrence.key_dim);
        else
            product.times("heads", recurrence.heads);
        if (!is_key && what != contents::recurrence_step)
            product.times("dv", recurrence.value_dim);
        if (m_run.figures.tensor > 1)
            product.over("t", m_run.figures.tensor);
        const double copies = static_cast<double>(m_message.message_bytes) / product.value();
        if (is_key && copies > 1.0 && copies == std::floor(copies))
            product.times("copies", static_cast<std::int64_t>(copies));
        return product;
    }

    // What latent attention exchanges in place of the activation; what is gathered again is known by its
    // size.
    bool isLatent() const { return contents::isOfLatentAttention(m_message.what); }
    Product latents() const
    {
        const Mla& mla = m_run.scenario.model.mla;
        for (const auto& [symbol, rank] :
             {std::pair{"rq", mla.q_lora_rank}, std::pair{"rkv", mla.kv_lora_rank},
              std::pair{"dr", mla.qk_rope_head_dim}}) {
            const Product product = tokens().times(symbol, rank);
            if (product.value() == static_cast<double>(m_message.message_bytes))
                return product;
        }
        return activation();
    }

    // What an expert's tensor group gathers: the slots of all its ranks.
    Product received() const { return routed().times("t", m_run.figures.tensor); }

    Product betweenTensorRanks() const
    {
        const std::string_view what = m_message.what;
        if (contents::isOfCrossEntropy(what))
            return tokens();
        if (what == contents::batch_sizes)
            return Product{}.times("e", 8).times("numbers", 5);
        if (what == contents::batch)
            return Product{}
                .times("e", 8)
                .times("b", m_run.scenario.training.micro_batch_size)
                .times("(s + 1)", m_run.scenario.model.sequence_length + 1);
        if (what == contents::replicated_gradients)
            return elements("parameters that all tensor ranks hold");
        const Parallel& parallel = m_run.scenario.parallel;
        if (what == contents::experts && parallel.sequence_parallel && !parallel.holdsExpertsWhole())
            return received();
        return isLatent() || (what == contents::regather && m_run.scenario.model.mla.kv_lora_rank > 0)
                   ? latents()
                   : activation();
    }

    Product sizeFactors() const
    {
        const std::string_view what = m_message.what;
        switch (m_message.kind) {
        case Kind::tp:
            return betweenTensorRanks();
        case Kind::cp:
            return contents::isOfRecurrence(what) ? ofRecurrence() : heads();
        case Kind::ep:
            return routed();
        case Kind::pp:
            return activation();
        case Kind::emb:
            return Product{}
                .times("g", bytesPerElement(m_message.dtype))
                .times("Vp / t", m_run.figures.word_embedding / m_run.scenario.model.hidden_size)
                .times("h", m_run.scenario.model.hidden_size);
        case Kind::dp:
        case Kind::edp:
            return what == contents::loss
                       ? elements("float")
                       : elements(what == contents::parameters ? gatheredSymbol() : "gradients");
        default:
            return elements("float");
        }
    }

    // In fp8 only weights of products are gathered; FSDP has the others of the unit among them.
    std::string_view gatheredSymbol() const
    {
        if (m_message.dtype != Dtype::fp8)
            return "parameters";
        return m_run.scenario.conventions.framework == Framework::fsdp
                   ? "(weights of products + 2 * other parameters)"
                   : "weights of products";
    }

    Product elements(std::string_view symbol) const
    {
        const std::int64_t each = bytesPerElement(m_message.dtype);
        return Product{}
            .times(m_message.what == contents::gradients ? "g" : "e", each)
            .times(symbol, m_message.message_bytes / each);
    }

    Product routed() const
    {
        if (m_message.what == contents::expert_counts)
            return Product{}.times("e", 8).times("experts", m_run.scenario.model.experts.count);
        const TokenExchange exchange{m_run.figures};
        const bool is_by_rank = m_run.scenario.conventions.token_dispatcher == TokenDispatcher::deepep;
        const char* rows = is_by_rank ? "copies, one for each rank that a token goes to" : "slots";
        if (m_message.dtype == Dtype::fp8)
            return Product{}.times(rows, exchange.rows).times("(h + 4 h / 128)", exchange.bytes_of_row);
        return Product{}
            .times("e", bytesPerElement(m_message.dtype))
            .times(rows, exchange.rows)
            .times("h", m_run.scenario.model.hidden_size);
    }

    // Between the nodes, and inside the rank's own.
    static std::pair<std::string, std::string> forwarded(const ForwardedRows& rows,
                                                         const std::string& payload)
    {
        const auto others = [](std::size_t of) {
            const std::string n = plain(static_cast<std::int64_t>(of));
            return "(" + n + " - 1) / " + n;
        };
        return {
            "(share of rows that cross * (nodes - 1) / nodes + (n on a node - 1) / n on a node) * payload",
            "(" + plain(rows.nodeRows()) + " * " + others(rows.nodes()) + " + " + others(rows.perNode())
                + ") * " + payload};
    }

    // What the rank itself sends of its payload on a ring of n: symbols, and values with the payload.
    std::pair<std::string, std::string> wire(std::int64_t n) const
    {
        const std::string payload = sizeText(m_message.total_bytes);
        if (m_message.kind == Kind::ep)
            if (const auto rows = ForwardedRows::of(m_run.scenario))
                return forwarded(*rows, payload);
        const std::string rest = "(" + plain(n) + " - 1) / " + plain(n) + " * " + payload;
        switch (m_message.op) {
        case Op::all_reduce:
            return {"2 (n - 1) / n * payload", "2 * " + rest};
        case Op::all_gather:
        case Op::reduce_scatter:
        case Op::all_to_all:
        case Op::reduce:
            return {"(n - 1) / n * payload", rest};
        case Op::recv:
            return {"0: received, not sent", "0 * " + payload};
        default:
            return {"payload", payload};
        }
    }

    const Message& m_message;
    const ExplainedRun& m_run;
    const StageShape& m_shape;
};

} // namespace

Explanation explainMessage(const Message& message, const ExplainedRun& run, int stage)
{
    const auto last = static_cast<int>(run.shapes.size()) - 1;
    const auto place = static_cast<std::size_t>(std::clamp(stage, 0, last));
    Explanation explanation = MessageExplanation{message, run, run.shapes[place]}.explain();
    explanation.parts = explainMessageTime(message, run, static_cast<int>(place));
    explanation.gaps = conventionGaps(message, run, run.shapes[place]);
    return explanation;
}

} // namespace shardscope
