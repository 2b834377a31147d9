#pragma once

#include "widgets/panels/scenario/scenario_row.h"

#include <limits>
#include <vector>

namespace shardscope
{

class MarkedSlider;
class ScenarioNumberEdit;

// A figure that is a number.
struct NumberFigure {
    ScenarioFigure figure;
    double (*get)(const Scenario& scenario) = nullptr; // NaN: derived from the others
    // The scenario with the figure moved, and with it what follows from it.
    Scenario (*set)(Scenario scenario, double value) = nullptr;
    // Where its slider stops, ascending; no slider when null.
    std::vector<double> (*stops)(const Scenario& scenario) = nullptr;
    bool whole = true;
    const char* unit = "";
    bool may_be_derived = false;
    bool (*applies)(const Scenario& scenario) = nullptr; // null: always
};

// A slider and a line for the number. One drag of the slider is one step of the undo history; so are key
// presses and turns of the wheel that follow one another closely.
class ScenarioNumberRow : public ScenarioRow
{
    Q_OBJECT
public:
    ScenarioNumberRow(const NumberFigure& number, const Scenario& scenario, QWidget* parent = nullptr);

    void refresh() override;
    bool applies() const override;
    void setPinned(const Scenario* pinned) override;
    void setProblem(const QString& sentence) override;
    // A control before the number: the lock of the GPU count.
    void addControl(QWidget* control);

signals:
    // Before the scenario with it is wished, which may have another one in its place.
    void numberWished(double number);

private:
    QString allowed() const;
    void makeSlider();
    void placeSlider();
    void placeMark();
    void wish(double value, int drag_id);
    void step(int direction);
    int gestureId();

    NumberFigure m_number;
    std::vector<double> m_stops; // where the slider stops now; frozen while it is held
    MarkedSlider* m_slider = nullptr;
    ScenarioNumberEdit* m_edit = nullptr;
    double m_pinned = std::numeric_limits<double>::quiet_NaN();
    int m_gesture = -1;
    qint64 m_last_move_ms = 0;
};

} // namespace shardscope
