#pragma once

#include "widgets/session/content.h"

#include <QDialog>

#include <memory>

class QLabel;
class QTableView;

namespace shardscope
{

class TraceFilesModel;

// A window beside the main one that lists the files of the run and what was odd in them, and lets the user
// say which rank a file belongs to.
class TraceFilesDialog : public QDialog
{
    Q_OBJECT
public:
    explicit TraceFilesDialog(QWidget* parent = nullptr);

    void setRun(std::shared_ptr<const MeasuredRun> run);

signals:
    void rankGiven(const QString& path, qint64 rank);

private:
    TraceFilesModel* m_model;
    QLabel* m_remarks; // on the ranks of all files
    QTableView* m_table;
};

} // namespace shardscope
