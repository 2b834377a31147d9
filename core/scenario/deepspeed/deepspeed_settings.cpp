#include "core/scenario/deepspeed/deepspeed_settings.h"

#include "core/scenario/deepspeed/setting_keys.h"
#include "core/scenario/deepspeed/unsaid_settings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr std::int64_t largest_size = 999'999'999; // of what is multiplied

std::optional<std::int64_t> sizeOf(SettingKeys& keys, std::string_view path)
{
    const auto size = keys.count(path, 1);
    if (!size || *size <= largest_size)
        return size;
    keys.refuse(path, "a number of samples or ranks");
    return std::nullopt;
}

void readBatch(SettingKeys& keys, DeepSpeedSettings& settings)
{
    settings.train_batch = sizeOf(keys, "train_batch_size");
    settings.micro_batch = sizeOf(keys, "train_micro_batch_size_per_gpu");
    settings.accumulation = sizeOf(keys, "gradient_accumulation_steps");
    settings.is_train_batch_auto = keys.isAuto("train_batch_size");
    settings.is_micro_batch_auto = keys.isAuto("train_micro_batch_size_per_gpu");
    settings.is_accumulation_auto = keys.isAuto("gradient_accumulation_steps");
}

// Without either DeepSpeed leaves the model as the program built it; only where it is told off is that fp32.
std::optional<Precision> precisionOf(SettingKeys& keys, bool& is_auto)
{
    constexpr std::array<std::pair<std::string_view, Precision>, 3> switches{{
        {"bf16.enabled", Precision::bf16},
        {"bfloat16.enabled", Precision::bf16}, // its name in earlier versions
        {"fp16.enabled", Precision::fp16},
    }};
    bool is_off = false;
    for (const auto& [path, precision] : switches) {
        const auto is_on = keys.flag(path);
        if (is_on.value_or(false))
            return precision;
        is_off = is_off || is_on.has_value();
        is_auto = is_auto || keys.isAuto(path);
    }
    return is_off && !is_auto ? std::optional{Precision::fp32} : std::nullopt;
}

std::optional<int> bytesOfFormat(SettingKeys& keys, std::string_view path)
{
    const auto format = keys.text(path);
    if (!format)
        return std::nullopt;
    if (format == "fp32" || format == "float32" || format == "float")
        return 4;
    constexpr std::array<std::string_view, 6> halves{"fp16", "half", "bf16", "bfp16", "float16", "bfloat16"};
    if (std::ranges::find(halves, *format) != halves.end())
        return 2;
    keys.refuse(path, "fp32, fp16 or bf16");
    return std::nullopt;
}

// Moments are those of the weights that the optimizer works on; in fp32 beside 16-bit ones they are
// DeepSpeedCPUAdam's.
void readStates(SettingKeys& keys, DeepSpeedSettings& settings)
{
    for (const std::string section : {"bf16", "bfloat16", "fp16"}) {
        const bool is_fp16 = section == "fp16";
        if (keys.isOn(section
                      + (is_fp16 ? ".fp16_master_weights_and_grads" : ".bf16_master_weights_and_grads")))
            settings.master_bytes = 2;
        if (!is_fp16 && keys.isOn(section + ".bf16_optimizer_states"))
            settings.moment_bytes = 2;
    }
}

void readFormats(SettingKeys& keys, DeepSpeedSettings& settings)
{
    settings.precision = precisionOf(keys, settings.is_precision_auto);
    if (settings.precision == Precision::bf16 && keys.isOn("fp16.enabled"))
        settings.notes.emplace_back("fp16 and bf16 are both on, which DeepSpeed refuses; bf16 is taken.");
    settings.gradient_bytes = bytesOfFormat(keys, "data_types.grad_accum_dtype");
    settings.sent_bytes = bytesOfFormat(keys, "communication_data_type");
    if (const auto type = keys.text("optimizer.type"))
        settings.optimizer = inLowerCase(*type) == "sgd" ? Optimizer::sgd : Optimizer::adam;
    settings.tells_how_to_recompute = keys.has("activation_checkpointing");
    settings.recomputes = keys.count("pipeline.activation_checkpoint_interval").value_or(0) > 0;
}

