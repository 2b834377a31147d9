#include "widgets/models/table_text.h"

#include "core/report/csv.h"

#include <cmath>

namespace shardscope
{

namespace
{

QString markdownRow(const QStringList& row)
{
    QString text = QStringLiteral("|");
    for (QString cell : row)
        text += ' ' + cell.replace('|', QStringLiteral("\\|")).replace('\n', ' ') + QStringLiteral(" |");
    return text + '\n';
}

} // namespace

QStringList tableRow(const std::vector<std::string>& cells)
{
    QStringList row;
    for (const std::string& cell : cells)
        row << QString::fromStdString(cell);
    return row;
}

QString csvText(const TableRows& table)
{
    QString text;
    for (const QStringList& row : table) {
        std::vector<std::string> cells;
        for (const QString& cell : row)
            cells.push_back(cell.toStdString());
        text += QString::fromStdString(csvLine(cells));
    }
    return text;
}

QString markdownText(const TableRows& table, const std::vector<bool>& right_aligned)
{
    if (table.empty())
        return {};
    QString text = markdownRow(table.front()) + '|';
    for (const bool right : right_aligned)
        text += right ? QStringLiteral(" ---: |") : QStringLiteral(" --- |");
    text += '\n';
    for (std::size_t i = 1; i < table.size(); ++i)
        text += markdownRow(table[i]);
    return text;
}

QString percentText(double share)
{
    return QString::number(100.0 * share, 'f', 1) + QStringLiteral(" %");
}

QString signedPercentText(double share)
{
    const double tenths = std::round(1000.0 * share);
    const QString sign = tenths > 0.0 ? QStringLiteral("+") : tenths < 0.0 ? QStringLiteral("−") : QString{};
    return sign + percentText(std::fabs(tenths) / 1000.0);
}

} // namespace shardscope
