#include "widgets/panels/scenario/scenario_toggle_row.h"

#include "widgets/panels/controls/toggle_switch.h"

#include <QHBoxLayout>
#include <QSignalBlocker>

namespace shardscope
{

ScenarioToggleRow::ScenarioToggleRow(const ToggleFigure& toggle, const Scenario& scenario, QWidget* parent)
    : ScenarioRow{toggle.figure, scenario, parent}, m_toggle{toggle}, m_switch{new ToggleSwitch}
{
    m_switch->setAccessibleName(label());
    controls().addWidget(m_switch);
    controls().addStretch(1);
    connect(m_switch, &QAbstractButton::toggled, this,
            [this](bool on) { emit wished(m_toggle.set(this->scenario(), on), label(), -1); });
}

void ScenarioToggleRow::refresh()
{
    const QSignalBlocker quiet{m_switch};
    m_switch->setChecked(m_toggle.get(scenario()));
}

bool ScenarioToggleRow::applies() const
{
    return !m_toggle.applies || m_toggle.applies(scenario());
}

} // namespace shardscope
