#include "bench/accuracy/partial_steps.h"

#include "bench/accuracy/residuals.h"
#include "bench/accuracy/truth_entry.h"

#include "core/base/format.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr double tera = 1e12;

constexpr const char* introduction =
    "\n## Steps told in part\n\n"
    "Measured steps whose sources leave something open, so that an error here may be that of what was "
    "put in. They count in no other table and in no band, and nothing was fitted to them, except that "
    "the GB300's share of the peak was chosen with its steps in view "
    "(`resources/presets/gpus/gb300.json`), and so was what making numbers of fp4 costs: 12 bytes "
    "through memory for each number that a product reads, one figure for the 70B and the 405B on GB200 "
    "and GB300, whose products gain what the data sheets say of fp4 over fp8. What is open has the "
    "program's default: nothing is recomputed, no ZeRO, no sequence parallelism, stages are not "
    "divided, GPT-2's vocabulary, an MLP four times as wide as the model, links of the GPU's usual "
    "system. A micro-batch has one sample, which divides every batch. Where the list of cases supposes "
    "a value beside the gap (a batch that nothing accumulates is one micro-batch), it is taken. Steps "
    "of Megatron-LM's README tell TFLOP/s of the model instead of a time: theirs is what the predicted "
    "FLOPs take at that rate. The window shows every step.\n";

// Keys of the list of cases, and the words for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> open_words{
    {{"recompute", "recomputation"},
     {"microbatch", "micro-batch"},
     {"zero_stage", "ZeRO stage"},
     {"sequence_parallel", "sequence parallelism"},
     {"v", "virtual stages"},
     {"cp", "context parallelism"},
     {"vocab", "vocabulary"},
     {"ffn", "width of the MLP"},
     {"intra_node_GBps_per_gpu_uni", "bandwidth within nodes"},
     {"inter_node_GBps_per_gpu_uni", "bandwidth between nodes"}}};

bool isMissing(const json& entry, const char* section, std::initializer_list<const char*> keys)
{
    const json& missing = entry.at("missing");
    return std::ranges::any_of(keys, [&](const char* key) {
        return valueOr(entry.at(section), key, 0.0) <= 0.0
               || std::ranges::find(missing, key) != missing.end();
    });
}

// TFLOP/s of a GPU that are said to be the model's; 0: it does not say.
double modelRate(const json& entry)
{
    const json& measured = entry.at("measured");
    const bool is_of_model = textOf(measured, "tflops_convention").starts_with("model FLOPs");
    return is_of_model ? valueOr(measured, "tflops_per_gpu", 0.0) : 0.0;
}

// The longest name of a preset that stands in the source's name of the GPU; empty: there is none.
std::string presetNameOf(const std::string& gpu, const Presets& presets)
{
    std::string longest;
    for (const GpuPreset& preset : presets.gpus())
        for (const std::string& name : preset.names)
            if (name.size() > longest.size() && gpu.find(name) != std::string::npos)
                longest = name;
    return longest;
}

// Why no step is made of an entry; nothing: one is.
std::optional<std::string> reasonToLeaveOut(const json& entry, const Presets& presets)
{
    if (valueOr(entry.at("measured"), "oom", false))
        return "went out of memory, which leaves no time";
    if (isMissing(entry, "model", {"l", "h", "a", "s"}))
        return "the model's sizes are not told";
    if (isMissing(entry, "parallel", {"t", "p", "d", "global_batch"}))
        return "the layout or the batch is not told";
    if (presetNameOf(textOf(entry.at("hardware"), "gpu"), presets).empty())
        return "its GPU has no preset";
    if (textOf(entry, "notes").find("NOT a plain GPT block") != std::string::npos)
        return "attention beside the MLP and over sliding windows, which a scenario does not have";
    if (measuredTime(entry) <= 0.0 && modelRate(entry) <= 0.0)
        return "no time is told, only a rate or a share of the peak without what it counts";
    return std::nullopt;
}

// The entry with what a scenario cannot do without.
json completed(json entry, const Presets& presets)
{
    if (valueOr(entry.at("parallel"), "microbatch", 0) <= 0)
        entry["parallel"]["microbatch"] = 1;
    const std::string gpu = textOf(entry.at("hardware"), "gpu");
    if (presets.gpu(gpu) == nullptr)
        entry["hardware"]["gpu"] = presetNameOf(gpu, presets);
    return entry;
}

std::vector<std::string> leftOpen(const json& entry, const Presets& presets)
{
    std::vector<std::string> words;
    for (const std::string missing : entry.at("missing")) {
        const auto known = std::ranges::find(open_words, missing, &decltype(open_words)::value_type::first);
        words.emplace_back(known == open_words.end() ? std::string_view{missing} : known->second);
    }
    if (presets.gpu(textOf(entry.at("hardware"), "gpu")) == nullptr)
        words.emplace_back("exact GPU");
    if (measuredTime(entry) <= 0.0)
        words.emplace_back("time (TFLOP/s instead)");
    return words;
}

