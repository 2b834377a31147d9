#include "bench/accuracy/truth_entry.h"

#include <algorithm>
#include <array>
#include <utility>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr std::array<NamedModel, 3> models_with_experts{
    {{"deepseekv2", "deepseek-v2"}, {"deepseekv3", "deepseek-v3"}, {"Qwen3_30B_a3B", "qwen3-30b-a3b"}}};

bool isMeasured(const json& entry)
{
    return textOf(entry, "kind") == "training_step" && textOf(entry, "evidence") == "measured";
}

bool isMeasuredStep(const json& entry)
{
    return isMeasured(entry) && measuredTime(entry) > 0.0;
}

bool isComplete(const json& entry)
{
    if (textOf(entry, "completeness") != "full")
        return false;
    const json& model = entry.at("model");
    const json& parallel = entry.at("parallel");
    if (const auto moe = model.find("moe"); moe != model.end() && !moe->is_null())
        return false;
    const auto given = [](const json& object, const char* key) { return valueOr(object, key, 0.0) > 0.0; };
    for (const char* key : {"l", "h", "a", "s"})
        if (!given(model, key))
            return false;
    for (const char* key : {"t", "p", "d", "microbatch", "global_batch"})
        if (!given(parallel, key))
            return false;
    return entry.at("precision").get<std::string>().find("fp4") == std::string::npos;
}

} // namespace

std::string textOf(const json& object, const char* key)
{
    return valueOr<std::string>(object, key, {});
}

const NamedModel* modelWithExperts(const json& entry)
{
    const json& model = entry.at("model");
    const auto moe = model.find("moe");
    if (moe == model.end() || moe->is_null())
        return nullptr;
    const std::string name = textOf(model, "name");
    const auto found = std::ranges::find_if(
        models_with_experts, [&](const NamedModel& known) { return name.starts_with(known.name); });
    return found == models_with_experts.end() ? nullptr : &*found;
}

bool isGated(const json& model)
{
    return textOf(model, "act").find("glu") != std::string::npos;
}

std::string precisionOf(const json& entry)
{
    const std::string said = entry.at("precision").get<std::string>();
    const std::string word = said.substr(0, said.find(" ("));
    for (const char* known : {"fp32", "bf16", "fp8", "fp4"})
        if (word.find(known) != std::string::npos)
            return known;
    return "fp16";
}

double parametersOf(const json& model)
{
    const double h = model.at("h");
    const double kv = valueOr(model, "kv", model.at("a").get<double>());
    const double f = valueOr(model, "ffn", 4 * h);
    const double layer =
        2 * h * h * (1 + kv / model.at("a").get<double>()) + (isGated(model) ? 3 : 2) * h * f;
    const double tied = textOf(model, "act") == "gelu" ? 1 : 2;
    return model.at("l").get<double>() * layer + tied * valueOr(model, "vocab", 50304.0) * h;
}

double measuredTime(const json& entry)
{
    const double printed = valueOr(entry.at("measured"), "iteration_time_s", 0.0);
    const auto derived = entry.find("derived");
    if (printed > 0.0 || derived == entry.end() || derived->is_null())
        return printed;
    return valueOr(*derived, "iteration_time_s", 0.0);
}

std::optional<double> measuredMemory(const json& entry)
{
    static constexpr std::array<std::pair<const char*, double>, 4> units{
        {{"memory_allocated_GiB", 0x1p30},
         {"memory_GiB", 0x1p30},
         {"memory_GB_nvidia_smi_embedding_nodes", 0x1p30},
         {"memory_GB", 1e9}}};
    for (const auto& [name, unit] : units)
        if (const double told = valueOr(entry.at("measured"), name, 0.0); told > 0.0)
            return told * unit;
    return std::nullopt;
}

bool ranOutOfMemory(const json& entry)
{
    return isMeasured(entry) && valueOr(entry.at("measured"), "oom", false);
}

bool comparesSchedules(const json& entry)
{
    return isMeasuredStep(entry)
           && textOf(entry.at("source"), "title").find("Zero Bubble") != std::string::npos;
}

bool isKnownWithExperts(const json& entry)
{
    return entry.at("model").is_object() && isMeasuredStep(entry) && modelWithExperts(entry) != nullptr;
}

bool canBeScored(const json& entry)
{
    return isMeasuredStep(entry) && isComplete(entry);
}

bool tellsMemory(const json& entry)
{
    if (ranOutOfMemory(entry))
        return isComplete(entry);
    return (canBeScored(entry) || comparesSchedules(entry) || isKnownWithExperts(entry))
           && measuredMemory(entry).has_value();
}

bool isToldInPart(const json& entry)
{
    return isMeasured(entry) && !canBeScored(entry) && !comparesSchedules(entry) && !isKnownWithExperts(entry)
           && !tellsMemory(entry);
}

} // namespace shardscope
