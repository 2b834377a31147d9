#include "core/report/calibration_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/report/text_table.h"
#include "core/scenario/scenario_json.h"

namespace shardscope
{

namespace
{

// "+3.2 %": how far the prediction is from the measurement.
std::string residual(double predicted_s, double measured_s)
{
    return formatChange(predicted_s / measured_s - 1.0);
}

void writeRow(const CalibrationRow& row, JsonWriter& json)
{
    json.beginObject(JsonWriter::Layout::line);
    json.member("what", row.what);
    json.member("measured_s", row.measured_s);
    json.member("before_s", row.before_s);
    json.member("fitted_s", row.fitted_s);
    json.member("left_out_s", row.left_out_s);
    json.member("residual", row.fitted_s / row.measured_s - 1.0);
    json.endObject();
}

void writeMean(const char* key, const MeanError& mean, JsonWriter& json)
{
    if (mean.rows == 0)
        return;
    json.key(key);
    json.beginObject(JsonWriter::Layout::line);
    json.member("points", mean.rows);
    json.member("before", mean.before);
    json.member("fitted", mean.fitted);
    json.member("left_out", mean.left_out);
    json.endObject();
}

void writeErrors(const Calibration& calibration, JsonWriter& json)
{
    json.key("error");
    json.beginObject();
    json.member("before", calibration.error_before);
    json.member("fitted", calibration.error_fitted);
    json.member("left_out", calibration.error_left_out);
    json.member("folds", calibration.folds);
    json.endObject();
    for (const bool of_iterations : {true, false})
        writeMean(of_iterations ? "error_of_iterations" : "error_of_collectives",
                  meanError(calibration, of_iterations), json);
}

// "4 iterations"
std::string countOf(const MeanError& mean, bool of_iterations)
{
    const std::string sort = of_iterations ? "iteration" : "collective";
    return std::to_string(mean.rows) + ' ' + sort + (mean.rows == 1 ? "" : "s");
}

// A row for each sort: their means together would say nothing of either.
std::string meansText(const Calibration& calibration)
{
    TextTable table{{"mean error of the time", ">before", ">fitted", ">on what was left out"}};
    for (const bool of_iterations : {true, false})
        if (const MeanError mean = meanError(calibration, of_iterations); mean.rows > 0)
            table.addRow({countOf(mean, of_iterations), formatRatio(mean.before), formatRatio(mean.fitted),
                          mean.left_out ? formatRatio(*mean.left_out) : "too few"});
    return table.text();
}

std::string foldsText(const Calibration& calibration)
{
    if (!calibration.error_left_out)
        return "  too few measurements to leave some out\n";
    const bool one_by_one = calibration.folds == static_cast<int>(calibration.rows.size());
    return one_by_one ? "  left out one measurement at a time\n"
                      : "  left out in " + std::to_string(calibration.folds) + " parts\n";
}

} // namespace

std::string calibrationJson(const Scenario& scenario, const Calibration& calibration, int indent)
{
    Scenario fitted = scenario;
    fitted.cluster = calibration.cluster;
    JsonWriter json{indent};
    json.beginObject();
    json.key("scenario");
    writeScenario(fitted, json);
    json.key("constants");
    json.beginArray();
    for (const FittedConstant& constant : calibration.constants) {
        json.beginObject(JsonWriter::Layout::line);
        json.member("key", constant.key);
        json.member("before", constant.before);
        json.member("fitted", constant.fitted);
        json.endObject();
    }
    json.endArray();
    json.key("points");
    json.beginArray();
    for (const CalibrationRow& row : calibration.rows)
        writeRow(row, json);
    json.endArray();
    writeErrors(calibration, json);
    json.key("notes");
    json.beginArray();
    for (const std::string& note : calibration.notes)
        json.value(note);
    json.endArray();
    json.endObject();
    return json.take();
}

std::string calibrationText(const Calibration& calibration)
{
    TextTable constants{{"constant", ">before", ">fitted"}};
    for (const FittedConstant& constant : calibration.constants)
        constants.addRow({constant.key, formatPlain(constant.before, 4), formatPlain(constant.fitted, 4)});
    TextTable rows{{"measurement", ">measured", ">fitted", ">before", ">fitted", ">left out"}};
    for (const CalibrationRow& row : calibration.rows)
        rows.addRow({row.what, formatSeconds(row.measured_s), formatSeconds(row.fitted_s),
                     residual(row.before_s, row.measured_s), residual(row.fitted_s, row.measured_s),
                     row.left_out_s ? residual(*row.left_out_s, row.measured_s) : ""});
    std::string text = "Constants\n" + constants.text()
                       + "\nMeasurements, and how far each prediction is from them\n" + rows.text() + '\n'
                       + meansText(calibration) + foldsText(calibration);
    for (const std::string& note : calibration.notes)
        text += "\n  " + note;
    return text + (calibration.notes.empty() ? "" : "\n");
}

std::string calibrationSource(const Calibration& calibration)
{
    std::string keys;
    for (const FittedConstant& constant : calibration.constants)
        keys += (keys.empty() ? "" : ", ") + constant.key;
    std::string fitted_to;
    for (const bool of_iterations : {true, false})
        if (const MeanError mean = meanError(calibration, of_iterations); mean.rows > 0)
            fitted_to += (fitted_to.empty() ? "" : " and ") + countOf(mean, of_iterations) + " (mean error "
                         + formatRatio(mean.fitted) + ')';
    return keys + ": fitted to " + fitted_to;
}

} // namespace shardscope
