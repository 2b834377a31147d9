#include "core/scenario/megatron/launched_run.h"

#include "core/base/file.h"
#include "core/scenario/deepspeed/config_text.h"
#include "core/scenario/deepspeed/deepspeed_scenario.h"
#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/json_text.h"
#include "core/scenario/megatron/launch_script.h"
#include "core/scenario/megatron/run_arguments.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::uintmax_t largest_config = 1 << 20;

// Below the script's folder alone, wherever links lead: what lies elsewhere is of another machine. A pipe or
// a device might have no end.
std::optional<std::string> textBeside(const std::filesystem::path& folder, const std::string& name)
{
    const std::filesystem::path place = std::filesystem::path{name}.lexically_normal();
    if (folder.empty() || name.empty() || place.is_absolute() || *place.begin() == "..")
        return std::nullopt;
    std::error_code problem;
    const std::filesystem::path root = std::filesystem::weakly_canonical(folder, problem);
    const std::filesystem::path file = std::filesystem::weakly_canonical(folder / place, problem);
    const std::filesystem::path below = file.lexically_relative(root);
    if (problem || below.empty() || *below.begin() == ".."
        || !std::filesystem::is_regular_file(file, problem))
        return std::nullopt;
    auto text = readFile(file, largest_config);
    return text ? std::optional{std::move(text).value()} : std::nullopt;
}

// A name may hold what no line of text does.
std::string shown(std::string name)
{
    constexpr std::size_t longest = 100;
    std::ranges::replace_if(
        name, [](char c) { return c < ' ' || c > '~'; }, '?');
    name = name.substr(name.find_last_of('/') + 1); // npos + 1 is 0
    return name.empty() ? "DeepSpeed's configuration"
                        : "DeepSpeed's configuration " + name.substr(0, longest);
}

std::optional<DeepSpeedSettings> settingsOf(const DeepSpeedFile& file, const std::filesystem::path& folder,
                                            std::vector<std::string>& notes)
{
    const std::optional<std::string> text = file.text ? file.text : textBeside(folder, file.name);
    if (!text) {
        notes.push_back(
            file.name.empty() && !file.unknown.empty()
                ? "DeepSpeed's configuration depends on " + file.unknown + "; it is left out."
                : shown(file.name)
                      + " cannot be read: no here-document of the script writes it, and the script's folder "
                        "has no such file.");
        return std::nullopt;
    }
    const auto parsed = parseJson(jsonOfConfig(*text));
    if (!parsed || !parsed.value().is_object()) {
        notes.push_back(shown(file.name) + " is not read: "
                        + (parsed ? "it is no JSON object" : parsed.error().sentence) + ".");
        return std::nullopt;
    }
    std::ranges::copy(file.notes, std::back_inserter(notes));
    DeepSpeedSettings settings = readDeepSpeedSettings(parsed.value());
    // Megatron has built the model in its own format then, and the engine leaves it so.
    if (settings.precision == Precision::fp32)
        settings.precision.reset();
    return settings;
}

// All three sizes of the batch tell the replicas of a run whose GPUs nobody counts.
void addReplicas(const DeepSpeedSettings& settings, std::vector<RunArgument>& arguments)
{
    const RunArguments told{arguments};
    if (!settings.train_batch || !settings.micro_batch || !settings.accumulation)
        return;
    const std::int64_t of_replica = *settings.micro_batch * *settings.accumulation;
    const bool is_counted =
        told.lists("data_parallel_size") || told.lists("world_size") || told.lists("nproc_per_node");
    if (!is_counted && *settings.train_batch % of_replica == 0)
        arguments.push_back({"data_parallel_size", std::to_string(*settings.train_batch / of_replica)});
}

// As DeepSpeed's engine prints them.
void addArguments(const DeepSpeedSettings& settings, std::vector<RunArgument>& arguments)
{
    const auto add = [&](const char* name, const auto& value) {
        if (value)
            arguments.push_back({std::string{"deepspeed."} + name, std::to_string(*value)});
    };
    add("zero_optimization_stage", settings.zero_stage);
    add("train_batch_size", settings.train_batch);
    add("train_micro_batch_size_per_gpu", settings.micro_batch);
    add("gradient_accumulation_steps", settings.accumulation);
    if (settings.precision == Precision::bf16)
        arguments.push_back({"deepspeed.bfloat16_enabled", "True"});
    if (settings.precision == Precision::fp16)
        arguments.push_back({"deepspeed.fp16_enabled", "True"});
}

// Megatron-DeepSpeed reads its data by its own arguments and sets the engine's batch by them before each
// iteration (set_train_batch_size); the engine's stage and format are those of the configuration.
class Disagreements
{
public:
    Disagreements(const RunArguments& arguments, const Scenario& run, const DeepSpeedSettings& settings,
                  std::vector<std::string>& notes)
        : m_arguments{arguments}, m_run{run}, m_settings{settings}, m_notes{notes}
    {
    }

