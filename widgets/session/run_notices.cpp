#include "widgets/session/run_notices.h"

#include "widgets/session/shown_text.h"

#include "core/analysis/calibration/calibration_points.h"
#include "core/report/unfinished_report.h"
#include "core/trace/rank_claims.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <map>

namespace shardscope
{

namespace
{

QString tr(const char* text)
{
    return QCoreApplication::translate("RunNotices", text);
}

bool isRejected(const TraceFile& file)
{
    return file.status == FileStatus::rejected;
}

// "all_reduce" where all lines are of one. Most versions of nccl-tests do not name it, but the bandwidths of
// an all_reduce tell.
QString collectiveOf(const std::vector<BandwidthPoint>& lines)
{
    const BandwidthPoint& first = lines.front();
    const bool is_one = std::ranges::all_of(lines, [&](const BandwidthPoint& line) {
        return line.name == first.name && line.table == first.table;
    });
    if (is_one && first.name.empty() && std::ranges::any_of(lines, isOfAllReduce))
        return toQString(word(Op::all_reduce));
    return is_one && !first.name.empty() ? toQString(first.name) : tr("collectives");
}

// No curve is theirs until somebody says which operation it is.
Notice noticeOfUntold(const std::vector<BandwidthPoint>& points)
{
    return {
        Severity::warning,
        tr("Of the %1 times that were read some are of an operation that their table does not name: the "
           "picture Collectives leaves them out. Open the file under a name like alltoall_perf.log, or say "
           "it in Scenario > Calibrate the cluster.")
            .arg(points.size()),
        Topic::traces};
}

// A rank has one GPU: what is told of such a file is of none of its GPUs alone.
std::optional<Notice> noticeOfMergedGpus(const TraceSet& traces)
{
    const auto hasSeveral = [](const TraceFile& file) { return file.devices > 1; };
    const auto files = std::ranges::count_if(traces.files, hasSeveral);
    if (files == 0)
        return std::nullopt;
    const TraceFile& first = *std::ranges::find_if(traces.files, hasSeveral);
    const QString what = tr("Its times are of these GPUs together. A trace of each GPU, recorded by a "
                            "process of its own, tells them apart.");
    const QString sentence =
        files == 1
            ? tr("Work of %1 GPUs stands in %2, which counts as that of one rank.")
                  .arg(QString::number(first.devices), QFileInfo{toQString(first.path)}.fileName())
            : tr("Work of several GPUs stands in %1 of %2 files, each of which counts as that of one rank.")
                  .arg(files)
                  .arg(traces.files.size());
    return Notice{Severity::warning, sentence + ' ' + what, Topic::traces, Offer::trace_files};
}

} // namespace

QStringList readPaths(const QStringList& named, const TraceSet& traces)
{
    QStringList read;
    for (const QString& path : named)
        if (std::ranges::none_of(traces.files, [&](const TraceFile& file) {
                return isRejected(file) && toQString(file.path) == path;
            }))
            read << QFileInfo{path}.absoluteFilePath();
    return read;
}

std::optional<Notice> noticeOfRejected(const TraceSet& traces)
{
    constexpr qsizetype most_named = 6;
    std::map<QString, QStringList> names; // by the reason
    qsizetype rejected = 0;
    for (const TraceFile& file : traces.files) {
        if (!isRejected(file))
            continue;
        QStringList& alike = names[toQString(file.rejection)];
        if (++rejected <= most_named || alike.isEmpty())
            alike << QFileInfo{toQString(file.path)}.fileName();
    }
    if (rejected == 0)
        return std::nullopt;
    QStringList reasons;
    qsizetype named = 0;
    for (const auto& [why, alike] : names) {
        reasons << QStringLiteral("%1 (%2)").arg(alike.join(", "), why);
        named += alike.size();
    }
    const auto read = static_cast<qsizetype>(traces.files.size()) - rejected;
    const QString rest = named < rejected ? tr(", and %1 more").arg(rejected - named) : QString{};
    const QString shown =
        read == 1 ? tr("The other file is shown") : tr("The other %1 files are shown").arg(read);
    return Notice{Severity::error, tr("Not opened: %1%2. %3.").arg(reasons.join("; "), rest, shown),
                  Topic::traces, Offer::trace_files};
}

std::optional<Notice> noticeOfOddities(const TraceSet& traces)
{
    std::int64_t oddities = 0;
    int odd_files = 0;
    for (const TraceFile& file : traces.files) {
        if (file.status != FileStatus::recovered)
            continue;
        ++odd_files;
        for (const ImportWarning& warning : file.warnings)
            oddities += warning.count;
    }
    if (odd_files == 0)
        return std::nullopt;
    return Notice{Severity::warning,
                  tr("%1 of %2 files had oddities that were skipped or repaired, %3 in all.")
                      .arg(odd_files)
                      .arg(traces.files.size())
                      .arg(oddities),
                  Topic::traces, Offer::trace_files};
}

Notice noticeOfRuns(const SeveralRuns& several, std::optional<std::size_t> shown)
{
    constexpr std::size_t most_named = 4;
    const std::vector<FolderRun>& runs = several.runs;
    QStringList names;
    for (std::size_t run = 0; run < std::min(runs.size(), most_named); ++run)
        names << toQString(runs[run].name);
    if (runs.size() > most_named)
        names << tr("%1 more").arg(runs.size() - most_named);
    const QString what = shown ? tr("%1 is shown.").arg(toQString(runs[*shown].name))
                               : tr("All of them are shown as one run.");
    return {Severity::note,
            tr("%1 runs with the same ranks were found: %2. %3").arg(runs.size()).arg(names.join(", "), what),
            Topic::traces, Offer::another_run};
}

std::vector<Notice> noticesOfRanks(const TraceSet& traces)
{
    std::vector<Notice> notices;
    if (const std::optional<Notice> merged = noticeOfMergedGpus(traces))
        notices.push_back(*merged);
    for (const ImportWarning& warning : traces.warnings)
        if (warning.of != WarningOf::other_runs)
            notices.push_back(
                {Severity::warning, toQString(warning.sentence), Topic::traces, Offer::trace_files});
    return notices;
}

std::optional<Notice> noticeOfTables(const TraceSet& traces, const Measurement& measurement)
{
    const std::vector<BandwidthPoint>& points = measurement.points;
    const bool has_schedule =
        std::ranges::any_of(traces.files, [](const TraceFile& file) { return !file.schedule.empty(); });
    if (points.empty() || has_schedule || !measurement.ranks.empty() || !measurement.timers.empty()
        || !measurement.memory.empty() || !measurement.matrix.empty() || !measurement.unfinished.empty()
        || !measurement.cross_rank.transfers.empty())
        return std::nullopt;
    if (holdTableOfNoOperation(points))
        return noticeOfUntold(points);
    const QString of = collectiveOf(points);
    return Notice{
        Severity::note,
        points.size() == 1
            ? tr("One time of %1 was read, which the picture Collectives shows.").arg(of)
            : tr("%1 times of %2 were read, which the picture Collectives shows.").arg(points.size()).arg(of),
        Topic::traces, Offer::collectives};
}

std::optional<Notice> noticeOfUnfinished(const Measurement& measurement)
{
    const std::string sentence = unfinishedSentence(measurement);
    if (sentence.empty())
        return std::nullopt;
    return Notice{Severity::warning, tr("What hangs: %1.").arg(toQString(sentence)), Topic::traces};
}

} // namespace shardscope
