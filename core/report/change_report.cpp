#include "core/report/change_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/report/csv.h"
#include "core/report/prediction_report.h"
#include "core/report/scenario_words.h"
#include "core/report/sweep_report.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

void writeDifferences(const std::vector<ScenarioDifference>& differences, JsonWriter& json)
{
    json.beginArray();
    for (const ScenarioDifference& each : differences) {
        json.beginObject(JsonWriter::Layout::line);
        json.member("key", each.key);
        json.member("before", each.before);
        json.member("after", each.after);
        json.endObject();
    }
    json.endArray();
}

namespace
{

void writeCost(const SweepPoint& point, JsonWriter& json)
{
    json.member("iteration_s", point.time.iteration_s);
    json.key("error_band");
    writeBand(point.time.error_band, json);
    json.member("device_bytes", point.device_bytes);
    json.member("fits", point.fits);
}

void writeCost(const char* key, const SweepPoint& point, JsonWriter& json)
{
    json.key(key);
    json.beginObject(JsonWriter::Layout::line);
    writeCost(point, json);
    json.endObject();
}

void write(const ChangeStep& step, double added_s, JsonWriter& json)
{
    json.beginObject();
    json.key("differences");
    writeDifferences(step.differences, json);
    json.member("of", word(step.of));
    json.member("added_s", added_s);
    writeCost(step.point, json);
    json.endObject();
}

// A row for programs: what is changed, one cell more about that, and what it then costs.
std::vector<std::string> costRow(const std::string& change, std::string more, const SweepPoint& point)
{
    return {change, std::move(more), allDigits(point.time.iteration_s), std::to_string(point.device_bytes),
            point.fits ? "true" : "false"};
}

std::string signedSeconds(double seconds)
{
    const std::string size = formatSeconds(std::fabs(seconds));
    return size == formatSeconds(0.0) ? size : (seconds < 0.0 ? "-" : "+") + size;
}

std::vector<std::string> textRow(std::string name, const std::string& added, const SweepPoint& point,
                                 const std::string& against)
{
    return {std::move(name),
            formatSeconds(point.time.iteration_s),
            added,
            against,
            formatBytes(static_cast<double>(point.device_bytes)),
            memoryRemark(point)};
}

double addedBy(const ChangeSteps& way, std::size_t step)
{
    const SweepPoint& from = step == 0 ? way.before : way.steps[step - 1].point;
    return way.steps[step].point.time.iteration_s - from.time.iteration_s;
}

} // namespace

std::string stepText(const ChangeStep& step)
{
    return stepText(step, [](const std::string& key) { return key; });
}

std::string stepText(const ChangeStep& step, const std::function<std::string(const std::string&)>& name_of)
{
    // A name of a model, a GPU or a framework says what follows.
    constexpr std::array<std::string_view, 5> says_all{"model", "cluster", "gpu", "framework", "kind"};
    const bool is_named = std::ranges::find(says_all, step.differences.front().key) != says_all.end();
    const std::size_t most_told = is_named ? 1 : 3;
    std::string text;
    const std::size_t told = std::min(most_told, step.differences.size());
    for (std::size_t i = 0; i < told; ++i) {
        const ScenarioDifference& each = step.differences[i];
        text += (i > 0 ? ", " : "") + name_of(each.key) + ' ' + (each.before.empty() ? "–" : each.before)
                + " → " + (each.after.empty() ? "–" : each.after);
    }
    if (step.differences.size() > told)
        text += ", and " + std::to_string(step.differences.size() - told) + " more";
    return text;
}

std::string againstText(double time_s, double own_s)
{
    constexpr double seen = 0.0005;
    const double change = time_s / own_s - 1.0;
    if (std::fabs(change) < seen)
        return "0 %";
    return formatChange(change);
}

std::string changesJson(const SingleChanges& changes, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    writeCost("own", changes.own, json);
    json.key("changes");
    json.beginArray();
    for (const SingleChange& change : changes.changes) {
        json.beginObject(JsonWriter::Layout::line);
        json.member("change", change.name);
        json.member("of", word(change.of));
        json.member("ratio", change.point.time.iteration_s / changes.own.time.iteration_s);
        writeCost(change.point, json);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.take();
}

std::vector<std::vector<std::string>> changesRows(const SingleChanges& changes)
{
    std::vector<std::vector<std::string>> rows{{"change", "of", "iteration_s", "device_bytes", "fits"}};
    rows.push_back(costRow("", "", changes.own));
    for (const SingleChange& change : changes.changes)
        rows.push_back(costRow(change.name, std::string{word(change.of)}, change.point));
    return rows;
}

std::string changesText(const SingleChanges& changes)
{
    TextTable table{{"change", ">time", ">more", ">against now", ">memory", ""}};
    const SweepPoint& own = changes.own;
    table.addRow(textRow("none", "", own, ""));
    for (const SingleChange& change : changes.changes) {
        const double added_s = change.point.time.iteration_s - own.time.iteration_s;
        table.addRow(textRow(change.name, signedSeconds(added_s), change.point,
                             againstText(change.point.time.iteration_s, own.time.iteration_s)));
    }
    return table.text() + calibrationNote(own.scenario.cluster);
}

std::string stepsJson(const ChangeSteps& way, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    writeCost("before", way.before, json);
    json.key("steps");
    json.beginArray();
    for (std::size_t i = 0; i < way.steps.size(); ++i)
        write(way.steps[i], addedBy(way, i), json);
    json.endArray();
    json.endObject();
    return json.take();
}

std::vector<std::vector<std::string>> stepsRows(const ChangeSteps& way)
{
    std::vector<std::vector<std::string>> rows{
        {"differences", "added_s", "iteration_s", "device_bytes", "fits"}};
    rows.push_back(costRow("", "", way.before));
    for (std::size_t i = 0; i < way.steps.size(); ++i)
        rows.push_back(costRow(stepText(way.steps[i]), allDigits(addedBy(way, i)), way.steps[i].point));
    return rows;
}

std::string stepsText(const ChangeSteps& way)
{
    TextTable table{{"step", ">time", ">more", ">against the first", ">memory", ""}};
    table.addRow(textRow("before", "", way.before, ""));
    for (std::size_t i = 0; i < way.steps.size(); ++i)
        table.addRow(textRow(stepText(way.steps[i]), signedSeconds(addedBy(way, i)), way.steps[i].point,
                             againstText(way.steps[i].point.time.iteration_s, way.before.time.iteration_s)));
    return table.text() + calibrationNote(way.before.scenario.cluster);
}

} // namespace shardscope
