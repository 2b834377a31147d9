// Number formats, batches and what the backward pass computes again, in the arguments of Megatron-LM and
// Megatron-DeepSpeed.
#include "core/scenario/megatron/argument_reading.h"

#include "core/scenario/defaults.h"
#include "core/scenario/recomputation_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

bool isSet(const RunArguments& arguments, std::string_view name)
{
    return arguments.text(name).has_value() && !arguments.isOff(name);
}

Precision precisionOf(const RunArguments& arguments)
{
    if (isSet(arguments, "fp4"))
        return Precision::fp4;
    if (isSet(arguments, "fp8") || arguments.isOn("fp8_e4m3") || arguments.isOn("fp8_hybrid"))
        return Precision::fp8;
    if (arguments.isOn("bf16") || arguments.isOn("deepspeed.bfloat16_enabled"))
        return Precision::bf16;
    return arguments.isOn("fp16") || arguments.isOn("deepspeed.fp16_enabled") ? Precision::fp16
                                                                              : Precision::fp32;
}

// Megatron-LM turns the sum in float on by itself with bf16, which its table then lists.
int gradientBytesOf(const RunArguments& arguments, Precision precision)
{
    if (precision == Precision::fp32)
        return 4;
    if (arguments.isOn("deepspeed"))
        return defaultGradientBytes(Framework::deepspeed, precision);
    const bool has_short_sums =
        arguments.isOn("use_precision_aware_optimizer") && bytesOfDtype(arguments, "main_grads_dtype") == 2;
    if (arguments.isOn("grad_reduce_in_bf16") || has_short_sums)
        return 2;
    if (arguments.isOn("accumulate_allreduce_grads_in_fp32"))
        return 4;
    return arguments.isOff("accumulate_allreduce_grads_in_fp32")
               ? 2
               : defaultGradientBytes(Framework::megatron, precision);
}

void readNumberFormats(ArgumentReading& reading)
{
    Training& training = reading.run.scenario.training;
    training.precision = precisionOf(reading.arguments);
    training.gradient_bytes = gradientBytesOf(reading.arguments, training.precision);
    const auto names = {"fp4", "fp8", "fp8_e4m3", "fp8_hybrid", "bf16", "fp16"};
    bool is_told = false;
    for (const char* name : names) {
        if (is_told || !isSet(reading.arguments, name))
            continue;
        is_told = true;
        reading.tell("training.precision", std::string{word(training.precision)}, {name});
    }
    if (!is_told)
        reading.tell("training.precision", std::string{word(training.precision)}, {"params_dtype"});
    reading.tell("training.gradient_bytes", training.gradient_bytes,
                 {"accumulate_allreduce_grads_in_fp32", "grad_reduce_in_bf16", "main_grads_dtype"});
}

// Tables of before 2022 have a switch alone, for all of every layer.
Recompute recomputeOf(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    const auto granularity = arguments.text("recompute_granularity");
    reading.noteIf(granularity && granularity != "full" && granularity != "selective",
                   "recompute_granularity " + std::string{granularity.value_or("")}
                       + " is not known: Megatron-LM has full and selective; nothing is predicted to be "
                         "recomputed.");
    if (granularity == "full" || (!granularity && arguments.isOn("checkpoint_activations")))
        return Recompute::full;
    const bool of_experts = arguments.isOn("moe_layer_recompute"); // what became the module "moe"
    return granularity == "selective" || of_experts ? Recompute::selective : Recompute::none;
}

// "block": the first layers of each part of a stage; "uniform": all of them.
void readLayersAgain(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Training& training = reading.run.scenario.training;
    const auto layers = arguments.size({"recompute_num_layers", "checkpoint_num_layers"});
    const auto method = arguments.text("recompute_method");
    const bool is_command = !arguments.areOfTable() && !arguments.isOn("checkpoint_activations");
    reading.noteIf(is_command && method != "block" && method != "uniform",
                   "recompute_method is "
                       + (method ? std::string{*method} + ", which is not known" : std::string{"left out"})
                       + ": with full recomputation Megatron-LM asks for block or uniform; all layers are "
                         "predicted to be recomputed.");
    reading.noteIf(is_command && method == "block" && !layers
                       && arguments.text("recompute_num_layers") != "0",
                   "recompute_num_layers is left out, which Megatron-LM asks for with block; 1 is taken.");
    if (method == "block") {
        if (arguments.text("recompute_num_layers") == "0")
            training.recompute = Recompute::none;
        else
            training.recompute_layers = layers.value_or(1);
        return reading.tell("training.recompute_layers", training.recompute_layers,
                            {"recompute_num_layers", "recompute_method"});
    }
    reading.noteIf(layers.value_or(1) > 1,
                   "Groups of " + std::to_string(layers.value_or(1))
                       + " layers are recomputed together, which keeps fewer activations between them and "
                         "more within; single layers are predicted.");
}

// Words of "['core_attn', 'moe']" in a table, of "moe_act layernorm" on a command line, where an option
// without values is "True".
std::vector<std::string> wordsOf(std::string list)
{
    if (list == "True")
        return {};
    std::ranges::replace_if(
        list, [](unsigned char letter) { return std::isalnum(letter) == 0 && letter != '_'; }, ' ');
    std::istringstream stream{list};
    return {std::istream_iterator<std::string>{stream}, {}};
}

