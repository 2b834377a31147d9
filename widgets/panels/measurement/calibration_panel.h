#pragma once

#include "widgets/models/calibration_answer.h"
#include "widgets/session/latest_job.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <atomic>
#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;
class QTimer;
class QTreeWidget;

namespace shardscope
{

class ScatterView;

// Fits the few constants of a cluster to what was measured: files and the open traces on top, below the fit,
// how far each prediction was and is from its measurement, and the error on what was left out. The result can
// be taken over and kept as the user's own cluster. It computes off this thread.
class CalibrationPanel : public QWidget
{
    Q_OBJECT
public:
    explicit CalibrationPanel(QWidget* parent = nullptr);
    ~CalibrationPanel() override;

    void setPresets(const Presets& presets);
    // The fit begins with its cluster, and rows of tables change its figures.
    void setScenario(const Scenario& scenario);
    void setRun(std::shared_ptr<const MeasuredRun> run); // null: no traces are open
    void addFiles(const QStringList& files);
    // A sentence below the fit: what became of a wish.
    void tell(const QString& sentence);

    const CalibrationAnswer& answer() const { return m_answer; }
    QString summary() const;
    // Waits for what is being worked out.
    void finish();

signals:
    void filesWished();
    // The name may be wrong or taken.
    void saveWished(const QString& name, const shardscope::Cluster& cluster, const QString& source);
    void scenarioWished(const shardscope::Scenario& scenario);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void layOut();
    QWidget* sourcesBox();
    QWidget* fitBox();
    QWidget* pictureBox();
    QWidget* keepBox();
    void connectControls();
    CalibrationQuestion question() const;
    void ask();
    void answered(CalibrationAnswer answer);
    void showFit();
    void showConstants();
    void showRows();
    void showControls();
    QString tipOf(int point) const;
    void wishScenario();

    std::shared_ptr<const Presets> m_presets;
    std::shared_ptr<const Scenario> m_scenario;
    std::shared_ptr<const MeasuredRun> m_run;
    Scenario m_shown;                 // on screen
    std::optional<Scenario> m_wished; // taken over from here: no reason to fit again
    CalibrationAnswer m_answer;
    QListWidget* m_files;
    QPushButton* m_add;
    QPushButton* m_remove;
    QComboBox* m_op;
    QSpinBox* m_per_node;
    QLabel* m_summary;
    ScatterView* m_view;
    QTreeWidget* m_constants;
    QTreeWidget* m_rows;
    QLabel* m_notes;
    QLineEdit* m_name;
    QPushButton* m_save;
    QPushButton* m_take;
    QTimer* m_start; // runs until changes of one gesture are over
    std::shared_ptr<std::atomic<bool>> m_stop;
    LatestJob<CalibrationAnswer> m_job; // the last member: it ends before what it fills
};

} // namespace shardscope