Result<PartialStep> readStep(const json& entry, const Presets& presets)
{
    json told = completed(entry, presets);
    Result<TruthCase> run = readTruthCase(told, presets);
    if (!run)
        return run.error();
    PartialStep step;
    step.run = std::move(run).value();
    step.left_open = leftOpen(entry, presets);
    if (step.run.measured_s <= 0.0)
        step.run.measured_s = step.run.prediction.flops.model / (tera * modelRate(entry) * step.run.gpus);
    if (told.at("parallel")["sequence_parallel"].is_null() && step.run.scenario.parallel.tensor > 1) {
        told["parallel"]["sequence_parallel"] = true;
        const Result<TruthCase> with = readTruthCase(told, presets);
        if (!with)
            return with.error();
        step.sequence_parallel_s = with.value().prediction.time.iteration_s;
    }
    return step;
}

std::string row(const std::string& name, const std::vector<double>& errors, const std::string& open)
{
    return "| " + name + " | " + std::to_string(errors.size()) + " | " + formatRatio(meanSize(errors)) + " | "
           + formatChange(meanOf(errors)) + " | " + open + " |\n";
}

// "micro-batch (8), recomputation": what steps of a source leave open, and how many of them do.
std::string openOf(const std::vector<const PartialStep*>& steps)
{
    std::map<std::string, std::size_t> counts;
    for (const PartialStep* step : steps)
        for (const std::string& word : step->left_open)
            ++counts[word];
    std::string text;
    for (const auto& [word, count] : counts) {
        text += (text.empty() ? "" : ", ") + word;
        if (count < steps.size())
            text += " (" + std::to_string(count) + ")";
    }
    return text;
}

std::string toldTable(const std::vector<PartialStep>& steps)
{
    std::map<std::string, std::vector<const PartialStep*>> by_source;
    for (const PartialStep& step : steps)
        by_source[step.run.source].push_back(&step);
    std::string text = "\n| source | cases | mean size | bias | left open (by how many, if not all) |\n"
                       "| --- | ---: | ---: | ---: | --- |\n";
    std::vector<double> all;
    for (const auto& [source, of_source] : by_source) {
        std::vector<double> errors;
        for (const PartialStep* step : of_source)
            errors.push_back(step->error());
        all.insert(all.end(), errors.begin(), errors.end());
        text += row(source, errors, openOf(of_source));
    }
    return text + row("**all**", all, "");
}

// How much of the errors one open switch makes.
std::string sequenceParallelNote(const std::vector<PartialStep>& steps)
{
    std::vector<double> without;
    std::vector<double> with;
    for (const PartialStep& step : steps)
        if (step.sequence_parallel_s) {
            without.push_back(step.error());
            with.push_back(*step.sequence_parallel_s / step.run.measured_s - 1.0);
        }
    return "\n" + std::to_string(with.size())
           + " steps with tensor groups leave sequence parallelism open: their errors are "
           + formatRatio(meanSize(without)) + " in the mean without it, as above, and "
           + formatRatio(meanSize(with)) + " with it.\n";
}

std::string leftOutTable(const std::vector<StepLeftOut>& steps)
{
    std::map<std::pair<std::string, std::string>, int> counts;
    for (const StepLeftOut& step : steps)
        ++counts[{step.reason, step.source}];
    std::string text =
        "\nNot shown are " + std::to_string(steps.size())
        + " more steps of the public list:\n\n| why | source | steps |\n| --- | --- | ---: |\n";
    for (const auto& [key, count] : counts)
        text += "| " + key.first + " | " + key.second + " | " + std::to_string(count) + " |\n";
    return text;
}

} // namespace

Result<PartialSteps> readPartialSteps(const std::filesystem::path& file, const Presets& presets)
{
    PartialSteps steps;
    std::ifstream stream{file};
    try {
        for (const json& entry : json::parse(stream)) {
            if (!isToldInPart(entry))
                continue;
            if (const auto reason = reasonToLeaveOut(entry, presets)) {
                steps.left_out.push_back({textOf(entry, "id"), textOf(entry.at("source"), "title"), *reason});
                continue;
            }
            Result<PartialStep> step = readStep(entry, presets);
            if (!step)
                return step.error();
            steps.told.push_back(std::move(step).value());
        }
    } catch (const json::exception& problem) {
        return Error{file.string() + ": cannot be read as a list of cases (" + problem.what()
                     + "); give a JSON file of published measurements"};
    }
    return steps;
}

std::string partialSection(const PartialSteps& steps)
{
    return introduction + toldTable(steps.told) + sequenceParallelNote(steps.told)
           + leftOutTable(steps.left_out);
}

} // namespace shardscope
