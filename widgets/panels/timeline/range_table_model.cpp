#include "widgets/panels/timeline/range_table_model.h"

#include "widgets/session/shown_text.h"

#include "core/base/format.h"

#include <algorithm>

namespace shardscope
{

namespace
{

double figure(const RangeRow& row, int column)
{
    switch (column) {
    case RangeTableModel::count:
        return static_cast<double>(row.count);
    case RangeTableModel::mean:
        return row.mean_ns();
    case RangeTableModel::least:
        return static_cast<double>(row.min_ns);
    case RangeTableModel::most:
        return static_cast<double>(row.max_ns);
    default:
        return static_cast<double>(row.sum_ns);
    }
}

} // namespace

void RangeTableModel::setRows(std::vector<RangeRow> rows, const LaneColours& colours, const QString& heading)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_colours = colours;
    m_heading = heading;
    m_sum = 0;
    for (const RangeRow& row : m_rows)
        m_sum += row.sum_ns;
    endResetModel();
}

int RangeTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RangeTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : column_count;
}

QString RangeTableModel::text(const RangeRow& row, int column) const
{
    switch (column) {
    case name:
        return row.name;
    case count:
        return groupedText(row.count);
    case share:
        return toQString(
            formatRatio(m_sum > 0 ? static_cast<double>(row.sum_ns) / static_cast<double>(m_sum) : 0.0));
    default:
        return nanosecondsText(static_cast<std::int64_t>(figure(row, column)));
    }
}

QVariant RangeTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const RangeRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return index.column() == name ? row.name : QVariant{};
    case Qt::DecorationRole:
        return index.column() == name ? QVariant{m_colours[static_cast<std::size_t>(row.paint)]} : QVariant{};
    case Qt::TextAlignmentRole:
        return index.column() == name ? QVariant{int{Qt::AlignLeft | Qt::AlignVCenter}}
                                      : QVariant{int{Qt::AlignRight | Qt::AlignVCenter}};
    default:
        return {};
    }
}

QVariant RangeTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static constexpr std::array<const char*, column_count> headings{"",     "Count", "Sum", "Of sums",
                                                                    "Mean", "Least", "Most"};
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == name ? int{Qt::AlignLeft | Qt::AlignVCenter}
                               : int{Qt::AlignRight | Qt::AlignVCenter};
    if (role == Qt::ToolTipRole && section == share)
        return tr("Of the sums of all rows; beside the selection stand shares of the lanes' time");
    if (role != Qt::DisplayRole)
        return {};
    return section == name ? m_heading : QString::fromLatin1(headings[static_cast<std::size_t>(section)]);
}

void RangeTableModel::sort(int column, Qt::SortOrder order)
{
    emit layoutAboutToBeChanged();
    const auto is_less = [column](const RangeRow& a, const RangeRow& b) {
        return column == name ? a.name.localeAwareCompare(b.name) < 0 : figure(a, column) < figure(b, column);
    };
    if (order == Qt::AscendingOrder)
        std::ranges::stable_sort(m_rows, is_less);
    else
        std::ranges::stable_sort(m_rows, [&](const RangeRow& a, const RangeRow& b) { return is_less(b, a); });
    emit layoutChanged();
}

} // namespace shardscope
