#pragma once

#include "core/sweep/projection_sheet.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardscope
{

// A size, a figure, or the name of a future.
using ProjectionValue = std::variant<std::int64_t, double, std::string_view>;
using ProjectionRow = std::vector<ProjectionValue>;

// Pati et al.'s pictures of a single layer as rows, times in seconds: the sweep of their Table 2 and the
// futures of their Fig. 12, for each of the `flop_vs_bandwidth` that a study was asked for.
struct ProjectionRows {
    std::vector<std::string> columns;
    std::vector<ProjectionRow> rows;
};
ProjectionRows projectionRows(const ProjectionSheet& sheet, Precision precision);
ProjectionRows futureRows(const LayerFutures& futures);
// For a spreadsheet: all digits.
std::vector<std::string> plainCells(const ProjectionRow& row);

enum class RowFormat { text, csv, json };
// All of the study's rows, with its evolution as first column, and how far off today's times may be (not in
// csv). `values`: flop_vs_bandwidth.
std::string projectionStudy(const Scenario& scenario, std::span<const double> values, RowFormat format);
std::string futuresStudy(const Scenario& scenario, std::span<const double> values, RowFormat format);

} // namespace shardscope
