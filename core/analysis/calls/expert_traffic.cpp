#include "core/analysis/calls/expert_traffic.h"

#include "core/analysis/gpu_time/profiler_steps.h"

#include <algorithm>
#include <map>

namespace shardscope
{

namespace
{

// Which events of a file belong to a step.
class EventsOfStep
{
public:
    EventsOfStep(const TraceStore& store, std::int64_t number)
        : m_steps(profilerSteps(store)), m_step_of(store, m_steps), m_number(number)
    {
    }
    bool contains(EventIndex event) const
    {
        const std::optional<std::size_t> row = m_step_of.of(event);
        return row && m_steps[*row].number == m_number;
    }

private:
    std::vector<ProfilerStep> m_steps;
    StepOfEvents m_step_of;
    std::int64_t m_number;
};

} // namespace

std::vector<MeasuredExpertLoad> measuredExpertLoads(const TraceSet& traces, const Measurement& measurement,
                                                    std::optional<std::int64_t> step)
{
    std::map<std::int64_t, double> bytes; // in and out, by rank
    std::optional<EventsOfStep> events;
    std::size_t events_of = traces.files.size(); // the file that they are of
    for (const MeasuredCall& call : measurement.calls) {
        if (call.kind != Kind::ep || call.op != Op::all_to_all)
            continue;
        const TraceFile& file = traces.files[call.file];
        const CollectiveCall* told = file.store->collective(call.event);
        if (!told || told->in_bytes < 0 || told->out_bytes < 0)
            continue;
        if (step && events_of != call.file) {
            events.emplace(*file.store, *step);
            events_of = call.file;
        }
        if (!step || events->contains(call.event))
            bytes[file.rank] += static_cast<double>(told->in_bytes) + static_cast<double>(told->out_bytes);
    }
    double sum = 0.0;
    for (const auto& [rank, of_rank] : bytes)
        sum += of_rank;
    std::vector<MeasuredExpertLoad> loads;
    if (sum > 0.0)
        for (const auto& [rank, of_rank] : bytes)
            loads.push_back({rank, 2.0 * of_rank * static_cast<double>(bytes.size()) / sum - 1.0});
    return loads;
}

} // namespace shardscope
