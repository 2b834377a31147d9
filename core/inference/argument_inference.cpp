#include "core/inference/argument_inference.h"

#include "core/inference/inference_notes.h"
#include "core/inference/scenario_trial.h"
#include "core/prediction/predict.h"
#include "core/scenario/megatron/megatron_run.h"
#include "core/scenario/validation/validation.h"

#include <algorithm>
#include <iterator>

namespace shardscope
{

namespace
{

const TraceFile* fileWithArguments(const TraceSet& traces)
{
    const auto found =
        std::ranges::find_if(traces.files, [](const TraceFile& file) { return tellModel(file.arguments); });
    return found == traces.files.end() ? nullptr : &*found;
}

// What makes the scenario impossible, if anything does.
std::string problemOf(const Scenario& scenario)
{
    const std::vector<Problem> problems = validate(scenario);
    return problems.empty() ? std::string{} : problems.front().sentence;
}

} // namespace

bool listsArguments(const TraceSet& traces)
{
    return fileWithArguments(traces) != nullptr;
}

Result<Inference> inferByArguments(const TraceSet& traces, const ClassificationRules& rules,
                                   const Scenario& base, const std::atomic<bool>* stop)
{
    const TraceFile* file = fileWithArguments(traces);
    if (file == nullptr)
        return Error{"no file lists the arguments of its run"};
    Result<MegatronRun> run = megatronRun(file->arguments, base);
    if (!run)
        return run.error();
    Inference inference;
    inference.scenario = std::move(run.value().scenario);
    inference.scenario.name = "inferred";
    for (ArgumentFigure& figure : run.value().figures)
        inference.findings.push_back({std::move(figure.key), std::move(figure.value), confidence::certain,
                                      std::move(figure.evidence)});
    inference.notes = std::move(run.value().notes);
    if (const std::string problem = problemOf(inference.scenario); !problem.empty()) {
        inference.notes.push_back("It cannot be predicted as it is: " + problem);
        return inference;
    }
    const ScenarioTrial trial{traces, rules, inference.scenario, stop};
    if (trial.comparison())
        inference.comparison = *trial.comparison();
    if (const Result<Prediction> prediction = predict(inference.scenario))
        inference.parameters = compareParameters(prediction.value(), traces);
    std::ranges::copy(notesOfFiles(traces), std::back_inserter(inference.notes));
    return inference;
}

} // namespace shardscope
