#include "app/cli/step_argument.h"

#include "app/cli/number_list.h"
#include "core/analysis/gpu_time/profiler_steps.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace shardscope
{

Result<std::optional<std::int64_t>> parseStep(std::string_view text)
{
    if (text.empty() || text == "all")
        return std::optional<std::int64_t>{};
    if (text == "0")
        return std::optional<std::int64_t>{0};
    const Result<std::int64_t> step = parseCount(text, std::numeric_limits<std::int64_t>::max());
    if (!step)
        return Error{step.error().sentence + ", or all"};
    return std::optional<std::int64_t>{step.value()};
}

std::optional<Error> missingStep(const TraceSet& traces, std::optional<std::int64_t> step)
{
    if (!step)
        return std::nullopt;
    const std::vector<std::int64_t> steps = stepNumbers(traces);
    if (std::ranges::binary_search(steps, *step))
        return std::nullopt;
    if (steps.empty())
        return Error{"the traces mark no profiler steps; leave it out to count everything"};
    std::string known;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, steps.size()); ++i)
        known += (i > 0 ? ", " : "") + std::to_string(steps[i]);
    if (steps.size() > most)
        known += " ... " + std::to_string(steps.back());
    return Error{"no trace has step " + std::to_string(*step)
                 + (steps.size() == 1 ? "; the only one is " : "; there are the steps ") + known};
}

} // namespace shardscope
