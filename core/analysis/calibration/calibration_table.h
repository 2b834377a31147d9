#pragma once

#include "core/analysis/calibration/calibration.h"
#include "core/scenario/presets.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Whether a file's text is a table of configurations and times: comma-separated values with a header line, or
// JSON objects in a list. Traces and logs are not.
bool isCalibrationTable(std::string_view text);

// The text of a file that is such a table (.csv, .tsv, .json); nothing: it is a trace or a log, or cannot be
// read.
std::optional<std::string> calibrationTableIn(const std::filesystem::path& file);

// Why a file of which calibrationTableIn() has nothing is no table, though one by its name (.csv, .tsv).
std::optional<std::string> whyNoCalibrationTable(const std::filesystem::path& file);

// A table's rows as measurements. A row of an iteration has a time (iteration_s, time_ms, ...) and what it
// changes of the scenario: keys of the scenario format (parallel.tensor or tensor), or the letters of the
// papers (p, t, d, b, gb). A row of a collective has op, ranks, message_bytes and a time or a bandwidth
// (busbw_GBps, algbw_GBps); per_node or nodes where it does not fill nodes. id or name labels a row. Rows
// that cannot be read (no time: it ran out of memory) are left out and counted in a note. Error: there is no
// other row; the sentence names the first one and its column.
Result<std::vector<CalibrationPoint>> readCalibrationTable(std::string_view text,
                                                           std::string_view scenario_text,
                                                           const Presets& presets,
                                                           std::vector<std::string>& notes);

} // namespace shardscope
