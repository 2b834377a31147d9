#include "core/base/json_writer.h"
#include "core/report/launch/launch_export.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

class DeepSpeedConfig
{
public:
    explicit DeepSpeedConfig(const Scenario& scenario) : m_scenario{scenario} {}

    std::string write()
    {
        const Training& training = m_scenario.training;
        m_json.beginObject();
        m_json.member("train_batch_size", training.global_batch_size);
        m_json.member("train_micro_batch_size_per_gpu", training.micro_batch_size);
        m_json.member("gradient_accumulation_steps", m_scenario.microBatches());
        writePrecision();
        writeOptimizer();
        if (m_scenario.conventions.gradient_norm)
            m_json.member("gradient_clipping", 1.0);
        writeZero();
        writeActivations();
        writeComments();
        m_json.endObject();
        return m_json.take() + "\n";
    }

private:
    // With the 16-bit states of ZeRO's optimizer, where there are.
    void enabled(const std::string& key, bool is_on = true)
    {
        const Training& training = m_scenario.training;
        const bool has_states =
            is_on && training.precision != Precision::fp32 && training.optimizer != Optimizer::none;
        m_json.key(key);
        m_json.beginObject(JsonWriter::Layout::line);
        m_json.member("enabled", is_on);
        if (has_states && training.master_bytes == 2)
            m_json.member(key + "_master_weights_and_grads", true);
        if (has_states && hasShortMoments() && key == "bf16")
            m_json.member("bf16_optimizer_states", true);
        m_json.endObject();
        if (has_states && !hasStatesOfDeepSpeed())
            m_comments.emplace_back("master_bytes, exp_avg_bytes, exp_avg_sq_bytes: DeepSpeed has fp32, or "
                                    "with ZeRO all in bf16, "
                                    "or 16-bit weights alone with the optimizer offloaded");
    }

    bool hasShortMoments() const
    {
        const Training& training = m_scenario.training;
        return training.master_bytes == 2 && training.exp_avg_bytes == 2
               && (training.optimizer == Optimizer::sgd || training.exp_avg_sq_bytes == 2);
    }

    bool hasStatesOfDeepSpeed() const
    {
        const Training& training = m_scenario.training;
        const bool has_floats = training.exp_avg_bytes == 4
                                && (training.optimizer == Optimizer::sgd || training.exp_avg_sq_bytes == 4);
        if (training.master_bytes == 4)
            return has_floats;
        const bool is_offloaded = training.offload == Offload::optimizer && has_floats;
        const bool is_short = hasShortMoments() && training.precision != Precision::fp16;
        return training.master_bytes == 2 && m_scenario.parallel.zero_stage > 0 && (is_short || is_offloaded);
    }

    void writePrecision()
    {
        const Training& training = m_scenario.training;
        if (training.precision == Precision::fp16)
            enabled("fp16");
        else
            enabled("bf16", training.precision != Precision::fp32);
        if (quantizesProducts(training.precision))
            m_comments.push_back(std::string{word(training.precision)}
                                 + ": no setting of DeepSpeed; the products come from Transformer Engine");
        if (training.precision == Precision::fp32)
            return;
        m_json.key("data_types");
        m_json.beginObject(JsonWriter::Layout::line);
        const std::string_view weights = training.precision == Precision::fp16 ? "fp16" : "bf16";
        m_json.member("grad_accum_dtype", training.gradient_bytes == 2 ? weights : "fp32");
        m_json.endObject();
        if (training.precision == Precision::fp16 && training.gradient_bytes > 2
            && m_scenario.parallel.zero_stage == 0)
            m_comments.emplace_back("fp16 with gradients summed in fp32: DeepSpeed has it only with ZeRO");
    }

    void writeOptimizer()
    {
        const Optimizer optimizer = m_scenario.training.optimizer;
        if (optimizer == Optimizer::none) {
            m_comments.emplace_back("optimizer none: no equivalent; none is set");
            return;
        }
        m_json.key("optimizer");
        m_json.beginObject();
        m_json.member("type", optimizer == Optimizer::adam ? "Adam" : "SGD");
        m_json.key("params");
        m_json.beginObject(JsonWriter::Layout::line);
        if (optimizer == Optimizer::sgd)
            m_json.member("momentum", 0.9);
        m_json.endObject();
        m_json.endObject();
        if (optimizer == Optimizer::sgd && m_scenario.parallel.zero_stage > 0)
            m_json.member("zero_allow_untested_optimizer", true);
        m_comments.emplace_back("the learning rate is DeepSpeed's default: a scenario has none");
    }

