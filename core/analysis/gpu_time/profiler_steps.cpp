#include "core/analysis/gpu_time/profiler_steps.h"

#include "core/trace/step_mark.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

namespace shardscope
{

namespace
{

std::optional<std::int64_t> stepNumber(std::string_view name)
{
    if (!isStepMark(name))
        return std::nullopt;
    const std::string_view digits = name.substr(step_mark.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size())
        return std::nullopt;
    return number;
}

// The number that each name in the table stands for; nothing where it is no step.
std::map<NameId, std::int64_t> stepNames(const NameTable& names)
{
    std::map<NameId, std::int64_t> steps;
    for (std::uint32_t id = 0; id < names.size(); ++id)
        if (const auto number = stepNumber(names.text(NameId{id})))
            steps[NameId{id}] = *number;
    return steps;
}

// The last step that starts at or before a time, if it has not ended.
std::int32_t stepAt(const std::vector<ProfilerStep>& steps, TraceTime time)
{
    const auto after = std::ranges::upper_bound(steps, time, {}, &ProfilerStep::start);
    if (after == steps.begin() || std::prev(after)->end <= time)
        return -1;
    return static_cast<std::int32_t>(std::prev(after) - steps.begin());
}

} // namespace

std::vector<ProfilerStep> profilerSteps(const TraceStore& store)
{
    const std::map<NameId, std::int64_t> names = stepNames(store.names());
    std::map<std::int64_t, ProfilerStep> steps;
    for (const Track& track : store.tracks()) {
        if (names.empty() || track.is_gpu)
            continue;
        const auto first = static_cast<std::uint32_t>(track.first);
        for (std::uint32_t i = first; i < first + track.count; ++i) {
            const EventIndex event{i};
            const auto name = names.find(store.nameId(event));
            if (name == names.end())
                continue;
            const ProfilerStep step{name->second, store.start(event), store.end(event)};
            const auto [known, is_new] = steps.try_emplace(step.number, step);
            if (!is_new && known->second.end - known->second.start < step.end - step.start)
                known->second = step;
        }
    }
    std::vector<ProfilerStep> by_start;
    for (const auto& [number, step] : steps)
        by_start.push_back(step);
    std::ranges::stable_sort(by_start, {}, &ProfilerStep::start);
    return by_start;
}

std::vector<std::int64_t> stepNumbers(const TraceSet& traces)
{
    std::set<std::int64_t> numbers;
    for (const TraceFile& file : traces.files)
        if (file.store)
            for (const ProfilerStep& step : profilerSteps(*file.store))
                numbers.insert(step.number);
    return {numbers.begin(), numbers.end()};
}

StepOfEvents::StepOfEvents(const TraceStore& store, const std::vector<ProfilerStep>& steps)
    : m_step(store.size(), none)
{
    if (steps.empty())
        return;
    for (const Track& track : store.tracks()) {
        if (track.is_gpu && !store.launches().empty())
            continue;
        const std::size_t first = static_cast<std::size_t>(track.first);
        for (std::size_t i = first; i < first + track.count; ++i)
            m_step[i] = stepAt(steps, store.starts()[i]);
    }
    for (const GpuLaunch& launch : store.launches())
        m_step[static_cast<std::size_t>(launch.gpu)] = stepAt(steps, store.start(launch.call));
}

std::optional<std::size_t> StepOfEvents::of(EventIndex event) const
{
    const std::int32_t step = m_step[static_cast<std::size_t>(event)];
    if (step == none)
        return std::nullopt;
    return static_cast<std::size_t>(step);
}

void keepStep(const TraceStore& store, std::int64_t number, EventClasses& classes)
{
    const std::vector<ProfilerStep> steps = profilerSteps(store);
    const StepOfEvents step_of{store, steps};
    for (std::uint32_t i = 0; i < store.size(); ++i) {
        const auto step = step_of.of(EventIndex{i});
        if (!step || steps[*step].number != number)
            classes.leaveOut(EventIndex{i});
    }
}

} // namespace shardscope
