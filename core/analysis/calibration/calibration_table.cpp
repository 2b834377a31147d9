#include "core/analysis/calibration/calibration_table.h"

#include "core/analysis/calibration/calibration_points.h"
#include "core/analysis/calibration/table_rows.h"
#include "core/analysis/classification/collective_name.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/size_text.h"
#include "core/collectives/collective_time.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/other_names.h"
#include "core/scenario/scale_up_domain.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

namespace shardscope
{

namespace
{

constexpr std::uintmax_t largest_table = 16U << 20U; // bytes

using nlohmann::json;

constexpr double longest_time_s = 3.2e7; // a year

// Bytes of a table that are not UTF-8 become U+FFFD.
std::string textOf(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string_view lastWord(std::string_view key)
{
    return key.substr(key.find_last_of('.') + 1);
}

bool isLabel(std::string_view key)
{
    constexpr std::array labels{"id",     "name", "label", "what",   "run", "config", "configuration",
                                "source", "note", "notes", "comment"};
    return std::ranges::find(labels, key) != labels.end();
}

// Seconds in one unit of a time's column; nothing: it is no time.
std::optional<double> unitOfTime(std::string_view key)
{
    const std::string_view word = lastWord(key);
    const auto cut = word.find_last_of('_');
    if (cut == std::string_view::npos)
        return std::nullopt;
    constexpr std::array names{"time",      "iteration", "iteration_time", "step",
                               "step_time", "measured",  "median"};
    if (std::ranges::find(names, word.substr(0, cut)) == names.end())
        return std::nullopt;
    static const std::map<std::string_view, double> units{{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}};
    const auto unit = units.find(word.substr(cut + 1));
    return unit == units.end() ? std::nullopt : std::optional{unit->second};
}

// The scenario's key that a column means; nothing: none. The papers' letters, whole paths, and last words in
// the order of the sections that runs differ in.
std::optional<std::string> scenarioKey(std::string_view column)
{
    static const std::map<std::string_view, const char*> letters{
        {"p", "parallel.pipeline"},
        {"t", "parallel.tensor"},
        {"d", "parallel.data"},
        {"v", "parallel.virtual_stages"},
        {"b", "training.micro_batch_size"},
        {"gb", "training.global_batch_size"},
        {"l", "model.layers"},
        {"h", "model.hidden_size"},
        {"a", "model.attention_heads"},
        {"s", "model.sequence_length"},
        {"V", "model.vocab_size"},
        {"global_batch", "training.global_batch_size"},
        {"micro_batch", "training.micro_batch_size"}};
    if (const auto letter = letters.find(column); letter != letters.end())
        return letter->second;
    if (const std::string_view key = keyOfOtherName(column); !key.empty())
        return std::string{key};
    const std::vector<std::string>& keys = scenarioKeys();
    if (std::ranges::find(keys, column) != keys.end())
        return std::string{column};
    for (const char* section : {"parallel.", "training.", "model.", "conventions."})
        if (const std::string key = section + std::string{column}; std::ranges::find(keys, key) != keys.end())
            return key;
    return std::nullopt;
}

bool tellsData(const TableRow& row)
{
    return std::ranges::any_of(row.cells, [](const auto& cell) {
        return scenarioKey(cell.first) == std::optional<std::string>{"parallel.data"};
    });
}

const json* cell(const TableRow& row, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names)
        if (const auto found =
                std::ranges::find(row.cells, name, [](const auto& cell) { return cell.first; });
            found != row.cells.end())
            return &found->second;
    return nullptr;
}

std::optional<double> numberIn(const TableRow& row, std::initializer_list<std::string_view> names)
{
    const json* value = cell(row, names);
    return value != nullptr && value->is_number() ? std::optional{value->get<double>()} : std::nullopt;
}

// Numbers, and sizes as people write them, 16M.
std::optional<double> bytesIn(const TableRow& row, std::initializer_list<std::string_view> names)
{
    const json* value = cell(row, names);
    if (value == nullptr || !value->is_string())
        return numberIn(row, names);
    const auto bytes = bytesFromText(value->get<std::string>());
    return bytes ? std::optional{static_cast<double>(*bytes)} : std::nullopt;
}

class RowReader
{
public:
    RowReader(json scenario, const Cluster& cluster, const Presets& presets)
        : m_scenario(std::move(scenario)), m_cluster{cluster}, m_presets{presets}
    {
    }

    Result<CalibrationPoint> read(const TableRow& row) const
    {
        if (!row.problem.empty())
            return Error{row.problem};
        return cell(row, {"op", "collective"}) != nullptr ? collective(row) : step(row);
    }

private:
    static std::optional<double> timeOf(const TableRow& row)
    {
        for (const auto& [key, value] : row.cells)
            if (const auto unit = unitOfTime(key); unit && value.is_number())
                if (const double seconds = *unit * value.get<double>();
                    seconds > 0.0 && seconds <= longest_time_s)
                    return seconds;
        return std::nullopt;
    }

