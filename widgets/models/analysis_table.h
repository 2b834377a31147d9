#pragma once

#include <QString>
#include <QStringList>

#include "widgets/models/analysis_section.h"
#include "widgets/session/content.h"

#include "core/analysis/activity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// A cell: what is shown, and the number to sort by and to write into files; without one it is a word.
struct AnalysisCell {
    QString text;
    std::optional<double> number;
    bool sorts_alone = false; // the number says where it stands, not what it is: a figure that nobody knows
};

// A row: its cells, the bar that it begins with, and what it stands for in the run.
struct AnalysisRow {
    std::vector<AnalysisCell> cells;             // one for each column
    std::vector<std::pair<BarPart, double>> bar; // shares of 1
    std::optional<std::int64_t> rank;            // that a click on the row selects
    // Which of the section's figures it is, to find its events: by name, by the number of the step, or by its
    // place in CrossRank::group_transfers.
    std::string name = {};
    std::int64_t number = 0;
};

// Rows under headings; of each column its heading, that of files (with its unit, "window_ns"), and what it
// counts, which may be empty.
struct AnalysisTable {
    QStringList headings;
    QStringList file_headings;
    std::vector<BarPart> parts; // of the bars; empty: the rows have none
    std::vector<AnalysisRow> rows;
    QStringList meanings{};
    bool isNumber(int column) const
    {
        return !rows.empty() && rows.front().cells[static_cast<std::size_t>(column)].number.has_value();
    }
};

// Of one run: nothing of what isOfTwoRuns(). `activity` is the run's. `rank`: operators, which are added up
// over ranks, are that one's alone.
AnalysisTable analysisTable(AnalysisSection section, const Measurement& measurement,
                            const std::vector<RankActivity>& activity, std::optional<std::int64_t> rank);

} // namespace shardscope
