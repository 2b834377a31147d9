#include "core/report/explanation/convention_gaps.h"

#include "core/base/format.h"
#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/token_exchange.h"
#include "core/prediction/messages/zero_messages.h"
#include "core/prediction/model/expert_routing.h"
#include "core/report/explanation/worked_formula.h"
#include "core/scenario/recomputation_words.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// Papers round; less than this is no gap.
constexpr double worth_telling = 0.001;

bool differs(double here, double elsewhere)
{
    return std::fabs(here - elsewhere) > worth_telling * elsewhere;
}

class ConventionGaps
{
public:
    ConventionGaps(const Message& message, const ExplainedRun& run, const StageShape& shape)
        : m_message{message},
          m_scenario{run.scenario},
          m_run{run},
          m_shape{shape},
          m_rows{run.prediction.stages[static_cast<std::size_t>(shape.stage)].messages}
    {
    }

    std::string lines() const
    {
        // The papers' models have decoder layers alone, each once.
        if (m_scenario.model.kind != ModelKind::transformer || m_scenario.model.hasEncoder()
            || m_run.figures.mirrored)
            return {};
        switch (m_message.kind) {
        case Kind::tp:
            return ofTensorParallelism();
        case Kind::pp:
            return m_message.op == Op::send ? ofPipeline() : std::string{};
        case Kind::dp:
            return ofReplicas();
        case Kind::ep:
            return ofExperts();
        default:
            return {};
        }
    }

private:
    template<class Fits, class Value>
    double sumOf(const Fits& fits, const Value& value) const
    {
        double sum = 0.0;
        for (const Message& row : m_rows)
            sum += fits(row) ? static_cast<double>(value(row)) : 0.0;
        return sum;
    }

    // "stage 0 holds 14 of the 54 layers, and the embedding"
    std::string whatTheStageHolds() const
    {
        std::string text = "stage " + plain(std::int64_t{m_shape.stage}) + " holds "
                           + plain(m_shape.decoderLayers() - m_shape.counts.mtp) + " of the "
                           + plain(m_scenario.model.layers) + " layers"
                           + (m_shape.counts.mtp > 0 ? ", what predicts further tokens" : "");
        if (m_shape.first && m_shape.last)
            return text + ", embedding and head";
        if (m_shape.first)
            return text + ", and the embedding";
        return text + (m_shape.last ? ", and the head" : ", neither embedding nor head");
    }

    std::int64_t allReducesOfALayer() const
    {
        return m_scenario.training.recompute == Recompute::full ? 6 : 4;
    }

    std::string ofTensorParallelism() const
    {
        const auto of_activations = [&](const Message& row) {
            return row.kind == Kind::tp && row.op != Op::broadcast && row.phase != Phase::step
                   && !contents::isOfCrossEntropy(row.what);
        };
        const Training& training = m_scenario.training; // parts of which the paper does not know
        const bool recomputes_some = (training.recompute == Recompute::full && training.recompute_layers > 0)
                                     || recomputesModules(m_scenario);
        if (!of_activations(m_message) || recomputes_some)
            return {};
        const Parallel& parallel = m_scenario.parallel;
        const Product calls = Product{}
                                  .times("m", m_run.figures.passes)
                                  .times("l", m_scenario.model.layers)
                                  .over("p", parallel.pipeline)
                                  .times(std::to_string(allReducesOfALayer()), allReducesOfALayer());
        const std::string theirs = "Li et al. 2024, Eq. 2: " + calls.symbols() + " = " + calls.values();
        const double here = sumOf(of_activations, [](const Message& row) { return row.wire_bytes; });
        const double one = wireBytes(Op::all_reduce, m_run.figures.tensor, m_run.figures.activation_bytes);
        if (!differs(here, calls.value() * one))
            return {};
        const std::string reasons = whatTheStageHolds() + whatElseTensorRanksExchange();
        if (parallel.sequence_parallel)
            return theirs + " all_reduces send " + formatBytes(calls.value() * one)
                   + ", with sequence parallelism too; this rank sends " + formatBytes(here) + ": " + reasons;
        const double made = sumOf(of_activations, [](const Message& row) { return row.count; });
        return theirs + " = " + formatCount(calls.value()) + " all_reduces, "
               + formatBytes(calls.value() * one) + " on the wire; this rank makes " + formatCount(made)
               + " calls, " + formatBytes(here) + ": " + reasons;
    }

