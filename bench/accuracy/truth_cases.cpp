#include "bench/accuracy/truth_cases.h"

#include "bench/accuracy/truth_entry.h"

#include "core/prediction/predict.h"
#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

namespace shardscope
{

namespace
{

using nlohmann::json;

struct GpuFigures {
    std::string_view name; // contained in the case's
    std::string_view type;
    double memory_GBps;
    int nvlink;
};
constexpr std::array<GpuFigures, 11> known_gpus{{{"V100", "V100", 900, 2},
                                                 {"A100-SXM4-40", "A100", 1555, 3},
                                                 {"A100", "A100", 2039, 3},
                                                 {"A800", "A100", 2039, 3},
                                                 {"H100-96", "H100-96GB", 3350, 4},
                                                 {"H100", "H100", 3350, 4},
                                                 {"H200", "H200", 4800, 4},
                                                 {"H800", "H800", 3350, 4},
                                                 {"GB300", "GB300", 8000, 5},
                                                 {"GB200", "GB200", 8000, 5},
                                                 {"B200", "B200", 8000, 5}}};

const GpuFigures* gpuOf(std::string_view name)
{
    const auto found = std::ranges::find_if(
        known_gpus, [&](const GpuFigures& gpu) { return name.find(gpu.name) != std::string_view::npos; });
    return found == known_gpus.end() ? nullptr : &*found;
}

json modelOf(const json& entry)
{
    const json& model = entry.at("model");
    if (const NamedModel* known = modelWithExperts(entry)) {
        json named{{"preset", known->preset}, {"sequence_length", model.at("s")}};
        if (const int layers = valueOr(model, "l", 0); layers > 0) { // cut to few layers, the first one dense
            named["layers"] = layers;
            named["experts"] = {{"first", 1}};
        }
        return named;
    }
    const bool gelu = textOf(model, "act") == "gelu";
    const bool mpt = textOf(model, "name").starts_with("MPT");
    const bool gated = isGated(model);
    json out{{"layers", model.at("l")},
             {"hidden_size", model.at("h")},
             {"attention_heads", model.at("a")},
             {"kv_heads", valueOr(model, "kv", model.at("a").get<int>())},
             {"head_dim", model.at("h").get<int>() / model.at("a").get<int>()},
             {"ffn_hidden_size", valueOr(model, "ffn", 4 * model.at("h").get<int>())},
             {"gated_mlp", gated},
             {"sequence_length", model.at("s")},
             {"tied_embeddings", gelu},
             {"position_embedding", mpt    ? "alibi"
                                    : gelu ? "learned"
                                           : "rope"},
             {"linear_bias", gelu && !mpt},
             {"norm", gated ? "rmsnorm" : "layernorm"}};
    if (const int vocabulary = valueOr(model, "vocab", 0); vocabulary > 0)
        out["vocab_size"] = vocabulary;
    return out;
}

json trainingOf(const json& entry, const GpuFigures* gpu)
{
    const json& parallel = entry.at("parallel");
    const bool gelu = textOf(entry.at("model"), "act") == "gelu";
    const bool mpt = textOf(entry.at("model"), "name").starts_with("MPT");
    const std::string recompute = textOf(parallel, "recompute");
    json out{{"global_batch_size", parallel.at("global_batch")},
             {"micro_batch_size", parallel.at("microbatch")},
             {"precision", precisionOf(entry)},
             {"recompute", recompute.starts_with("selective") ? "selective"
                           : recompute == "full"              ? "full"
                                                              : "none"},
             {"flash_attention", mpt || !gelu || (gpu != nullptr && gpu->nvlink > 3)}};
    if (entry.at("precision").get<std::string>().find("fp32 gradient") != std::string::npos)
        out["gradient_bytes"] = 4;
    return out;
}

json parallelOf(const json& entry)
{
    const json& parallel = entry.at("parallel");
    const std::string schedule = textOf(parallel, "schedule");
    json out{{"pipeline", parallel.at("p")},
             {"tensor", parallel.at("t")},
             {"data", parallel.at("d")},
             {"context", std::max(1, valueOr(parallel, "cp", 1))},
             {"expert", std::max(1, valueOr(parallel, "ep", 1))},
             {"sequence_parallel", valueOr(parallel, "sequence_parallel", false)},
             {"zero_stage", valueOr(parallel, "zero_stage", 0)},
             {"virtual_stages", std::max(1, valueOr(parallel, "v", 1))},
             {"schedule", schedule == "interleaved-1F1B" ? "interleaved"
                          : schedule == "ZB-1p"          ? "zb-h1"
                          : schedule == "ZB-2p"          ? "zb-h2"
                                                         : "1f1b"}};
    if (textOf(parallel, "cp_comm") == "a2a")
        out["context_method"] = "ulysses";
    const std::string partition = textOf(parallel, "pp_partition");
    if (comparesSchedules(entry))
        out["stage_balance"] = "ends_count";
    if (!partition.empty())
        out["stage_balance"] = partition.find("embedding") != std::string::npos       ? "ends_count"
                               : partition.find("by parameters") != std::string::npos ? "parameters"
                                                                                      : "layers";
    return out;
}

json conventionsOf(const json& entry)
{
    const json& parallel = entry.at("parallel");
    const std::string title = textOf(entry.at("source"), "title");
    const bool fsdp = parallel.contains("fsdp") || title.find("torchtitan") != std::string::npos;
    // Smith et al. 2022: "Using DeepSpeed and Megatron to Train Megatron-Turing NLG 530B".
    const bool deepspeed = title.find("BigScience") != std::string::npos
                           || title.find("Megatron-Turing") != std::string::npos
                           || textOf(entry.at("source"), "where").find("deepspeed") != std::string::npos;
    json out{{"framework", fsdp ? "fsdp" : deepspeed ? "deepspeed" : "megatron"}};
    if (const auto overlap = parallel.find("dp_overlap"); overlap != parallel.end() && !overlap->is_null())
        out["dp_overlap"] = *overlap;
    return out;
}

json clusterOf(const json& entry, const GpuFigures* gpu)
{
    const json& hardware = entry.at("hardware");
    const std::string from = textOf(hardware, "bandwidth_from");
    const char* fabric = from.find("RoCE") != std::string::npos       ? "roce"
                         : from.find("OmniPath") != std::string::npos ? "omnipath"
                                                                      : "infiniband";
    json intra = json::object();
    json inter{{"kind", fabric}, {"bandwidth_of", "gpu"}};
    json out{{"gpu", hardware.at("gpu")}, {"gpus_per_node", hardware.at("gpus_per_node")}};
    out["memory_GB"] = valueOr(hardware, "mem_gb", 80.0);
    if (const double peak = valueOr(hardware, "peak_tflops_16bit", 0.0); peak > 0.0)
        out["peak_tflops"] = peak;
    if (gpu != nullptr) {
        out["memory_bandwidth_GBps"] = gpu->memory_GBps;
        intra["kind"] = "nvlink" + std::to_string(gpu->nvlink);
    }
    if (const double link = valueOr(hardware, "intra_node_GBps_per_gpu_uni", 0.0); link > 0.0)
        intra["bandwidth_GBps"] = link;
    if (const double link = valueOr(hardware, "inter_node_GBps_per_gpu_uni", 0.0); link > 0.0)
        inter["bandwidth_GBps"] = link;
    out["intra_node"] = intra;
    out["inter_node"] = inter;
    return out;
}

} // namespace

Result<TruthCase> readTruthCase(const json& entry, const Presets& presets)
{
    const std::string gpu_name = textOf(entry.at("hardware"), "gpu");
    const GpuFigures* gpu = gpuOf(gpu_name);
    TruthCase out;
    out.id = textOf(entry, "id");
    out.source = textOf(entry.at("source"), "title");
    out.reference = textOf(entry.at("source"), "where") + "; " + textOf(entry.at("source"), "ref");
    out.model = textOf(entry.at("model"), "name");
    out.gpu = gpu != nullptr ? std::string{gpu->type} : gpu_name;
    out.precision = precisionOf(entry);
    out.gpus = entry.at("hardware").at("gpus");
    out.sweep = out.source + entry.at("model").dump() + gpu_name + std::to_string(out.gpus)
                + entry.at("precision").dump();
    out.measured_s = measuredTime(entry);
    out.memory_bytes = measuredMemory(entry);
    out.ran_out_of_memory = ranOutOfMemory(entry);
    out.gpus_per_node = entry.at("hardware").at("gpus_per_node");
    const bool has_experts = modelWithExperts(entry) != nullptr;
    if (!has_experts)
        out.parameters = parametersOf(entry.at("model"));
    out.large = out.parameters >= 1e9 && (out.precision == "fp16" || out.precision == "bf16");
    const json scenario{{"shardscope", 1},
                        {"name", out.id},
                        {"model", modelOf(entry)},
                        {"training", trainingOf(entry, gpu)},
                        {"parallel", parallelOf(entry)},
                        {"conventions", conventionsOf(entry)},
                        {"cluster", clusterOf(entry, gpu)}};
    out.scenario_text = scenario.dump();
    Result<ScenarioReading> reading = readScenario(out.scenario_text, presets);
    if (!reading)
        return Error{out.id + ": " + reading.error().sentence};
    out.scenario = std::move(reading).value().scenario;
    Result<Prediction> prediction = predict(out.scenario);
    if (!prediction)
        return Error{out.id + ": " + prediction.error().sentence};
    out.prediction = std::move(prediction).value();
    if (has_experts)
        out.parameters = static_cast<double>(out.prediction.parameters.total);
    return out;
}

namespace
{

// The chosen cases of a file; one whose id has been seen is left out.
Result<std::vector<TruthCase>> readCases(const std::filesystem::path& file, const Presets& presets,
                                         bool (*chosen)(const json&), std::set<std::string>& seen)
{
    std::vector<TruthCase> cases;
    std::ifstream stream{file};
    try {
        const json entries = json::parse(stream);
        for (const json& entry : entries) {
            if (!chosen(entry) || !seen.insert(textOf(entry, "id")).second)
                continue;
            Result<TruthCase> read = readTruthCase(entry, presets);
            if (!read)
                return read.error();
            cases.push_back(std::move(read).value());
            cases.back().file = file.stem().string();
        }
    } catch (const json::exception& problem) {
        return Error{file.string() + ": cannot be read as a list of cases (" + problem.what()
                     + "); give a JSON file of published measurements"};
    }
    return cases;
}

} // namespace

Result<std::vector<TruthCase>> readTruthCases(const std::vector<std::filesystem::path>& files,
                                              const Presets& presets)
{
    std::vector<TruthCase> all;
    std::set<std::string> seen;
    for (const std::filesystem::path& file : files) {
        Result<std::vector<TruthCase>> cases = readCases(file, presets, canBeScored, seen);
        if (!cases)
            return cases;
        std::ranges::move(cases.value(), std::back_inserter(all));
    }
    return all;
}

Result<std::vector<TruthCase>> readScheduleCases(const std::filesystem::path& file, const Presets& presets)
{
    std::set<std::string> seen;
    return readCases(file, presets, comparesSchedules, seen);
}

Result<std::vector<TruthCase>> readExpertCases(const std::filesystem::path& file, const Presets& presets)
{
    std::set<std::string> seen;
    return readCases(file, presets, isKnownWithExperts, seen);
}

Result<std::vector<TruthCase>> readMemoryCases(const std::filesystem::path& file, const Presets& presets)
{
    std::set<std::string> seen;
    return readCases(file, presets, tellsMemory, seen);
}

} // namespace shardscope
