// Measured pipeline schedules as Primus writes them: for each iteration when each forward and backward began
// and ended, and the most memory that PyTorch's allocator had reserved by then.
#include "core/base/whole_number.h"
#include "core/import/json/json_fields.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

using Json = nlohmann::json;

constexpr std::size_t largest_schedule = std::size_t{1} << 30;

std::vector<double> numbersOf(const Json& list)
{
    std::vector<double> numbers;
    if (!list.is_array())
        return numbers;
    for (const Json& value : list)
        numbers.push_back(value.is_number() ? value.get<double>() : -1.0);
    return numbers;
}

// In GiB.
void addMemory(const Json& reserved, std::vector<MemoryRecord>& memory)
{
    constexpr double gibibyte_bytes = 1024.0 * 1024.0 * 1024.0;
    constexpr double most_GiB = 1e6;
    const double told = reserved.is_number() ? reserved.get<double>() : -1.0;
    if (!(told > 0.0 && told < most_GiB))
        return;
    if (memory.empty())
        memory.emplace_back();
    memory.front().reserved_bytes =
        std::max<std::int64_t>(memory.front().reserved_bytes, std::llround(told * gibibyte_bytes));
}

// The passes of one direction; times are in milliseconds.
void addSpans(const Json& begins, const Json& ends, ScheduleSpan span, ReadJob& job,
              std::vector<ScheduleSpan>& spans)
{
    const std::vector<double> from = numbersOf(begins);
    const std::vector<double> to = numbersOf(ends);
    for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
        if (i >= from.size() || i >= to.size() || from[i] < 0.0 || to[i] < from[i]) {
            job.warnings.add("pass without a beginning or an end");
            continue;
        }
        span.start_s = from[i] / 1000.0;
        span.end_s = to[i] / 1000.0;
        spans.push_back(span);
    }
}

} // namespace

bool looksLikePrimus(std::string_view head)
{
    return head.find_first_not_of(" \n\r\t") == head.find('{')
           && head.find("\"fwd_start\"") != std::string_view::npos;
}

std::optional<Rejection> readPrimus(ReadJob& job, TraceFile& file)
{
    const auto text = readWholeForTree(job.stream, largest_schedule);
    if (!text)
        return Rejection{"the schedule is larger than 1 GiB, or than memory suffices for"};
    file.bytes_uncompressed = static_cast<std::int64_t>(text->size());
    const Json iterations = parsedJson(*text);
    if (!iterations.is_object())
        return Rejection{"this looks like a pipeline schedule of Primus, but its JSON is damaged"};
    file.format = "primus";
    for (const auto& [key, iteration] : iterations.items()) {
        ScheduleSpan span;
        const auto number = wholeNumber(key);
        if (!number || !iteration.is_object()) {
            job.warnings.add("iteration without a number");
            continue;
        }
        span.iteration = *number;
        addSpans(memberIn(iteration, "fwd_start"), memberIn(iteration, "fwd_end"), span, job, file.schedule);
        span.is_forward = false;
        addSpans(memberIn(iteration, "bwd_start"), memberIn(iteration, "bwd_end"), span, job, file.schedule);
        addMemory(memberIn(iteration, "memory"), file.memory);
    }
    std::ranges::stable_sort(
        file.schedule, {}, [](const ScheduleSpan& span) { return std::pair(span.iteration, span.start_s); });
    if (file.schedule.empty())
        return Rejection{"not one pass of this pipeline schedule could be read"};
    return std::nullopt;
}

} // namespace shardscope
