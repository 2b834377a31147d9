#include "core/report/projection_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/prediction/predict.h"
#include "core/prediction/time/time_error.h"
#include "core/report/csv.h"
#include "core/report/prediction_report.h"
#include "core/report/scenario_words.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace shardscope
{

namespace
{

constexpr std::array<std::string_view, 3> future_words{"today", "faster compute",
                                                       "replicas' links 8x slower and shared"};

// The first column of a study's rows tells the evolution, which is the same for a block of them.
void addBlock(const ProjectionRows& block, double flop_vs_bandwidth, ProjectionRows& all)
{
    if (all.columns.empty()) {
        all.columns = block.columns;
        all.columns.insert(all.columns.begin(), "flop_vs_bandwidth");
    }
    for (const ProjectionRow& row : block.rows) {
        ProjectionRow& with_evolution = all.rows.emplace_back();
        with_evolution.reserve(row.size() + 1);
        with_evolution.emplace_back(flop_vs_bandwidth);
        for (const ProjectionValue& value : row)
            with_evolution.push_back(value);
    }
}

bool isTime(const std::string& column)
{
    return column.ends_with("_s");
}

bool isFraction(const std::string& column)
{
    return column.ends_with("_fraction");
}

// "serialized_fraction" is for programs: people read "serialized share", with times and shares as elsewhere.
std::string headingOf(const std::string& column)
{
    std::string words = column;
    if (isTime(column))
        words.resize(words.size() - std::string_view{"_s"}.size());
    if (isFraction(column))
        words.replace(words.rfind('_'), std::string::npos, " share");
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::string plainCell(const ProjectionValue& value)
{
    if (const auto* size = std::get_if<std::int64_t>(&value))
        return std::to_string(*size);
    if (const auto* figure = std::get_if<double>(&value))
        return allDigits(*figure);
    return std::string{std::get<std::string_view>(value)};
}

std::string readable(const ProjectionValue& value, const std::string& column)
{
    if (const auto* figure = std::get_if<double>(&value)) {
        if (isTime(column))
            return formatSeconds(*figure);
        if (isFraction(column))
            return formatRatio(*figure);
    }
    return plainCell(value);
}

std::string textOf(const ProjectionRows& all)
{
    std::vector<std::string> headings;
    for (const std::string& column : all.columns)
        headings.push_back((column == "future" ? "" : ">") + headingOf(column));
    TextTable table{headings};
    for (const ProjectionRow& row : all.rows) {
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < row.size(); ++i)
            cells.push_back(readable(row[i], all.columns[i]));
        table.addRow(std::move(cells));
    }
    return table.text();
}

std::string csvOf(const ProjectionRows& all)
{
    std::string text = csvLine(all.columns);
    for (const ProjectionRow& row : all.rows)
        text += csvLine(plainCells(row));
    return text;
}

std::string jsonOf(const ProjectionRows& all, double error)
{
    JsonWriter json{2};
    json.beginObject();
    json.key("error_band");
    writeBand({0.0 - error, error}, json); // no -0
    json.key("rows");
    json.beginArray();
    for (const ProjectionRow& row : all.rows) {
        json.beginObject(JsonWriter::Layout::line);
        for (std::size_t i = 0; i < row.size(); ++i)
            std::visit([&](const auto& value) { json.member(all.columns[i], value); }, row[i]);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.take() + "\n";
}

// A layer's times rest on the constants that whole iterations were compared with.
double errorOf(const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    return prediction ? layerTimeError(scenario, prediction.value().parameters.total) : 0.0;
}

std::string noteOf(const Scenario& scenario)
{
    const double error = errorOf(scenario);
    if (error == 0.0)
        return calibrationNote(scenario.cluster);
    return "note: times of today's hardware are within " + timeBandWords({-error, error})
           + " as those of whole iterations are (docs/accuracy.md)\n";
}

std::string written(const ProjectionRows& all, const Scenario& scenario, RowFormat format)
{
    switch (format) {
    case RowFormat::csv:
        return csvOf(all);
    case RowFormat::json:
        return jsonOf(all, errorOf(scenario));
    case RowFormat::text:
        break;
    }
    return textOf(all) + noteOf(scenario);
}

Evolution evolutionOf(const Scenario& scenario, double flop_vs_bandwidth)
{
    Evolution evolution;
    evolution.flop_vs_bandwidth = flop_vs_bandwidth;
    evolution.in_network_reduction = scenario.cluster.in_network_reduction;
    return evolution;
}

} // namespace

ProjectionRows projectionRows(const ProjectionSheet& sheet, Precision precision)
{
    ProjectionRows table{{"hidden_size", "sequence_length", "batch", "tensor", "compute_s", "serialized_s",
                          "serialized_fraction", "slack_s", "overlapped_s", "overlapped_fraction",
                          "amdahl_edge", "slack_advantage"},
                         {}};
    for (int row = 0; row < ProjectionSheet::rows; ++row)
        for (int column = 0; column < ProjectionSheet::columns; ++column) {
            const auto& cell = sheet.cell(column, row);
            if (!cell)
                continue;
            const LayerCase layer = ProjectionSheet::layerAt(column, row);
            const LayerCounts counts = layerCounts(layer, precision);
            table.rows.push_back({layer.hidden_size, layer.sequence_length, layer.batch, layer.tensor,
                                  cell->compute_s, cell->serialized_s, cell->serializedFraction(),
                                  cell->slack_s, cell->overlapped_s, cell->overlappedFraction(),
                                  counts.amdahl_edge, counts.slack_advantage});
        }
    return table;
}

ProjectionRows futureRows(const LayerFutures& futures)
{
    ProjectionRows table{
        {"future", "compute_s", "serialized_s", "hidden_s", "slowed_s", "exposed_s", "total_s"}, {}};
    for (std::size_t i = 0; i < futures.times.size(); ++i) {
        const LayerTimes& times = futures.times[i];
        table.rows.push_back({future_words[i], times.compute_s, times.serialized_s, times.hidden_s,
                              times.slowed_s, times.exposed_s, times.total_s()});
    }
    return table;
}

std::vector<std::string> plainCells(const ProjectionRow& row)
{
    std::vector<std::string> cells;
    for (const ProjectionValue& value : row)
        cells.push_back(plainCell(value));
    return cells;
}

std::string projectionStudy(const Scenario& scenario, std::span<const double> values, RowFormat format)
{
    ProjectionRows all;
    for (const double value : values)
        addBlock(
            projectionRows(projectSheet(scenario, evolutionOf(scenario, value)), scenario.training.precision),
            value, all);
    return written(all, scenario, format);
}

std::string futuresStudy(const Scenario& scenario, std::span<const double> values, RowFormat format)
{
    ProjectionRows all;
    for (const double value : values)
        addBlock(futureRows(layerFutures(scenario, evolutionOf(scenario, value))), value, all);
    return written(all, scenario, format);
}

} // namespace shardscope
