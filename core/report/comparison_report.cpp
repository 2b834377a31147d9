#include "core/report/trace_report.h"

#include "core/base/format.h"
#include "core/report/text_table.h"

#include <nlohmann/json.hpp>

namespace shardscope
{

namespace
{

using Json = nlohmann::ordered_json;

Json optionalNumber(const std::optional<double>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

// Measured minus predicted.
Json residual(const std::optional<double>& predicted, double measured)
{
    return predicted ? Json(measured - *predicted) : Json(nullptr);
}

Json rowJson(const ComparisonRow& row)
{
    Json json{{"kind", word(row.kind)},
              {"op", word(row.op)},
              {"message_bytes", row.message_bytes < 0 ? Json(nullptr) : Json(row.message_bytes)},
              {"predicted_count", row.predicted_count},
              {"measured_count", row.measured_count},
              {"count_residual", row.measured_count - row.predicted_count},
              {"predicted_s", optionalNumber(row.predicted_s)},
              {"measured_s", row.measured_s},
              {"measured_in_all_s", row.measured_in_all_s},
              {"time_residual_s", residual(row.predicted_s, row.measured_s)}};
    if (!row.shown_as.empty())
        json["shown_as"] = row.shown_as;
    return json;
}

Json kindJson(const Comparison& comparison, const KindTime& kind)
{
    std::int64_t predicted_bytes = 0;
    std::int64_t measured_bytes = 0;
    std::int64_t predicted_count = 0;
    std::int64_t measured_count = 0;
    for (const ComparisonRow& row : comparison.rows) {
        if (row.kind != kind.kind)
            continue;
        predicted_count += row.predicted_count;
        measured_count += row.measured_count;
        predicted_bytes += row.predicted_count * std::max<std::int64_t>(0, row.message_bytes);
        measured_bytes += row.measured_count * std::max<std::int64_t>(0, row.message_bytes);
    }
    return {{"kind", word(kind.kind)},
            {"predicted_count", predicted_count},
            {"measured_count", measured_count},
            {"predicted_bytes", predicted_bytes},
            {"measured_bytes", measured_bytes},
            {"predicted_s", optionalNumber(kind.predicted_s)},
            {"measured_s", kind.measured_s},
            {"measured_in_all_s", kind.measured_in_all_s},
            {"time_residual_s", residual(kind.predicted_s, kind.measured_s)}};
}

std::string secondsOrOpen(const std::optional<double>& seconds)
{
    return seconds ? formatSeconds(*seconds) : "–";
}

// Of messages that the busiest stage has none of, nothing.
std::string timeOrNone(double seconds)
{
    return seconds > 0.0 ? formatSeconds(seconds) : "–";
}

std::string verdict(const Comparison& comparison)
{
    if (comparison.rows.empty())
        return "The traces show no messages, and none are predicted";
    const std::string rows = countedSentence(static_cast<std::int64_t>(comparison.rows.size()),
                                             "1 class of messages", "# classes of messages");
    if (comparison.equal())
        return "Counts and sizes are equal in all " + rows;
    return "Counts or sizes differ in "
           + std::to_string(static_cast<std::int64_t>(comparison.rows.size()) - comparison.equal_rows)
           + " of " + rows;
}

} // namespace

std::string comparisonJson(const Comparison& comparison, int indent)
{
    Json json{{"shardscope", 1},
              {"equal", comparison.equal()},
              {"ranks", comparison.ranks},
              {"iterations", comparison.iterations},
              {"calibrated", comparison.calibrated}};
    json["rows"] = Json::array();
    for (const ComparisonRow& row : comparison.rows)
        json["rows"].push_back(rowJson(row));
    json["kinds"] = Json::array();
    for (const KindTime& kind : comparison.kinds)
        json["kinds"].push_back(kindJson(comparison, kind));
    const auto predicted = [&](double seconds) {
        return comparison.calibrated ? std::optional{seconds} : std::optional<double>{};
    };
    const auto iteration_s = predicted(comparison.predicted_iteration_s);
    const auto compute_s = predicted(comparison.predicted_compute_s);
    json["time"] = {
        {"predicted_iteration_s", optionalNumber(iteration_s)},
        {"measured_iteration_s", comparison.measured_iteration_s},
        {"iteration_residual_s", residual(iteration_s, comparison.measured_iteration_s)},
        {"predicted_compute_s", optionalNumber(compute_s)},
        {"measured_compute_s", comparison.measured_compute_s},
        {"compute_residual_s", residual(compute_s, comparison.measured_compute_s)},
    };
    json["notes"] = comparison.notes;
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string comparisonText(const Comparison& comparison)
{
    std::string text = verdict(comparison) + " (" + countedSentence(comparison.ranks, "1 rank", "# ranks")
                       + ", " + countedSentence(comparison.iterations, "1 iteration", "# iterations") + ")\n";
    TextTable rows{{"kind", "op", ">message", ">predicted", ">measured", "", ">exposed, predicted",
                    ">exposed, measured", ">measured in all"}};
    for (const ComparisonRow& row : comparison.rows)
        rows.addRow({std::string{word(row.kind)}, std::string{word(row.op)},
                     row.message_bytes < 0 ? "?" : formatBytes(static_cast<double>(row.message_bytes)),
                     formatGrouped(row.predicted_count), formatGrouped(row.measured_count),
                     row.equal() ? "" : "differs", timeOrNone(row.predicted_s.value_or(0.0)),
                     timeOrNone(row.measured_s), timeOrNone(row.measured_in_all_s)});
    text += "\nCalls, and what computing does not hide of them: time of one rank of the busiest stage, in "
            "one iteration\n"
            + rows.text();
    TextTable times{{"", ">predicted", ">measured", ">measured in all"}};
    const auto time = [&](const std::string& what, std::optional<double> predicted, double measured,
                          std::string in_all = {}) {
        times.addRow({what, comparison.calibrated ? secondsOrOpen(predicted) : "–", formatSeconds(measured),
                      std::move(in_all)});
    };
    if (comparison.measured_iteration_s > 0.0) {
        time("iteration", comparison.predicted_iteration_s, comparison.measured_iteration_s);
        if (comparison.measured_compute_s > 0.0)
            time("compute", comparison.predicted_compute_s, comparison.measured_compute_s);
    }
    for (const KindTime& kind : comparison.kinds)
        time(std::string{word(kind.kind)} + ", exposed", kind.predicted_s, kind.measured_s,
             formatSeconds(kind.measured_in_all_s));
    if (!times.empty())
        text += "\nTime of one rank in one iteration\n" + times.text();
    if (!comparison.notes.empty())
        text += "\nNotes\n";
    for (const std::string& note : comparison.notes)
        text += "  " + note + '\n';
    return text;
}

} // namespace shardscope
