#include "core/analysis/calls/repeated_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace shardscope
{

namespace
{

// Formats without a timeline, those that tell most of each call first.
constexpr std::array<std::string_view, 7> untimed_formats{
    "flight_recorder", "nccl_inspector", "aicb", "pytorch_et", "chakra_et", "nccl_log", "deepspeed_comms"};
constexpr std::size_t no_calls = untimed_formats.size() + 2;

// Lower is better: 0 is a timeline with communication in it.
std::size_t placeOf(const TraceFile& file, const EventClasses& classes)
{
    for (std::size_t i = 0; file.store && i < file.store->size(); ++i) {
        if (classes.of(EventIndex{static_cast<std::uint32_t>(i)}) == EventClass::communication)
            return 0;
    }
    if (file.status == FileStatus::rejected || file.calls.empty())
        return no_calls;
    const auto* const found = std::ranges::find(untimed_formats, file.sourceFormat());
    return 1 + static_cast<std::size_t>(found - untimed_formats.begin());
}

} // namespace

std::vector<bool> filesThatRepeatCalls(const TraceSet& traces, const std::vector<EventClasses>& classes)
{
    std::vector<std::size_t> places;
    std::map<std::int64_t, std::size_t> best; // by rank
    for (std::size_t f = 0; f < traces.files.size(); ++f) {
        places.push_back(placeOf(traces.files[f], classes[f]));
        const auto [rank, is_new] = best.try_emplace(traces.files[f].rank, places[f]);
        rank->second = std::min(rank->second, places[f]);
    }
    std::vector<bool> is_repeated;
    for (std::size_t f = 0; f < traces.files.size(); ++f)
        is_repeated.push_back(places[f] != no_calls && places[f] > best[traces.files[f].rank]);
    return is_repeated;
}

void noteRepeatedCalls(const TraceSet& traces, const std::vector<bool>& is_repeated,
                       std::vector<std::string>& notes)
{
    std::map<std::string_view, int> files;
    for (std::size_t f = 0; f < traces.files.size(); ++f) {
        if (is_repeated[f])
            ++files[traces.files[f].sourceFormat()];
    }
    for (const auto& [format, count] : files)
        notes.push_back("the calls of " + std::to_string(count) + (count == 1 ? " file" : " files")
                        + " in the format " + std::string(format)
                        + " are not counted: another file of the same rank tells of them too");
}

// Logs and tables have an empty store, and something else instead, or nothing: what lists calls may list
// none.
bool hasTimeline(const TraceFile& file)
{
    const bool has_other =
        !file.calls.empty() || !file.timers.empty() || !file.points.empty() || !file.schedule.empty()
        || !file.memory.empty() || !file.arguments.empty() || !file.parameters.empty()
        || std::ranges::find(untimed_formats, file.sourceFormat()) != untimed_formats.end();
    return file.store && (file.store->size() > 0 || !has_other);
}

} // namespace shardscope
