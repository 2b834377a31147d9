#include "widgets/main_window/trace_files_dialog.h"

#include "widgets/models/trace_files_model.h"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace shardscope
{

TraceFilesDialog::TraceFilesDialog(QWidget* parent)
    : QDialog{parent}, m_model{new TraceFilesModel{this}}, m_table{new QTableView}
{
    setWindowTitle(tr("Trace files"));
    resize(900, 420);
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QTableView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(windowTitle());
    auto* column = new QVBoxLayout{this};
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_table);
}

void TraceFilesDialog::setRun(std::shared_ptr<const MeasuredRun> run)
{
    m_model->setRun(std::move(run));
    m_table->resizeColumnsToContents();
}

} // namespace shardscope
