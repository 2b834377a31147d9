#include "core/report/explanation/worked_formula.h"

#include "core/base/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace shardscope
{

std::string plain(std::int64_t value)
{
    constexpr std::int64_t long_ones = 10'000;
    return std::abs(value) < long_ones ? std::to_string(value) : formatGrouped(value);
}

std::string plain(double value, int digits)
{
    return formatPlain(value, digits);
}

std::string twoDecimals(double value)
{
    const auto hundredths = static_cast<std::int64_t>(std::llround(value * 100.0));
    const std::int64_t rest = hundredths % 100;
    return std::to_string(hundredths / 100) + "." + (rest < 10 ? "0" : "") + std::to_string(rest);
}

std::string plainTime(double seconds, int digits)
{
    struct Unit {
        double size;
        const char* name;
    };
    constexpr std::array<Unit, 3> units{{{1.0, " s"}, {1e-3, " ms"}, {1e-6, " µs"}}};
    if (seconds == 0.0)
        return "0 s";
    for (const Unit& unit : units)
        if (std::fabs(seconds) >= 0.9995 * unit.size)
            return plain(seconds / unit.size, digits) + unit.name;
    return plain(seconds * 1e9, digits) + " ns";
}

std::string plainBytes(double bytes, int digits)
{
    constexpr std::array<const char*, 7> units{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    constexpr double step = 1024.0;
    std::size_t unit = 0;
    while (std::fabs(bytes) >= step && unit + 1 < units.size()) {
        bytes /= step;
        ++unit;
    }
    return plain(bytes, digits) + units[unit];
}

std::string sizeText(std::int64_t bytes, int digits)
{
    return plainBytes(static_cast<double>(bytes), digits);
}

std::string plainBandwidth(double bytes_per_s)
{
    return plain(bytes_per_s / 1e9) + " GB/s";
}

std::string plainSpeed(double flops_per_s)
{
    return plain(flops_per_s / 1e12) + " TFLOP/s";
}

std::string plainFlops(double flops)
{
    constexpr std::array<const char*, 6> units{" GFLOP", " TFLOP", " PFLOP", " EFLOP", " ZFLOP", " YFLOP"};
    std::size_t unit = 0;
    double value = flops / 1e9;
    while (value >= 1000.0 && unit + 1 < units.size()) {
        value /= 1000.0;
        ++unit;
    }
    return plain(value) + units[unit];
}

int digitsFor(double terms, double result)
{
    constexpr int most = 9;
    const double lost = std::fabs(terms / result);
    return std::isfinite(lost)
               ? std::min(most, time_digits + std::max(0, static_cast<int>(std::ceil(std::log10(lost)))))
               : most;
}

Product& Product::times(std::string_view symbol, std::int64_t value)
{
    m_factors.push_back({std::string{symbol}, value, false});
    return *this;
}

Product& Product::timesBytes(std::string_view symbol, std::int64_t bytes)
{
    m_factors.push_back({std::string{symbol}, bytes, false, true});
    return *this;
}

std::string Product::valueText(const Factor& factor)
{
    return factor.is_bytes ? sizeText(factor.value) : plain(factor.value);
}

Product& Product::over(std::string_view symbol, std::int64_t value)
{
    m_factors.push_back({std::string{symbol}, value, true});
    return *this;
}

std::string Product::symbols() const
{
    std::string text;
    for (const Factor& factor : m_factors)
        text += (text.empty() ? "" : factor.divides ? " / " : " * ") + factor.symbol;
    return text;
}

std::string Product::values() const
{
    std::string text;
    for (const Factor& factor : m_factors)
        text += (text.empty() ? "" : factor.divides ? " / " : " * ") + valueText(factor);
    return text;
}

double Product::value() const
{
    double result = 1.0;
    for (const Factor& factor : m_factors) {
        const auto value = static_cast<double>(factor.value);
        result = factor.divides ? result / value : result * value;
    }
    return result;
}

Sum& Sum::add(std::string_view symbol, double value)
{
    if (value != 0.0)
        append(symbol, plain(value));
    return *this;
}

Sum& Sum::addTime(std::string_view symbol, double seconds)
{
    if (seconds != 0.0)
        append(symbol, plainTime(seconds));
    return *this;
}

Sum& Sum::addBytes(std::string_view symbol, std::int64_t bytes, int digits)
{
    if (bytes != 0)
        append(symbol, sizeText(bytes, digits));
    return *this;
}

Sum& Sum::add(std::string_view symbol, std::int64_t value)
{
    if (value != 0)
        append(symbol, plain(value));
    return *this;
}

Sum& Sum::add(const Product& product)
{
    if (product.value() != 0.0)
        append(product.symbols(), product.values());
    return *this;
}

Sum& Sum::add(const Sum& sum)
{
    if (!sum.m_symbols.empty())
        append(sum.m_symbols, sum.m_values);
    return *this;
}

Sum& Sum::addExpression(std::string_view symbols, const std::string& values)
{
    append(symbols, values);
    return *this;
}

void Sum::append(std::string_view symbol, const std::string& value)
{
    m_symbols += (m_symbols.empty() ? "" : " + ") + std::string{symbol};
    m_values += (m_values.empty() ? "" : " + ") + value;
}

WrittenNumber operator+(const WrittenNumber& one, const WrittenNumber& other)
{
    WrittenNumber sum = one;
    sum.m_symbols += " + " + other.m_symbols;
    sum.m_values += " + " + other.m_values;
    sum.m_value += other.m_value;
    sum.m_is_sum = true;
    return sum;
}

WrittenNumber operator*(const WrittenNumber& one, const WrittenNumber& other)
{
    WrittenNumber product = one.factor();
    const WrittenNumber by = other.factor();
    product.m_symbols += " * " + by.m_symbols;
    product.m_values += " * " + by.m_values;
    product.m_value *= by.m_value;
    return product;
}

WrittenNumber operator/(const WrittenNumber& one, const WrittenNumber& other)
{
    WrittenNumber quotient = one.factor();
    const WrittenNumber by = other.factor();
    quotient.m_symbols += " / " + by.m_symbols;
    quotient.m_values += " / " + by.m_values;
    quotient.m_value /= by.m_value;
    return quotient;
}

WrittenNumber WrittenNumber::scaled(std::string_view symbol, double by) const
{
    WrittenNumber product = factor();
    product.m_symbols += " * " + std::string{symbol};
    product.m_values += " * " + plain(by);
    product.m_value = std::llround(static_cast<double>(m_value) * by);
    return product;
}

WrittenNumber WrittenNumber::factor() const
{
    WrittenNumber factor = *this;
    if (!m_is_sum)
        return factor;
    factor.m_symbols = "(" + m_symbols + ")";
    factor.m_values = "(" + m_values + ")";
    factor.m_is_sum = false;
    return factor;
}

} // namespace shardscope
