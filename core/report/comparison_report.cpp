#include "core/report/trace_report.h"

#include "core/base/format.h"
#include "core/report/memory_report.h"
#include "core/report/text_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

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
Json secondsOff(const std::optional<double>& predicted, double measured)
{
    return predicted ? Json(measured - *predicted) : Json(nullptr);
}

// Predicted over measured, less one; nothing where either is missing.
std::optional<double> residualOf(const std::optional<double>& predicted, double measured)
{
    return predicted && *predicted > 0.0 && measured > 0.0 ? std::optional{*predicted / measured - 1.0}
                                                           : std::nullopt;
}

// "+12.3 %"
std::string residualText(const std::optional<double>& predicted, double measured)
{
    const auto residual = residualOf(predicted, measured);
    return residual ? formatChange(*residual) : "–";
}

// "differs", or of which groups the calls were.
std::string differenceText(const ComparisonRow& row)
{
    if (!row.isOfOtherGroups())
        return row.equal() ? "" : "differs";
    return "in groups of " + std::to_string(*row.measured_group) + ", not "
           + std::to_string(*row.predicted_group);
}

// Rounded, but where another row of the kind and operation would have the same text: of those every byte.
std::string sizeText(const ComparisonRow& row, const std::vector<ComparisonRow>& rows)
{
    if (row.message_bytes < 0)
        return "?";
    const auto rounded = [](const ComparisonRow& each) {
        return formatBytes(static_cast<double>(each.message_bytes));
    };
    const std::string text = rounded(row);
    const bool is_alone = std::ranges::none_of(rows, [&](const ComparisonRow& other) {
        return other.kind == row.kind && other.op == row.op && other.message_bytes >= 0
               && other.message_bytes != row.message_bytes && rounded(other) == text;
    });
    return is_alone ? text : formatGrouped(row.message_bytes) + " B";
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
              {"time_residual_s", secondsOff(row.predicted_s, row.measured_s)},
              {"residual", optionalNumber(residualOf(row.predicted_s, row.measured_s))}};
    if (!row.shown_as.empty())
        json["shown_as"] = row.shown_as;
    if (row.isOfOtherGroups()) {
        json["predicted_group"] = *row.predicted_group;
        json["measured_group"] = *row.measured_group;
    }
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
            {"of_other_stages", kind.is_of_other_stages},
            {"time_residual_s", secondsOff(kind.predicted_s, kind.measured_s)},
            {"residual", optionalNumber(residualOf(kind.predicted_s, kind.measured_s))}};
}

Json timeJson(const Comparison& comparison)
{
    Json json;
    const auto add = [&](const std::string& part, const std::optional<double>& predicted_s,
                         double measured_s) {
        json["predicted_" + part + "_s"] = optionalNumber(predicted_s);
        json["measured_" + part + "_s"] = measured_s;
        json[part + "_residual_s"] = secondsOff(predicted_s, measured_s);
        json[part + "_residual"] = optionalNumber(residualOf(predicted_s, measured_s));
    };
    add("iteration", comparison.predicted_iteration_s, comparison.measured_iteration_s);
    add("compute", comparison.predicted_compute_s, comparison.measured_compute_s);
    add("idle", comparison.predicted_idle_s, comparison.measured_idle_s);
    json["measured_memory_s"] = comparison.measured_memory_s;
    json["predicted_other_s"] = optionalNumber(comparison.predicted_other_s);
    json["measured_other_s"] = comparison.measured_other_s;
    return json;
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
    // What is predicted counts for the ranks that were read.
    if (comparison.rows.empty() && comparison.ranks == 0)
        return "The traces show no calls of any rank: there are no messages to compare";
    if (comparison.rows.empty())
        return "The traces show no messages, and none are predicted";
    const std::string rows = countedSentence(static_cast<std::int64_t>(comparison.rows.size()),
                                             "1 class of messages", "# classes of messages");
    const std::string whose = comparison.is_forward_only ? " of forward passes" : "";
    if (comparison.equal())
        return "Counts and sizes" + whose + " are equal in all " + rows;
    return "Counts or sizes" + whose + " differ in "
           + std::to_string(static_cast<std::int64_t>(comparison.rows.size()) - comparison.equal_rows)
           + " of " + rows;
}

// Ours: less than a thousandth of the iteration is what sums in another order leave.
bool isWorthARow(double other_s, double iteration_s)
{
    return other_s > 1e-3 * iteration_s;
}