// Those that no scenario knows are told. Without any nothing is computed again. moe_layer_recompute, of
// before there were modules, is of experts alone.
void readModulesAgain(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Training& training = reading.run.scenario.training;
    std::set<RecomputeModule> modules;
    const auto listed = arguments.text("recompute_modules");
    if (!listed && arguments.text("recompute_granularity") == "selective")
        modules.insert(RecomputeModule::core_attn);
    if (arguments.isOn("moe_layer_recompute"))
        modules.insert(RecomputeModule::moe);
    for (const std::string& text : wordsOf(std::string{listed.value_or("")})) {
        const auto module = fromWord<RecomputeModule>(text);
        reading.noteIf(!module, "recompute_modules: " + text + " is not known; nothing of it is predicted.");
        if (module)
            modules.insert(*module);
    }
    if (modules.empty())
        training.recompute = Recompute::none;
    if (modules.empty() || modules == std::set{RecomputeModule::core_attn}) // as without any
        return;
    training.recompute_modules.assign(modules.begin(), modules.end());
    reading.tell("training.recompute_modules", moduleList(training.recompute_modules),
                 {"recompute_modules", "moe_layer_recompute"});
}

void readRecompute(ArgumentReading& reading)
{
    Training& training = reading.run.scenario.training;
    training.recompute = recomputeOf(reading);
    if (training.recompute == Recompute::full)
        readLayersAgain(reading);
    else if (training.recompute == Recompute::selective)
        readModulesAgain(reading);
    for (const char* name : {"recompute_granularity", "checkpoint_activations", "moe_layer_recompute"})
        if (reading.arguments.text(name))
            return reading.tell("training.recompute", std::string{word(training.recompute)}, {name});
}

void readOptimizer(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Training& training = reading.run.scenario.training;
    const std::string_view optimizer = arguments.text("optimizer").value_or("adam");
    training.optimizer = optimizer == "sgd" ? Optimizer::sgd : Optimizer::adam;
    reading.tell("training.optimizer", std::string{word(training.optimizer)}, {"optimizer"});
    reading.noteIf(optimizer != "sgd" && optimizer.find("adam") == std::string_view::npos,
                   "The optimizer " + std::string{optimizer} + " is taken to store what Adam does.");
    for (const char* name : {"optimizer_cpu_offload", "cpu_optimizer"})
        if (arguments.isOn(name)) {
            training.offload = Offload::optimizer;
            reading.tell("training.offload", std::string{word(training.offload)}, {name});
            return;
        }
}

// Transformer Engine has fused attention by itself, Megatron-LM's own layers have not.
std::optional<bool> fusedByImplementation(const RunArguments& arguments)
{
    const auto backend = arguments.text("attention_backend");
    const auto layers = arguments.text("transformer_impl");
    if (layers == "local" || (backend && (backend->ends_with("unfused") || backend->ends_with("local"))))
        return false;
    if (backend || layers == "transformer_engine")
        return true;
    return std::nullopt;
}

// A command line that does not say has Transformer Engine today; with fp16 and nothing that is younger it may
// be of the days before. A table without any of these is.
bool isFusedUnsaid(const RunArguments& arguments, const Scenario& scenario)
{
    if (arguments.areOfTable() || arguments.isOn("use_legacy_models"))
        return false;
    return arguments.isOn("use_mcore_models") || defaultFlashAttention(scenario.model)
           || hasBf16Weights(scenario.training.precision);
}

void readAttention(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    bool& is_fused = reading.run.scenario.training.flash_attention;
    constexpr std::array switches{"use_flash_attn", "use_flash_attn_v1", "use_flash_attn_v2",
                                  "use_flash_attn_v3", "use_flash_attn_triton"};
    for (const char* name : switches)
        if (arguments.isOn(name)) {
            is_fused = true;
            return reading.tellFlag("training.flash_attention", true, {name});
        }
    const std::optional<bool> told = fusedByImplementation(arguments);
    is_fused = told.value_or(isFusedUnsaid(arguments, reading.run.scenario));
    reading.tellFlag("training.flash_attention", is_fused,
                     {"use_flash_attn", "attention_backend", "transformer_impl"});
    reading.noteIf(!told && !arguments.areOfTable(),
                   std::string{"Nothing says whether attention is one fused operator; it is taken to be "}
                       + (is_fused ? "fused." : "several."));
}

} // namespace

void readFormats(ArgumentReading& reading)
{
    readNumberFormats(reading);
    readRecompute(reading);
    readOptimizer(reading);
    readAttention(reading);
}

namespace
{

// Of micro-batches that each replica accumulates; far beyond any batch where the figures are absurd.
std::int64_t samplesOf(const Scenario& scenario, std::int64_t accumulation)
{
    constexpr double most = 1e12;
    return std::llround(std::min(most, static_cast<double>(scenario.training.micro_batch_size)
                                           * static_cast<double>(scenario.parallel.data)
                                           * static_cast<double>(accumulation)));
}

} // namespace

void readBatch(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Scenario& scenario = reading.run.scenario;
    constexpr std::int64_t usual_accumulation = 1;
    scenario.training.micro_batch_size =
        arguments.size({"micro_batch_size", "batch_size", "deepspeed.train_micro_batch_size_per_gpu"})
            .value_or(1);
    const std::int64_t accumulation =
        arguments.size({"deepspeed.gradient_accumulation_steps"}).value_or(usual_accumulation);
    const auto global = arguments.size({"global_batch_size", "deepspeed.train_batch_size"});
    scenario.training.global_batch_size = global.value_or(samplesOf(scenario, accumulation));
    reading.run.batch_is_of_replica = !global;
    reading.tell("training.micro_batch_size", scenario.training.micro_batch_size,
                 {"micro_batch_size", "batch_size"});
    reading.tell("training.global_batch_size", scenario.training.global_batch_size,
                 {"global_batch_size", "deepspeed.train_batch_size"});
    reading.noteIf(
        arguments.text("rampup_batch_size").has_value(),
        "The batch grows while the run goes on (rampup_batch_size); the scenario has the last one, "
        "and earlier iterations are shorter.");
}

} // namespace shardscope
