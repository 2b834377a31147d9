#pragma once

#include "widgets/session/content.h"

#include <QDialog>

#include <memory>

class QTableView;

namespace shardscope
{

class TraceFilesModel;

// A window beside the main one that lists the files of the run and what was odd in them.
class TraceFilesDialog : public QDialog
{
    Q_OBJECT
public:
    explicit TraceFilesDialog(QWidget* parent = nullptr);

    void setRun(std::shared_ptr<const MeasuredRun> run);

private:
    TraceFilesModel* m_model;
    QTableView* m_table;
};

} // namespace shardscope
