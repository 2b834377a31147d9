#include "core/scenario/deepspeed/unsaid_settings.h"

#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/deepspeed/setting_keys.h"

#include <array>

namespace shardscope
{

namespace
{

struct Unsaid {
    std::string_view path;
    std::string_view sentence;
};

// Switches that change what is sent, stored or computed.
constexpr std::array switches_of_stage_3{
    Unsaid{"zero_optimization.zero_quantized_weights", "Weights are predicted to be gathered unquantized."},
    Unsaid{"zero_optimization.zero_quantized_gradients",
           "Gradients are predicted to be reduced unquantized."},
    Unsaid{"zero_optimization.cpu_offload_param", "Weights are predicted to stay on the GPUs."},
};
constexpr std::array switches{
    Unsaid{"torch_autocast.enabled", "Weights and gradients are predicted in the scenario's number format."},
    Unsaid{"amp.enabled", "Weights and gradients are predicted in the scenario's number format."},
    Unsaid{"activation_checkpointing.cpu_checkpointing", "Activations are predicted to stay on the GPUs."},
    Unsaid{"activation_checkpointing.partition_activations",
           "Activations that are kept are predicted whole on each tensor parallel rank."},
    Unsaid{"elasticity.enabled", "The batch that it chooses is not known."},
    Unsaid{"autotuning.enabled", "What it chooses is not known."},
    Unsaid{"curriculum_learning.enabled", "All iterations are predicted with the full sequence."},
    Unsaid{"data_efficiency.enabled", "All iterations are predicted with all tokens."},
    Unsaid{"progressive_layer_drop.enabled", "All layers are predicted to run."},
    Unsaid{"quantize_training.enabled", "Weights are predicted in the scenario's number format."},
    Unsaid{"sparse_gradients", "Gradients of the embedding are predicted whole."},
    Unsaid{"compile.deepcompile", "Messages are predicted where they stand without it."},
};
// Sections that are used where they are there.
constexpr std::array sections{
    Unsaid{"sparse_attention", "Attention is predicted over all tokens."},
    Unsaid{"compression_training", "Weights are predicted as they are without it."},
    Unsaid{"weight_quantization", "Weights are predicted in the scenario's number format."},
};

class UnsaidNotes
{
public:
    UnsaidNotes(SettingKeys& keys, DeepSpeedSettings& settings) : m_keys{keys}, m_settings{settings} {}

    void add()
    {
        for (const Unsaid& one : switches)
            noteIf(m_keys.isOn(one.path), one);
        for (const Unsaid& one : sections)
            noteIf(m_keys.has(one.path), one);
        addSplit();
        addOffload();
        addOptimizer();
        noteIf(m_keys.count("pipeline.activation_checkpoint_interval").value_or(0) > 1,
               {"pipeline.activation_checkpoint_interval",
                "Layers are predicted to be recomputed one by one, not in groups."});
    }

private:
    void noteIf(bool holds, const Unsaid& one)
    {
        if (holds)
            m_settings.notes.push_back(std::string{one.path} + ": " + std::string{one.sentence});
    }

    void addSplit()
    {
        const int stage = m_settings.zero_stage.value_or(0);
        if (stage == 3)
            for (const Unsaid& one : switches_of_stage_3)
                noteIf(m_keys.isOn(one.path), one);
        noteIf(stage == 3 && m_keys.count("zero_optimization.zero_hpz_partition_size").value_or(1) > 1,
               {"zero_optimization.zero_hpz_partition_size",
                "Weights are predicted to be gathered from all replicas in both passes."});
        noteIf(stage == 3 && m_keys.number("zero_optimization.mics_shard_size").value_or(-1.0) > 0.0,
               {"zero_optimization.mics_shard_size", "States are predicted to be split over all replicas."});
        const bool is_first_or_second = stage == 1 || stage == 2;
        constexpr std::int64_t usual = 500'000'000;
        noteIf(is_first_or_second
                   && m_keys.count("zero_optimization.allgather_bucket_size").value_or(usual) != usual,
               {"zero_optimization.allgather_bucket_size",
                "Weights are predicted to be gathered at once, with buffers of 5e8 of them in memory."});
        noteIf(is_first_or_second && !m_keys.flag("zero_optimization.allgather_partitions").value_or(true),
               {"zero_optimization.allgather_partitions",
                "Weights are predicted to be gathered, not broadcast."});
    }

    void addOffload()
    {
        const int stage = m_settings.zero_stage.value_or(0);
        const auto weights = m_keys.text("zero_optimization.offload_param.device");
        noteIf(stage == 3 && weights && *weights != "none",
               {"zero_optimization.offload_param", "Weights are predicted to stay on the GPUs."});
        if (!m_settings.offloads_optimizer)
            return;
        noteIf(m_settings.zero_stage == 0,
               {"zero_optimization.offload_optimizer",
                "Without ZeRO it has no effect; the optimizer is predicted on the GPUs."});
        noteIf(m_keys.text("zero_optimization.offload_optimizer.device") == "nvme",
               {"zero_optimization.offload_optimizer.device",
                "The optimizer is predicted in the host's memory, not on a disk."});
        noteIf(m_keys.number("zero_optimization.offload_optimizer.ratio").value_or(1.0) < 1.0,
               {"zero_optimization.offload_optimizer.ratio",
                "All of the optimizer is predicted to be offloaded."});
        noteIf(m_keys.has("zero_optimization.zenflow"),
               {"zero_optimization.zenflow", "All of the optimizer is predicted to be offloaded."});
    }

    void addOptimizer()
    {
        const std::string type = m_keys.text("optimizer.type").value_or("");
        const std::string lower = inLowerCase(type);
        const bool has_momenta = lower.find("adam") != std::string::npos || lower.ends_with("lamb");
        const bool compresses = lower.starts_with("onebit") || lower.starts_with("zeroone");
        if (m_settings.optimizer == Optimizer::adam && !has_momenta)
            m_settings.notes.push_back("The optimizer " + type + " is taken to store what Adam does.");
        if (compresses)
            m_settings.notes.push_back("Messages that " + type + " compresses are predicted whole.");
    }

    SettingKeys& m_keys;
    DeepSpeedSettings& m_settings;
};

} // namespace

void noteUnsaidSettings(SettingKeys& keys, DeepSpeedSettings& settings)
{
    UnsaidNotes{keys, settings}.add();
}

} // namespace shardscope
