#include "core/sweep/measured_cases.h"

#include "core/base/file.h"
#include "core/prediction/predict.h"
#include "core/prediction/time/collective_prediction.h"
#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr std::uintmax_t most_bytes = 64 << 20;
constexpr double us = 1e-6;

Result<Scenario> scenarioOf(const json& text, const Presets& presets)
{
    Result<ScenarioReading> reading = readScenario(text.dump(), presets);
    if (!reading)
        return reading.error();
    return std::move(reading).value().scenario;
}

Result<PublishedCase> readRun(const json& row, const Presets& presets)
{
    PublishedCase run;
    run.id = row.at("id");
    run.source = row.at("source");
    run.reference = row.at("reference");
    run.gpu = row.at("gpu");
    run.gpus = row.at("gpus");
    run.parameters = row.at("parameters");
    Result<Scenario> scenario = scenarioOf(row.at("scenario"), presets);
    if (!scenario)
        return scenario.error();
    run.scenario = std::move(scenario).value();
    return run;
}

Result<MeasuredStep> readStep(const json& row, const Presets& presets)
{
    Result<PublishedCase> run = readRun(row, presets);
    if (!run)
        return run.error();
    MeasuredStep step;
    step.run = std::move(run).value();
    step.measured_s = row.at("measured_s");
    if (const auto left_out = row.find("source_left_out_s"); left_out != row.end())
        step.source_left_out_s = left_out->get<double>();
    if (const auto left_open = row.find("left_open"); left_open != row.end())
        step.left_open = left_open->get<std::vector<std::string>>();
    const Result<Prediction> prediction = predict(step.run.scenario);
    if (!prediction)
        return prediction.error();
    step.predicted_s = prediction.value().time.iteration_s;
    step.fits = prediction.value().memory.fits;
    return step;
}

Result<MeasuredSchedule> readSchedule(const json& row, const Presets& presets)
{
    Result<PublishedCase> run = readRun(row, presets);
    if (!run)
        return run.error();
    MeasuredSchedule schedule;
    schedule.run = std::move(run).value();
    schedule.measured_gain = row.at("measured_gain");
    const Result<Scenario> base = scenarioOf(row.at("one_f_one_b"), presets);
    if (!base)
        return base.error();
    const Result<Prediction> before = predict(base.value());
    const Result<Prediction> after = predict(schedule.run.scenario);
    if (!before || !after)
        return before ? after.error() : before.error();
    schedule.predicted_gain = before.value().time.iteration_s / after.value().time.iteration_s;
    return schedule;
}

Result<MeasuredMemory> readMemory(const json& row, const Presets& presets)
{
    Result<PublishedCase> run = readRun(row, presets);
    if (!run)
        return run.error();
    MeasuredMemory memory;
    memory.run = std::move(run).value();
    if (!row.at("ran_out_of_memory").get<bool>())
        memory.measured_bytes = row.at("measured_bytes").get<double>();
    const Result<MemoryPrediction> prediction = predictMemory(memory.run.scenario);
    if (!prediction)
        return prediction.error();
    memory.predicted_bytes = static_cast<double>(prediction.value().peak_bytes);
    memory.fits = prediction.value().fits;
    return memory;
}

Result<MeasuredMessage> readMessage(const json& row, const Presets& presets)
{
    MeasuredMessage message;
    message.curve = row.at("id");
    message.source = row.at("source");
    message.system = row.at("system");
    const ClusterPreset* system = presets.cluster(message.system);
    const std::optional<Op> op = opFromWord(row.at("op").get<std::string>());
    if (system == nullptr || !op)
        return Error{"no system or no operation has that name"};
    message.op = *op;
    message.ranks = row.at("ranks");
    message.message_bytes = row.at("message_bytes");
    message.measured_s = us * row.at("measured_us").get<double>();
    message.other_links_s = us * row.at("other_links_us").get<double>();
    message.busbw_GBps =
        busBandwidthGBps(message.op, message.ranks, Bytes{static_cast<double>(message.message_bytes)},
                         Seconds{message.measured_s});
    const CollectiveQuestion question{message.op, message.ranks, row.at("per_node"), {message.message_bytes}};
    message.predicted_s = predictCollective(system->cluster, question).time_s.front();
    return message;
}

template<class Case>
Result<std::vector<Case>> readRows(const std::filesystem::path& file, const Presets& presets,
                                   Result<Case> (*readRow)(const json&, const Presets&))
{
    const Result<std::string> text = readFile(file, most_bytes);
    if (!text)
        return Error{file.string() + " " + text.error().sentence};
    std::vector<Case> cases;
    try {
        const json whole = json::parse(text.value());
        for (const json& row : whole.at("cases")) {
            Result<Case> read = readRow(row, presets);
            if (!read)
                return Error{file.string() + ": " + row.at("id").get<std::string>() + ": "
                             + read.error().sentence};
            cases.push_back(std::move(read).value());
        }
    } catch (const json::exception&) {
        return Error{file.string()
                     + " is not a list of measured cases; install the program's resources again"};
    }
    return cases;
}

} // namespace

Result<std::vector<MeasuredStep>> readMeasuredSteps(const std::filesystem::path& file, const Presets& presets)
{
    return readRows(file, presets, readStep);
}

Result<std::vector<MeasuredSchedule>> readMeasuredSchedules(const std::filesystem::path& file,
                                                            const Presets& presets)
{
    return readRows(file, presets, readSchedule);
}

Result<std::vector<MeasuredMemory>> readMeasuredMemory(const std::filesystem::path& file,
                                                       const Presets& presets)
{
    return readRows(file, presets, readMemory);
}

Result<std::vector<MeasuredMessage>> readMeasuredMessages(const std::filesystem::path& file,
                                                          const Presets& presets)
{
    return readRows(file, presets, readMessage);
}

} // namespace shardscope
