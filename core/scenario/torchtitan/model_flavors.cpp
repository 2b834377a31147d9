#include "core/scenario/torchtitan/model_flavors.h"

#include "core/base/lower_case.h"

#include <algorithm>
#include <array>
#include <string>

namespace shardscope
{

namespace
{

// The same models ship as presets.
struct PresetFlavor {
    std::string_view name;
    std::string_view flavor;
    std::string_view preset;
};
constexpr std::array preset_flavors{
    PresetFlavor{"llama3", "8b", "llama3-8b"},
    PresetFlavor{"llama3", "70b", "llama3-70b"},
    PresetFlavor{"llama3", "405b", "llama3-405b"},
    PresetFlavor{"deepseek_v3", "236b", "deepseek-v2"},
    PresetFlavor{"deepseek_v3", "671b", "deepseek-v3"},
    PresetFlavor{"qwen3", "8b", "qwen3-8b"},
    PresetFlavor{"qwen3", "32b", "qwen3-32b"},
    PresetFlavor{"qwen3", "30b-a3b", "qwen3-30b-a3b"},
    PresetFlavor{"qwen3", "235b-a22b", "qwen3-235b-a22b"},
};

struct FlavorSizes {
    std::string_view name;
    std::string_view flavor;
    std::int64_t layers;
    std::int64_t hidden_size;
    std::int64_t attention_heads;
    std::int64_t kv_heads;
    std::int64_t head_dim;
    std::int64_t ffn_hidden_size;
    std::int64_t vocab_size;
};
constexpr std::array sized_flavors{
    FlavorSizes{"llama3", "debugmodel", 6, 256, 16, 16, 16, 768, 2048},
    FlavorSizes{"qwen3", "0.6b", 28, 1024, 16, 8, 128, 3072, 151936},
    FlavorSizes{"qwen3", "1.7b", 28, 2048, 16, 8, 128, 6144, 151936},
    FlavorSizes{"qwen3", "4b", 36, 2560, 32, 8, 128, 9728, 151936},
    FlavorSizes{"qwen3", "14b", 40, 5120, 40, 8, 128, 17408, 151936},
    FlavorSizes{"deepseek_v3", "16b", 27, 2048, 16, 16, 128, 10944, 102400},
    FlavorSizes{"llama4", "17bx16e", 48, 5120, 40, 8, 128, 16384, 202048},
    FlavorSizes{"llama4", "17bx128e", 48, 5120, 40, 8, 128, 16384, 202048},
};

// All of torchtitan's models have Llama's products.
Model llamaOf(const FlavorSizes& sizes)
{
    Model model;
    model.layers = sizes.layers;
    model.hidden_size = sizes.hidden_size;
    model.attention_heads = sizes.attention_heads;
    model.kv_heads = sizes.kv_heads;
    model.head_dim = sizes.head_dim;
    model.ffn_hidden_size = sizes.ffn_hidden_size;
    model.experts.ffn_hidden_size = sizes.ffn_hidden_size;
    model.vocab_size = sizes.vocab_size;
    model.gated_mlp = true;
    model.position_embedding = PositionEmbedding::rope;
    model.norm = Norm::rmsnorm;
    model.linear_bias = false;
    model.tied_embeddings = false;
    return model;
}

// The smaller ones have one table for words in and out.
void addQwen(Model& model, std::string_view flavor)
{
    model.qk_norm = true;
    model.tied_embeddings = flavor != "14b";
}

// DeepSeek-V2-Lite.
void addDeepSeek(Model& model)
{
    model.mla = {0, 512, 128, 64, 128};
    model.experts.count = 64;
    model.experts.per_token = 6;
    model.experts.ffn_hidden_size = 1408;
    model.experts.first = 1;
    model.experts.shared = 2;
}

// Scout has experts in every layer, Maverick in every second.
void addLlama4(Model& model, std::string_view flavor)
{
    const bool is_scout = flavor == "17bx16e";
    model.experts.count = is_scout ? 16 : 128;
    model.experts.per_token = 1;
    model.experts.ffn_hidden_size = 8192;
    model.experts.shared = 1;
    model.experts.every = is_scout ? 1 : 2;
    model.experts.first = model.experts.every - 1;
}

std::string_view withoutKernel(std::string_view flavor)
{
    for (const std::string_view kernel : {"_flex_attn", "_varlen_attn", "_flex", "_varlen", "_sdpa"})
        if (flavor.ends_with(kernel))
            return flavor.substr(0, flavor.size() - kernel.size());
    return flavor;
}

} // namespace

std::optional<Model> modelOfFlavor(std::string_view name, std::string_view flavor, const Presets& presets)
{
    const std::string lower = inLowerCase(flavor);
    const std::string_view wanted = withoutKernel(lower);
    const auto isWanted = [&](const auto& one) { return one.name == name && one.flavor == wanted; };
    if (const auto found = std::ranges::find_if(preset_flavors, isWanted); found != preset_flavors.end()) {
        const ModelPreset* preset = presets.model(found->preset);
        return preset != nullptr ? std::optional{preset->model} : std::nullopt;
    }
    const auto found = std::ranges::find_if(sized_flavors, isWanted);
    if (found == sized_flavors.end())
        return std::nullopt;
    Model model = llamaOf(*found);
    if (name == "qwen3")
        addQwen(model, wanted);
    else if (name == "deepseek_v3")
        addDeepSeek(model);
    else if (name == "llama4")
        addLlama4(model, wanted);
    return model;
}

} // namespace shardscope
