#pragma once

#include "core/scenario/scenario.h"

#include <QString>
#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace shardscope
{

// What a row says about its figure.
struct ScenarioFigure {
    const char* key = "";    // as in the scenario file and in Problem::field: "parallel.tensor"
    const char* label = "";  // "Tensor parallel"
    const char* symbol = ""; // the papers' letter, may be empty
    const char* tip = "";    // a sentence or two for the tooltip
    // Why what is chosen does not do what one expects; empty: it does.
    QString (*note)(const Scenario& scenario) = nullptr;
    // Whether it does nothing at all, so that it cannot be moved.
    bool (*is_idle)(const Scenario& scenario) = nullptr;
};

// One line of the scenario panel: label, controls, and below them the sentence of a problem. Rows read the
// scenario that their panel owns and wish for a changed one.
class ScenarioRow : public QWidget
{
    Q_OBJECT
public:
    ScenarioRow(const ScenarioFigure& figure, const Scenario& scenario, QWidget* parent = nullptr);

    QString key() const { return m_figure.key; }
    QString label() const;
    // All that is said of the figure, to be searched.
    virtual QString words() const;
    // Shows what the panel's scenario holds now.
    virtual void refresh() = 0;
    // Rows that mean nothing for this scenario are hidden.
    virtual bool applies() const { return true; }
    // Marks where the pinned scenario stands; null: nothing is pinned.
    virtual void setPinned(const Scenario* /*pinned*/) {}
    // What the figure itself says about the scenario.
    void refreshNote();
    virtual void setProblem(const QString& sentence);
    QString problem() const { return m_problem; }
    // Something worth knowing that is no problem.
    void setRemark(const QString& sentence);
    // Text that is no number, refused by the row itself; shown before the scenario's problem.
    void setRefusal(const QString& sentence);

signals:
    void wished(const shardscope::Scenario& scenario, const QString& gesture, int drag_id);

protected:
    const Scenario& scenario() const { return m_scenario; }
    QHBoxLayout& controls() { return *m_controls; }
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void enableControls();
    void showSentence();

    ScenarioFigure m_figure;
    const Scenario& m_scenario;
    QHBoxLayout* m_controls = nullptr;
    QLabel* m_sentence = nullptr; // made when first needed
    QString m_problem;
    QString m_refusal;
    QString m_note;
    QString m_remark;
};

} // namespace shardscope
