#pragma once

#include "widgets/plots/timeline/range_table.h"

#include <QAbstractTableModel>

#include <vector>

namespace shardscope
{

// What a selected stretch of time holds: a row for each kind, kernel or stream.
class RangeTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { name, count, sum, share, mean, least, most, column_count };

    using QAbstractTableModel::QAbstractTableModel;
    // Shares are of all rows. `colours` by paint.
    void setRows(std::vector<RangeRow> rows, const LaneColours& colours, const QString& heading);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    QString text(const RangeRow& row, int column) const;

    std::vector<RangeRow> m_rows;
    TraceTime m_sum = 0;
    LaneColours m_colours;
    QString m_heading;
};

} // namespace shardscope
