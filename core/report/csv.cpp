#include "core/report/csv.h"

#include <array>
#include <charconv>

namespace shardscope
{

namespace
{

std::string quoted(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string made = "\"";
    for (const char letter : text)
        made += letter == '"' ? std::string{"\"\""} : std::string{letter};
    return made + '"';
}

} // namespace

std::string csvLine(const std::vector<std::string>& cells)
{
    std::string line;
    for (const std::string& cell : cells)
        line += quoted(cell) + ",";
    if (!line.empty())
        line.back() = '\n';
    return line;
}

std::string allDigits(double value)
{
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
}

} // namespace shardscope