    void add()
    {
        addBatch("micro_batch_size", m_run.training.micro_batch_size, "train_micro_batch_size_per_gpu",
                 m_settings.micro_batch);
        addBatch("global_batch_size", m_run.training.global_batch_size, "train_batch_size",
                 m_settings.train_batch);
        addPasses();
        addRefusal();
        const auto stage = m_arguments.number("zero_stage");
        if (stage && m_settings.zero_stage && *stage != *m_settings.zero_stage)
            m_notes.push_back("zero_stage is " + std::to_string(*stage) + " in the script and "
                              + std::to_string(*m_settings.zero_stage)
                              + " in DeepSpeed's configuration, which counts.");
        const bool is_bf16 = m_arguments.isOn("bf16");
        const Precision asked = is_bf16                    ? Precision::bf16
                                : m_arguments.isOn("fp16") ? Precision::fp16
                                                           : Precision::fp32;
        if (m_settings.precision && *m_settings.precision != asked)
            m_notes.push_back("The number format is " + std::string{word(asked)} + " in the script and "
                              + std::string{word(*m_settings.precision)}
                              + " in DeepSpeed's configuration, which counts.");
    }

private:
    void addBatch(const char* name, std::int64_t taken, const char* other,
                  const std::optional<std::int64_t>& asked)
    {
        if (m_arguments.lists(name) && asked && *asked != taken)
            m_notes.push_back(std::string{name} + " is " + std::to_string(taken)
                              + " in the script, which counts, and " + other + " " + std::to_string(*asked)
                              + " in DeepSpeed's configuration.");
    }

    void addPasses()
    {
        const std::int64_t step = m_run.training.micro_batch_size * m_run.parallel.data;
        if (!m_settings.accumulation || step < 1)
            return;
        const std::int64_t passes = m_run.training.global_batch_size / step;
        if (*m_settings.accumulation != passes)
            m_notes.push_back("gradient_accumulation_steps is " + std::to_string(*m_settings.accumulation)
                              + " in DeepSpeed's configuration; the sizes of batches come to "
                              + std::to_string(passes) + ", which count.");
    }

    // All three sizes and the GPUs are told.
    void addRefusal()
    {
        if (!m_settings.train_batch || !m_settings.micro_batch || !m_settings.accumulation)
            return;
        const std::int64_t replicas = m_run.parallel.data;
        const std::int64_t of_replica = *m_settings.micro_batch * *m_settings.accumulation;
        if (*m_settings.train_batch % of_replica != 0 || *m_settings.train_batch / of_replica != replicas)
            m_notes.push_back("DeepSpeed refuses the sizes of its configuration: train_batch_size "
                              + std::to_string(*m_settings.train_batch) + " is not "
                              + std::to_string(*m_settings.micro_batch) + " * "
                              + std::to_string(*m_settings.accumulation) + " * " + std::to_string(replicas)
                              + " (micro-batch, passes, replicas).");
    }

    const RunArguments& m_arguments;
    const Scenario& m_run;
    const DeepSpeedSettings& m_settings;
    std::vector<std::string>& m_notes;
};

// Megatron-DeepSpeed builds a PipelineModule unless it is told not to. With stages 2 and 3 DeepSpeed runs
// none: a run that there is is not one.
bool isPipeline(const Parallel& parallel, bool is_told_none, std::vector<std::string>& notes)
{
    const bool is_refused = parallel.zero_stage > 1;
    if (parallel.pipeline == 1 && !is_told_none && is_refused)
        notes.emplace_back(
            "A script of Megatron-DeepSpeed without --no-pipeline-parallel builds a pipeline, even "
            "of one stage; DeepSpeed refuses those with ZeRO 2 and 3, and none is predicted.");
    return parallel.pipeline > 1 || (!is_told_none && !is_refused);
}

// What the reading of the script says of sizes that it does not tell.
std::string whyUntold(const LaunchScript& script)
{
    static constexpr auto sizes =
        std::to_array<std::string_view>({"--num-layers ", "--encoder-num-layers ", "--hybrid-layer-pattern ",
                                         "--hidden-size ", "--num-attention-heads ", "--seq-length "});
    std::string why;
    for (const std::string& note : script.notes)
        if (std::ranges::any_of(sizes, [&](std::string_view size) { return note.starts_with(size); }))
            why += "; " + note;
    if (script.line_of_open_quote > 0)
        why += "; a quote in line " + std::to_string(script.line_of_open_quote) + " is not closed";
    return why;
}

bool isDeepSpeeds(const std::vector<RunArgument>& arguments)
{
    return RunArguments{arguments}.isOn("deepspeed");
}

} // namespace

Result<MegatronRun> launchedRun(std::string_view text, const Scenario& base,
                                const std::filesystem::path& folder)
{
    LaunchScript script = readLaunchScript(text);
    std::optional<DeepSpeedSettings> settings;
    if (script.deepspeed && isDeepSpeeds(script.arguments))
        settings = settingsOf(*script.deepspeed, folder, script.notes);
    if (settings)
        addArguments(*settings, script.arguments);
    if (settings)
        addReplicas(*settings, script.arguments);
    Result<MegatronRun> run = megatronRun(script.arguments, base);
    if (!run)
        return Error{"read as a script that starts Megatron-LM: " + run.error().sentence + whyUntold(script)};
    std::vector<std::string>& notes = script.notes;
    std::ranges::move(run.value().notes, std::back_inserter(notes));
    if (settings) {
        Scenario& scenario = run.value().scenario;
        Disagreements{RunArguments{script.arguments}, scenario, *settings, notes}.add();
        std::ranges::copy(settings->notes, std::back_inserter(notes));
        const bool is_told_none = RunArguments{script.arguments}.isOn("no_pipeline_parallel");
        layOverRun(scenario, *settings, isPipeline(scenario.parallel, is_told_none, notes), notes);
    }
    run.value().notes = std::move(notes);
    return run;
}

} // namespace shardscope
