#include "core/inference/shape_inference.h"

#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/base/format.h"
#include "core/inference/expert_inference.h"
#include "core/inference/inference_notes.h"
#include "core/inference/message_choices.h"
#include "core/inference/rank_shapes.h"
#include "core/scenario/defaults.h"
#include "core/scenario/rank_order.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace shardscope
{

namespace
{

using confidence::assumed;
using confidence::certain;
using confidence::likeliest;
using confidence::told;

// The place of a key's section in the scenario format.
std::size_t sectionOf(const std::string& key)
{
    constexpr std::array<std::string_view, 4> sections{"model.", "training.", "parallel.", "conventions."};
    const auto found =
        std::ranges::find_if(sections, [&](std::string_view section) { return key.starts_with(section); });
    return static_cast<std::size_t>(found - sections.begin());
}

// Puts the scenario together, and writes down what told each figure.
class Inferrer
{
public:
    Inferrer(const TraceSet& traces, const ClassificationRules& rules, const std::vector<RankShapes>& ranks,
             RankPlaces places, Scenario base, const std::atomic<bool>* stop)
        : m_traces{traces},
          m_rules{rules},
          m_stop{stop},
          m_ranks{ranks},
          m_shapes{m_ranks.front().shapes},
          m_scenario{std::move(base)},
          m_places{std::move(places)}
    {
        m_scenario.name = "inferred";
    }

    Inference infer()
    {
        setSizes();
        setDegrees();
        setBatch();
        setLayers();
        setExperts();
        tryMessages();
        return finish();
    }

private:
    std::string ranksRead() const
    {
        return std::to_string(m_ranks.size()) + (m_ranks.size() == 1 ? " rank" : " ranks");
    }
    void find(std::string key, std::string value, double confidence, std::string evidence)
    {
        m_findings.push_back({std::move(key), std::move(value), confidence, std::move(evidence)});
    }
    void find(std::string key, std::int64_t value, double confidence, std::string evidence)
    {
        find(std::move(key), std::to_string(value), confidence, std::move(evidence));
    }

    // The largest of a figure over all ranks: most have no vocabulary.
    std::int64_t most(std::int64_t LayerShapes::*figure) const
    {
        std::int64_t value = 0;
        for (const RankShapes& one : m_ranks)
            value = std::max(value, one.shapes.*figure);
        return value;
    }

    void setSizes()
    {
        Model& model = m_scenario.model;
        const std::int64_t t = m_places.parallel.tensor;
        model.preset.clear();
        model.hidden_size = m_shapes.hidden_size;
        model.head_dim = m_shapes.head_dim;
        model.attention_heads = m_shapes.attention_width * t / m_shapes.head_dim;
        model.kv_heads = std::max<std::int64_t>(1, m_shapes.kv_width * t / m_shapes.head_dim);
        model.ffn_hidden_size = m_shapes.ffn_hidden_size * t;
        model.gated_mlp = m_shapes.gated_mlp;
        model.sequence_length = m_shapes.sequence_length * m_places.parallel.context;
        model.norm = m_shapes.norm;
        model.linear_bias = m_shapes.linear_bias;
        model.vocab_padding = 1;
        find("model.hidden_size", model.hidden_size, told, "width of the norms and of what products end in");
        find("model.attention_heads", model.attention_heads, told,
             "heads of " + std::to_string(model.head_dim) + " in the products of queries and keys");
        find("model.kv_heads", model.kv_heads, told, "width of the products for keys and values");
        find("model.ffn_hidden_size", model.ffn_hidden_size, told,
             model.gated_mlp ? "the wider product into the hidden width; a gate stands beside it"
                             : "the wider product into the hidden width");
        find("model.sequence_length", model.sequence_length, told, "the products of queries and keys");
        find("model.norm", std::string{word(model.norm)}, told, "the norms' operators");
        const std::int64_t vocabulary = most(&LayerShapes::vocabulary) * t;
        if (vocabulary > 0)
            model.vocab_size = vocabulary;
        find("model.vocab_size", model.vocab_size, vocabulary > 0 ? told : assumed,
             vocabulary > 0 ? "rows of the embedding, padding included" : "no rank read has the embedding");
    }

    double stagesTold() const { return m_places.knowsStages() ? told : likeliest; }

    std::string stagesEvidence() const
    {
        switch (m_places.stages_from) {
        case StagesFrom::both_ends:
            return "a rank embeds words and has the output layer";
        case StagesFrom::first_stage:
            return std::to_string(m_places.first_stage_ranks) + " of " + ranksRead() + " embed words";
        case StagesFrom::group_size:
            return "the size of the groups for it";
        case StagesFrom::only_fit:
            return "the only number that fits which of the " + ranksRead() + " read embed words";
        case StagesFrom::fits:
            return "fits the " + ranksRead() + " read, as other numbers do";
        case StagesFrom::messages:
            return "of what fits the " + ranksRead() + " read, only this sends what they sent";
        }
        return {};
    }

    void setDegrees()
    {
        Parallel& parallel = m_scenario.parallel;
        parallel = m_places.parallel;
        find("parallel.tensor", parallel.tensor, told,
             "attention is " + std::to_string(m_shapes.attention_width) + " of "
                 + std::to_string(m_shapes.hidden_size) + " wide on a rank");
        find("parallel.pipeline", parallel.pipeline, stagesTold(), stagesEvidence());
        find("parallel.data", parallel.data, stagesTold(),
             "what is left of " + std::to_string(ranksOfRun(m_traces)) + " ranks");
        if (parallel.context > 1)
            find("parallel.context", parallel.context, told, "the size of the groups for it");
        findRankOrder();
        find("parallel.sequence_parallel", parallel.sequence_parallel ? "true" : "false", told,
             std::to_string(m_shapes.norm_tokens) + " of " + std::to_string(m_shapes.tokens())
                 + " tokens in a norm");
    }

    void findRankOrder()
    {
        const Parallel& parallel = m_scenario.parallel;
        const std::string order = rankOrderWord(parallel.rank_order, false);
        if (parallel.pipeline == 1 || parallel.data == 1) {
            find("parallel.rank_order", order, told,
                 "of one stage, or of one replica, any order is the same");
            return;
        }
        std::string evidence = "which ranks embed words";
        for (const RankOrder& other : m_places.other_orders)
            evidence += "; " + rankOrderWord(other, false) + " fits the " + ranksRead() + " read too";
        find("parallel.rank_order", order, m_places.other_orders.empty() ? told : likeliest, evidence);
    }

    // Of the ranks that embed words or have the output layer: how often in an iteration.
    std::int64_t microBatches() const
    {
        for (const RankShapes& one : m_ranks)
            if (const std::int64_t calls = std::max(one.shapes.embeddings, one.shapes.heads); calls > 0)
                return std::max<std::int64_t>(1, calls / one.iterations);
        return 0;
    }

    void setBatch()
    {
        Training& training = m_scenario.training;
        training.precision = m_shapes.precision;
        training.micro_batch_size = m_shapes.micro_batch_size;
        const std::int64_t m = microBatches();
        m_micro_batches = std::max<std::int64_t>(1, m);
        training.global_batch_size = m_micro_batches * training.micro_batch_size * m_scenario.parallel.data;
        training.gradient_bytes = defaultGradientBytes(Framework::megatron, training.precision);
        training.master_bytes = defaultMasterBytes(training.precision);
        const std::int64_t some = m_shapes.someLayersAgain(m_ranks.front().iterations * m_micro_batches);
        training.recompute_layers = some / std::max<std::int64_t>(1, m_scenario.parallel.virtual_stages);
        training.recompute = some > 0 || m_shapes.repeatsLayers() ? Recompute::full : Recompute::none;
        find("training.precision", std::string{word(training.precision)}, told, "what products take in");
        find("training.micro_batch_size", training.micro_batch_size, told, "sequences in a product");
        find("training.global_batch_size", training.global_batch_size, m > 0 ? stagesTold() : assumed,
             m > 0 ? "an iteration passes the ends " + countedSentence(m, "once", "# times")
                         + " on each replica"
                   : "no rank read has an end of the model; one micro-batch");
        training.flash_attention = m_shapes.fused_attention;
        find("training.flash_attention", training.flash_attention ? "true" : "false", told,
             training.flash_attention ? "an operator that fuses attention"
                                      : "scores are products of their own");
        if (training.recompute_layers > 0)
            find("training.recompute_layers", training.recompute_layers, likeliest,
                 "output projections that run again in the backward pass, of a micro-batch");
        find("training.recompute", std::string{word(training.recompute)},
             m_shapes.norms_backward > 0 ? told : assumed,
             std::to_string(m_shapes.norms) + " norms forward, " + std::to_string(m_shapes.norms_backward)
                 + " backward, " + std::to_string(m_shapes.norms_repeated) + " recomputed there");
    }

    // Layers of the model, from the passes through them that each rank read made.
    std::int64_t layersOf(const std::function<std::int64_t(const LayerShapes&)>& passes)
    {
        std::int64_t of_ranks = 0;
        for (const RankShapes& one : m_ranks)
            of_ranks += whole(passes(one.shapes), one.iterations * m_micro_batches);
        const Parallel& parallel = m_scenario.parallel;
        const auto read = static_cast<std::int64_t>(m_ranks.size());
        // A stage's layers stand on each of its tensor, context and data ranks.
        return m_places.all_ranks_read ? whole(of_ranks, parallel.tensor * parallel.context * parallel.data)
                                       : of_ranks * parallel.pipeline / read;
    }

    // Passes that do not come out even were not all recorded.
    std::int64_t whole(std::int64_t passes, std::int64_t by)
    {
        m_layers_are_whole = m_layers_are_whole && passes % by == 0;
        return passes / by;
    }

    double layersTold() const
    {
        if (microBatches() == 0)
            return assumed;
        if (!m_layers_are_whole)
            return likeliest;
        return m_places.all_ranks_read || m_scenario.parallel.pipeline == 1 ? stagesTold() : likeliest;
    }

    void setLayers()
    {
        m_scenario.model.layers =
            std::max<std::int64_t>(1, layersOf([](const LayerShapes& one) { return one.layer_passes; }));
        find("model.layers", m_scenario.model.layers, layersTold(),
             m_layers_are_whole ? "passes through output projections, over micro-batches"
                                : "passes through output projections, over micro-batches, which do not come "
                                  "out even");
    }

    void setExperts()
    {
        const auto passes_of_experts = [](const LayerShapes& one) {
            return one.experts ? one.experts->passes : 0;
        };
        const auto passes_of_mlp = [](const LayerShapes& one) { return one.mlp_passes; };
        const ExpertLayers layers{layersOf(passes_of_experts), layersOf(passes_of_mlp), layersTold()};
        std::ranges::move(inferExperts(m_ranks, layers, m_scenario), std::back_inserter(m_findings));
    }

    // What shapes do not tell: the choice whose messages are those recorded.
    void tryMessages()
    {
        m_scenario.conventions = defaultConventions(Framework::megatron, m_scenario.model,
                                                    m_scenario.training, m_scenario.parallel);
        m_scenario.model.position_embedding = PositionEmbedding::learned;
        ScenarioTrial trial{m_traces, m_rules, m_scenario, m_stop};
        chooseByMessages(trial);
        m_scenario = trial.best();
        if (trial.comparison())
            m_comparison = *trial.comparison();
        if (agrees(m_comparison))
            m_untold = untoldByMessages(trial);
    }

    Inference finish()
    {
        const bool agree = agrees(m_comparison);
        const std::string by_messages = messagesAgreeing(m_comparison);
        const double sure = agree ? certain : likeliest;
        find("parallel.zero_stage", m_scenario.parallel.zero_stage, sure, by_messages);
        find("conventions.framework", std::string{word(m_scenario.conventions.framework)}, sure, by_messages);
        find("model.tied_embeddings", m_scenario.model.tied_embeddings ? "true" : "false", sure, by_messages);
        find("model.position_embedding", std::string{word(m_scenario.model.position_embedding)}, sure,
             by_messages);
        findExpertTensor(sure, by_messages);
        for (Finding& finding : m_findings)
            if (agree && finding.confidence >= told)
                finding.confidence = certain;
        doubtUntold();
        if (!agree && stepNumbers(m_traces).empty())
            doubtBatch();
        std::ranges::stable_sort(m_findings, {},
                                 [](const Finding& finding) { return sectionOf(finding.key); });
        Inference inference{m_scenario, std::move(m_findings), std::move(m_comparison), {}, {}};
        inference.notes = inferenceNotes(m_traces, m_ranks.size(), m_places, inference.comparison);
        return inference;
    }

    // Messages tell whether the tensor group splits experts, and with that how wide and how many these are.
    void findExpertTensor(double sure, const std::string& by_messages)
    {
        const Parallel& parallel = m_scenario.parallel;
        const Experts& experts = m_scenario.model.experts;
        if (experts.count == 0 || parallel.tensor == 1 || !parallel.sequence_parallel)
            return;
        find("parallel.expert_tensor_parallel", parallel.expert_tensor_parallel ? "true" : "false", sure,
             by_messages);
        for (Finding& finding : m_findings)
            if (finding.key == "model.experts.ffn_hidden_size")
                finding.value = std::to_string(experts.ffn_hidden_size);
            else if (finding.key == "model.experts.per_token")
                finding.value = std::to_string(experts.per_token);
    }

    // What messages agree with is not told by them where they would agree with something else too.
    void doubtUntold()
    {
        for (const UntoldChoice& choice : m_untold)
            for (Finding& finding : m_findings)
                if (finding.key == choice.key) {
                    finding.confidence = std::min(finding.confidence, choice.confidence);
                    finding.evidence += "; the messages with " + choice.others + " would be the same";
                }
    }

    // What no mark of a step divides may be several iterations.
    void doubtBatch()
    {
        for (Finding& finding : m_findings)
            if (finding.key == "training.global_batch_size" && finding.confidence > likeliest) {
                finding.confidence = likeliest;
                finding.evidence += ", if it is one: no step is marked";
            }
    }

    const TraceSet& m_traces;
    const ClassificationRules& m_rules;
    const std::atomic<bool>* m_stop;
    const std::vector<RankShapes>& m_ranks;
    LayerShapes m_shapes;
    Scenario m_scenario;
    RankPlaces m_places;
    std::int64_t m_micro_batches = 1;
    bool m_layers_are_whole = true;
    std::vector<Finding> m_findings;
    Comparison m_comparison;
    std::vector<UntoldChoice> m_untold;
};

// Of several places the one whose messages differ in the fewest classes; where it alone differs in none, it
// is known by them.
Inference bestOf(const std::vector<RankPlaces>& possible,
                 const std::function<Inference(const RankPlaces&)>& infer)
{
    std::optional<Inference> best;
    const RankPlaces* places = nullptr;
    int agreeing = 0;
    const auto differing = [](const Inference& one) {
        return static_cast<std::int64_t>(one.comparison.rows.size()) - one.comparison.equal_rows;
    };
    for (const RankPlaces& one : possible) {
        Inference inference = infer(one);
        agreeing += agrees(inference.comparison);
        const bool is_compared = !inference.comparison.rows.empty();
        if (!best
            || (is_compared && (best->comparison.rows.empty() || differing(inference) < differing(*best)))) {
            best = std::move(inference);
            places = &one;
        }
    }
    if (possible.size() == 1 || agreeing != 1)
        return std::move(*best);
    RankPlaces known = *places;
    known.stages_from = StagesFrom::messages;
    return infer(known);
}

} // namespace

Result<Inference> inferByShapes(const TraceSet& traces, const ClassificationRules& rules,
                                const Scenario& base, const std::atomic<bool>* stop)
{
    const auto ranks = shapesOfRanks(traces, stop);
    if (!ranks)
        return ranks.error();
    const auto infer = [&](const RankPlaces& places) {
        return Inferrer{traces, rules, ranks.value(), places, base, stop}.infer();
    };
    return bestOf(placesOf(ranks.value(), ranksOfRun(traces),
                           {groupSize(Kind::pp, traces, rules), groupSize(Kind::cp, traces, rules)}),
                  infer);
}

} // namespace shardscope
