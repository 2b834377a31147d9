#include "widgets/models/analysis_table_model.h"

#include "widgets/session/shown_text.h"

namespace shardscope
{

void AnalysisTableModel::setTable(AnalysisTable table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int AnalysisTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int AnalysisTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.headings.size()) + (hasBars() ? 1 : 0);
}

QString AnalysisTableModel::barTip(const AnalysisRow& row) const
{
    QStringList parts;
    for (const auto& [part, share] : row.bar)
        parts.append(partName(part) + ' ' + ratioText(share));
    return parts.join(QStringLiteral(", "));
}

QVariant AnalysisTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const AnalysisRow& row = m_table.rows[static_cast<std::size_t>(index.row())];
    const int column = cellOf(index.column());
    if (column < 0) {
        if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole)
            return barTip(row);
        return role == SortRole && !row.bar.empty() ? QVariant{row.bar.front().second} : QVariant{};
    }
    const AnalysisCell& cell = row.cells[static_cast<std::size_t>(column)];
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::ToolTipRole: // words may be cut off
        return cell.number ? headerData(index.column(), Qt::Horizontal, Qt::ToolTipRole)
                           : QVariant{cell.text};
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((cell.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SortRole:
        return cell.number ? QVariant{*cell.number} : QVariant{cell.text};
    default:
        return {};
    }
}

QVariant AnalysisTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const int column = cellOf(section);
    if (role == Qt::DisplayRole)
        return column < 0 ? QStringLiteral("shares") : m_table.headings[column];
    if (role == Qt::ToolTipRole)
        return column < 0 ? QVariant{} : QVariant{m_table.meanings.value(column)};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((column >= 0 && m_table.isNumber(column) ? Qt::AlignRight : Qt::AlignLeft)
                                   | Qt::AlignVCenter);
    return {};
}

} // namespace shardscope
