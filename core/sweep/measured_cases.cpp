#include "core/sweep/measured_cases.h"

#include "core/base/file.h"
#include "core/prediction/predict.h"
#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr std::uintmax_t most_bytes = 64 << 20;

Result<MeasuredCase> readCase(const json& row, const Presets& presets)
{
    MeasuredCase read;
    read.id = row.at("id");
    read.source = row.at("source");
    read.reference = row.at("reference");
    read.gpu = row.at("gpu");
    read.gpus = row.at("gpus");
    read.parameters = row.at("parameters");
    read.measured_s = row.at("measured_s");
    read.source_left_out_s = row.at("source_left_out_s");
    Result<ScenarioReading> reading = readScenario(row.at("scenario").dump(), presets);
    if (!reading)
        return reading.error();
    read.scenario = std::move(reading).value().scenario;
    const Result<Prediction> prediction = predict(read.scenario);
    if (!prediction)
        return prediction.error();
    read.predicted_s = prediction.value().time.iteration_s;
    return read;
}

} // namespace

Result<std::vector<MeasuredCase>> readMeasuredCases(const std::filesystem::path& file, const Presets& presets)
{
    const Result<std::string> text = readFile(file, most_bytes);
    if (!text)
        return Error{file.string() + " " + text.error().sentence};
    std::vector<MeasuredCase> cases;
    try {
        const json whole = json::parse(text.value());
        for (const json& row : whole.at("cases")) {
            Result<MeasuredCase> read = readCase(row, presets);
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

} // namespace shardscope
