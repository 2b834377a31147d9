#include "core/report/worked_formula.h"

#include <array>
#include <cstdio>

namespace shardscope
{

std::string plain(std::int64_t value)
{
    return std::to_string(value);
}

std::string plain(double value, int digits)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    return text.data();
}

Product& Product::times(std::string_view symbol, std::int64_t value)
{
    m_factors.push_back({std::string{symbol}, value, false});
    return *this;
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
        text += (text.empty() ? "" : factor.divides ? " / " : " * ") + plain(factor.value);
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

void Sum::append(std::string_view symbol, const std::string& value)
{
    m_symbols += (m_symbols.empty() ? "" : " + ") + std::string{symbol};
    m_values += (m_values.empty() ? "" : " + ") + value;
}

} // namespace shardscope