    // Buckets are counted in elements.
    void writeZero()
    {
        const Conventions& conventions = m_scenario.conventions;
        const int stage = m_scenario.parallel.zero_stage;
        const std::int64_t element = std::min(4, m_scenario.training.gradient_bytes);
        const std::int64_t bucket = std::max<std::int64_t>(1, conventions.dp_bucket_bytes / element);
        m_json.key("zero_optimization");
        m_json.beginObject();
        m_json.member("stage", stage);
        if (m_scenario.training.offload == Offload::optimizer) {
            m_json.key("offload_optimizer");
            m_json.beginObject(JsonWriter::Layout::line);
            m_json.member("device", "cpu");
            m_json.endObject();
        }
        if (stage > 0) {
            m_json.member("overlap_comm", conventions.dp_overlap);
            m_json.member("contiguous_gradients", true);
            m_json.member("reduce_bucket_size", bucket);
        }
        if (stage == 1 || stage == 2) {
            m_json.member("allgather_bucket_size", bucket);
            m_json.member("reduce_scatter", true);
            m_json.member("use_multi_rank_bucket_allreduce",
                          conventions.zero_reduction == ZeroReduction::all_reduce);
            if (conventions.zero_reduction == ZeroReduction::reduce_scatter)
                m_comments.emplace_back(
                    "zero_reduction reduce_scatter: stages 1 and 2 have none; a bucket is "
                    "reduced to each owner");
        }
        m_json.endObject();
    }

    void writeActivations()
    {
        if (m_scenario.training.recompute == Recompute::none)
            return;
        m_json.key("activation_checkpointing");
        m_json.beginObject(JsonWriter::Layout::line);
        m_json.member("partition_activations",
                      m_scenario.conventions.pp_partitioned && m_scenario.parallel.tensor > 1);
        m_json.endObject();
        if (m_scenario.training.recompute == Recompute::full && m_scenario.training.recompute_layers > 0)
            m_comments.push_back("recompute_layers " + std::to_string(m_scenario.training.recompute_layers)
                                 + ": the model's own code checkpoints so many layers of each stage");
        if (m_scenario.training.recompute == Recompute::selective)
            m_comments.emplace_back(
                "recompute selective: the model's own code decides what is computed again");
    }

    // What the program that calls DeepSpeed decides, not its configuration.
    void writeComments()
    {
        const Parallel& parallel = m_scenario.parallel;
        const auto ofProgram = [&](std::string_view key, std::int64_t value, std::string_view how) {
            if (value > 1)
                m_comments.push_back(std::string{key} + " " + std::to_string(value) + ": "
                                     + std::string{how});
        };
        ofProgram("pipeline", parallel.pipeline, "num_stages of PipelineModule");
        if (m_scenario.model.experts.count > 0 && parallel.zero_stage == 3)
            m_comments.emplace_back(
                "zero_stage 3: DeepSpeed refuses it for models with experts; stage 2 is the "
                "highest that it trains them with");
        ofProgram("tensor", parallel.tensor,
                  "the model-parallel unit (mpu) of the model, as in Megatron-DeepSpeed");
        ofProgram("context", parallel.context,
                  parallel.context_method == ContextMethod::ulysses
                      ? "the sequence-parallel group of DeepSpeed-Ulysses, set by the program"
                      : "no equivalent for a ring or a gather of keys and values");
        ofProgram("expert", parallel.expert, "ep_size of deepspeed.moe.layer.MoE");
        if (parallel.zero_stage > 1 && parallel.pipeline > 1)
            m_comments.emplace_back("DeepSpeed runs pipelines only with stages 0 and 1");
        if (parallel.zero_stage > 1 && !m_scenario.conventions.reduce_each_micro_batch)
            m_comments.emplace_back(
                "reduce_each_micro_batch false: no equivalent; stages 2 and 3 refuse no_sync");
        if (parallel.pipeline > 1 && parallel.schedule != Schedule::one_f_one_b)
            m_comments.push_back("schedule " + std::string{word(parallel.schedule)}
                                 + ": no equivalent; PipelineModule runs 1f1b");
        if (parallel.sequence_parallel)
            m_comments.emplace_back("sequence_parallel: an option of the model, not of DeepSpeed");
        if (m_scenario.cluster.launch_blocking)
            m_comments.emplace_back("launch_blocking: CUDA_LAUNCH_BLOCKING=1 in the environment");
        if (m_scenario.model.kind == ModelKind::transformer)
            m_comments.emplace_back("the model's sizes are arguments of the program that builds it");
        m_json.key("_comments");
        m_json.beginArray();
        for (const std::string& comment : m_comments)
            m_json.value(comment);
        m_json.endArray();
    }

    const Scenario& m_scenario;
    JsonWriter m_json;
    std::vector<std::string> m_comments;
};

} // namespace

Result<std::string> deepSpeedConfig(const Scenario& scenario)
{
    const std::int64_t step = scenario.training.micro_batch_size * scenario.parallel.data;
    if (step < 1 || scenario.training.global_batch_size % step != 0)
        return Error{"global_batch_size is no multiple of micro_batch_size * data; mend that first."};
    return DeepSpeedConfig{scenario}.write();
}

} // namespace shardscope
