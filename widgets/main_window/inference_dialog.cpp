#include "widgets/main_window/inference_dialog.h"

#include "widgets/panels/scenario/figure_names.h"
#include "widgets/session/session.h"

#include "core/inference/inference_notes.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <cmath>

namespace shardscope
{

namespace
{

enum Column : std::uint8_t { figure, value, sure, because, column_count };

QTableWidgetItem* cell(const QString& text, Qt::Alignment alignment = Qt::AlignLeft)
{
    auto* item = new QTableWidgetItem{text};
    item->setTextAlignment(alignment | Qt::AlignVCenter);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    return item;
}

// As the scenario's controls name it; the file's key is a moment away.
QTableWidgetItem* nameOf(const Finding& finding)
{
    const QString key = QString::fromStdString(finding.key);
    QTableWidgetItem* item = cell(figureOnScreen(key));
    item->setToolTip(key);
    return item;
}

QString valueOf(const Finding& finding)
{
    if (finding.value == "true")
        return QObject::tr("yes");
    return finding.value == "false" ? QObject::tr("no") : QString::fromStdString(finding.value);
}

} // namespace

InferenceDialog::InferenceDialog(Session& session, QWidget* parent)
    : QDialog{parent}, m_session{session}, m_job{[this](const Result<Inference>& answer) {
          showAnswer(answer);
      }}
{
    setWindowTitle(tr("What the traces show"));
    resize(820, 620);
    m_verdict = new QLabel{tr("The traces are read once more ...")};
    m_verdict->setWordWrap(true);
    m_table = new QTableWidget{0, column_count};
    m_table->setHorizontalHeaderLabels({tr("Figure"), tr("Value"), tr("Sure"), tr("Because")});
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->setShowGrid(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close};
    m_take = buttons->addButton(tr("&Take this scenario"), QDialogButtonBox::AcceptRole);
    m_take->setEnabled(false);
    auto* column = new QVBoxLayout{this};
    column->addWidget(m_verdict);
    column->addWidget(m_table);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &InferenceDialog::take);
    ask();
}

QString InferenceDialog::verdict() const
{
    return m_verdict->text();
}

void InferenceDialog::ask()
{
    const std::shared_ptr<const MeasuredRun> run = m_session.content().measured;
    if (!run) {
        m_verdict->setText(tr("No traces are open: open a file or a folder first."));
        return;
    }
    m_job.start([run, presets = m_session.presets(), cluster = m_session.scenario().cluster, stop = m_stop] {
        return inferScenario(run->traces, run->rulesOrShipped(), presets, &cluster, stop.get());
    });
}

void InferenceDialog::showAnswer(const Result<Inference>& answer)
{
    if (!answer) {
        m_verdict->setText(
            tr("These traces tell no scenario: %1.").arg(QString::fromStdString(answer.error().sentence)));
        return;
    }
    const Inference& found = answer.value();
    QString text = tr("With this scenario, %1.").arg(QString::fromStdString(agreementOf(found)));
    for (const std::string& note : found.notes)
        text += "\n" + QString::fromStdString(note);
    m_verdict->setText(text);
    m_table->setRowCount(static_cast<int>(found.findings.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const Finding& finding = found.findings[static_cast<std::size_t>(row)];
        m_table->setItem(row, figure, nameOf(finding));
        m_table->setItem(row, value, cell(valueOf(finding), Qt::AlignRight));
        m_table->setItem(
            row, sure,
            cell(QStringLiteral("%1 %").arg(std::lround(100.0 * finding.confidence)), Qt::AlignRight));
        m_table->setItem(row, because, cell(QString::fromStdString(finding.evidence)));
    }
    for (int column = 0; column < because; ++column) // the last has what is left
        m_table->resizeColumnToContents(column);
    m_found = found.scenario;
    m_take->setEnabled(true);
    m_take->setDefault(true);
}

void InferenceDialog::take()
{
    m_found.time_model = m_session.scenario().time_model;
    m_session.editScenario(m_found, tr("Take what the traces show"));
    accept();
}

} // namespace shardscope
