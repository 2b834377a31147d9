#include "core/analysis/calibration/table_rows.h"

#include "core/scenario/json_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace shardscope
{

namespace
{

using nlohmann::json;

char separatorOf(std::string_view header)
{
    constexpr std::string_view separators = ",;\t";
    return *std::ranges::max_element(separators, {},
                                     [&](char separator) { return std::ranges::count(header, separator); });
}

std::string trimmed(std::string_view text)
{
    const auto begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos)
        return {};
    return std::string{text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1)};
}

// Cells of a line; one in double quotes may hold the separator, and a quote as two.
std::vector<std::string> cellsOf(std::string_view line, char separator)
{
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            cells.back() += line[i++];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == separator && !quoted)
            cells.emplace_back();
        else
            cells.back() += line[i];
    }
    std::ranges::transform(cells, cells.begin(), trimmed);
    return cells;
}

template<class Number>
std::optional<Number> numberOf(const std::string& text)
{
    Number number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

// Where a comma does not separate cells, it is the one before a number's decimals.
json valueOf(const std::string& cell, char separator)
{
    if (const auto whole = numberOf<std::int64_t>(cell))
        return *whole;
    if (const auto number = numberOf<double>(cell))
        return *number;
    if (const auto comma = cell.find(','); separator != ',' && comma != std::string::npos) {
        std::string with_point = cell;
        with_point[comma] = '.';
        if (const auto number = numberOf<double>(with_point))
            return *number;
    }
    if (cell == "true" || cell == "false" || cell == "True" || cell == "False")
        return cell == "true" || cell == "True";
    return cell;
}

void flatten(const json& object, const std::string& prefix, TableRow& row)
{
    for (const auto& [key, value] : object.items()) {
        if (value.is_object())
            flatten(value, prefix + key + ".", row);
        else if (!value.is_null())
            row.cells.emplace_back(prefix + key, value);
    }
}

const json* listOf(const json& root)
{
    if (root.is_array())
        return &root;
    if (!root.is_object())
        return nullptr;
    const json* list = nullptr;
    for (const auto& [key, value] : root.items()) {
        if (!value.is_array())
            continue;
        if (list != nullptr)
            return nullptr;
        list = &value;
    }
    return list;
}

TableRow rowOf(const std::vector<std::string>& cells, const std::vector<std::string>& header, char separator)
{
    TableRow row;
    if (cells.size() > header.size()) {
        row.problem =
            "it has " + std::to_string(cells.size()) + " cells, the header " + std::to_string(header.size());
        return row;
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (!cells[i].empty())
            row.cells.emplace_back(header[i], valueOf(cells[i], separator));
    return row;
}

} // namespace

std::vector<TableRow> rowsOfCsv(std::string_view text)
{
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"; // of spreadsheets
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    std::vector<TableRow> rows;
    std::vector<std::string> header;
    char separator = ',';
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        if (trimmed(line).empty() || line.starts_with('#'))
            continue;
        if (header.empty()) {
            separator = separatorOf(line);
            header = cellsOf(line, separator);
            continue;
        }
        rows.push_back(rowOf(cellsOf(line, separator), header, separator));
    }
    return rows;
}

Result<std::vector<TableRow>> rowsOfJson(std::string_view text)
{
    if (isNestedTooDeep(text))
        return Error{
            "objects and lists are nested deeper than measurements ever are; leave the inner ones out"};
    const json root = json::parse(text, nullptr, false);
    const json* list = root.is_discarded() ? nullptr : listOf(root);
    if (list == nullptr)
        return Error{"a table of measurements is a list of JSON objects, one for each measurement"};
    std::vector<TableRow> rows;
    for (const json& entry : *list) {
        TableRow row;
        if (entry.is_object())
            flatten(entry, "", row);
        else
            row.problem = "it is no JSON object";
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace shardscope
