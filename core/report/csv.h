#pragma once

#include <string>
#include <vector>

namespace shardscope
{

// A line of a file for spreadsheets; cells with commas, quotes or line breaks are quoted.
std::string csvLine(const std::vector<std::string>& cells);
// The shortest text that reads back as the same number, without a unit.
std::string allDigits(double value);

} // namespace shardscope
