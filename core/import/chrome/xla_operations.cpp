#include "core/import/chrome/xla_operations.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

// The opcodes of XLA that communicate (hlo_opcode.h). Longer ones before those that they begin with.
// async-collective wraps one of them on a TPU, and its name does not tell which.
constexpr std::string_view wrapped = "async-collective";
constexpr std::array<std::string_view, 10> collectives{"all-reduce",
                                                       "all-gather",
                                                       "reduce-scatter",
                                                       "ragged-all-to-all",
                                                       "all-to-all",
                                                       "collective-permute",
                                                       "collective-broadcast",
                                                       "send",
                                                       "recv",
                                                       wrapped};
// A reduction of which each device keeps its part, as XLA fuses it on a TPU.
constexpr std::string_view fused_scatter = "all-reduce-scatter";
constexpr std::array<std::string_view, 3> containers{"while", "conditional", "call"};
constexpr std::array<std::string_view, 4> copies{"copy", "slice", "dynamic-slice", "dynamic-update-slice"};

bool takeEnding(std::string_view& text, std::string_view ending)
{
    if (!text.ends_with(ending))
        return false;
    text.remove_suffix(ending.size());
    return true;
}

// The collective that a name or a category begins with, as a word of its own: "all-reduce fusion".
std::string_view collectiveIn(std::string_view text)
{
    if (text.starts_with(fused_scatter))
        return "reduce-scatter";
    for (const std::string_view each : collectives) {
        if (!text.starts_with(each))
            continue;
        const std::string_view rest = text.substr(each.size());
        if (each == wrapped) // a fusion that is named by it computes while the collective goes on
            return rest.empty() ? each : std::string_view{};
        if (rest.empty() || rest.starts_with(' ') || rest.starts_with("-fusion")
            || rest.starts_with("_fusion"))
            return each;
    }
    return {};
}

} // namespace

XlaOperation xlaOperationOf(std::string_view name, std::string_view category)
{
    XlaOperation operation;
    if (name.starts_with('%'))
        name.remove_prefix(1);
    name = name.substr(0, name.find(' '));
    const std::size_t dot = name.find('.');
    if (dot != std::string_view::npos)
        operation.instance = name.substr(dot + 1);
    std::string_view word = name.substr(0, dot);
    if (takeEnding(word, "-start"))
        operation.part = XlaOperation::Part::start;
    else if (takeEnding(word, "-done"))
        operation.part = XlaOperation::Part::done;
    else if (word == "send" || word == "recv") // "decomposed into 2 HLO instructions", Operation Semantics
        operation.part = XlaOperation::Part::start;
    operation.collective = collectiveIn(word);
    if (const std::string_view told = collectiveIn(category);
        operation.collective.empty() || (operation.collective == wrapped && !told.empty()))
        operation.collective = told;
    operation.is_container = std::ranges::find(containers, word) != containers.end();
    operation.is_copy = std::ranges::find(copies, word) != copies.end();
    return operation;
}

} // namespace shardscope
