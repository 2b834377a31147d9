#include "core/inference/expert_inference.h"

#include <cmath>

namespace shardscope
{

namespace
{

using confidence::likeliest;
using confidence::told;

// The first rank that computes experts.
const ExpertShapes* shapesOfExperts(const std::vector<RankShapes>& ranks)
{
    for (const RankShapes& one : ranks)
        if (one.shapes.experts && one.shapes.experts->on_rank > 0)
            return &*one.shapes.experts;
    return nullptr;
}

// Of all ranks that compute experts: each sees other tokens.
double meanRowsPerToken(const std::vector<RankShapes>& ranks)
{
    double rows = 0.0;
    double computing = 0.0;
    for (const RankShapes& one : ranks)
        if (one.shapes.experts && one.shapes.experts->on_rank > 0) {
            rows += one.shapes.experts->rows_per_token;
            computing += 1.0;
        }
    return rows / computing;
}

std::string hundredths(double value)
{
    std::string digits = std::to_string(std::llround(value * 100.0));
    digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
    return digits.insert(digits.size() - 2, 1, '.');
}

// Slots are rounded up: what is a whole number of them must not come to seem more.
double roundedDown(double capacity)
{
    constexpr double hundred = 100.0;
    constexpr double nothing = 1e-9;
    const double short_one = std::round(capacity * hundred) / hundred;
    return std::abs(short_one - capacity) < nothing ? short_one : capacity - nothing;
}

class ExpertInferrer
{
public:
    explicit ExpertInferrer(Scenario& scenario) : m_scenario{scenario} {}

    void setSizes(const ExpertShapes& shapes)
    {
        Experts& experts = m_scenario.model.experts;
        Parallel& parallel = m_scenario.parallel;
        experts.count = shapes.count;
        parallel.expert = shapes.count / shapes.on_rank;
        // More expert ranks than replicas have: they run over the tensor ranks as well.
        parallel.expert_tensor_parallel = !parallel.sequence_parallel || parallel.tensor == 1
                                          || parallel.expertRanks() % parallel.expert == 0;
        experts.ffn_hidden_size = shapes.ffn_hidden_size * parallel.expertTensor();
        find("model.experts.count", experts.count, told, "scores of a router");
        find("model.experts.ffn_hidden_size", experts.ffn_hidden_size, told,
             "what experts' products into the hidden width take in");
        find("parallel.expert", parallel.expert, told,
             std::to_string(shapes.on_rank) + " of them are computed on a rank");
    }

    // Which layers have experts, and whether shared ones stand beside them. Where dense layers are fewer they
    // are the first ones, as in DeepSeek's models; else experts come at every so many layers, as in GShard.
    void setLayers(const ExpertLayers& layers)
    {
        Model& model = m_scenario.model;
        Experts& experts = model.experts;
        const std::int64_t dense = model.layers - layers.with_experts;
        const bool dense_first = 2 * dense < model.layers;
        experts.every = dense_first ? 1 : model.layers / std::max<std::int64_t>(1, layers.with_experts);
        experts.first = dense_first ? dense : experts.every - 1;
        const std::string evidence = std::to_string(layers.with_experts) + " of "
                                     + std::to_string(model.layers) + " layers have experts";
        find("model.experts.every", experts.every, layers.confidence, evidence);
        find("model.experts.first", experts.first, dense == 0 ? told : likeliest, evidence);
        if (layers.with_mlp > dense)
            experts.shared = std::max<std::int64_t>(1, model.ffn_hidden_size / experts.ffn_hidden_size);
        find("model.experts.shared", experts.shared, layers.confidence,
             std::to_string(layers.with_mlp) + " layers have an MLP that no router chooses");
        if (layers.with_mlp == 0)
            model.ffn_hidden_size = experts.ffn_hidden_size;
    }

    // How many experts a token goes to. With a fixed capacity, shapes tell that times the capacity alone:
    // two, GShard's choice, is the likeliest.
    void setChoices(bool fixed_capacity, double rows_per_token)
    {
        Experts& experts = m_scenario.model.experts;
        const Parallel& parallel = m_scenario.parallel;
        if (parallel.sequence_parallel) // the router sees a shard of what the experts' tensor group gathers
            rows_per_token /= static_cast<double>(parallel.expertTensor());
        experts.per_token = std::max<std::int64_t>(1, std::llround(rows_per_token));
        if (fixed_capacity) {
            experts.per_token = std::min<std::int64_t>(2, experts.per_token);
            experts.capacity_factor = roundedDown(rows_per_token / static_cast<double>(experts.per_token));
            find("model.experts.capacity_factor", hundredths(experts.capacity_factor), likeliest,
                 "each expert computes the same number of rows");
        }
        find("model.experts.per_token", std::to_string(experts.per_token), fixed_capacity ? likeliest : told,
             hundredths(rows_per_token) + " rows of experts for each token");
    }

    std::vector<Finding> takeFindings() { return std::move(m_findings); }

private:
    void find(std::string key, std::string value, double sure, std::string evidence)
    {
        m_findings.push_back({std::move(key), std::move(value), sure, std::move(evidence)});
    }
    void find(std::string key, std::int64_t value, double sure, std::string evidence)
    {
        find(std::move(key), std::to_string(value), sure, std::move(evidence));
    }

    Scenario& m_scenario;
    std::vector<Finding> m_findings;
};

} // namespace

std::vector<Finding> inferExperts(const std::vector<RankShapes>& ranks, const ExpertLayers& layers,
                                  Scenario& scenario)
{
    const ExpertShapes* const shapes = shapesOfExperts(ranks);
    if (shapes == nullptr)
        return {};
    ExpertInferrer inferrer{scenario};
    inferrer.setSizes(*shapes);
    inferrer.setLayers(layers);
    inferrer.setChoices(shapes->even, meanRowsPerToken(ranks));
    return inferrer.takeFindings();
}

} // namespace shardscope
