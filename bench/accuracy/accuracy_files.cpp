#include "bench/accuracy/accuracy_files.h"

#include "bench/accuracy/schedule_ratios.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace shardscope
{

namespace
{

using nlohmann::ordered_json;

constexpr const char* made_by = "shardscope-accuracy write";

double rounded(double value)
{
    constexpr double digits = 1e5;
    return value == 0.0 ? 0.0 : std::round(value * digits) / digits;
}

ordered_json runOf(const TruthCase& entry)
{
    return {{"id", entry.id},   {"source", entry.source}, {"reference", entry.reference},
            {"gpu", entry.gpu}, {"gpus", entry.gpus},     {"parameters", std::round(entry.parameters)}};
}

// A row a line, so that changes can be read.
std::string listOf(const std::vector<ordered_json>& rows)
{
    std::string text = std::string{"{\"made_by\": \""} + made_by + "\",\n\"cases\": [\n";
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += rows[i].dump() + (i + 1 < rows.size() ? ",\n" : "\n");
    return text + "]}\n";
}

} // namespace

std::string timeErrorsFile(const Residuals& residuals)
{
    ordered_json errors = ordered_json::object();
    for (const auto& [gpu, error] : timeErrors(residuals))
        errors[gpu.empty() ? "others" : gpu] = {{"time_error", error.large},
                                                {"time_error_small", error.small},
                                                {"time_error_fp8", error.fp8},
                                                {"time_error_li", error.li},
                                                {"time_error_li_small", error.li_small}};
    const ordered_json file{
        {"made_by", made_by},
        {"what",
         "share of the predicted time that four of five measured ones of a source stay within, with "
         "constants found without that source; others: with constants of another type of GPU; li: the "
         "factor less one of Li et al.'s formula with bandwidths from data sheets"},
        {"gpus", errors}};
    return file.dump(2) + "\n";
}

std::string casesFile(const Residuals& residuals, const PublishedRuns& published)
{
    std::vector<ordered_json> rows;
    for (std::size_t i = 0; i < residuals.cases.size(); ++i) {
        const TruthCase& entry = residuals.cases[i];
        rows.push_back(runOf(entry));
        rows.back()["measured_s"] = entry.measured_s;
        rows.back()["source_left_out_s"] = rounded(residuals.source_left_out_s[i]);
        rows.back()["scenario"] = ordered_json::parse(entry.scenario_text);
    }
    for (const TruthCase& entry : published.experts) {
        rows.push_back(runOf(entry));
        rows.back()["measured_s"] = entry.measured_s;
        rows.back()["scenario"] = ordered_json::parse(entry.scenario_text);
    }
    for (const UnseenStep& step : published.unseen) {
        const std::string& gpu = step.scenario.cluster.gpu;
        rows.push_back({{"id", step.id},
                        {"source", step.source},
                        {"reference", step.where},
                        {"gpu", gpu.substr(0, gpu.find('-'))},
                        {"gpus", step.prediction.world_size},
                        {"parameters", static_cast<double>(step.prediction.parameters.total)},
                        {"measured_s", step.measured_s},
                        {"scenario", ordered_json::parse(step.scenario_text)}});
    }
    return listOf(rows);
}

std::string partialStepsFile(const std::vector<PartialStep>& steps)
{
    std::vector<ordered_json> rows;
    for (const PartialStep& step : steps) {
        rows.push_back(runOf(step.run));
        rows.back()["measured_s"] = rounded(step.run.measured_s);
        rows.back()["left_open"] = step.left_open;
        rows.back()["scenario"] = ordered_json::parse(step.run.scenario_text);
    }
    return listOf(rows);
}

std::string schedulesFile(const std::vector<TruthCase>& schedules)
{
    std::vector<ordered_json> rows;
    for (const ScheduleGain& gain : scheduleGains(schedules)) {
        rows.push_back(runOf(*gain.run));
        rows.back()["measured_gain"] = rounded(gain.measured());
        rows.back()["scenario"] = ordered_json::parse(gain.run->scenario_text);
        rows.back()["one_f_one_b"] = ordered_json::parse(gain.one_f_one_b->scenario_text);
    }
    return listOf(rows);
}

std::string memoryFile(const std::vector<TruthCase>& memory)
{
    std::vector<ordered_json> rows;
    for (const TruthCase& entry : memory) {
        rows.push_back(runOf(entry));
        rows.back()["ran_out_of_memory"] = entry.ran_out_of_memory;
        if (entry.memory_bytes)
            rows.back()["measured_bytes"] = std::round(*entry.memory_bytes);
        rows.back()["scenario"] = ordered_json::parse(entry.scenario_text);
    }
    return listOf(rows);
}

std::string messagesFile(const std::vector<CurvePoint>& points)
{
    constexpr double per_us = 1e6;
    std::vector<ordered_json> rows;
    for (const CurvePoint& point : points)
        rows.push_back({{"id", point.curve},
                        {"source", point.source},
                        {"system", point.system},
                        {"op", word(point.question.op)},
                        {"ranks", point.question.ranks},
                        {"per_node", point.question.per_node},
                        {"message_bytes", point.messageBytes()},
                        {"measured_us", rounded(per_us * point.measured_s)},
                        {"other_links_us", rounded(per_us * point.other_links_s)}});
    return listOf(rows);
}

} // namespace shardscope
