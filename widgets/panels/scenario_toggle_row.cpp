#include "widgets/panels/scenario_toggle_row.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QSignalBlocker>

namespace shardscope
{

ScenarioToggleRow::ScenarioToggleRow(const ToggleFigure& toggle, const Scenario& scenario, QWidget* parent)
    : ScenarioRow{toggle.figure, scenario, parent}, m_toggle{toggle}, m_box{new QCheckBox}
{
    m_box->setAccessibleName(label());
    controls().addWidget(m_box, 1);
    connect(m_box, &QCheckBox::toggled, this,
            [this](bool on) { emit wished(m_toggle.set(this->scenario(), on), label(), -1); });
}

void ScenarioToggleRow::refresh()
{
    const QSignalBlocker quiet{m_box};
    m_box->setChecked(m_toggle.get(scenario()));
}

bool ScenarioToggleRow::applies() const
{
    return !m_toggle.applies || m_toggle.applies(scenario());
}

} // namespace shardscope
