#include "app/cli/standard_input.h"

#include <array>
#include <cstdio>
#include <utility>

namespace shardscope
{

bool isStandardInput(const std::string& path)
{
    return path == "-";
}

std::string inputName(const std::string& path)
{
    return isStandardInput(path) ? "standard input" : path;
}

Result<std::string> readStandardInput(std::uintmax_t most_bytes)
{
    static bool is_read = false;
    if (std::exchange(is_read, true))
        return Error{"it holds one scenario, which was read already; name a file for the other one"};
    std::string text;
    std::array<char, 65536> piece{};
    while (const std::size_t length = std::fread(piece.data(), 1, piece.size(), stdin)) {
        text.append(piece.data(), length);
        if (text.size() > most_bytes)
            return Error{"it is larger than any scenario; a trace belongs into a file"};
    }
    if (std::ferror(stdin) != 0)
        return Error{"it cannot be read; hand a scenario to it, as in: command - < FILE"};
    return text;
}

} // namespace shardscope
