#pragma once

#include <QWidget>

#include "widgets/panels/measurement/accuracy_page.h"

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

// Every published figure of one sort: predicted against measured, in groups, with the mean error of each.
// What sources tell in part is counted apart, and can be left out. A point can be opened as the scenario, or
// gives it its system.
class AccuracyPanel : public QWidget
{
    Q_OBJECT
public:
    explicit AccuracyPanel(AccuracyPage page, QWidget* parent = nullptr);

    // Says which model these errors belong to; `shown` is that of the scenario on screen.
    void tellShownModel(TimeModel shown);

signals:
    void opened(const shardscope::Scenario& scenario, const QString& name);
    void systemChosen(const QString& preset);

private:
    QLayout* makeControls();
    void prepareTable();
    QWidget* makePictures();
    void connectParts();
    void open(const AccuracyPoint& point);
    void regroup();
    void showPredictions();
    void fillTable();
    bool isShown(const AccuracyPoint& point) const;
    const AccuracyGroup& groupOf(const AccuracyPoint& point) const;
    double predicted(const AccuracyPoint& point) const;
    QString valueText(double value) const;
    QString tipOf(int index) const;

    AccuracyPage m_page;
    std::vector<int> m_groups;        // of each point
    std::vector<std::size_t> m_shown; // points of the page that are drawn
    QComboBox* m_by;
    QCheckBox* m_unseen;
    QCheckBox* m_in_part;
    QTreeWidget* m_table;
    ScatterView* m_view;
    QLabel* m_note;
};

} // namespace shardscope
