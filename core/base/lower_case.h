#pragma once

#include <string>
#include <string_view>

namespace shardscope
{

// With ASCII's capitals made small, whatever the locale; other letters stay as they are.
inline std::string inLowerCase(std::string_view text)
{
    std::string lower{text};
    for (char& letter : lower)
        if (letter >= 'A' && letter <= 'Z')
            letter = static_cast<char>(letter - 'A' + 'a');
    return lower;
}

} // namespace shardscope
