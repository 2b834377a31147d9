#pragma once

#include "core/analysis/classification/classification.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// A training step as PyTorch's profiler marks it, "ProfilerStep#551", on the thread that drives the training.
struct ProfilerStep {
    std::int64_t number = 0;
    TraceTime start = 0;
    TraceTime end = 0;
    bool operator==(const ProfilerStep&) const = default;
};

// The steps of a file, by start. Marks on the GPU are left out; of several marks of one step the longest
// holds.
std::vector<ProfilerStep> profilerSteps(const TraceStore& store);

// The numbers of the steps that any file has, ascending.
std::vector<std::int64_t> stepNumbers(const TraceSet& traces);

// Which step every event belongs to: the one in which the call that launched it starts, as HTA assigns its
// iterations; an event of the CPU, or any event of a file without launches, the one in which it starts
// itself. What the GPU was given before the first step, or by no call in the file, belongs to none. The last
// step counts like the others (HTA leaves it out unless asked).
class StepOfEvents
{
public:
    StepOfEvents(const TraceStore& store, const std::vector<ProfilerStep>& steps);
    // Row in the list of steps.
    std::optional<std::size_t> of(EventIndex event) const;

private:
    static constexpr std::int32_t none = -1;
    std::vector<std::int32_t> m_step;
};

// Counts the events of one step alone: all others become EventClass::other.
void keepStep(const TraceStore& store, std::int64_t number, EventClasses& classes);

} // namespace shardscope