    std::string whatElseTensorRanksExchange() const
    {
        const auto runs = [&](std::string_view what) {
            return std::ranges::any_of(
                m_rows, [&](const Message& row) { return row.kind == Kind::tp && row.what == what; });
        };
        std::string text;
        if (runs(contents::regather))
            text += "; inputs are kept as shards and gathered once more";
        if (runs(contents::mtp_projected))
            text += "; modules of multi-token prediction look words up and project them";
        if (runs(contents::key_value_latent))
            text += "; latent attention exchanges latents";
        if (m_scenario.parallel.sequence_parallel && runs(contents::experts))
            text += "; experts gather what all tensor ranks received, top-k times each token";
        if (runs(contents::activation) || runs(contents::gradient))
            text += "; parts of the pipeline's messages are put together";
        return text;
    }

    std::string ofPipeline() const
    {
        const auto sent = [](const Message& row) { return row.kind == Kind::pp && row.op == Op::send; };
        const auto bytes = [](const Message& row) { return row.total_bytes; };
        const Product volume = Product{}
                                   .times("m", m_run.figures.passes)
                                   .times("2", 2)
                                   .times("e b s h", m_run.figures.activation_bytes);
        const double here = sumOf(sent, bytes);
        if (!differs(here, volume.value()))
            return {};
        std::string reasons;
        if (m_shape.first || m_shape.last)
            reasons += ": an end of the pipeline has one neighbour";
        if (m_scenario.parallel.virtual_stages > 1)
            reasons += std::string{reasons.empty() ? ": " : "; "} + "every micro-batch passes "
                       + plain(m_scenario.parallel.virtual_stages) + " chunks of each stage";
        if (m_message.message_bytes < m_run.figures.activation_bytes)
            reasons += std::string{reasons.empty() ? ": " : "; "} + "a message is 1 / t of the activation";
        const double received = sumOf([](const Message& row) { return row.kind == Kind::pp; },
                                      [](const Message& row) { return row.count; });
        return "Li et al. 2024, Eq. 3: " + volume.symbols() + " = " + formatBytes(volume.value())
               + "; this rank sends " + formatBytes(here) + reasons
               + ". Their Table 3 may count what is received among the messages, " + formatCount(received)
               + " here, and not in the volume, or DeepSpeed's partitioned messages, each 1 / t of the size.";
    }

    bool isReduction(const Message& row) const
    {
        return row.kind == Kind::dp && row.what == contents::gradients;
    }
    double psi() const
    {
        return static_cast<double>(m_run.figures.experts_apart ? m_shape.dense_parameters
                                                               : m_shape.trainedParameters());
    }

    std::string ofReplicas() const
    {
        if (m_message.what != contents::gradients && m_message.what != contents::parameters)
            return {};
        std::string text =
            isReduction(m_message) && !m_run.figures.experts_apart ? ofEquation4() : std::string{};
        const std::string zero = m_scenario.parallel.zero_stage > 0 ? ofZero() : std::string{};
        if (!text.empty() && !zero.empty())
            text += "\n";
        return text + zero;
    }

    std::string ofEquation4() const
    {
        const Parallel& parallel = m_scenario.parallel;
        const std::int64_t each = bytesPerElement(m_run.figures.gradient_dtype);
        const Product volume = Product{}
                                   .times("g", each)
                                   .times("P", m_run.prediction.parameters.total)
                                   .over("p", parallel.pipeline)
                                   .over("t", parallel.tensor);
        const double here = static_cast<double>(each) * psi();
        if (!differs(here, volume.value()))
            return {};
        const bool whole_model = m_shape.first && m_shape.last;
        return "Li et al. 2024, Eq. 4: " + volume.symbols() + " = " + formatBytes(volume.value())
               + "; this rank reduces " + formatBytes(here) + ": "
               + (whole_model ? "tensor ranks hold norms and some biases whole, and the vocabulary is padded"
                              : whatTheStageHolds());
    }

