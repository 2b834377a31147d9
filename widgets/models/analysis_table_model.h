#pragma once

#include <QAbstractTableModel>

#include "widgets/models/analysis_table.h"

namespace shardscope
{

// An AnalysisTable for a view: the bar, where the rows have one, is column 0 and the cells follow.
class AnalysisTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Role { SortRole = Qt::UserRole }; // a number, or a word

    using QAbstractTableModel::QAbstractTableModel;

    void setTable(AnalysisTable table);
    const AnalysisTable& table() const { return m_table; }
    bool hasBars() const { return !m_table.parts.empty(); }
    // The table's column; -1: the bar.
    int cellOf(int column) const { return hasBars() ? column - 1 : column; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString barTip(const AnalysisRow& row) const;

    AnalysisTable m_table;
};

} // namespace shardscope