    static std::string missingTime(const TableRow& row)
    {
        for (const auto& [key, value] : row.cells)
            if (unitOfTime(key) && !value.is_number())
                return key + " is " + textOf(value) + ", which is no number";
        return "a row needs a time, like iteration_s or time_ms, of more than nothing and less than a year";
    }

    static std::string labelOf(const TableRow& row, std::string otherwise)
    {
        const json* label = cell(row, {"id", "name", "label", "what", "run", "config", "configuration"});
        return label != nullptr && label->is_string() ? label->get<std::string>() : otherwise;
    }

    static std::string amissInSize(const TableRow& row, std::initializer_list<std::string_view> names)
    {
        for (const std::string_view name : names)
            if (const json* told = cell(row, {name}))
                return std::string{name} + " is " + textOf(*told)
                       + ", which is no size in bytes like 1048576 or 16M";
        return "a collective needs message_bytes";
    }

    Result<CalibrationPoint> collective(const TableRow& row) const
    {
        const json& op = *cell(row, {"op", "collective"});
        CollectiveQuestion question;
        question.op = op.is_string() ? opFromName(op.get<std::string>()) : Op::other;
        const std::initializer_list<std::string_view> sizes{"message_bytes", "bytes", "size"};
        const auto ranks = numberIn(row, {"ranks", "gpus", "n"});
        const auto bytes = bytesIn(row, sizes);
        if (question.op == Op::other)
            return Error{"op " + textOf(op) + " is not a collective like all_reduce"};
        if (!ranks || !(*ranks >= 2 && *ranks <= 1e7))
            return Error{"a collective needs ranks, two or more"};
        if (!bytes || !(*bytes >= 1 && *bytes < 1e15))
            return Error{amissInSize(row, sizes)};
        question.ranks = static_cast<int>(*ranks);
        question.message_bytes = {static_cast<std::int64_t>(*bytes)};
        const double nodes = numberIn(row, {"nodes"}).value_or(0.0);
        const auto of_host = static_cast<std::int64_t>(std::ceil(*ranks / std::max(nodes, 1.0)));
        const auto per_node = static_cast<double>(
            nodes >= 1.0 ? ranksOfDomain(m_cluster, of_host, static_cast<std::int64_t>(*ranks))
                         : scaleUpDomain(m_cluster));
        question.per_node = static_cast<int>(
            std::clamp(numberIn(row, {"per_node", "ranks_per_node"}).value_or(per_node), 1.0, *ranks));
        CalibrationPoint point;
        point.what = labelOf(row, nameOf(question));
        const auto time = collectiveSeconds(row, question);
        if (!time)
            return Error{"a collective needs a time (time_s, time_us) or busbw_GBps"};
        point.measured_s = *time;
        point.collective = question;
        return point;
    }

    static std::optional<double> collectiveSeconds(const TableRow& row, const CollectiveQuestion& question)
    {
        if (const auto time = timeOf(row))
            return time;
        const Bytes message{static_cast<double>(question.message_bytes.front())};
        if (const auto busbw = numberIn(row, {"busbw_GBps", "busbw"}); busbw && *busbw > 0.0)
            return busBandwidthGBps(question.op, question.ranks, message, Seconds{1.0}) / *busbw;
        if (const auto algbw = numberIn(row, {"algbw_GBps", "algbw"}); algbw && *algbw > 0.0)
            return message.value() / (*algbw * 1e9);
        return std::nullopt;
    }

    Result<CalibrationPoint> step(const TableRow& row) const
    {
        const auto time = timeOf(row);
        if (!time)
            return Error{missingTime(row)};
        json scenario = m_scenario;
        std::string described;
        for (const auto& [column, value] : row.cells) {
            if (isLabel(column) || unitOfTime(column))
                continue;
            if (column == "gpus") {
                described += (described.empty() ? "" : ", ") + textOf(value) + " GPUs";
                continue;
            }
            const auto key = scenarioKey(column);
            if (!key)
                return Error{"column \"" + column + "\" is no key of a scenario; the nearest one is "
                             + nearestKey(column)
                             + "; a column that names or explains a row is called name or note"};
            if (key->starts_with("cluster."))
                return Error{"column \"" + column
                             + "\" varies the cluster, whose constants are fitted: "
                               "measurements of one cluster belong into one table, without it"};
            place(value, *key, scenario);
            described += (described.empty() ? "" : ", ") + column + " "
                         + (value.is_string() ? value.get<std::string>() : textOf(value));
        }
        const auto read = scenarioOn(numberIn(row, {"gpus"}), tellsData(row), std::move(scenario));
        if (!read)
            return read.error();
        CalibrationPoint point;
        point.what = labelOf(row, described);
        point.measured_s = *time;
        point.step = read.value();
        return point;
    }

