#pragma once

#include <QColor>
#include <QString>
#include <QStringList>

#include <vector>

namespace shardscope
{

// A change: what it is, from where to where it leads on the axis that all rows have in common, and its
// figures.
struct ChangeRow {
    QString name;
    double from = 0.0;
    double to = 0.0;
    QColor colour;
    bool is_place = false;  // no change, but where changes begin or end: a mark at `to`
    bool is_hollow = false; // it cannot be had: an outline
    bool is_warned = false; // its last cell is in the colour of limits
    QStringList cells;      // one for each heading; those that find no room are left out, the last ones first
};

// Rows of changes below each other. Plain values: a panel makes them, the chart draws them.
struct ChangeScene {
    std::vector<ChangeRow> rows;
    bool is_chain = false; // each row goes on where the one above it ends
    QStringList headings;  // of the cells
    double mark = 0.0;     // a line through all rows: where things are now
    QString mark_text;     // "now 29.7 s"
    QString invitation;    // over the names, where rows answer clicks: what a click does
    QString hint;          // instead of everything: what to do to see something here
};

} // namespace shardscope
