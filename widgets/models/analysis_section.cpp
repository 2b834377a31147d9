#include "widgets/models/analysis_section.h"

namespace shardscope
{

QString sectionName(AnalysisSection section)
{
    switch (section) {
    case AnalysisSection::ranks:
        return QStringLiteral("Where time goes");
    case AnalysisSection::steps:
        return QStringLiteral("Steps");
    case AnalysisSection::idle:
        return QStringLiteral("Idle by cause");
    case AnalysisSection::kernels:
        return QStringLiteral("Kernels");
    case AnalysisSection::operators:
        return QStringLiteral("Operators");
    case AnalysisSection::launches:
        return QStringLiteral("Launches");
    case AnalysisSection::copies:
        return QStringLiteral("Copies");
    case AnalysisSection::groups:
        return QStringLiteral("Groups");
    case AnalysisSection::stragglers:
        return QStringLiteral("Stragglers");
    case AnalysisSection::timers:
        return QStringLiteral("Timers");
    case AnalysisSection::changed_parts:
        return QStringLiteral("Since pinned run: time");
    case AnalysisSection::changed_calls:
        return QStringLiteral("Since pinned run: calls");
    case AnalysisSection::changed_kernels:
        return QStringLiteral("Since pinned run: kernels");
    case AnalysisSection::changed_timers:
        return QStringLiteral("Since pinned run: timers");
    case AnalysisSection::schedule:
        break;
    }
    return QStringLiteral("Schedule");
}

// Of the sections that set a run against the pinned one.
static QString meaningOfTwoRuns(AnalysisSection section)
{
    switch (section) {
    case AnalysisSection::changed_parts:
        return QStringLiteral(
            "An iteration of the pinned run and one of this run: what its time goes to, and computing by "
            "what kernels do, beside communication or not. Means over ranks");
    case AnalysisSection::changed_calls:
        return QStringLiteral(
            "Calls of one rank in one iteration, waiting included; the transfer is what one takes once every "
            "rank is there");
    case AnalysisSection::changed_kernels:
        return QStringLiteral("Kernels of one rank in one iteration, by name");
    case AnalysisSection::changed_timers:
        return QStringLiteral("Medians of the timers that the training logs of both runs wrote down");
    default:
        break;
    }
    return {};
}

QString sectionMeaning(AnalysisSection section)
{
    switch (section) {
    case AnalysisSection::ranks:
        return QStringLiteral(
            "Communication first, then kernels; the rest is dispatch: the GPU waits while the "
            "CPU is within an operator, or between operators (Cheng et al. 2024)");
    case AnalysisSection::steps:
        return QStringLiteral("Each ProfilerStep of each rank: what was launched in it");
    case AnalysisSection::idle:
        return QStringLiteral(
            "Host wait: the next launch came after the work had ended. Kernel wait: a gap below "
            "30 \u00b5s. Other: a dependency");
    case AnalysisSection::kernels:
        return QStringLiteral(
            "What runs on the GPUs, by name; those of all ranks or of the selected one added up. Without "
            "a GPU: operators and calls that count");
    case AnalysisSection::operators:
        return QStringLiteral("Operators on the CPU, those of all ranks or of the selected one added up");
    case AnalysisSection::launches:
        return QStringLiteral("Delay: from the end of the call to the start on the GPU");
    case AnalysisSection::copies:
        return QStringLiteral("Copies and fills of the GPU's memory");
    case AnalysisSection::groups:
        return QStringLiteral(
            "Calls matched across ranks: the shortest of the ranks' times is the transfer, the "
            "rest is waiting");
    case AnalysisSection::stragglers:
        return QStringLiteral(
            "Who starts last in calls matched across ranks, and what the others wait for it");
    case AnalysisSection::timers:
        return QStringLiteral("Timers that a training log wrote down, over all of its iterations");
    case AnalysisSection::schedule:
        return QStringLiteral(
            "A pipeline schedule that was written down: how much of it its ranks stood idle");
    default:
        return meaningOfTwoRuns(section);
    }
}

QString partName(BarPart part)
{
    switch (part) {
    case BarPart::communication:
        return QStringLiteral("communication");
    case BarPart::kernels:
        return QStringLiteral("kernels");
    case BarPart::copies:
        return QStringLiteral("copies");
    case BarPart::within_operators:
        return QStringLiteral("within operators");
    case BarPart::between_operators:
        return QStringLiteral("between operators");
    case BarPart::host_wait:
        return QStringLiteral("host wait");
    case BarPart::kernel_wait:
        return QStringLiteral("kernel wait");
    case BarPart::other_wait:
        return QStringLiteral("other");
    case BarPart::idle:
        break;
    }
    return QStringLiteral("idle");
}

} // namespace shardscope
