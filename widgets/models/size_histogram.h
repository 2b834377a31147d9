#pragma once

#include "widgets/models/message_counts.h"

#include <array>
#include <vector>

namespace shardscope
{

// What the height of a histogram's bar is.
enum class HistogramHeight : std::uint8_t { count, bytes };

// Messages of at least 2^exponent and less than 2^(exponent + 1) bytes.
struct SizeBin {
    int exponent = 0;
    std::array<double, kind_count> count{};
    std::array<double, kind_count> bytes{};
    std::vector<MessageCount> messages; // by key

    double height(HistogramHeight height, Kind kind) const;
    double height(HistogramHeight height) const; // all kinds
};

// The bins that hold any message, smallest first. Messages without bytes fall into the first; unknown sizes
// nowhere.
std::vector<SizeBin> sizeBins(const std::vector<MessageCount>& counts);

// Calls whose size the trace does not tell.
double countOfUnknownSize(const std::vector<MessageCount>& counts);

} // namespace shardscope
