#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardscope
{

// Numbers as people read them: three to four significant digits, where nothing else is said. What is not
// finite is "–". The decimal point is a point whatever the locale is.

std::string formatBytes(double bytes);     // "125 MiB", "1.09 GiB", "4 B": powers of 1024
std::string formatCount(double count);     // "2.696 B" parameters, "680": powers of 1000
std::string formatSeconds(double seconds); // "15.7 h", "1.234 s", "12.3 ms", "4.2 µs", "85 ns"
std::string formatNanoseconds(std::int64_t nanoseconds);
std::string formatRatio(double ratio);         // "27.3 %": one decimal, whatever the size
std::string formatChange(double change);       // "+3.2 %", "-0.4 %", "0.0 %"
std::string formatGrouped(std::int64_t value); // "2 695 970 000": every digit, blanks between thousands

// As printf's %g and %f write them: 0.25, 1e+09; 12.50.
std::string formatPlain(double value, int significant_digits);
std::string formatFixed(double value, int decimals);
// As many decimals at most: 12.5; 3.
std::string formatTrimmed(double value, int most_decimals);

// `one` for 1, else `several` with the number in the place of its "#": "# ranks have no file".
std::string countedSentence(std::int64_t count, std::string_view one, std::string_view several);

} // namespace shardscope
