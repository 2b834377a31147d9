#pragma once

#include "core/sweep/projection_sheet.h"

#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// Pati et al.'s pictures of a single layer as rows, all digits, times in seconds: the sweep of their Table 2
// and the futures of their Fig. 12, for each of the `flop_vs_bandwidth` that a study was asked for.
struct ProjectionRows {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};
ProjectionRows projectionRows(const ProjectionSheet& sheet, Precision precision);
ProjectionRows futureRows(const LayerFutures& futures);

enum class RowFormat { text, csv, json };
// All of the study's rows, with its evolution as first column, and how far off today's times may be (not in
// csv). `values`: flop_vs_bandwidth.
std::string projectionStudy(const Scenario& scenario, std::span<const double> values, RowFormat format);
std::string futuresStudy(const Scenario& scenario, std::span<const double> values, RowFormat format);

} // namespace shardscope
