#include "core/scenario/hugging_face/hugging_face_config.h"

#include "core/scenario/hugging_face/hugging_face_readers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace shardscope
{

namespace
{

using nlohmann::json;

Precision precisionOf(const std::string& dtype)
{
    if (dtype.ends_with("float32"))
        return Precision::fp32;
    return dtype.ends_with("bfloat16") || !dtype.ends_with("float16") ? Precision::bf16 : Precision::fp16;
}

// Multi-token prediction, as DeepSeek-V3, GLM-4.5 and their kin name it. Transformers itself does not build
// the modules.
void readModules(ModelConfigFields& fields, ModelConfigReading& reading)
{
    reading.model.mtp_layers = fields.sizeOr("num_nextn_predict_layers", 0);
    if (reading.model.mtp_layers > 0)
        reading.warnings.emplace_back("num_nextn_predict_layers: multi-token prediction is counted; set "
                                      "mtp_layers to 0 where training leaves it out");
}

// A configuration within another leaves out what its class has by default; one that stands alone does not.
// Of transformers' Gemma3TextConfig.
json defaultsWithin(const std::string& model_type)
{
    if (model_type != "gemma3_text")
        return json::object();
    return {{"vocab_size", 262208},    {"hidden_size", 2304},      {"intermediate_size", 9216},
            {"num_hidden_layers", 26}, {"num_attention_heads", 8}, {"num_key_value_heads", 4},
            {"head_dim", 256},         {"sliding_window", 4096},   {"max_position_embeddings", 131072}};
}

// With what it leaves out, which is told.
json completed(const json& text, std::vector<std::string>& warnings)
{
    json all = defaultsWithin(ModelConfigFields{text}.textOr("model_type", ""));
    std::string left_out;
    for (const auto& [key, value] : all.items())
        if (!text.contains(key))
            left_out += (left_out.empty() ? "" : ", ") + key + ' ' + value.dump();
    if (!left_out.empty())
        warnings.push_back("text_config leaves out what transformers has by default, which is taken: "
                           + left_out);
    all.update(text);
    return all;
}

} // namespace

bool isHuggingFaceConfig(const json& root)
{
    const auto has = [&](const char* key) { return root.contains(key); };
    if (!root.is_object()
        || std::ranges::any_of(std::array{"shardscope", "model", "parallel", "training", "cluster"}, has))
        return false;
    return std::ranges::any_of(
        std::array{"model_type", "architectures", "transformers_version", "num_hidden_layers", "n_layer"},
        has);
}

Result<ModelConfigReading> readHuggingFaceConfig(const json& root)
{
    ModelConfigFields fields{root};
    const std::string model_type = fields.textOr("model_type", "");
    const ConfigReader read = configReader(model_type);
    const auto text = root.find("text_config");
    if (read == nullptr && text != root.end() && isHuggingFaceConfig(*text)) {
        std::vector<std::string> warnings{"of \"" + model_type + "\" only the text model is read"};
        auto reading = readHuggingFaceConfig(completed(*text, warnings));
        if (reading)
            std::ranges::move(warnings, std::back_inserter(reading.value().warnings));
        return reading;
    }
    if (read == nullptr && model_type.empty())
        return Error{"the configuration has no model_type; add it: one of " + knownModelTypes()};
    if (const std::string_view layers = otherLayers(model_type); read == nullptr && !layers.empty())
        return Error{"model_type \"" + model_type + "\" has " + std::string{layers}
                     + ", which this program cannot predict; known are " + knownModelTypes()};
    if (read == nullptr)
        return Error{"model_type \"" + model_type
                     + "\" is not an architecture that this program knows; known are " + knownModelTypes()
                     + ". Give the sizes in a scenario of your own instead"};
    ModelConfigReading reading;
    reading.name = fields.textOr("_name_or_path", "");
    if (reading.name.empty())
        reading.name = model_type;
    reading.precision = precisionOf(fields.textOr("torch_dtype", fields.textOr("dtype", "bfloat16")));
    read({fields, reading.model, reading.warnings});
    readModules(fields, reading);
    readWindows({fields, reading.model, reading.warnings});
    if (!fields.failure().empty())
        return Error{fields.failure()};
    return reading;
}

} // namespace shardscope
