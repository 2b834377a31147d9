#include "reference_model.h"

#include <filesystem>
#include <fstream>

namespace shardscope::test
{

namespace
{

// gpt: learned positions, LayerNorm, biases, tied head; llama and moe: rotary, RMSNorm, gated MLP, no biases.
Model modelOfFigures(const nlohmann::json& c)
{
    Model model;
    const bool gpt = c.at("kind") == "gpt";
    model.layers = c.at("l");
    model.hidden_size = c.at("h");
    model.attention_heads = c.at("a");
    model.kv_heads = c.at("kv");
    model.head_dim = c.at("dh");
    model.ffn_hidden_size = c.at("f");
    model.vocab_size = c.at("V");
    model.sequence_length = c.at("s");
    model.tied_embeddings = c.at("tied");
    model.gated_mlp = !gpt;
    model.linear_bias = gpt;
    model.norm = gpt ? Norm::layernorm : Norm::rmsnorm;
    model.position_embedding = gpt ? PositionEmbedding::learned : PositionEmbedding::rope;
    if (c.at("kind") == "moe") {
        model.experts.count = c.at("E");
        model.experts.per_token = c.at("topk");
        model.experts.ffn_hidden_size = model.ffn_hidden_size;
        model.experts.every = 1;
        model.experts.first = 0;
    }
    return model;
}

Scenario referenceScenario(const nlohmann::json& c)
{
    Scenario scenario;
    scenario.model = modelOfFigures(c);
    scenario.parallel.pipeline = c.at("p");
    scenario.parallel.tensor = c.at("t");
    scenario.parallel.data = c.at("d");
    scenario.parallel.expert = c.at("ep");
    scenario.training.micro_batch_size = c.at("b");
    scenario.training.global_batch_size =
        c.at("b").get<std::int64_t>() * c.at("m").get<std::int64_t>() * c.at("d").get<std::int64_t>();
    scenario.training.precision = Precision::fp16;
    scenario.training.gradient_bytes = 2;
    scenario.training.flash_attention = scenario.model.gated_mlp;
    scenario.conventions.gradient_norm = false;
    scenario.conventions.report_loss = false;
    return scenario;
}

} // namespace

std::vector<ReferenceModel> referenceModels()
{
    const std::filesystem::path path =
        std::filesystem::path{SHARDSCOPE_SHARED_FOLDER} / "truth/reference_parameters.json";
    std::vector<ReferenceModel> models;
    std::ifstream file{path};
    if (!file)
        return models;
    const nlohmann::json reference = nlohmann::json::parse(file);
    for (const nlohmann::json& figures : reference.at("models"))
        models.push_back({figures.at("config").at("name"), referenceScenario(figures.at("config")), figures});
    return models;
}

} // namespace shardscope::test
