#include "core/report/sweep_report.h"

#include "core/base/format.h"
#include "core/base/format_alike.h"
#include "core/base/json_writer.h"
#include "core/prediction/memory/memory.h"
#include "core/report/axis_value.h"
#include "core/report/csv.h"
#include "core/report/following_widths.h"
#include "core/report/prediction_report.h"
#include "core/report/scenario_words.h"
#include "core/report/sweep_notes.h"
#include "core/report/text_table.h"
#include "core/sweep/layout.h"
#include "core/sweep/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

struct TimeFigure {
    const char* key;
    double TimePrediction::*value;
};

constexpr std::array time_figures{
    TimeFigure{"iteration_s", &TimePrediction::iteration_s},
    TimeFigure{"compute_s", &TimePrediction::compute_s},
    TimeFigure{"step_s", &TimePrediction::step_s},
    TimeFigure{"hidden_communication_s", &TimePrediction::hidden_communication_s},
    TimeFigure{"exposed_communication_s", &TimePrediction::exposed_communication_s},
    TimeFigure{"tp_s", &TimePrediction::tp_s},
    TimeFigure{"cp_s", &TimePrediction::cp_s},
    TimeFigure{"ep_s", &TimePrediction::ep_s},
    TimeFigure{"pp_s", &TimePrediction::pp_s},
    TimeFigure{"dp_s", &TimePrediction::dp_s},
    TimeFigure{"emb_s", &TimePrediction::emb_s},
    TimeFigure{"mp_s", &TimePrediction::mp_s},
    TimeFigure{"bubble_s", &TimePrediction::bubble_s},
    TimeFigure{"tokens_per_s", &TimePrediction::tokens_per_s},
    TimeFigure{"mfu", &TimePrediction::mfu},
};

// Of the points of a sweep over GPUs.
class Scalings
{
public:
    Scalings(const Sweep& sweep, const std::vector<SweepPoint>& points) : m_all{scalingOfEach(sweep, points)}
    {
    }

    const ScalingPoint* of(std::size_t point) const
    {
        return point < m_all.size() && m_all[point] ? &*m_all[point] : nullptr;
    }

private:
    std::vector<std::optional<ScalingPoint>> m_all;
};

void writeFollowed(const Sweep& sweep, const SweepPoint& point, JsonWriter& json)
{
    json.key("followed");
    json.beginArray(JsonWriter::Layout::line);
    for (const std::string& key : followingWidths(sweep.base, point.scenario))
        json.value(key);
    if (hasOtherExpertRanks(sweep, point))
        json.value("parallel.expert");
    for (const ScenarioDifference& one : followingConventions(sweep.base, point.scenario))
        json.value("conventions." + one.key);
    json.endArray();
}

void write(const Sweep& sweep, const SweepPoint& point, const ScalingPoint* scaling, JsonWriter& json)
{
    json.beginObject();
    json.key("value");
    writeAxisValue(sweep.axis, point.value, json);
    if (sweep.group_axis) {
        json.key("group");
        writeAxisValue(*sweep.group_axis, point.group_value, json);
    }
    if (!point.isValid()) {
        json.member("problem", point.problem);
        json.endObject();
        return;
    }
    json.member("world_size", point.world_size);
    json.member("micro_batches", point.micro_batches);
    for (const TimeFigure& figure : time_figures)
        json.member(figure.key, point.time.*figure.value);
    if (scaling != nullptr) {
        json.member("speedup", scaling->speedup);
        json.member("efficiency", scaling->efficiency());
        if (scaling->network_efficiency)
            json.member("network_efficiency", *scaling->network_efficiency);
    }
    json.key("error_band");
    writeBand(point.time.error_band, json);
    json.member("device_bytes", point.device_bytes);
    json.member("fits", point.fits);
    writeFollowed(sweep, point, json);
    json.key("sent_bytes");
    json.beginObject(JsonWriter::Layout::line);
    for (std::size_t kind = 0; kind < point.sent_bytes.size(); ++kind)
        if (point.sent_bytes[kind] > 0.0)
            json.member(word(static_cast<Kind>(kind)), point.sent_bytes[kind]);
    json.endObject();
    json.endObject();
}

std::string band(const std::array<double, 2>& relative, double seconds)
{
    if (relative == std::array<double, 2>{})
        return {};
    const auto ends = formatSecondsAlike(seconds * (1.0 + relative[0]), seconds * (1.0 + relative[1]));
    return ends[0] + " to " + ends[1];
}

std::vector<std::string> sweepRow(const Sweep& sweep, const SweepPoint& point, const ScalingPoint* scaling)
{
    std::vector<std::string> row{plainAxisValue(sweep.axis, point.value)};
    if (sweep.group_axis)
        row.push_back(plainAxisValue(*sweep.group_axis, point.group_value));
    row.push_back(point.problem);
    if (!point.isValid()) {
        row.resize(sweepColumns(sweep).size());
        return row;
    }
    row.insert(row.end(), {std::to_string(point.world_size), std::to_string(point.micro_batches)});
    for (const TimeFigure& figure : time_figures)
        row.push_back(allDigits(point.time.*figure.value));
    for (const double error : point.time.error_band)
        row.push_back(allDigits(error));
    row.insert(row.end(), {std::to_string(point.device_bytes), point.fits ? "true" : "false"});
    for (const double bytes : point.sent_bytes)
        row.push_back(allDigits(bytes));
    if (scaling != nullptr)
        row.insert(row.end(), {allDigits(scaling->speedup), allDigits(scaling->efficiency()),
                               scaling->network_efficiency ? allDigits(*scaling->network_efficiency) : ""});
    return row;
}

