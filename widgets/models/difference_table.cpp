#include "widgets/models/difference_table.h"

#include "widgets/models/analysis_cells.h"
#include "widgets/models/analysis_heading.h"
#include "widgets/session/shown_text.h"

#include "core/report/run_difference_report.h"

namespace shardscope
{

namespace
{

AnalysisCell secondsCell(double seconds)
{
    return {seconds > 0.0 ? secondsText(seconds) : QStringLiteral("–"), seconds};
}

AnalysisCell secondsCell(const std::optional<double>& seconds)
{
    return seconds ? secondsCell(*seconds) : cells::unknown(QStringLiteral("?"));
}

AnalysisCell addedCell(double added_s)
{
    return {toQString(addedText(added_s)), added_s};
}

AnalysisCell callsCell(double calls)
{
    return {toQString(callCountText(calls)), calls};
}

// After by before, less one; of what is new, above all others.
AnalysisCell changeCell(double before, double after)
{
    constexpr double above_all = 1e300;
    if (before <= 0.0)
        return {after > 0.0 ? QStringLiteral("new") : QString{}, above_all, true};
    return {toQString(formatChange(after / before - 1.0)), after / before - 1.0};
}

void append(const AmountChange& amount, std::vector<AnalysisCell>& row)
{
    const double before_s = amount.before.seconds;
    const double after_s = amount.after.seconds;
    row.insert(row.end(),
               {callsCell(amount.before.calls), callsCell(amount.after.calls), secondsCell(before_s),
                secondsCell(after_s), addedCell(amount.added_s()), changeCell(before_s, after_s)});
}

AnalysisTable partsTable(const RunDifference& difference)
{
    AnalysisTable table{{"of an iteration", "pinned", "now", "added", "change"},
                        {"part", "before_s", "after_s", "added_s", "change"},
                        {},
                        {}};
    const auto add = [&table](const std::string& name, double before_s, double after_s) {
        table.rows.push_back({{cells::name(name), secondsCell(before_s), secondsCell(after_s),
                               addedCell(after_s - before_s), changeCell(before_s, after_s)},
                              {},
                              std::nullopt});
    };
    if (difference.before_iteration_s > 0.0 && difference.after_iteration_s > 0.0)
        add("all of it", difference.before_iteration_s, difference.after_iteration_s);
    for (const PartChange& part : difference.parts)
        add(partText(part), part.before_s, part.after_s);
    for (const KernelClassChange& row : difference.classes)
        add("kernels: " + std::string{word(row.of)}, row.amount.before.seconds, row.amount.after.seconds);
    return table;
}

AnalysisTable callsTable(const RunDifference& difference)
{
    AnalysisTable table{{"kind", "call", "size", "ranks", "calls pinned", "now", "time pinned", "now",
                         "added", "change", "transfer pinned", "now"},
                        {"kind", "op", "message_bytes", "group_size", "before_count", "after_count",
                         "before_s", "after_s", "added_s", "change", "before_transfer_s", "after_transfer_s"},
                        {},
                        {}};
    for (const CallsChange& calls : difference.calls) {
        std::vector<AnalysisCell> row{cells::name(std::string{word(calls.kind)}),
                                      cells::name(std::string{word(calls.op)}),
                                      cells::bytes(calls.message_bytes), cells::groupSize(calls.group_size)};
        append(calls.amount, row);
        row.push_back(secondsCell(calls.before_transfer_s));
        row.push_back(secondsCell(calls.after_transfer_s));
        table.rows.push_back({std::move(row), {}, std::nullopt});
    }
    return table;
}

AnalysisTable kernelsTable(const RunDifference& difference)
{
    AnalysisTable table{
        {"name", "what", "calls pinned", "now", "time pinned", "now", "added", "change"},
        {"name", "what", "before_count", "after_count", "before_s", "after_s", "added_s", "change"},
        {},
        {}};
    for (const KernelChange& kernel : difference.kernels) {
        std::vector<AnalysisCell> row{cells::name(kernel.name), cells::name(kernelWord(kernel))};
        append(kernel.amount, row);
        table.rows.push_back({std::move(row), {}, std::nullopt, kernel.name});
    }
    return table;
}

AnalysisTable timersTable(const RunDifference& difference)
{
    AnalysisTable table{{"timer", "pinned", "now", "added", "change"},
                        {"timer", "before_s", "after_s", "added_s", "change"},
                        {},
                        {}};
    for (const TimerChange& timer : difference.timers) {
        const bool both = timer.before_s && timer.after_s;
        table.rows.push_back(
            {{cells::name(timer.name), secondsCell(timer.before_s), secondsCell(timer.after_s),
              both ? addedCell(*timer.after_s - *timer.before_s) : cells::unknown({}),
              both ? changeCell(*timer.before_s, *timer.after_s) : cells::unknown({})},
             {},
             std::nullopt});
    }
    return table;
}

AnalysisTable bareTable(AnalysisSection section, const RunDifference& difference)
{
    switch (section) {
    case AnalysisSection::changed_calls:
        return callsTable(difference);
    case AnalysisSection::changed_kernels:
        return kernelsTable(difference);
    case AnalysisSection::changed_timers:
        return timersTable(difference);
    default:
        return partsTable(difference);
    }
}

} // namespace

bool isOfTwoRuns(AnalysisSection section)
{
    return section >= AnalysisSection::changed_parts;
}

AnalysisTable differenceTable(AnalysisSection section, const RunDifference& difference)
{
    AnalysisTable table = bareTable(section, difference);
    for (const QString& heading : table.file_headings)
        table.meanings << headingMeaning(section, heading);
    return table;
}

} // namespace shardscope
