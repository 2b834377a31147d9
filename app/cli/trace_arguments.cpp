#include "app/cli/trace_arguments.h"

#include "app/cli/exit_status.h"
#include "app/cli/progress_line.h"
#include "app/cli/scenario_changes.h"
#include "app/cli/standard_input.h"
#include "core/analysis/classification/own_rules.h"
#include "core/base/file.h"
#include "core/digest/open_traces.h"
#include "core/scenario/own_presets.h"
#include "core/scenario/portable_scenario.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/unread_text.h"
#include "core/trace/run_folders.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

// What a script hands to DeepSpeed is looked for where the command is given.
Result<ScenarioReading> readScenarioOfInput(const ScenarioChanges& changes, const Presets& presets)
{
    const Result<std::string> text = readStandardInput(largest_scenario_bytes);
    if (!text)
        return text.error();
    return changes.readText(text.value(), presets, ".");
}

Result<Presets> presetsInUse()
{
    Result<Presets> presets = loadPresets();
    if (presets)
        for (const std::string& problem : presets.value().problems())
            warn(problem);
    return presets;
}

Error named(const std::filesystem::path& file, const Error& error)
{
    return {inputName(file.string()) + ": " + error.sentence};
}

Result<ScenarioReading> readingOf(const std::filesystem::path& file, const ScenarioChanges& changes,
                                  const Presets& presets)
{
    if (file.empty())
        return Error{"\"\" is no file: give a scenario"};
    Result<ScenarioReading> reading =
        isStandardInput(file.string()) ? readScenarioOfInput(changes, presets) : changes.read(file, presets);
    return reading ? std::move(reading) : named(file, reading.error());
}

// Its scenario, once what was assumed is told.
Scenario warned(const std::filesystem::path& file, ScenarioReading reading)
{
    for (const std::string& warning : reading.warnings)
        warn(inputName(file.string()) + ": " + warning);
    return std::move(reading.scenario);
}

// What `predict` reads, or would if it could, is no trace.
std::optional<Error> scenarioAmong(std::span<const std::string> words)
{
    for (const std::string& word : words) {
        std::error_code problem;
        if (!std::filesystem::is_regular_file(word, problem))
            continue;
        const Result<std::string> text = readFile(word, largest_scenario_bytes);
        if (text && isUnreadConfiguration(text.value()))
            return Error{word + ": " + noScenarioIn(text.value()).sentence};
        if (text && looksLikeScenario(text.value()))
            return Error{word
                         + ": this is a file that `predict` reads a scenario from, not a trace; traces are "
                           "needed here"};
    }
    return std::nullopt;
}

} // namespace

Result<ClassificationRules> rulesOf(const Arguments& arguments)
{
    if (!arguments.has("--rules"))
        return rulesInUse();
    return ClassificationRules::load(arguments.valueOf("--rules"));
}

ImportOptions importOptionsOf(const Arguments& arguments)
{
    ImportOptions options;
    if (arguments.has("--force-memory"))
        options.on_memory_need = [](const MemoryNeed&) { return true; };
    return options;
}

Result<TraceSet> tracesOf(const Arguments& arguments, std::span<const std::string> words,
                          const ClassificationRules& rules)
{
    const auto scenario =
        std::ranges::find_if(words, [](const std::string& word) { return word.ends_with(".scenario.json"); });
    if (scenario != words.end())
        return Error{*scenario + ": this is a scenario; traces are needed here"};
    const auto detail = arguments.has("--force-memory") ? TraceDetail::events : TraceDetail::as_it_fits;
    ImportOptions options = importOptionsOf(arguments);
    bool is_too_large = false;
    if (!options.on_memory_need)
        options.on_memory_need = [&is_too_large](const MemoryNeed&) {
            is_too_large = true;
            return false; // refuse
        };
    ProgressLine line;
    options.on_progress = [&line](const ImportProgress& progress) { return line.show(progress); };
    Result<TraceSet> traces = openTraces(pathsOf(words), detail, rules, options);
    if (!traces && is_too_large)
        return Error{traces.error().sentence + ", or read them all the same with --force-memory"};
    if (!traces)
        if (auto scenario_there = scenarioAmong(words))
            return *scenario_there;
    if (traces)
        keepOneRun(traces.value());
    return traces;
}

std::vector<std::filesystem::path> pathsOf(std::span<const std::string> words)
{
    return {words.begin(), words.end()};
}

Result<Scenario> scenarioOf(const std::filesystem::path& file, const Arguments& arguments)
{
    const Result<ScenarioChanges> changes = ScenarioChanges::of(arguments);
    if (!changes)
        return changes.error();
    const Result<Presets> presets = presetsInUse();
    if (!presets)
        return presets.error();
    Result<ScenarioReading> reading = readingOf(file, changes.value(), presets.value());
    if (!reading)
        return reading.error();
    if (const auto settled = changes.value().settle(reading.value(), presets.value()); !settled)
        return named(file, settled.error());
    return warned(file, std::move(reading).value());
}

// Which machines it runs on is nothing to a layout.
Result<std::optional<Scenario>> layoutOf(const Arguments& arguments)
{
    if (!arguments.has("--scenario"))
        return std::optional<Scenario>{};
    const Result<Presets> presets = presetsInUse();
    if (!presets)
        return presets.error();
    const std::filesystem::path file = arguments.valueOf("--scenario");
    Result<ScenarioReading> reading = readingOf(file, ScenarioChanges{}, presets.value());
    if (!reading)
        return reading.error();
    return std::optional{warned(file, std::move(reading).value())};
}

Result<bool> savePortable(const std::filesystem::path& file, const Scenario& scenario)
{
    const Result<Presets> presets = loadPresets();
    if (!presets)
        return presets.error();
    return saveScenarioFile(file, portable(scenario, presets.value()));
}

} // namespace shardscope
