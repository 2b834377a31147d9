#pragma once

#include "widgets/models/analysis_table.h"

#include <cstdint>
#include <string>

namespace shardscope::cells
{

// Cells of an analysis table: as they are shown, with the number that they are sorted by.

AnalysisCell name(const std::string& text);
AnalysisCell count(std::int64_t value);
AnalysisCell time(std::int64_t time_ns);
// Below all others.
AnalysisCell unknown(const QString& text);
AnalysisCell bytes(std::int64_t value);
// 0: nothing tells it.
AnalysisCell groupSize(std::int64_t ranks);
// Streams are numbers; all of them together stand before these.
AnalysisCell stream(const QString& text);
AnalysisCell figure(double value);
AnalysisCell share(double value);

} // namespace shardscope::cells
