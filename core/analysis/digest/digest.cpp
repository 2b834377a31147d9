#include "core/analysis/digest/digest.h"

#include "core/analysis/digest/digest_figures.h"
#include "core/analysis/digest/lane_sketch.h"
#include "core/analysis/gpu_time/breakdown.h"
#include "core/analysis/gpu_time/kernel_table.h"
#include "core/trace/step_mark.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace shardscope
{

namespace
{

// All that is asked of one trace's events, found once.
class TraceSummary
{
public:
    TraceSummary(const TraceFile& file, const ClassificationRules& rules)
        : m_file{file},
          m_store{*file.store},
          m_rules{rules},
          m_classes{m_store, rules},
          m_steps{profilerSteps(m_store)},
          m_step_of{m_store, m_steps},
          m_times{busyTimes(m_store, m_classes)},
          m_step_times{stepTimes(m_store, m_classes, m_steps, m_step_of)}
    {
    }

    DigestFigures figures() const
    {
        DigestFigures figures;
        addBreakdown(m_times, figures.times);
        figures.kernels = kernelTable(m_store, m_classes);
        std::vector<std::vector<KernelRow>> kernels =
            stepKernels(m_store, m_classes, m_step_of, m_steps.size());
        for (std::size_t s = 0; s < m_steps.size(); ++s) {
            StepMeasurement measured{.number = m_steps[s].number,
                                     .start_ns = m_steps[s].start,
                                     .duration_ns = m_steps[s].end - m_steps[s].start,
                                     .times = {}};
            addBreakdown(m_step_times[s], measured.times);
            figures.steps.push_back({measured, std::move(kernels[s])});
        }
        if (m_classes.onGpu())
            figures.activity = fileActivity(m_file, m_classes);
        return figures;
    }

    std::shared_ptr<const TraceStore> sketch() const { return sketchLanes(m_store, keptEvents()); }

    // `sketch` has the same communication calls in the same order.
    std::vector<DigestedCall> calls(const TraceStore& sketch) const
    {
        const std::vector<EventIndex> places = communicationOf(sketch, EventClasses{sketch, m_rules});
        const std::vector<EventIndex> events = communicationOf(m_store, m_classes);
        std::vector<DigestedCall> calls;
        for (std::size_t i = 0; i < std::min(places.size(), events.size()); ++i) {
            const auto step = m_step_of.of(events[i]);
            const std::int64_t exposed = exposedTime(m_times, events[i]);
            calls.push_back(
                {places[i], exposed, step ? exposedTime(m_step_times[*step], events[i]) : exposed});
        }
        return calls;
    }

private:
    static std::vector<EventIndex> communicationOf(const TraceStore& store, const EventClasses& classes)
    {
        std::vector<EventIndex> events;
        for (std::uint32_t i = 0; i < store.size(); ++i)
            if (classes.of(EventIndex{i}) == EventClass::communication)
                events.push_back(EventIndex{i});
        return events;
    }

    std::int64_t exposedTime(const BusyTimes& times, EventIndex event) const
    {
        return m_store.duration(event) - times.compute.covered_ns(m_store.start(event), m_store.end(event));
    }

    // By name, whatever the category: profilerSteps() knows steps by their names.
    std::vector<bool> stepMarks() const
    {
        const NameTable& names = m_store.names();
        std::vector<bool> marks(names.size());
        for (std::uint32_t id = 0; id < marks.size(); ++id)
            marks[id] = isStepMark(names.text(NameId{id}));
        return marks;
    }

    // Whether annotations of this name say the kind of the calls within.
    bool tellsKind(EventIndex event, std::vector<std::optional<bool>>& known) const
    {
        auto& answer = known[static_cast<std::size_t>(m_store.nameId(event))];
        if (!answer)
            answer = m_rules.kindOf(m_store.name(event)) != Kind::unknown;
        return *answer;
    }

    std::vector<bool> keptEvents() const
    {
        std::vector<bool> kept(m_store.size());
        const std::vector<bool> marks = stepMarks();
        std::vector<std::optional<bool>> known(marks.size());
        for (std::uint32_t i = 0; i < m_store.size(); ++i) {
            const EventIndex event{i};
            const EventClass of = m_classes.of(event);
            kept[i] = of == EventClass::communication
                      || marks[static_cast<std::size_t>(m_store.nameId(event))]
                      || (of == EventClass::annotation && tellsKind(event, known));
        }
        for (const GpuLaunch& launch : m_store.launches())
            if (kept[static_cast<std::size_t>(launch.gpu)])
                kept[static_cast<std::size_t>(launch.call)] = true;
        // One at least, so that the events of the GPU are known to belong to steps by their launches.
        if (!m_store.launches().empty()) {
            kept[static_cast<std::size_t>(m_store.launches().front().gpu)] = true;
            kept[static_cast<std::size_t>(m_store.launches().front().call)] = true;
        }
        return kept;
    }

    const TraceFile& m_file;
    const TraceStore& m_store;
    const ClassificationRules& m_rules;
    EventClasses m_classes;
    std::vector<ProfilerStep> m_steps;
    StepOfEvents m_step_of;
    BusyTimes m_times;
    std::vector<BusyTimes> m_step_times;
};

} // namespace

// FNV-1a, 64 bits.
std::string rulesMark(const ClassificationRules& rules)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char letter : rules.text() + std::to_string(classification_version))
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    std::string mark;
    for (int shift = 60; shift >= 0; shift -= 4)
        mark.push_back("0123456789abcdef"[hash >> shift & 15U]);
    return mark;
}

TraceFile digestOf(const TraceFile& file, const ClassificationRules& rules)
{
    if (file.digest)
        return file;
    TraceFile small = file;
    auto digest = std::make_shared<TraceDigest>();
    digest->source_path = file.path;
    digest->source_format = file.format;
    digest->rules = rulesMark(rules);
    small.format = "digest";
    if (file.store) {
        const TraceSummary summary{file, rules};
        digest->figures = encodeFigures(summary.figures());
        small.store = summary.sketch();
        digest->calls = summary.calls(*small.store);
    }
    small.digest = std::move(digest);
    return small;
}

} // namespace shardscope
