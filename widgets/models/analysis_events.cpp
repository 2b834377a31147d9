#include "widgets/models/analysis_events.h"

#include "widgets/session/shown_text.h"

namespace shardscope
{

EventWalk walkOf(AnalysisSection section, const AnalysisRow& row, std::optional<std::int64_t> rank,
                 const std::shared_ptr<const MeasuredRun>& run)
{
    const TraceSet& traces = run->traces;
    const std::int64_t of_rank = row.rank.value_or(0);
    const QString name = toQString(row.name);
    switch (section) {
    case AnalysisSection::steps:
        return {run, marksOfStep(traces, row.number, of_rank),
                QStringLiteral("marks of step %1").arg(row.number)};
    case AnalysisSection::idle: {
        std::optional<std::string_view> stream;
        if (!row.name.empty())
            stream = row.name;
        return {run, longestGaps(traces, run->rulesOrShipped(), stream, of_rank),
                stream ? QStringLiteral("ends of idle times of stream %1").arg(name)
                       : QStringLiteral("ends of idle times of the GPU"),
                QStringLiteral("idle for %1 before")};
    }
    case AnalysisSection::kernels:
    case AnalysisSection::changed_kernels:
        return {run, longestKernels(traces, run->rulesOrShipped(), row.name, rank),
                QStringLiteral("runs of it")};
    case AnalysisSection::operators:
        return {run, longestOperators(traces, row.name, rank), QStringLiteral("calls of the operator")};
    case AnalysisSection::launches:
        return {run, slowestLaunches(traces, row.name, of_rank), QStringLiteral("launches by %1").arg(name),
                QStringLiteral("delayed by %1")};
    case AnalysisSection::copies:
        return {run, longestMoves(traces, row.name, of_rank), QStringLiteral("copies")};
    case AnalysisSection::groups:
        return {run, slowestTransfers(traces, run->measurement, static_cast<std::size_t>(row.number)),
                QStringLiteral("calls of the group"), QStringLiteral("transferred in %1")};
    case AnalysisSection::stragglers:
        return {run, delayingCalls(traces, run->measurement, of_rank),
                QStringLiteral("calls in which others waited for rank %1").arg(of_rank),
                QStringLiteral("others waited %1 for it")};
    default: // sums, and what logs tell
        break;
    }
    return {run, {}, {}};
}

} // namespace shardscope
