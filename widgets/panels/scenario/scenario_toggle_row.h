#pragma once

#include "widgets/panels/scenario/scenario_row.h"

namespace shardscope
{

class ToggleSwitch;

// A figure that is on or off.
struct ToggleFigure {
    ScenarioFigure figure;
    bool (*get)(const Scenario& scenario) = nullptr;
    Scenario (*set)(Scenario scenario, bool on) = nullptr;
    bool (*applies)(const Scenario& scenario) = nullptr; // null: always
};

class ScenarioToggleRow : public ScenarioRow
{
    Q_OBJECT
public:
    ScenarioToggleRow(const ToggleFigure& toggle, const Scenario& scenario, QWidget* parent = nullptr);

    void refresh() override;
    bool applies() const override;

private:
    ToggleFigure m_toggle;
    ToggleSwitch* m_switch = nullptr;
};

} // namespace shardscope
