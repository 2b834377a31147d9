#include "widgets/main_window/trace_files_dialog.h"

#include "widgets/models/trace_files_model.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace shardscope
{

TraceFilesDialog::TraceFilesDialog(QWidget* parent)
    : QDialog{parent}, m_model{new TraceFilesModel{this}}, m_remarks{new QLabel}, m_table{new QTableView}
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
    column->setSpacing(0);
    m_remarks->setWordWrap(true);
    m_remarks->setMargin(8);
    m_remarks->hide();
    column->addWidget(m_remarks);
    column->addWidget(m_table);
    connect(m_model, &TraceFilesModel::rankGiven, this, &TraceFilesDialog::rankGiven);
}

namespace
{

// What was odd about the set as a whole, and what its figures could not tell, a line each.
QString remarksOn(const MeasuredRun* run)
{
    QStringList lines;
    if (!run)
        lines << QObject::tr(
            "No traces are open: File, Open reads them, or drop files and folders on the window");
    if (run) {
        for (const ImportWarning& warning : run->traces.warnings)
            lines << QString::fromStdString(warning.sentence);
        for (const std::string& note : run->measurement.notes)
            lines << QString::fromStdString(note);
    }
    return lines.join('\n');
}

} // namespace

void TraceFilesDialog::setRun(std::shared_ptr<const MeasuredRun> run)
{
    m_remarks->setText(remarksOn(run.get()));
    m_remarks->setVisible(!m_remarks->text().isEmpty());
    m_model->setRun(std::move(run));
    m_table->resizeColumnsToContents();
}

} // namespace shardscope
