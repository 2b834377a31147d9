#pragma once

#include "core/base/run_argument.h"
#include "core/scenario/asked_names.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// The arguments of a run by their names; of one that is listed twice the last counts.
class RunArguments
{
public:
    explicit RunArguments(std::span<const RunArgument> arguments);

    // Even as "None".
    bool lists(std::string_view name) const
    {
        m_asked.add(name);
        return m_values.contains(name);
    }
    // As listed; nothing: not at all, or as "None".
    std::optional<std::string_view> text(std::string_view name) const;
    // Nothing as well where the text is no number, or none that is whole ("1.0" is).
    std::optional<double> decimal(std::string_view name) const;
    std::optional<std::int64_t> number(std::string_view name) const;
    // A positive number below 1e9, as all sizes are: of the first of the names that has one. Two of them can
    // be multiplied.
    std::optional<std::int64_t> size(std::initializer_list<std::string_view> names) const;
    // "[0, 1, 1]", "64 128" or "3"; empty: not listed, or not of whole numbers.
    std::vector<std::int64_t> numbers(std::string_view name) const;
    bool isOn(std::string_view name) const { return text(name) == "True"; }
    bool isOff(std::string_view name) const { return text(name) == "False"; }

    // The table that a run prints of itself lists every argument; a command line only what is set.
    bool areOfTable() const { return lists("params_dtype"); }

    // Of those that were not asked for by now, what was probably meant.
    std::vector<std::string> misspelt() const;

private:
    mutable AskedNames m_asked;
    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace shardscope
