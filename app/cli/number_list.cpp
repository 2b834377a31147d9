#include "app/cli/number_list.h"

#include "core/base/size_text.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <string>

namespace shardscope
{

Result<std::int64_t> parseCount(std::string_view text, std::int64_t most)
{
    const auto number = wholeNumber(text);
    if (!number || *number < 1 || *number > most)
        return Error{"\"" + std::string{text} + "\" is not a whole number from 1 to " + std::to_string(most)};
    return *number;
}

Result<std::vector<std::int64_t>> parseSizes(std::string_view text)
{
    std::vector<std::int64_t> sizes;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        const auto size = bytesFromText(word);
        if (!size)
            return Error{"\"" + std::string{word}
                         + "\" is not a size in bytes; give sizes like 1048576 or 16M, with commas between"};
        sizes.push_back(*size);
        begin = end + 1;
    }
    return sizes;
}

} // namespace shardscope
