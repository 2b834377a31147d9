// Windows of attention, which many families name alike.
#include "core/scenario/hugging_face/hugging_face_readers.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr std::string_view to_all = "full_attention";

// The families whose windows are off unless use_sliding_window says so.
bool asksForWindows(const std::string& model_type)
{
    return model_type.starts_with("qwen");
}

bool areOn(ModelConfigFields& fields)
{
    const std::string model_type = fields.textOr("model_type", "");
    return fields.flagOr("use_sliding_window", !asksForWindows(model_type));
}

// Every so many layers attend to all tokens, where the configuration does not list them.
std::int64_t usualPeriod(const std::string& model_type)
{
    if (model_type.starts_with("gemma3"))
        return 6;
    return model_type == "gemma2" || model_type == "gpt_oss" ? 2 : 0;
}

// The period that has as many layers that attend to all tokens.
void takeListedLayers(const json& types, const ConfigContext& context)
{
    const auto layers = static_cast<std::int64_t>(types.size());
    const auto whole = static_cast<std::int64_t>(std::ranges::count(types, to_all));
    Model& model = context.model;
    if (whole == layers)
        model.sliding_window = 0;
    if (whole == 0 || whole == layers)
        return;
    model.full_attention_every = std::max<std::int64_t>(2, layers / whole);
    std::int64_t at = 0;
    const bool is_periodic = std::ranges::all_of(types, [&](const json& type) {
        return (++at % model.full_attention_every == 0) == (type == to_all);
    });
    if (!is_periodic)
        context.warnings.push_back("layer_types: the " + std::to_string(whole) + " of "
                                   + std::to_string(layers)
                                   + " layers that attend to all tokens are taken to be every "
                                   + std::to_string(model.full_attention_every) + ".");
}

// Chunks are no windows: a token looks back to where its own begins.
void warnOfChunks(const ConfigContext& context)
{
    const std::int64_t chunk = context.fields.sizeOr("attention_chunk_size", 0);
    if (chunk > 0 && chunk < context.model.sequence_length)
        context.warnings.push_back("attention_chunk_size: attention within chunks of " + std::to_string(chunk)
                                   + " tokens is counted as if to all tokens");
}

} // namespace

void readWindows(const ConfigContext& context)
{
    ModelConfigFields& fields = context.fields;
    Model& model = context.model;
    warnOfChunks(context);
    if (!fields.has("sliding_window") || fields.object().at("sliding_window").is_null() || !areOn(fields))
        return;
    model.sliding_window = fields.sizeOr("sliding_window", 0);
    if (model.sliding_window == 0)
        return;
    if (!model.layer_pattern.empty()) { // as transformers does, whose hybrids pass windows over
        model.sliding_window = 0;
        context.warnings.emplace_back("sliding_window is passed over: attention is to all tokens");
        return;
    }
    const auto types = fields.object().find("layer_types");
    if (types != fields.object().end() && types->is_array() && !types->empty())
        return takeListedLayers(*types, context);
    const std::int64_t period =
        fields.sizeOr("sliding_window_pattern", fields.sizeOr("_sliding_window_pattern", 0));
    if (period == 1) // each layer attends to all
        model.sliding_window = 0;
    else
        model.full_attention_every = period > 0 ? period : usualPeriod(fields.textOr("model_type", ""));
    const std::int64_t first = fields.sizeOr("max_window_layers", 0);
    if (first >= model.layers) // windows are of the layers behind
        model.sliding_window = 0;
    else if (first > 0)
        context.warnings.push_back("max_window_layers: the first " + std::to_string(first)
                                   + " layers attend to all tokens; windows are counted in all");
}

} // namespace shardscope
