#include "core/trace/natural_order.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool isDigit(char letter)
{
    return letter >= '0' && letter <= '9';
}

// Takes the digits off the front, without leading zeros.
std::string_view takeNumber(std::string_view& text)
{
    const auto* end = std::find_if_not(text.begin(), text.end(), isDigit);
    std::string_view digits{text.begin(), end};
    text.remove_prefix(digits.size());
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

} // namespace

bool naturallyBefore(std::string_view left, std::string_view right)
{
    std::string_view a = left;
    std::string_view b = right;
    while (!a.empty() && !b.empty()) {
        if (isDigit(a.front()) && isDigit(b.front())) {
            const std::string_view x = takeNumber(a);
            const std::string_view y = takeNumber(b);
            if (x.size() != y.size())
                return x.size() < y.size();
            if (x != y)
                return x < y;
            continue;
        }
        if (a.front() != b.front())
            return a.front() < b.front();
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    if (a.empty() != b.empty())
        return a.empty();
    return left < right;
}

} // namespace shardscope
