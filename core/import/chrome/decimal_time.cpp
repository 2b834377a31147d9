#include "core/import/chrome/decimal_time.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace shardscope
{

namespace
{

constexpr int most_digits = 40; // more than int64 can need after scaling; the rest cannot matter

bool isDigit(char letter)
{
    return letter >= '0' && letter <= '9';
}

struct Decimal {
    std::array<char, most_digits> digits{}; // 0 to 9, the first one not 0
    int count = 0;
    int point = 0; // the value is 0.DIGITS * 10^point
};

void addDigit(Decimal& decimal, char digit, bool before_point)
{
    const bool is_leading_zero = decimal.count == 0 && digit == '0';
    if (!is_leading_zero && decimal.count < most_digits)
        decimal.digits[static_cast<std::size_t>(decimal.count++)] = static_cast<char>(digit - '0');
    if (before_point ? !is_leading_zero : is_leading_zero)
        decimal.point = std::clamp(decimal.point + (before_point ? 1 : -1), -1000000, 1000000);
}

// Reads "+12" after an e. False when it is no number.
bool readExponent(std::string_view text, int& exponent)
{
    bool negative = false;
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (text.empty() || !std::ranges::all_of(text, isDigit))
        return false;
    exponent = 0;
    for (const char digit : text)
        exponent = std::min(exponent * 10 + (digit - '0'), 1000000);
    exponent = negative ? -exponent : exponent;
    return true;
}

// Reads a number without its sign.
bool readDecimal(std::string_view text, Decimal& decimal)
{
    std::size_t at = 0;
    bool any = false;
    for (; at < text.size() && isDigit(text[at]); ++at, any = true)
        addDigit(decimal, text[at], true);
    if (at < text.size() && text[at] == '.') {
        for (++at; at < text.size() && isDigit(text[at]); ++at, any = true)
            addDigit(decimal, text[at], false);
    }
    if (!any)
        return false;
    if (at == text.size())
        return true;
    int exponent = 0;
    if ((text[at] != 'e' && text[at] != 'E') || !readExponent(text.substr(at + 1), exponent))
        return false;
    decimal.point += exponent;
    return true;
}

DecimalState scale(const Decimal& decimal, int digits, bool negative, std::int64_t& scaled)
{
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const int whole = decimal.count == 0 ? 0 : decimal.point + digits;
    if (whole > 19)
        return DecimalState::out_of_range;
    std::uint64_t value = 0;
    for (int i = 0; i < whole; ++i) // 19 digits fit uint64
        value = value * 10
                + (i < decimal.count ? static_cast<std::uint64_t>(decimal.digits[static_cast<std::size_t>(i)])
                                     : 0);
    if (value > most)
        return DecimalState::out_of_range;
    scaled = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
    return DecimalState::ok;
}

// Eight digits at once, as a little-endian word; after Lemire, "Number Parsing at a Gigabyte per Second",
// Software: Practice and Experience 51 (2021). False where one is no digit.
bool takeEightDigits(const char* text, std::uint64_t& value)
{
    if constexpr (std::endian::native != std::endian::little)
        return false;
    std::uint64_t word = 0;
    std::memcpy(&word, text, sizeof word);
    const std::uint64_t above_nine = word + 0x4646464646464646U;
    const std::uint64_t digits = word - 0x3030303030303030U;
    if (((above_nine | digits) & 0x8080808080808080U) != 0)
        return false;
    word = digits * 10 + (digits >> 8); // pairs
    constexpr std::uint64_t mask = 0x000000ff000000ffU;
    value = (((word & mask) * 0x000f424000000064U) + (((word >> 16) & mask) * 0x0000271000000001U)) >> 32;
    return true;
}

} // namespace

DecimalState parseDecimal(std::string_view text, int digits, std::int64_t& scaled)
{
    const bool negative = !text.empty() && text[0] == '-';
    if (negative || (!text.empty() && text[0] == '+'))
        text.remove_prefix(1);
    Decimal decimal;
    if (!readDecimal(text, decimal))
        return DecimalState::not_a_number;
    return scale(decimal, digits, negative, scaled);
}

DecimalState parseMicroseconds(std::string_view text, TraceTime& nanoseconds)
{
    // What nearly every event has: up to 15 digits, perhaps a point and up to three more.
    std::uint64_t value = 0;
    std::size_t at = 0;
    if (text.size() >= 8 && takeEightDigits(text.data(), value))
        at = 8;
    for (; at < text.size() && isDigit(text[at]); ++at)
        value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
    if (at == 0 || at > 15)
        return parseDecimal(text, 3, nanoseconds);
    int missing = 3;
    if (at < text.size() && text[at] == '.') {
        for (++at; at < text.size() && isDigit(text[at]) && missing > 0; ++at, --missing)
            value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
    }
    if (at != text.size())
        return parseDecimal(text, 3, nanoseconds);
    constexpr std::array<std::uint64_t, 4> powers{1, 10, 100, 1000};
    nanoseconds = static_cast<TraceTime>(value * powers[static_cast<std::size_t>(missing)]);
    return DecimalState::ok;
}

} // namespace shardscope