    // The row's number of GPUs is what its replicas fill; where the row does not tell those, it does. They
    // are put in before the scenario is read, as defaults follow from them.
    Result<Scenario> scenarioOn(std::optional<double> gpus, bool tells_data, json scenario) const
    {
        auto reading = readScenario(textOf(scenario), m_presets);
        if (!reading)
            return reading.error();
        if (!gpus)
            return std::move(reading.value().scenario);
        const Parallel& parallel = reading.value().scenario.parallel;
        const auto world = static_cast<std::int64_t>(std::clamp(*gpus, 0.0, 1e8));
        const Scenario there =
            tells_data ? reading.value().scenario : withWorldSize(reading.value().scenario, world);
        if (boundedWorldSize(there.parallel) != world || static_cast<double>(world) != *gpus)
            return Error{"gpus is " + formatCount(*gpus) + ", which pipeline ("
                         + std::to_string(parallel.pipeline) + "), tensor (" + std::to_string(parallel.tensor)
                         + "), context (" + std::to_string(parallel.context) + ") and data do not make"};
        place(there.parallel.data, "parallel.data", scenario);
        reading = readScenario(textOf(scenario), m_presets);
        if (!reading)
            return reading.error();
        return std::move(reading.value().scenario);
    }

    static void place(const json& value, const std::string& key, json& scenario)
    {
        json* at = &scenario;
        std::size_t begin = 0;
        for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
            at = &(*at)[key.substr(begin, dot - begin)];
            begin = dot + 1;
        }
        (*at)[key.substr(begin)] = value;
    }

    json m_scenario;
    const Cluster& m_cluster;
    const Presets& m_presets;
};

// What was left out of a table, as a note: how many rows, and the first one's mistake.
std::string leftOutText(std::size_t left_out, std::size_t rows, const std::string& first)
{
    return std::to_string(left_out) + " of " + std::to_string(rows)
           + " rows cannot be used and are left out; the first is " + first;
}

bool isJson(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

Result<std::vector<TableRow>> rowsOf(std::string_view text)
{
    return isJson(text) ? rowsOfJson(text) : rowsOfCsv(text);
}

} // namespace

bool isCalibrationTable(std::string_view text)
{
    const auto rows = rowsOf(text);
    const auto has_time = [](const TableRow& row) {
        return cell(row, {"busbw_GBps", "busbw", "algbw_GBps", "algbw"}) != nullptr
               || std::ranges::any_of(
                   row.cells, [](const auto& column) { return unitOfTime(column.first).has_value(); });
    };
    return rows && std::ranges::any_of(rows.value(), has_time);
}

std::optional<std::string> calibrationTableIn(const std::filesystem::path& file)
{
    const std::filesystem::path ending = file.extension();
    if (ending != ".csv" && ending != ".tsv" && ending != ".json")
        return std::nullopt;
    Result<std::string> text = readFile(file, largest_table);
    if (!text || !isCalibrationTable(text.value()))
        return std::nullopt;
    return std::move(text).value();
}

std::optional<std::string> whyNoCalibrationTable(const std::filesystem::path& file)
{
    const std::filesystem::path ending = file.extension();
    if ((ending != ".csv" && ending != ".tsv") || !std::filesystem::is_regular_file(file))
        return std::nullopt;
    if (std::filesystem::file_size(file) > largest_table)
        return "a table of more than 16 MiB is not read; leave rows out";
    return "a table needs a column of times, like iteration_s or time_ms, or busbw_GBps";
}

Result<std::vector<CalibrationPoint>> readCalibrationTable(std::string_view text,
                                                           std::string_view scenario_text,
                                                           const Presets& presets,
                                                           std::vector<std::string>& notes)
{
    const auto rows = rowsOf(text);
    if (!rows)
        return rows.error();
    const auto base = readScenario(scenario_text, presets);
    if (!base)
        return base.error();
    const RowReader reader{json::parse(scenario_text, nullptr, false), base.value().scenario.cluster,
                           presets};
    std::vector<CalibrationPoint> points;
    std::string first_mistake;
    for (std::size_t i = 0; i < rows.value().size(); ++i) {
        auto point = reader.read(rows.value()[i]);
        if (point)
            points.push_back(std::move(point).value());
        else if (first_mistake.empty())
            first_mistake = "row " + std::to_string(i + 1) + ": " + point.error().sentence;
    }
    if (points.empty() && !first_mistake.empty())
        return Error{first_mistake};
    if (const std::size_t left_out = rows.value().size() - points.size(); left_out > 0)
        notes.push_back(leftOutText(left_out, rows.value().size(), first_mistake));
    return points;
}

} // namespace shardscope
