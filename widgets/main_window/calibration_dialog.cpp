#include "widgets/main_window/calibration_dialog.h"

#include "widgets/main_window/replace_question.h"
#include "widgets/panels/measurement/calibration_panel.h"
#include "widgets/session/session.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardscope
{

CalibrationDialog::CalibrationDialog(Session& session, QWidget* parent)
    : QDialog{parent}, m_session{session}, m_panel{new CalibrationPanel}
{
    setWindowTitle(tr("Calibrate the cluster"));
    resize(1120, 700);
    auto* column = new QVBoxLayout{this};
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_panel, 1);
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close};
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false); // Enter saves under the name
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* below = new QHBoxLayout; // as the panel's own margins
    below->setContentsMargins(9, 0, 9, 9);
    below->addWidget(buttons);
    column->addLayout(below);
    m_panel->setPresets(session.presets());
    m_panel->setScenario(session.scenario());
    m_panel->setRun(session.content().measured);
    connect(&session, &Session::presetsChanged, m_panel,
            [this] { m_panel->setPresets(m_session.presets()); });
    connect(&session, &Session::scenarioChanged, m_panel, &CalibrationPanel::setScenario);
    connect(&session, &Session::contentChanged, m_panel,
            [this](const Content& content) { m_panel->setRun(content.measured); });
    connect(&session, &Session::failed, m_panel, &CalibrationPanel::tell);
    connect(m_panel, &CalibrationPanel::filesWished, this, &CalibrationDialog::askForFiles);
    connect(m_panel, &CalibrationPanel::saveWished, this, &CalibrationDialog::save);
    connect(m_panel, &CalibrationPanel::scenarioWished, this, [this](const Scenario& scenario) {
        m_session.editScenario(scenario, tr("Calibrated cluster"));
        m_panel->tell(tr("The scenario's cluster has the fitted constants."));
    });
}

void CalibrationDialog::askForFiles()
{
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Measurements"), QDir::homePath(),
        tr("Tables, logs and traces (*.csv *.tsv *.json *.json.gz *.gz *.log *.txt *.sqlite);;All files "
           "(*)"));
    m_panel->addFiles(files);
}

void CalibrationDialog::save(const QString& name, const Cluster& cluster, const QString& source)
{
    const ClusterPreset* there = m_session.presets().cluster(name.toStdString());
    if (there == nullptr || !there->is_own) {
        keep(name, cluster, source);
        return;
    }
    askToReplace(this, tr("A cluster of yours is called %1. Replace it?").arg(name),
                 [this, name, cluster, source] { keep(name, cluster, source); });
}

void CalibrationDialog::keep(const QString& name, const Cluster& cluster, const QString& source)
{
    if (m_session.saveCluster(name, cluster, source))
        m_panel->tell(tr("Saved: %1 stands in the list of clusters.").arg(name));
}

} // namespace shardscope