std::vector<std::string> textHeadings(const Sweep& sweep)
{
    std::vector<std::string> headings{">" + axisName(sweep.axis)};
    if (sweep.group_axis)
        headings.push_back(">" + axisName(*sweep.group_axis));
    const std::string throughput = '>' + throughputWord(sweep.base.model);
    headings.insert(headings.end(),
                    {">GPUs", ">time", "band", throughput, ">MFU", ">exposed comm.", ">bubble", ">memory"});
    if (setsGpus(sweep.axis))
        headings.insert(headings.end(), {">speedup", ">of ideal", ">network"});
    headings.emplace_back("");
    return headings;
}

// Ends where an impossible point has nothing to say.
std::vector<std::string> textRow(const Sweep& sweep, const SweepPoint& point, const ScalingPoint* scaling)
{
    std::vector<std::string> row{pointText(point, sweep.axis, point.value)};
    if (sweep.group_axis)
        row.push_back(pointText(point, *sweep.group_axis, point.group_value));
    const TimePrediction& time = point.time;
    if (point.isValid())
        row.insert(row.end(),
                   {std::to_string(point.world_size), formatSeconds(time.iteration_s),
                    band(time.error_band, time.iteration_s), formatCount(time.tokens_per_s),
                    formatRatio(time.mfu), formatRatio(time.exposed_communication_s / time.iteration_s),
                    formatRatio(time.bubble_ratio), formatBytes(static_cast<double>(point.device_bytes))});
    if (scaling != nullptr)
        row.insert(row.end(), {formatCount(scaling->speedup), formatRatio(scaling->efficiency()),
                               scaling->network_efficiency ? formatRatio(*scaling->network_efficiency) : ""});
    return row;
}

// By how much, at most, the second axis changes the time of an iteration; nothing without one.
std::optional<double> changeByGroup(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    const std::size_t size = sweep.groupSize();
    if (size < 2 || points.empty())
        return std::nullopt;
    double most = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double first = points[i - i % size].time.iteration_s;
        if (first > 0.0)
            most = std::max(most, std::fabs(points[i].time.iteration_s / first - 1.0));
    }
    return most;
}

} // namespace

std::string sweepJson(const Sweep& sweep, const std::vector<SweepPoint>& points, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    json.member("axis", axisKey(sweep.axis));
    json.key("group_axis");
    if (sweep.group_axis)
        json.value(axisKey(*sweep.group_axis));
    else
        json.null();
    json.key("points");
    json.beginArray();
    const Scalings scalings{sweep, points};
    for (std::size_t i = 0; i < points.size(); ++i)
        write(sweep, points[i], scalings.of(i), json);
    json.endArray();
    json.endObject();
    return json.take();
}

std::vector<std::string> sweepColumns(const Sweep& sweep)
{
    std::vector<std::string> columns{axisKey(sweep.axis)};
    if (sweep.group_axis)
        columns.push_back(axisKey(*sweep.group_axis));
    columns.insert(columns.end(), {"problem", "world_size", "micro_batches"});
    for (const TimeFigure& figure : time_figures)
        columns.emplace_back(figure.key);
    columns.insert(columns.end(), {"error_low", "error_high", "device_bytes", "fits"});
    for (int kind = 0; kind < kind_count; ++kind)
        columns.push_back("sent_" + std::string{word(static_cast<Kind>(kind))} + "_bytes");
    if (setsGpus(sweep.axis))
        columns.insert(columns.end(), {"speedup", "efficiency", "network_efficiency"});
    return columns;
}

std::vector<std::vector<std::string>> sweepRows(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    const Scalings scalings{sweep, points};
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < points.size(); ++i)
        rows.push_back(sweepRow(sweep, points[i], scalings.of(i)));
    return rows;
}

std::string sweepCsv(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    std::string text = csvLine(sweepColumns(sweep));
    for (const std::vector<std::string>& row : sweepRows(sweep, points))
        text += csvLine(row);
    return text;
}

std::string memoryRemark(const SweepPoint& point)
{
    if (!point.fits)
        return "does not fit";
    return isNearlyFull(point.device_bytes, point.scenario.cluster) ? "nearly full" : "";
}

std::string likenessNote(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    constexpr double seen = 0.005; // of an iteration's time
    const std::optional<double> change = changeByGroup(sweep, points);
    if (!change || *change >= seen)
        return {};
    if (*change > 0.0)
        return "less than 0.5 % apart";
    if (sweep.group_axis != SweepAxis::in_network_reduction)
        return "no difference here";
    return sweep.base.time_model == TimeModel::li
               ? "no difference: Li et al.'s formula has no reduction in the network"
               : "no difference: no all_reduce here crosses nodes";
}

std::string sweepText(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    std::vector<std::string> headings = textHeadings(sweep);
    const std::size_t columns = headings.size();
    TextTable table{std::move(headings)};
    const Scalings scalings{sweep, points};
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::vector<std::string> row = textRow(sweep, points[i], scalings.of(i));
        row.resize(columns);
        row.back() = points[i].isValid() ? memoryRemark(points[i]) : points[i].problem;
        table.addRow(std::move(row));
    }
    std::string text = table.text();
    text += sweepNotes(sweep, points);
    if (const std::string likeness = likenessNote(sweep, points); !likeness.empty())
        text += "note: " + likeness + '\n';
    return text + calibrationNote(sweep.base.cluster);
}

} // namespace shardscope