    std::string ofZero() const
    {
        const Parallel& parallel = m_scenario.parallel;
        const auto of_weights = [&](const Message& row) {
            return isReduction(row) || (row.kind == Kind::dp && row.what == contents::parameters);
        };
        const double here = sumOf(of_weights, [](const Message& row) { return row.wire_bytes; });
        const auto each = bytesPerElement(m_run.figures.gradient_dtype);
        const double plain_reduction =
            static_cast<double>(each)
            * wireBytes(Op::all_reduce, m_run.figures.data_group, static_cast<std::int64_t>(psi()));
        const double expected = parallel.zero_stage == 3 ? 1.5 : 1.0;
        const double ratio = here / plain_reduction;
        if (!differs(ratio, expected))
            return {};
        std::string reasons;
        const auto because = [&](bool holds, const std::string& reason) {
            if (holds)
                reasons += (reasons.empty() ? ": " : "; ") + reason;
        };
        const Conventions& conventions = m_scenario.conventions;
        because(parallel.zero_stage < 3 && conventions.zero_reduction == ZeroReduction::all_reduce,
                "buckets are reduced to every replica, and parameters gathered all the same");
        const std::string in_every_one = sentInEveryMicroBatch();
        because(m_run.figures.passes > 1 && !in_every_one.empty(), in_every_one);
        because(each != bytesPerElement(m_run.figures.activation_dtype),
                "gradients have " + plain(std::int64_t{each}) + " bytes, weights "
                    + plain(std::int64_t{bytesPerElement(m_run.figures.activation_dtype)}));
        because(gathersInFp8(m_scenario), "weights of products are gathered in fp8");
        because(parallel.zero_stage == 3 && conventions.zero3_keeps != ZeroKeeps::none,
                "what stays gathered is not fetched again");
        return std::string{"Anthony et al. 2024: ZeRO "}
               + (parallel.zero_stage == 3 ? "3 sends 1.5 times" : "1 and 2 send as much as")
               + " data parallelism's all_reduce; this rank sends " + twoDecimals(ratio) + " times, "
               + formatBytes(here) + reasons;
    }

    std::string sentInEveryMicroBatch() const
    {
        const bool gathers = m_scenario.parallel.zero_stage == 3;
        const std::string in_each =
            countedSentence(m_run.figures.passes, " in the one micro-batch", " in each of # micro-batches");
        if (m_run.figures.reducesEachMicroBatch())
            return (gathers ? "weights are gathered and gradients" : "gradients are")
                   + std::string{" reduced"} + in_each;
        return gathers ? "weights are gathered" + in_each + ", gradients reduced once" : std::string{};
    }

    // Slots are sent whether tokens fill them or not.
    std::string ofExperts() const
    {
        if (m_message.what == contents::expert_counts)
            return {};
        const ExpertRouting routing{m_run.figures};
        const Experts& experts = m_scenario.model.experts;
        const auto tokens = static_cast<double>(m_run.figures.tokens)
                            / (m_scenario.parallel.sequence_parallel ? m_run.figures.tensor : 1);
        const double chosen = tokens * static_cast<double>(experts.per_token);
        const bool is_by_rank = m_scenario.conventions.token_dispatcher == TokenDispatcher::deepep;
        const auto slots = static_cast<double>(TokenExchange{m_run.figures}.rows);
        if (!differs(slots, chosen))
            return {};
        const double each = static_cast<double>(m_message.message_bytes) / slots;
        return "Lepikhin et al. 2020: each token goes to top-k = " + plain(experts.per_token) + " experts, "
               + formatBytes(chosen * each) + " a call; here it is " + formatBytes(slots * each) + ": "
               + (is_by_rank ? std::string{"a token goes once to each rank that holds some of its experts"}
                  : routing.sizes_are_fixed
                      ? "every slot of capacity factor " + twoDecimals(experts.capacity_factor)
                            + " is sent, full or not"
                      : formatRatio(experts.single_choice) + " of the tokens go to only one expert");
    }

    const Message& m_message;
    const Scenario& m_scenario;
    const ExplainedRun& m_run;
    const StageShape& m_shape;
    const std::vector<Message>& m_rows;
};

} // namespace

std::string conventionGaps(const Message& message, const ExplainedRun& run, const StageShape& shape)
{
    return ConventionGaps{message, run, shape}.lines();
}

} // namespace shardscope
