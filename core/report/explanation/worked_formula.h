#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope
{

// Numbers as they stand in a formula with its values put in: whole ones with blanks between the thousands of
// long ones, for fractions as many digits as are asked for.
std::string plain(std::int64_t value);
std::string plain(double value, int digits = 6);
std::string twoDecimals(double value); // "1.05"; not below 0

// A time in the unit that suits it: "33.18 s", "6.741 ms". More digits where little is left of a difference.
inline constexpr int time_digits = 4;
std::string plainTime(double seconds, int digits = time_digits);
// Sizes and rates the same: "48 MiB", "12.5 GB/s", "176.28 TFLOP/s".
inline constexpr int size_digits = 5;
std::string plainBytes(double bytes, int digits = size_digits);
std::string sizeText(std::int64_t bytes, int digits = size_digits); // of whole bytes
std::string plainBandwidth(double bytes_per_s);
std::string plainSpeed(double flops_per_s);
std::string plainFlops(double flops); // "4.03857 EFLOP"
// Digits that `terms` need for `result`, a difference of them, to come out.
int digitsFor(double terms, double result);

// A product, or quotient, that is shown with its symbols and with its values: "m * l / p", "8 * 54 / 4".
class Product
{
public:
    Product& times(std::string_view symbol, std::int64_t value);
    Product& over(std::string_view symbol, std::int64_t value);
    Product& timesBytes(std::string_view symbol, std::int64_t bytes);

    std::string symbols() const;
    std::string values() const;
    double value() const;

private:
    struct Factor {
        std::string symbol;
        std::int64_t value = 1;
        bool divides = false;
        bool is_bytes = false;
    };
    static std::string valueText(const Factor& factor);

    std::vector<Factor> m_factors;
};

// Terms joined by " + "; those that are zero are left out. "0" when all are.
class Sum
{
public:
    Sum& add(std::string_view symbol, double value);
    Sum& addTime(std::string_view symbol, double seconds);
    Sum& addBytes(std::string_view symbol, std::int64_t bytes, int digits = size_digits);
    Sum& add(std::string_view symbol, std::int64_t value);
    // Terms that are themselves expressions.
    Sum& add(const Product& product);
    Sum& add(const Sum& sum);
    Sum& addExpression(std::string_view symbols, const std::string& values);

    std::string symbols() const { return m_symbols.empty() ? "0" : m_symbols; }
    std::string values() const { return m_values.empty() ? "0" : m_values; }

private:
    void append(std::string_view symbol, const std::string& value);

    std::string m_symbols;
    std::string m_values;
};

// A whole number that remembers how it was reckoned: "2 * dh * (a + k)", "2 * 128 * (32 + 8)".
class WrittenNumber
{
public:
    WrittenNumber(std::int64_t value) : WrittenNumber{std::to_string(value), value} {} // stands as it is
    WrittenNumber(std::string symbol, std::int64_t value)
        : m_symbols{std::move(symbol)}, m_values{plain(value)}, m_value{value}
    {
    }

    const std::string& symbols() const { return m_symbols; }
    const std::string& values() const { return m_values; }
    std::int64_t value() const { return m_value; }

    friend WrittenNumber operator+(const WrittenNumber& one, const WrittenNumber& other);
    friend WrittenNumber operator*(const WrittenNumber& one, const WrittenNumber& other);
    friend WrittenNumber operator/(const WrittenNumber& one, const WrittenNumber& other); // rounded down
    WrittenNumber scaled(std::string_view symbol, double factor) const;                   // rounded

private:
    // As it stands in a product.
    WrittenNumber factor() const;

    std::string m_symbols;
    std::string m_values;
    std::int64_t m_value = 0;
    bool m_is_sum = false;
};

} // namespace shardscope
