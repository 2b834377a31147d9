#pragma once

#include <QWidget>

#include "core/sweep/measured_cases.h"

#include <QString>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLayout;
class QTreeWidget;

namespace shardscope
{

class ScatterView;

// Every published training step: predicted against measured time, by source, GPU, scale or size, with the
// mean error of each group. A case can be opened as the scenario.
class AccuracyPanel : public QWidget
{
    Q_OBJECT
public:
    explicit AccuracyPanel(std::vector<MeasuredCase> cases, QWidget* parent = nullptr);

    // Says which model these errors belong to; `shown` is that of the scenario on screen.
    void tellShownModel(TimeModel shown);

signals:
    void opened(const shardscope::Scenario& scenario, const QString& name);

private:
    QLayout* makeControls();
    void prepareTable();
    QWidget* makePictures();
    void connectParts();
    void regroup();
    void showTimes();
    double predicted(const MeasuredCase& entry) const;
    QString tipOf(int point) const;

    std::vector<MeasuredCase> m_cases;
    std::vector<int> m_groups; // of each case
    QComboBox* m_by;
    QCheckBox* m_unseen;
    QTreeWidget* m_table;
    ScatterView* m_view;
    QLabel* m_model;
};

} // namespace shardscope
