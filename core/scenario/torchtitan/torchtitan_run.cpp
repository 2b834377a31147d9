#include "core/scenario/torchtitan/torchtitan_run.h"

#include "core/scenario/defaults.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/torchtitan/job_reading.h"
#include "core/scenario/torchtitan/model_flavors.h"

namespace shardscope
{

namespace
{

// Whatever is decided by framework, model and layout, before single keys set it otherwise.
void setConventions(Scenario& scenario, Framework framework)
{
    scenario.training.flash_attention = defaultFlashAttention(scenario.model);
    scenario.conventions =
        defaultConventions(framework, scenario.model, scenario.training, scenario.parallel);
}

// What no scenario says.
void noteUnsaidKeys(JobReading& reading)
{
    JobKeys& keys = reading.keys;
    const Parallel& parallel = reading.run.scenario.parallel;
    reading.noteIf(compilesModel(keys),
                   "compile: Operators that are fused by compiling are not known; their memory "
                   "traffic is predicted as without it.");
    reading.noteIf(keys.isOn({"parallelism.disable_loss_parallel", "training.disable_loss_parallel"})
                       && parallel.tensor > 1,
                   "disable_loss_parallel: The loss is predicted to be split over the tensor ranks.");
    reading.noteIf(
        keys.isOn({"parallelism.enable_compiled_autograd", "experimental.enable_compiled_autograd"}),
        "enable_compiled_autograd: It is not known what it changes.");
    for (std::string& sentence : keys.misspelt())
        reading.noteIf(true, std::move(sentence));
}

} // namespace

void JobReading::tell(std::string_view key, std::string value, std::initializer_list<KeyPaths> groups)
{
    std::string evidence;
    for (const KeyPaths& paths : groups)
        if (const std::string written = keys.written(paths); !written.empty())
            evidence += (evidence.empty() ? "" : ", ") + written;
    if (!evidence.empty())
        run.figures.push_back({std::string{key}, std::move(value), std::move(evidence)});
}

Result<TorchtitanRun> torchtitanRun(const nlohmann::json& job, const Presets& presets, const Scenario& base)
{
    JobKeys keys{job};
    TorchtitanRun run;
    Scenario& scenario = run.scenario;
    scenario.name = base.name;
    scenario.time_model = base.time_model;
    scenario.cluster = base.cluster;
    JobReading reading{keys, run};
    readJobModel(reading, presets, base.model);
    readJobFormats(reading);
    readJobLayout(reading);
    readJobRecomputation(reading);
    readJobBatch(reading);
    setConventions(scenario, readJobSharding(reading));
    readJobMessages(reading);
    noteUnsaidKeys(reading);
    if (!keys.failure().empty())
        return Error{keys.failure()};
    const ModelPreset* preset = matchingPreset(scenario.model, presets);
    scenario.model.preset = preset != nullptr ? preset->name : std::string{};
    scenario.model.vocab_padding = 1; // torchtitan holds the vocabulary as it is
    return run;
}

} // namespace shardscope
