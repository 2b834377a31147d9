#include "core/report/unfinished_report.h"

#include "core/base/format.h"
#include "core/report/text_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace shardscope
{

namespace
{

using Json = nlohmann::ordered_json;
using Ranks = std::vector<std::int64_t>;

// "8", "10 to 13": neighbours as one, from three on.
std::vector<std::string> stretchesOf(const Ranks& ranks)
{
    std::vector<std::string> stretches;
    for (std::size_t first = 0; first < ranks.size();) {
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
            ++last;
        if (last < first + 2)
            last = first;
        stretches.push_back(std::to_string(ranks[first]));
        if (last > first)
            stretches.back() += " to " + std::to_string(ranks[last]);
        first = last + 1;
    }
    return stretches;
}

std::string listed(const Ranks& ranks, std::string_view last_joint)
{
    constexpr std::size_t most = 12;
    std::vector<std::string> stretches = stretchesOf(ranks);
    if (stretches.size() > most) {
        const std::size_t left_out = stretches.size() - most;
        stretches.resize(most);
        stretches.push_back(std::to_string(left_out) + " more");
    }
    std::string text;
    for (std::size_t i = 0; i < stretches.size(); ++i) {
        if (i > 0)
            text += i + 1 == stretches.size() ? last_joint : ", ";
        text += stretches[i];
    }
    return text;
}

// "rank 3", "ranks 9 and 14".
std::string named(const Ranks& ranks)
{
    return (ranks.size() == 1 ? "rank " : "ranks ") + listed(ranks, " and ");
}

std::string groupOf(const UnfinishedCollective& row)
{
    return row.description.empty() ? "group " + row.group : row.description;
}

std::string callOf(const UnfinishedCollective& row)
{
    return row.name + " of " + groupOf(row) + " (sequence " + std::to_string(row.sequence) + ")";
}

std::string sentenceOf(const UnfinishedCollective& row)
{
    const auto of = [](const Ranks& ranks, const char* one, const char* several) {
        return ranks.size() == 1 ? one : several;
    };
    std::string text = callOf(row);
    if (!row.missing.empty())
        text += " waits for " + named(row.missing) + ", whose " + of(row.missing, "dump ends", "dumps end")
                + " before it";
    else
        text += " did not complete";
    if (!row.differing.empty())
        text +=
            "; " + named(row.differing) + of(row.differing, " calls", " call") + " another operation instead";
    if (!row.no_dump.empty())
        text += "; of " + named(row.no_dump) + " there is no dump that can be read";
    if (!row.lagging.empty())
        text += "; " + named(row.lagging) + of(row.lagging, " has", " have")
                + " not completed what others of the group have";
    const bool is_plain =
        row.missing.empty() && row.differing.empty() && row.no_dump.empty() && row.lagging.empty();
    return text + (is_plain ? ", though all of its ranks have called it" : "");
}

std::string messageText(const UnfinishedCollective& row)
{
    return row.message_bytes < 0 ? "?" : formatBytes(static_cast<double>(row.message_bytes));
}

TextTable tableOf(const std::vector<UnfinishedCollective>& rows, std::size_t most)
{
    TextTable table{{">#", ">group", "description", "ranks", "call", "type", ">message", ">sequence",
                     ">last complete", "started", "scheduled", "missing", "other call", "no dump", "lagging",
                     "follows"}};
    for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
        const UnfinishedCollective& row = rows[i];
        const auto list = [](const Ranks& ranks) { return listed(ranks, ", "); };
        table.addRow({std::to_string(i + 1), row.group, row.description, list(row.ranks), row.name, row.dtype,
                      messageText(row), std::to_string(row.sequence),
                      row.last_completed < 0 ? "?" : std::to_string(row.last_completed), list(row.started),
                      list(row.scheduled), list(row.missing), list(row.differing), list(row.no_dump),
                      list(row.lagging), row.follows ? "#" + std::to_string(*row.follows + 1) : ""});
    }
    return table;
}

Json rowJson(const UnfinishedCollective& row)
{
    const auto told = [](std::int64_t value) { return value < 0 ? Json(nullptr) : Json(value); };
    return {{"group", row.group},
            {"description", row.description},
            {"ranks", row.ranks},
            {"name", row.name},
            {"dtype", row.dtype},
            {"in_bytes", told(row.in_bytes)},
            {"out_bytes", told(row.out_bytes)},
            {"message_bytes", told(row.message_bytes)},
            {"sequence", row.sequence},
            {"last_completed", told(row.last_completed)},
            {"started", row.started},
            {"scheduled", row.scheduled},
            {"completed", row.completed},
            {"missing", row.missing},
            {"no_dump", row.no_dump},
            {"differing", row.differing},
            {"lagging", row.lagging},
            {"follows", row.follows ? Json(*row.follows) : Json(nullptr)}};
}

} // namespace

std::string unfinishedSentence(const Measurement& measurement)
{
    const std::vector<UnfinishedCollective>& rows = measurement.unfinished;
    return rows.empty() ? "" : sentenceOf(rows.front());
}

std::string unfinishedText(const Measurement& measurement)
{
    constexpr std::size_t most = 20;
    const std::vector<UnfinishedCollective>& rows = measurement.unfinished;
    if (rows.empty())
        return {};
    std::string text =
        "\nCollectives that did not complete, the likely cause first\n" + tableOf(rows, most).text();
    if (rows.size() > most)
        text += "  "
                + countedSentence(std::ssize(rows) - static_cast<std::ptrdiff_t>(most), "and one group more",
                                  "and # groups more")
                + '\n';
    return text + "  " + unfinishedSentence(measurement) + '\n';
}

void addUnfinishedJson(const Measurement& measurement, nlohmann::ordered_json& json)
{
    for (const UnfinishedCollective& row : measurement.unfinished)
        json["unfinished"].push_back(rowJson(row));
}

} // namespace shardscope
