#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope
{

// A row of a table: columns in order, each a single value. Objects in JSON are flattened: "parallel.tensor".
struct TableRow {
    std::vector<std::pair<std::string, nlohmann::json>> cells;
    std::string problem; // why the row cannot be read: "it has 3 cells, the header 2"; empty: it can
};

// Rows of comma-, semicolon- or tab-separated values with a header line; where a comma separates none, it is
// the one before decimals. Empty cells are left out; lines that start with # say nothing.
std::vector<TableRow> rowsOfCsv(std::string_view text);

// The objects of a list, or of the one list in an object.
Result<std::vector<TableRow>> rowsOfJson(std::string_view text);

} // namespace shardscope
