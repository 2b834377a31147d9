#pragma once

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace shardscope
{

// Tables as text, for files and the clipboard. Every row has as many cells as the header.
using TableRows = std::vector<QStringList>; // the first row is the header

// A row as reports of the core have it.
QStringList tableRow(const std::vector<std::string>& cells);

// RFC 4180, with line feeds: cells that hold a comma, a quote or a line break are quoted.
QString csvText(const TableRows& table);

// A GitHub table; `right_aligned` columns are numbers. Bars in cells are escaped.
QString markdownText(const TableRows& table, const std::vector<bool>& right_aligned);

// "3.2 %", or "+3.2 %" and "−3.2 %": a share to a tenth of a percent.
QString percentText(double share);
QString signedPercentText(double share);

} // namespace shardscope
