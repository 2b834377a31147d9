#include "core/scenario/shell/shell_arithmetic.h"

#include "core/base/whole_number.h"
#include "core/scenario/shell/shell_words.h"

#include <algorithm>
#include <limits>

namespace shardscope
{

namespace
{

using Number = std::optional<std::int64_t>;

Number calculated(std::int64_t left, char operation, std::int64_t right)
{
    std::int64_t result = 0;
    switch (operation) {
    case '+':
        return __builtin_add_overflow(left, right, &result) ? Number{} : result;
    case '-':
        return __builtin_sub_overflow(left, right, &result) ? Number{} : result;
    case '*':
        return __builtin_mul_overflow(left, right, &result) ? Number{} : result;
    default: // the quotient of the least number and -1 does not fit
        if (right == 0 || (right == -1 && left == std::numeric_limits<std::int64_t>::min()))
            return {};
        return operation == '/' ? left / right : left % right;
    }
}

class Arithmetic
{
public:
    Arithmetic(std::string_view text, const ShellNameValue& valueOf) : m_text{text}, m_value_of{valueOf} {}

    Number value()
    {
        const Number number = sum(0);
        return next() == '\0' ? number : Number{};
    }

private:
    static constexpr int most_parentheses = 16;

    // The next character that is no blank; 0 at the end, which a byte of 0 is too.
    char next()
    {
        const std::size_t at = m_text.find_first_not_of(" \t\n");
        m_text.remove_prefix(at == std::string_view::npos ? m_text.size() : at);
        return m_text.empty() ? '\0' : m_text.front();
    }

    Number sum(int depth)
    {
        Number left = product(depth);
        while (left && (next() == '+' || next() == '-')) {
            const char operation = taken();
            const Number right = product(depth);
            left = right ? calculated(*left, operation, *right) : right;
        }
        return left;
    }

    Number product(int depth)
    {
        Number left = operand(depth);
        while (left && (next() == '*' || next() == '/' || next() == '%')) {
            const char operation = taken();
            const Number right = operand(depth);
            left = right ? calculated(*left, operation, *right) : right;
        }
        return left;
    }

    Number operand(int depth)
    {
        bool is_negative = false;
        for (; next() == '-' || next() == '+'; m_text.remove_prefix(1))
            is_negative = is_negative != (next() == '-');
        const Number number = next() == '(' ? parentheses(depth) : atom();
        return number && is_negative ? calculated(0, '-', *number) : number;
    }

    Number parentheses(int depth)
    {
        taken();
        const Number number = depth < most_parentheses ? sum(depth + 1) : Number{};
        if (next() != ')')
            return {};
        taken();
        return number;
    }

    Number atom()
    {
        if (const std::size_t length = nameLength(m_text); length > 0)
            return m_value_of(taken(length));
        const std::size_t length = m_text.find_first_not_of("0123456789");
        return wholeNumber(taken(std::min(length, m_text.size())));
    }

    char taken() { return taken(1).front(); }
    std::string_view taken(std::size_t length)
    {
        const std::string_view text = m_text.substr(0, length);
        m_text.remove_prefix(length);
        return text;
    }

    std::string_view m_text;
    const ShellNameValue& m_value_of;
};

} // namespace

std::optional<std::int64_t> shellArithmetic(std::string_view expression, const ShellNameValue& valueOf)
{
    return Arithmetic{expression, valueOf}.value();
}

} // namespace shardscope
