#include "core/report/map_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/report/axis_value.h"
#include "core/report/csv.h"
#include "core/report/following_widths.h"
#include "core/report/prediction_report.h"
#include "core/report/scenario_words.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <array>
#include <optional>

namespace shardscope
{

namespace
{

struct MapFigure {
    const char* key;
    double MapCell::*value;
};

constexpr std::array figures{
    MapFigure{"iteration_s", &MapCell::iteration_s},
    MapFigure{"tokens_per_s", &MapCell::tokens_per_s},
    MapFigure{"mfu", &MapCell::mfu},
    MapFigure{"communication_ratio", &MapCell::communication_ratio},
    MapFigure{"bubble_ratio", &MapCell::bubble_ratio},
    MapFigure{"memory_ratio", &MapCell::memory_ratio},
};

// Li et al.'s formula knows no memory.
bool hasFigure(const TimeMap& map, const MapFigure& figure)
{
    return map.model == MapModel::detailed || figure.value != &MapCell::memory_ratio;
}

void writeFigures(const TimeMap& map, const MapCell& cell, JsonWriter& json)
{
    for (const MapFigure& figure : figures)
        if (hasFigure(map, figure))
            json.member(figure.key, cell.*figure.value);
    json.key("error_band");
    writeBand(cell.error_band, json);
}

// The first point that cannot be trained, and why.
std::optional<std::string> firstProblem(const TimeMap& map, const Scenario& base)
{
    for (std::size_t y = 0; y < map.y_values.size(); ++y)
        for (std::size_t x = 0; x < map.x_values.size(); ++x)
            if (!map.cell(x, y).isValid())
                return axisPhrase(map.x_axis, map.x_values[x]) + ", "
                       + axisPhrase(map.y_axis, map.y_values[y]) + ": " + mapProblem(map, base, x, y);
    return std::nullopt;
}

// The narrowest and the widest of the cells' bands; nothing where the model has none.
std::string bandText(const TimeMap& map)
{
    std::array<double, 2> narrowest{};
    std::array<double, 2> widest{};
    for (const MapCell& cell : map.cells) {
        if (!cell.isValid() || cell.error_band[1] <= 0.0)
            continue;
        if (narrowest[1] <= 0.0 || cell.error_band[1] < narrowest[1])
            narrowest = cell.error_band;
        if (cell.error_band[1] > widest[1])
            widest = cell.error_band;
    }
    if (widest[1] <= 0.0)
        return {};
    const std::string least = timeBandWords(narrowest);
    const std::string most = timeBandWords(widest);
    return most == least ? "Each time is predicted to within " + least + '\n'
                         : "Times are predicted to within " + least + ", some to within " + most + '\n';
}

// Of a map over the hidden size: heads and widths of the MLP are others at each of its values.
std::string mapWidthNote(const TimeMap& map, const Scenario& base)
{
    std::vector<Scenario> made;
    for (std::size_t y = 0; y < map.y_values.size(); ++y)
        for (std::size_t x = 0; x < map.x_values.size(); ++x)
            if ((x == 0 || map.x_axis == SweepAxis::hidden_size)
                && (y == 0 || map.y_axis == SweepAxis::hidden_size))
                made.push_back(mapScenario(map, base, x, y));
    return widthNote(base, made);
}

} // namespace

std::string mapJson(const TimeMap& map, const Scenario& base, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    json.member("x_axis", axisKey(map.x_axis));
    json.member("y_axis", axisKey(map.y_axis));
    json.member("time_model", map.model == MapModel::detailed ? "detailed" : "li");
    json.key("points");
    json.beginArray();
    for (std::size_t y = 0; y < map.y_values.size(); ++y)
        for (std::size_t x = 0; x < map.x_values.size(); ++x) {
            const MapCell& cell = map.cell(x, y);
            json.beginObject(JsonWriter::Layout::line);
            json.key("x");
            writeAxisValue(map.x_axis, map.x_values[x], json);
            json.key("y");
            writeAxisValue(map.y_axis, map.y_values[y], json);
            if (cell.isValid())
                writeFigures(map, cell, json);
            else
                json.member("problem", mapProblem(map, base, x, y));
            json.endObject();
        }
    json.endArray();
    json.endObject();
    return json.take();
}

std::vector<std::string> mapColumns(const TimeMap& map)
{
    std::vector<std::string> columns{axisKey(map.x_axis), axisKey(map.y_axis), "problem"};
    for (const MapFigure& figure : figures)
        if (hasFigure(map, figure))
            columns.emplace_back(figure.key);
    columns.insert(columns.end(), {"error_low", "error_high"});
    return columns;
}

std::vector<std::vector<std::string>> mapRows(const TimeMap& map, const Scenario& base)
{
    const std::size_t columns = mapColumns(map).size();
    std::vector<std::vector<std::string>> rows;
    for (std::size_t y = 0; y < map.y_values.size(); ++y)
        for (std::size_t x = 0; x < map.x_values.size(); ++x) {
            const MapCell& cell = map.cell(x, y);
            std::vector<std::string>& row = rows.emplace_back();
            row = {plainAxisValue(map.x_axis, map.x_values[x]), plainAxisValue(map.y_axis, map.y_values[y])};
            row.push_back(cell.isValid() ? "" : mapProblem(map, base, x, y));
            for (const MapFigure& figure : figures)
                if (cell.isValid() && hasFigure(map, figure))
                    row.push_back(allDigits(cell.*figure.value));
            if (cell.isValid())
                row.insert(row.end(), {allDigits(cell.error_band[0]), allDigits(cell.error_band[1])});
            row.resize(columns);
        }
    return rows;
}

std::string mapCsv(const TimeMap& map, const Scenario& base)
{
    std::string text = csvLine(mapColumns(map));
    for (const std::vector<std::string>& row : mapRows(map, base))
        text += csvLine(row);
    return text;
}

std::string mapText(const TimeMap& map, const Scenario& base)
{
    std::string text =
        "Time of an iteration over " + axisTitle(map.x_axis) + " and, row by row, " + axisTitle(map.y_axis)
        + (map.model == MapModel::detailed ? "; detailed model\n\n" : "; Li et al. 2024, Eq. 1 to 9\n\n");
    std::vector<std::string> headings{">"};
    for (const double value : map.x_values)
        headings.push_back(">" + axisText(map.x_axis, value));
    TextTable table{std::move(headings)};
    for (std::size_t y = 0; y < map.y_values.size(); ++y) {
        std::vector<std::string> row{axisText(map.y_axis, map.y_values[y])};
        for (std::size_t x = 0; x < map.x_values.size(); ++x) {
            const MapCell& cell = map.cell(x, y);
            const bool fits = cell.memory_ratio <= 1.0;
            row.push_back(cell.isValid() ? formatSeconds(cell.iteration_s) + (fits ? "" : "*") : "-");
        }
        table.addRow(std::move(row));
    }
    text += table.text();
    if (std::ranges::any_of(map.cells, [](const MapCell& cell) { return cell.memory_ratio > 1.0; }))
        text += "*: does not fit into memory\n";
    if (base.cluster.calibrated)
        text += bandText(map);
    if (const auto problem = firstProblem(map, base))
        text += "-: cannot be trained; the first, " + *problem + '\n';
    return text + mapWidthNote(map, base) + calibrationNote(base.cluster);
}

} // namespace shardscope
