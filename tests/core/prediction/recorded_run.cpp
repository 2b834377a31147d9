#include "recorded_run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace shardscope::test
{

namespace
{

Model modelOf(const nlohmann::json& c)
{
    Model model;
    model.layers = c.at("l");
    model.hidden_size = c.at("h");
    model.attention_heads = c.at("heads");
    model.kv_heads = model.attention_heads;
    model.head_dim = model.hidden_size / model.attention_heads;
    model.ffn_hidden_size = 4 * model.hidden_size;
    model.vocab_size = c.at("vocab");
    model.sequence_length = c.at("s");
    model.experts.count = c.at("experts");
    model.experts.per_token = c.at("topk");
    model.experts.ffn_hidden_size = model.ffn_hidden_size;
    model.experts.every = 2;
    model.experts.first = 1;
    model.experts.capacity_factor = c.at("capacity");
    return model;
}

Conventions conventionsOf(const nlohmann::json& c)
{
    Conventions conventions;
    const bool ddp = c.at("ddp");
    conventions.framework = ddp ? Framework::ddp : Framework::megatron;
    conventions.dp_reduction = ddp ? DpReduction::buckets : DpReduction::flat;
    conventions.dp_bucket_bytes = static_cast<std::int64_t>(c.at("bucket_mb").get<double>() * 1048576.0);
    conventions.dp_overlap = ddp;
    conventions.zero_unit = c.at("zero").get<int>() > 1 ? ZeroUnit::layer : ZeroUnit::model;
    conventions.sp_regather = c.at("sp_regather");
    conventions.pp_partitioned = c.at("scatter_gather");
    conventions.tp_broadcast_batch = c.at("tp_broadcast");
    conventions.gradient_norm = c.at("clip").get<double>() > 0.0;
    return conventions;
}

} // namespace

Scenario scenarioOf(const nlohmann::json& c)
{
    Scenario scenario;
    scenario.model = modelOf(c);
    scenario.conventions = conventionsOf(c);
    scenario.training.global_batch_size = c.at("gb");
    scenario.training.micro_batch_size = c.at("b");
    const std::string dtype = c.at("dtype");
    scenario.training.precision = dtype == "bfloat16"  ? Precision::bf16
                                  : dtype == "float16" ? Precision::fp16
                                                       : Precision::fp32;
    scenario.training.gradient_bytes = 4;
    scenario.training.recompute = c.at("recompute") ? Recompute::full : Recompute::none;
    scenario.parallel.pipeline = c.at("p");
    scenario.parallel.tensor = c.at("t");
    scenario.parallel.data = c.at("d");
    scenario.parallel.expert = c.at("ep");
    scenario.parallel.sequence_parallel = c.at("sp");
    scenario.parallel.zero_stage = c.at("zero");
    if (c.at("mapping") == "tp-pp-dp")
        scenario.parallel.rank_order = {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp,
                                        Dimension::dp};
    return scenario;
}

std::vector<RecordedRun> recordedRuns()
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::path{SHARDSCOPE_SHARED_FOLDER} / "rig/truth";
    std::vector<RecordedRun> runs;
    if (!fs::is_directory(folder))
        return runs;
    for (const fs::directory_entry& entry : fs::directory_iterator{folder}) {
        std::ifstream file{entry.path()};
        runs.push_back({entry.path().stem().string(), nlohmann::json::parse(file)});
    }
    std::sort(runs.begin(), runs.end(),
              [](const RecordedRun& a, const RecordedRun& b) { return a.name < b.name; });
    return runs;
}

} // namespace shardscope::test
