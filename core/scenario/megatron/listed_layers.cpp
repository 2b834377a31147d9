#include "core/scenario/megatron/listed_layers.h"

#include "core/base/whole_number.h"
#include "core/scenario/megatron/argument_reading.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace shardscope
{

namespace
{

// "([0]*3+[1]*58)", as command lines write it: lists, added and repeated.
class PatternExpression
{
public:
    explicit PatternExpression(std::string_view text) : m_rest{text} {}

    // Empty: the text is no such expression.
    ListedLayers read()
    {
        ListedLayers pattern = sum(0);
        return m_rest.empty() && m_is_right ? pattern : ListedLayers{};
    }

private:
    ListedLayers sum(int depth)
    {
        ListedLayers pattern = product(depth);
        while (m_is_right && take('+')) {
            const ListedLayers more = product(depth);
            pattern.insert(pattern.end(), more.begin(), more.end());
        }
        m_is_right = m_is_right && std::ssize(pattern) <= most_listed_layers;
        return pattern;
    }

    ListedLayers product(int depth)
    {
        constexpr int deepest = 8;
        ListedLayers once;
        if (depth < deepest && take('(')) {
            once = sum(depth + 1);
            m_is_right = m_is_right && take(')');
        } else {
            once = list();
        }
        const std::int64_t times = take('*') ? number() : 1;
        m_is_right =
            m_is_right && !once.empty() && times > 0 && times <= most_listed_layers / std::ssize(once);
        ListedLayers pattern;
        for (std::int64_t i = 0; m_is_right && i < times; ++i)
            pattern.insert(pattern.end(), once.begin(), once.end());
        return pattern;
    }

    ListedLayers list()
    {
        const std::size_t end = m_rest.find(']');
        m_is_right = m_is_right && m_rest.starts_with('[') && end != std::string_view::npos;
        if (!m_is_right)
            return {};
        const RunArgument listed{"layers", std::string{m_rest.substr(0, end + 1)}};
        m_rest.remove_prefix(end + 1);
        return RunArguments{std::span{&listed, 1}}.numbers(listed.name);
    }

    std::int64_t number()
    {
        const std::size_t end = std::min(m_rest.find_first_not_of("0123456789"), m_rest.size());
        const std::int64_t value = wholeNumber(m_rest.substr(0, end)).value_or(0);
        m_rest.remove_prefix(end);
        return value;
    }

    bool take(char letter)
    {
        const bool is_there = m_rest.starts_with(letter);
        m_rest.remove_prefix(is_there ? 1 : 0);
        return is_there;
    }

    std::string_view m_rest;
    bool m_is_right = true;
};

} // namespace

ListedLayers listedLayers(const RunArguments& arguments, std::string_view name)
{
    ListedLayers listed = arguments.numbers(name);
    if (!listed.empty())
        return listed;
    std::string text{arguments.text(name).value_or("")};
    std::erase(text, ' ');
    return PatternExpression{text}.read();
}

} // namespace shardscope
