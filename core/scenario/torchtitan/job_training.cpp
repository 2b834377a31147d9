// The model, the formats of numbers, what is recomputed, and the batch.
#include "core/base/lower_case.h"
#include "core/base/whole_number.h"
#include "core/scenario/defaults.h"
#include "core/scenario/json_text.h"
#include "core/scenario/torchtitan/job_reading.h"
#include "core/scenario/torchtitan/model_flavors.h"

#include <algorithm>

namespace shardscope
{

namespace
{

void tellSizes(JobReading& reading)
{
    const Model& model = reading.run.scenario.model;
    const auto tell = [&](std::string_view key, std::int64_t value) {
        reading.tell(key, value, {{"model.name"}, {"model.flavor"}});
    };
    tell("model.layers", model.layers);
    tell("model.hidden_size", model.hidden_size);
    tell("model.attention_heads", model.attention_heads);
    tell("model.kv_heads", model.kv_heads);
    tell("model.ffn_hidden_size", model.ffn_hidden_size);
    tell("model.vocab_size", model.vocab_size);
    if (model.experts.count > 0)
        tell("model.experts.count", model.experts.count);
}

// Products in 8 bits, whatever converter makes them.
void readConverters(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    Precision& precision = reading.run.scenario.training.precision;
    const auto holds = [](const std::string& word, std::string_view part) {
        return word.find(part) != std::string::npos;
    };
    bool is_float8 = keys.isOn({"float8.enable_float8_linear"});
    for (const std::string& converter : keys.words({"model.converters"})) {
        const bool is_mx = holds(converter, "mx");
        is_float8 = is_float8 || is_mx || holds(converter, "float8");
        reading.noteIf(is_mx, "model.converters: Formats with a scale for each block are predicted as fp8.");
        reading.noteIf(!is_mx && !holds(converter, "float8"), "model.converters: What "
                                                                  + excerpt(nlohmann::json(converter))
                                                                  + " changes is not known.");
    }
    if (!is_float8)
        return;
    precision = Precision::fp8;
    reading.tellWord("training.precision", precision, {{"model.converters", "float8.enable_float8_linear"}});
}

// FSDP keeps weights in fp32 and computes with a copy in bf16 that lives as long as it is gathered: with it
// a weight has the bytes of a float, which here are 16 bits and those that they lack.
void readStoredFormat(JobReading& reading)
{
    Training& training = reading.run.scenario.training;
    const std::string stored = reading.keys.text({"training.dtype"}).value_or("float32");
    if (stored != "float32" && stored != "bfloat16")
        reading.keys.fail({"training.dtype"}, "\"float32\" or \"bfloat16\"");
    if (training.precision == Precision::fp32) {
        training.master_bytes = defaultMasterBytes(Precision::fp32);
        return;
    }
    training.master_bytes = stored == "bfloat16" ? 0 : 2;
    if (stored == "bfloat16") {
        training.exp_avg_bytes = 2;
        training.exp_avg_sq_bytes = 2;
    }
    reading.tell("training.master_bytes", training.master_bytes, {{"training.dtype"}});
    reading.tell("training.exp_avg_bytes", training.exp_avg_bytes, {{"training.dtype"}});
    reading.tell("training.exp_avg_sq_bytes", training.exp_avg_sq_bytes, {{"training.dtype"}});
}

void readJobOptimizer(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    Training& training = reading.run.scenario.training;
    const std::string name = inLowerCase(keys.text({"optimizer.name"}).value_or("AdamW"));
    if (name == "sgd")
        training.optimizer = Optimizer::sgd;
    else if (name != "adamw" && name != "adam")
        return reading.noteIf(true, "The states of the optimizer " + excerpt(nlohmann::json(name))
                                        + " are not known; Adam's are predicted.");
    reading.tellWord("training.optimizer", training.optimizer, {{"optimizer.name"}});
}

void cutLocalBatch(JobReading& reading, std::int64_t local, const KeyPaths& locals)
{
    const KeyPaths paths{"parallelism.pipeline_parallel_microbatch_size"};
    std::int64_t& size = reading.run.scenario.training.micro_batch_size;
    size = reading.keys.count(paths).value_or(1);
    reading.tell("training.micro_batch_size", size, {paths});
    if (local % size != 0)
        reading.keys.fail(locals,
                          "a multiple of pipeline_parallel_microbatch_size (" + std::to_string(size) + ")");
}

// "op", "2" or 2.
std::string selectiveOption(const JobKeys& keys)
{
    const std::string written = keys.written({"activation_checkpoint.selective_ac_option"});
    std::string option = written.substr(std::min(written.size(), written.find("= ") + 2));
    std::erase(option, '"');
    return option;
}

} // namespace

bool compilesModel(JobKeys& keys)
{
    const std::vector<std::string> components = keys.words({"compile.components"});
    return keys.isOn({"compile.enable", "training.compile"})
           && (components.empty() || std::ranges::find(components, "model") != components.end());
}

void readJobModel(JobReading& reading, const Presets& presets, const Model& otherwise)
{
    JobKeys& keys = reading.keys;
    Model& model = reading.run.scenario.model;
    const std::string name = keys.text({"model.name"}).value_or("llama3");
    const std::string flavor = keys.text({"model.flavor"}).value_or("debugmodel");
    if (const auto known = modelOfFlavor(name, flavor, presets)) {
        model = *known;
        tellSizes(reading);
    } else {
        model = otherwise.kind == ModelKind::transformer ? otherwise : Model{};
        reading.noteIf(true, "The flavor " + excerpt(nlohmann::json(flavor)) + " of "
                                 + excerpt(nlohmann::json(name))
                                 + " is not known: the model is another. Set its sizes, or open its "
                                   "config.json of Hugging Face.");
    }
    constexpr std::int64_t usual = 2048;
    constexpr std::int64_t longest = 1'000'000'000;
    model.sequence_length = keys.count({"training.seq_len"}, longest).value_or(usual);
    reading.tell("model.sequence_length", model.sequence_length, {{"training.seq_len"}});
    constexpr std::int64_t chunk = 8192;
    reading.noteIf(
        name == "llama4" && model.sequence_length > chunk,
        "Three of four layers of Llama 4 attend within chunks of 8 192 tokens; all are predicted to "
        "attend to the whole sequence.");
}

void readJobFormats(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    Training& training = reading.run.scenario.training;
    const std::string computed = keys.text({"training.mixed_precision_param"}).value_or("bfloat16");
    if (computed != "float32" && computed != "bfloat16")
        keys.fail({"training.mixed_precision_param"}, "\"bfloat16\" or \"float32\"");
    training.precision = computed == "float32" ? Precision::fp32 : Precision::bf16;
    reading.tellWord("training.precision", training.precision, {{"training.mixed_precision_param"}});
    readConverters(reading);
    training.gradient_bytes = 4; // mixed_precision_reduce knows no other format
    reading.tell("training.gradient_bytes", training.gradient_bytes, {{"training.mixed_precision_reduce"}});
    readStoredFormat(reading);
    readJobOptimizer(reading);
    if (keys.isOn({"training.enable_cpu_offload", "experimental.enable_cpu_offload"})) {
        training.offload = Offload::optimizer;
        reading.tellWord("training.offload", training.offload, {{"training.enable_cpu_offload"}});
        reading.noteIf(true, "enable_cpu_offload: The optimizer's states are predicted on the host; weights "
                             "and gradients, which torchtitan offloads too, on the GPU.");
    }
}

namespace
{

// "selective" with a number: each process counts its layers, and one of so many is computed again whole; with
// 0 every one.
void readLayersAgain(JobReading& reading, std::int64_t every)
{
    Scenario& scenario = reading.run.scenario;
    const std::int64_t stages = std::max<std::int64_t>(1, scenario.parallel.pipeline);
    const std::int64_t parts = std::max<std::int64_t>(1, scenario.parallel.virtual_stages);
    scenario.training.recompute = Recompute::full;
    if (every <= 1)
        return;
    const std::int64_t of_rank = scenario.model.layers / stages / every;
    if (of_rank == 0)
        scenario.training.recompute = Recompute::none;
    else
        scenario.training.recompute_layers = std::max<std::int64_t>(1, (of_rank + parts / 2) / parts);
    reading.noteIf(of_rank > 0, "activation_checkpoint.selective_ac_option: Of every " + std::to_string(every)
                                    + " layers one is recomputed; the first "
                                    + std::to_string(scenario.training.recompute_layers) + " of each "
                                    + (parts > 1 ? "virtual stage" : "stage") + " are predicted to be.");
}

} // namespace

void readJobRecomputation(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    Recompute& recompute = reading.run.scenario.training.recompute;
    const std::string mode = keys.text({"activation_checkpoint.mode"}).value_or("selective");
    const std::string written = selectiveOption(keys);
    const std::string option = written.empty() ? "2" : written; // torchtitan's default
    const std::optional<std::int64_t> every = wholeNumber(option);
    if (mode == "full")
        recompute = Recompute::full;
    else if (mode == "selective" && every && *every >= 0)
        readLayersAgain(reading, *every);
    else if (mode == "selective" && option == "op")
        recompute = Recompute::selective;
    else if (mode == "selective")
        keys.fail({"activation_checkpoint.selective_ac_option"}, "\"op\" or a number of layers");
    else if (mode != "none" && mode != "memory_budget")
        keys.fail({"activation_checkpoint.mode"}, "\"none\", \"selective\", \"full\" or \"memory_budget\"");
    reading.tellWord("training.recompute", recompute,
                     {{"activation_checkpoint.mode"}, {"activation_checkpoint.selective_ac_option"}});
    reading.noteIf(
        mode == "memory_budget",
        "activation_checkpoint: What a memory budget recomputes is not known; nothing is predicted "
        "to be.");
}

// With a pipeline the local batch goes through it in micro-batches, else at once.
void readJobBatch(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    const Parallel& parallel = reading.run.scenario.parallel;
    Training& training = reading.run.scenario.training;
    constexpr std::int64_t usual = 8;
    const KeyPaths locals{"training.local_batch_size", "training.batch_size"};
    const std::int64_t local = keys.count(locals).value_or(usual);
    training.micro_batch_size = local;
    if (parallel.pipeline > 1)
        cutLocalBatch(reading, local, locals);
    else
        reading.tell("training.micro_batch_size", local, {locals});
    const std::int64_t step = local * parallel.data;
    const auto global = keys.countUnlessOpen({"training.global_batch_size"});
    training.global_batch_size = global.value_or(step);
    reading.run.batch_is_of_replica = !global;
    reading.tell("training.global_batch_size", training.global_batch_size,
                 {{"training.global_batch_size"}, locals});
    if (training.global_batch_size % step != 0)
        keys.fail({"training.global_batch_size"},
                  "a multiple of local_batch_size * replicas (" + std::to_string(step) + ")");
    reading.noteIf(parallel.pipeline > 1 && training.global_batch_size > step,
                   "global_batch_size: All micro-batches of an iteration are predicted to follow each other "
                   "through the pipeline, which torchtitan empties behind each local batch.");
}

} // namespace shardscope