// Without the key there is no ZeRO; a value that cannot be told, which is null, or is refused says nothing.
std::optional<int> zeroStageOf(SettingKeys& keys)
{
    constexpr std::int64_t most = 3;
    const auto stage = keys.count("zero_optimization.stage");
    if (stage && *stage > most)
        keys.refuse("zero_optimization.stage", "0, 1, 2 or 3");
    if (stage && *stage <= most)
        return static_cast<int>(*stage);
    return keys.isMissing("zero_optimization.stage") ? std::optional{0} : std::nullopt;
}

void readZero(SettingKeys& keys, DeepSpeedSettings& settings)
{
    constexpr std::string_view bucket = "zero_optimization.reduce_bucket_size";
    settings.is_bucket_auto = keys.isAuto(bucket);
    if (!settings.is_bucket_auto)
        settings.bucket = keys.count(bucket);
    settings.overlaps = keys.flag("zero_optimization.overlap_comm");
    const bool reduces_to_owners =
        keys.flag("zero_optimization.reduce_scatter").value_or(true)
        && !keys.flag("zero_optimization.use_multi_rank_bucket_allreduce").value_or(true);
    if (reduces_to_owners)
        settings.reduction = ZeroReduction::reduce;
    constexpr std::string_view device = "zero_optimization.offload_optimizer.device";
    const std::string place = keys.text(device).value_or("none");
    const bool is_elsewhere = place == "cpu" || place == "nvme";
    if (!is_elsewhere && place != "none")
        keys.refuse(device, "cpu, nvme or none");
    settings.offloads_optimizer = is_elsewhere || keys.isOn("zero_optimization.cpu_offload");
}

void readLayout(SettingKeys& keys, DeepSpeedSettings& settings)
{
    // 0 is off.
    if (const auto tensor = keys.count("tensor_parallel.autotp_size"); tensor && *tensor > 0)
        settings.tensor = sizeOf(keys, "tensor_parallel.autotp_size");
    settings.sequence = sizeOf(keys, "sequence_parallel_size");
    constexpr std::string_view experts = "expert_parallel.autoep_size";
    if (keys.isOn("expert_parallel.enabled"))
        settings.expert = keys.isMissing(experts) ? std::optional<std::int64_t>{1} : sizeOf(keys, experts);
    settings.tensor_overlaps = keys.flag("tensor_parallel.tp_overlap_comm");
    settings.cuts_stage_messages = keys.flag("pipeline.pipe_partitioned");
}

// Before there were stages the section was a switch.
json withZeroSection(const json& root)
{
    if (!root.is_object())
        return json::object();
    json config = root;
    const auto section = config.find("zero_optimization");
    if (section != config.end() && section->is_boolean())
        *section = json{{"stage", section->get<bool>() ? 1 : 0}};
    return config;
}

bool isSwitch(const json& root, const char* key)
{
    const auto section = root.find(key);
    return section != root.end() && section->is_object() && section->contains("enabled");
}

} // namespace

bool isDeepSpeedConfig(const json& root)
{
    const auto has = [&](const char* key) { return root.contains(key); };
    constexpr std::array of_scenarios{"shardscope", "model",       "training",  "parallel",
                                      "cluster",    "conventions", "time_model"};
    // Hugging Face's Trainer writes down how far it is with the batch that it has.
    const bool is_progress = has("log_history") || has("global_step");
    if (!root.is_object() || is_progress || std::ranges::any_of(of_scenarios, has))
        return false;
    constexpr std::array own{"zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size",
                             "zero_allow_untested_optimizer"};
    constexpr std::array switches{"fp16", "bf16", "bfloat16"};
    return std::ranges::any_of(own, has)
           || std::ranges::any_of(switches, [&](const char* key) { return isSwitch(root, key); });
}

DeepSpeedSettings readDeepSpeedSettings(const json& root)
{
    DeepSpeedSettings settings;
    const json config = withZeroSection(root);
    SettingKeys keys{config, settings.notes};
    readBatch(keys, settings);
    readFormats(keys, settings);
    readStates(keys, settings);
    settings.zero_stage = zeroStageOf(keys);
    readZero(keys, settings);
    readLayout(keys, settings);
    noteUnsaidSettings(keys, settings);
    std::ranges::move(keys.misspelt(), std::back_inserter(settings.notes));
    std::string autos;
    for (const std::string& path : keys.autos())
        autos += (autos.empty() ? "" : ", ") + path;
    if (!autos.empty())
        settings.notes.push_back(
            "What is \"auto\" is left to what starts the run, and stays as it is: " + autos + ".");
    return settings;
}

} // namespace shardscope