// The iteration and its parts, whose sum it is.
class TimesTable
{
public:
    explicit TimesTable(const Comparison& comparison) : m_comparison{comparison}
    {
        const bool is_measured = comparison.measured_iteration_s > 0.0;
        const bool has_parts = is_measured && comparison.measured_compute_s > 0.0;
        if (is_measured)
            add("iteration", comparison.predicted_iteration_s, comparison.measured_iteration_s, {},
                whyNoIteration());
        if (has_parts)
            add("compute", comparison.predicted_compute_s, comparison.measured_compute_s);
        for (const KindTime& kind : comparison.kinds)
            add(std::string{word(kind.kind)} + ", exposed", kind.predicted_s, kind.measured_s,
                formatSeconds(kind.measured_in_all_s), kind.is_of_other_stages ? "of other stages" : "");
        if (has_parts)
            addRest();
    }

    std::string text() const
    {
        if (m_table.empty())
            return {};
        return "\nTime of one rank in one iteration\n" + m_table.text() + m_about;
    }

private:
    void add(const std::string& what, const std::optional<double>& predicted, double measured,
             std::string in_all = {}, std::string remark = {})
    {
        m_table.addRow({what, secondsOrOpen(predicted), formatSeconds(measured),
                        residualText(predicted, measured), std::move(in_all), std::move(remark)});
    }

    // No whole iteration is there to be compared.
    std::string whyNoIteration() const
    {
        return m_comparison.is_forward_only ? "only forward passes were recorded" : "";
    }

    void addRest()
    {
        const Comparison& comparison = m_comparison;
        add("bubble and idle", comparison.predicted_idle_s, comparison.measured_idle_s, {}, whyNoIteration());
        if (comparison.measured_memory_s > 0.0)
            add("copies and fills", std::nullopt, comparison.measured_memory_s);
        const double predicted_s = comparison.predicted_other_s.value_or(0.0);
        const bool predicted = isWorthARow(predicted_s, comparison.predicted_iteration_s.value_or(0.0));
        const bool measured = isWorthARow(comparison.measured_other_s, comparison.measured_iteration_s);
        if (predicted || measured)
            m_table.addRow({"other", predicted ? formatSeconds(predicted_s) : "–",
                            measured ? formatSeconds(comparison.measured_other_s) : "–", "–", "", ""});
        m_about =
            "  iteration and its parts: means of the ranks of the stage that was busiest, of those that were "
            "read.\n";
        if (comparison.predicted_compute_s)
            m_about +=
                "  Predicted are the same ranks of the predicted timeline. Exposed is communication while "
                "a rank computes nothing, waiting for\n  others included; idle is when it neither "
                "computes nor communicates.\n";
        if (predicted || measured)
            m_about += "  other: no part has it.\n";
        if (std::ranges::any_of(comparison.kinds, &KindTime::is_of_other_stages))
            m_about += "  of other stages: the busiest has no such messages, so that they are no part of its "
                       "iteration.\n";
    }

    const Comparison& m_comparison;
    TextTable m_table{{"", ">predicted", ">measured", ">residual", ">measured in all", ""}};
    std::string m_about;
};

} // namespace

std::string comparisonJson(const Comparison& comparison, int indent)
{
    Json json{{"shardscope", 1},
              {"equal", comparison.equal()},
              {"ranks", comparison.ranks},
              {"iterations", comparison.iterations},
              {"forward_only", comparison.is_forward_only},
              {"calibrated", comparison.calibrated}};
    json["rows"] = Json::array();
    for (const ComparisonRow& row : comparison.rows)
        json["rows"].push_back(rowJson(row));
    json["kinds"] = Json::array();
    for (const KindTime& kind : comparison.kinds)
        json["kinds"].push_back(kindJson(comparison, kind));
    json["time"] = timeJson(comparison);
    addMemoryJson(comparison.memory, json);
    json["notes"] = comparison.notes;
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string comparisonText(const Comparison& comparison)
{
    std::string text = verdict(comparison) + " (" + countedSentence(comparison.ranks, "1 rank", "# ranks")
                       + ", " + countedSentence(comparison.iterations, "1 iteration", "# iterations") + ")\n";
    TextTable rows{{"kind", "op", ">message", ">predicted", ">measured", "", ">exposed, predicted",
                    ">exposed, measured", ">residual", ">measured in all"}};
    for (const ComparisonRow& row : comparison.rows)
        rows.addRow({std::string{word(row.kind)}, std::string{word(row.op)}, sizeText(row, comparison.rows),
                     formatGrouped(row.predicted_count), formatGrouped(row.measured_count),
                     differenceText(row), timeOrNone(row.predicted_s.value_or(0.0)),
                     timeOrNone(row.measured_s), residualText(row.predicted_s, row.measured_s),
                     timeOrNone(row.measured_in_all_s)});
    if (!comparison.rows.empty())
        text +=
            "\nCalls, and what computing does not hide of them: time of one rank of the busiest stage, in "
            "one iteration\n"
            + rows.text();
    text += TimesTable{comparison}.text() + memoryText(comparison.memory);
    if (!comparison.notes.empty())
        text += "\nNotes\n";
    for (const std::string& note : comparison.notes)
        text += "  " + note + '\n';
    return text;
}

} // namespace shardscope
