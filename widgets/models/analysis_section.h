#pragma once

#include <QString>

namespace shardscope
{

// What the analysis picture can list of a measured run.
enum class AnalysisSection : unsigned char {
    ranks,
    steps,
    idle,
    kernels,
    operators,
    launches,
    copies,
    groups,
    stragglers,
    timers,   // of a log
    schedule, // of a recorded pipeline
    // Against the run that is pinned.
    changed_parts,
    changed_calls,
    changed_kernels,
    changed_timers
};
inline constexpr int analysis_section_count = static_cast<int>(AnalysisSection::changed_timers) + 1;
QString sectionName(AnalysisSection section);
// A sentence on what it lists and by which rule.
QString sectionMeaning(AnalysisSection section);

// A piece of the bar that begins a row.
enum class BarPart : unsigned char {
    communication,
    kernels,
    copies,
    within_operators,
    between_operators,
    host_wait,
    kernel_wait,
    other_wait,
    idle
};
QString partName(BarPart part);

} // namespace shardscope
