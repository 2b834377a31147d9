#pragma once

#include <QString>
#include <QStringList>

#include "widgets/session/content.h"

#include "core/analysis/activity.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// What the analysis picture can list of a measured run.
enum class AnalysisSection : unsigned char {
    ranks,
    steps,
    idle,
    operators,
    launches,
    copies,
    groups,
    stragglers,
    timers,  // of a log
    schedule // of a recorded pipeline
};
inline constexpr int analysis_section_count = 10;
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

// A cell: what is shown, and the number to sort by and to write into files; without one it is a word.
struct AnalysisCell {
    QString text;
    std::optional<double> number;
};

struct AnalysisRow {
    std::vector<AnalysisCell> cells;             // one for each column
    std::vector<std::pair<BarPart, double>> bar; // shares of 1
    std::optional<std::int64_t> rank;            // that a click on the row selects
};

// Rows under headings; heading and file heading of each column (with its unit, "window_ns").
struct AnalysisTable {
    QStringList headings;
    QStringList file_headings;
    std::vector<BarPart> parts; // of the bars; empty: the rows have none
    std::vector<AnalysisRow> rows;
    bool isNumber(int column) const
    {
        return !rows.empty() && rows.front().cells[static_cast<std::size_t>(column)].number.has_value();
    }
};

// `rank`: that rank's rows alone, where a section is by rank. `activity` is the run's.
AnalysisTable analysisTable(AnalysisSection section, const Measurement& measurement,
                            const std::vector<RankActivity>& activity, std::optional<std::int64_t> rank);

} // namespace shardscope
