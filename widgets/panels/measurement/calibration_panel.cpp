#include "widgets/panels/measurement/calibration_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/scenario/figure_names.h"
#include "widgets/plots/curves/scatter_view.h"
#include "widgets/session/shown_text.h"

#include "core/report/calibration_report.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QTreeWidget>
#include <QUrl>

namespace shardscope
{

namespace
{

constexpr int path_role = Qt::UserRole;
constexpr int before_group = 0;
constexpr int fitted_group = 1;

QString residual(double predicted_s, double measured_s)
{
    return signedPercentText(predicted_s / measured_s - 1.0);
}

// Of iterations and of collectives apart: their mean would say nothing of either.
QString errorsText(const Calibration& fit)
{
    const auto count = static_cast<int>(fit.rows.size());
    QStringList sorts;
    for (const bool of_iterations : {true, false}) {
        const MeanError mean = meanError(fit, of_iterations);
        if (mean.rows == 0)
            continue;
        QString text =
            CalibrationPanel::tr("%1: %2 before, <b>%3 fitted</b>")
                .arg(toQString(countedSentence(mean.rows, of_iterations ? "1 iteration" : "1 collective",
                                               of_iterations ? "# iterations" : "# collectives")),
                     percentText(mean.before), percentText(mean.fitted));
        if (mean.left_out)
            text += CalibrationPanel::tr(", %1 on what was left out").arg(percentText(*mean.left_out));
        sorts << text;
    }
    const QString how = !fit.error_left_out  ? CalibrationPanel::tr("; too few to leave some out")
                        : fit.folds == count ? CalibrationPanel::tr(" (one at a time)")
                                             : CalibrationPanel::tr(" (in %1 parts)").arg(fit.folds);
    return CalibrationPanel::tr("Mean error of %1").arg(sorts.join(QStringLiteral("; "))) + how;
}

void alignNumbers(QTreeWidgetItem& item)
{
    for (int column = 1; column < item.columnCount(); ++column)
        item.setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

} // namespace

CalibrationPanel::~CalibrationPanel()
{
    if (m_stop)
        m_stop->store(true);
}

void CalibrationPanel::connectControls()
{
    connect(m_start, &QTimer::timeout, this, &CalibrationPanel::ask);
    const auto again = [this] { m_start->start(); };
    connect(m_files, &QListWidget::itemChanged, this, again);
    connect(m_files, &QListWidget::itemSelectionChanged, this, &CalibrationPanel::showControls);
    connect(m_op, &QComboBox::currentIndexChanged, this, again);
    connect(m_per_node, &QSpinBox::valueChanged, this, again);
    connect(m_name, &QLineEdit::textChanged, this, &CalibrationPanel::showControls);
    connect(m_add, &QPushButton::clicked, this, &CalibrationPanel::filesWished);
    connect(m_remove, &QPushButton::clicked, this, [this] {
        for (QListWidgetItem* item : m_files->selectedItems())
            if (!item->data(path_role).toString().isEmpty())
                delete item;
        m_start->start();
    });
    const auto save = [this] {
        if (m_save->isEnabled())
            emit saveWished(m_name->text().trimmed(), m_answer.fit->cluster,
                            toQString(calibrationSource(*m_answer.fit)));
    };
    connect(m_save, &QPushButton::clicked, this, save);
    connect(m_name, &QLineEdit::returnPressed, this, save);
    connect(m_take, &QPushButton::clicked, this, &CalibrationPanel::wishScenario);
}

void CalibrationPanel::setPresets(const Presets& presets)
{
    m_presets = std::make_shared<const Presets>(presets);
}

void CalibrationPanel::setScenario(const Scenario& scenario)
{
    m_shown = scenario;
    if (scenario == m_wished || (m_scenario && scenario == *m_scenario))
        return;
    m_wished.reset();
    m_scenario = std::make_shared<const Scenario>(scenario);
    m_start->start();
}

// The open traces stand first in the list, and count until the user takes them out.
void CalibrationPanel::setRun(std::shared_ptr<const MeasuredRun> run)
{
    if (run == m_run)
        return;
    const bool was_there = m_run != nullptr;
    m_run = std::move(run);
    if (was_there && !m_run)
        delete m_files->takeItem(0);
    if (!was_there && m_run) {
        auto* item = new QListWidgetItem;
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
        m_files->insertItem(0, item);
    }
    if (m_run)
        m_files->item(0)->setText(tr("The open traces: %1").arg(m_run->traces.files.size()));
    m_start->start();
}

void CalibrationPanel::addFiles(const QStringList& files)
{
    for (const QString& file : files) {
        const QString path = QFileInfo{file}.absoluteFilePath();
        bool is_known = false;
        for (int row = 0; row < m_files->count(); ++row)
            is_known = is_known || m_files->item(row)->data(path_role).toString() == path;
        if (is_known)
            continue;
        auto* item = new QListWidgetItem{QFileInfo{path}.fileName(), m_files};
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
        item->setData(path_role, path);
        item->setToolTip(path);
    }
    m_start->start();
}

void CalibrationPanel::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void CalibrationPanel::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    QStringList files;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            files << url.toLocalFile();
    addFiles(files);
}

CalibrationQuestion CalibrationPanel::question() const
{
    CalibrationQuestion question;
    question.scenario = m_scenario;
    question.presets = m_presets;
    for (int row = 0; row < m_files->count(); ++row) {
        const QListWidgetItem& item = *m_files->item(row);
        const QString path = item.data(path_role).toString();
        if (item.checkState() != Qt::Checked)
            continue;
        if (path.isEmpty())
            question.run = m_run;
        else
            question.files.emplace_back(path.toStdString());
    }
    if (m_op->currentIndex() > 0)
        question.groups.op = static_cast<Op>(m_op->currentData().toInt());
    if (m_per_node->value() > 0)
        question.groups.per_node = m_per_node->value();
    return question;
}

void CalibrationPanel::ask()
{
    m_start->stop();
    if (m_stop)
        m_stop->store(true);
    if (!m_scenario || !m_presets)
        return;
    m_stop = std::make_shared<std::atomic<bool>>(false);
    m_job.start([asked = question(), stop = m_stop] { return answerCalibration(asked, stop.get()); });
    m_notes->clear();
    showControls();
    m_summary->setText(tr("Fitting..."));
}

void CalibrationPanel::finish()
{
    if (m_start->isActive())
        ask();
    while (m_job.isRunning())
        m_job.finish();
}

void CalibrationPanel::answered(CalibrationAnswer answer)
{
    m_answer = std::move(answer);
    showFit();
}

QString CalibrationPanel::summary() const
{
    return m_summary->text();
}

void CalibrationPanel::showFit()
{
    showConstants();
    showRows();
    showControls();
    QStringList notes;
    if (m_answer.fit)
        for (const std::vector<std::string>& of : {m_answer.notes, m_answer.fit->notes})
            for (const std::string& note : of)
                notes << warningOnScreen(note);
    m_notes->setText(withUnbrokenNumbers(notes.join(QStringLiteral("; "))));
    if (!m_answer.fit) {
        m_summary->setText(m_answer.problem.empty() ? tr(
                               "Add measurements: tables of configurations and times (CSV or JSON; a "
                               "CSV's first line is like \"pipeline,tensor,data,iteration_s\"), output of "
                               "nccl-tests, traces.")
                                                    : toQString(m_answer.problem));
        return;
    }
    m_summary->setText(errorsText(*m_answer.fit));
}

void CalibrationPanel::showConstants()
{
    m_constants->clear();
    if (!m_answer.fit)
        return;
    for (const FittedConstant& constant : m_answer.fit->constants) {
        auto* row = new QTreeWidgetItem{m_constants,
                                        {figureOnScreen(toQString(constant.key)),
                                         QString::number(constant.before, 'g', 4),
                                         QString::number(constant.fitted, 'g', 4)}};
        alignNumbers(*row);
        row->setToolTip(0, toQString(constant.key));
    }
}

void CalibrationPanel::showRows()
{
    m_rows->clear();
    std::vector<ScatterPoint> points;
    if (m_answer.fit)
        for (const CalibrationRow& row : m_answer.fit->rows) {
            auto* item = new QTreeWidgetItem{
                m_rows,
                {toQString(row.what), secondsText(row.measured_s), residual(row.before_s, row.measured_s),
                 residual(row.fitted_s, row.measured_s),
                 row.left_out_s ? residual(*row.left_out_s, row.measured_s) : QString{}}};
            alignNumbers(*item);
            item->setToolTip(0, toQString(row.what));
            points.push_back({row.measured_s, row.before_s, before_group});
            points.push_back({row.measured_s, row.fitted_s, fitted_group});
        }
    m_view->setPoints(std::move(points));
}

QString CalibrationPanel::tipOf(int point) const
{
    const CalibrationRow& row = m_answer.fit->rows[static_cast<std::size_t>(point / 2)];
    return QStringLiteral("<b>%1</b><br>%2<br>%3<br>%4")
        .arg(toQString(row.what).toHtmlEscaped(), tr("measured %1").arg(secondsText(row.measured_s)),
             tr("before %1 (%2)").arg(secondsText(row.before_s), residual(row.before_s, row.measured_s)),
             tr("fitted %1 (%2)").arg(secondsText(row.fitted_s), residual(row.fitted_s, row.measured_s)));
}

void CalibrationPanel::showControls()
{
    bool has_file = false;
    for (const QListWidgetItem* item : m_files->selectedItems())
        has_file = has_file || !item->data(path_role).toString().isEmpty();
    const bool has_fit = m_answer.fit.has_value() && !m_job.isRunning();
    m_remove->setEnabled(has_file);
    m_take->setEnabled(has_fit);
    m_save->setEnabled(has_fit && !m_name->text().trimmed().isEmpty());
}

void CalibrationPanel::wishScenario()
{
    m_wished = m_shown;
    m_wished->cluster = m_answer.fit->cluster;
    emit scenarioWished(Scenario{*m_wished}); // answered by another one on screen
}

void CalibrationPanel::tell(const QString& sentence)
{
    m_notes->setText(sentence);
}

} // namespace shardscope
