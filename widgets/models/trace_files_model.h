#pragma once

#include "widgets/session/content.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <memory>

namespace shardscope
{

// The files of a run: what each was read as, how much was in it, and everything that was skipped, repaired or
// refused.
class TraceFilesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column {
        FileColumn,
        FormatColumn,
        RankColumn,
        StatusColumn,
        EventsColumn,
        SizeColumn,
        TimeColumn,
        RemarkColumn,
        ColumnCount
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setRun(std::shared_ptr<const MeasuredRun> run); // may be null

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    // A rank that the user types is told by rankGiven(); the run itself changes when it has been analysed
    // anew.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

signals:
    void rankGiven(const QString& path, qint64 rank);

private:
    std::shared_ptr<const MeasuredRun> m_run;
    QStringList m_names; // of its files
};

} // namespace shardscope
