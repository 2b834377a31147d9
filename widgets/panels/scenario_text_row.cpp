#include "widgets/panels/scenario_text_row.h"

#include "widgets/panels/quiet_wheel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>

namespace shardscope
{

ScenarioTextRow::ScenarioTextRow(const TextFigure& text, const Scenario& scenario, QWidget* parent)
    : ScenarioRow{text.figure, scenario, parent}, m_text{text}, m_list{new QComboBox}
{
    m_list->setEditable(true);
    m_list->setInsertPolicy(QComboBox::NoInsert);
    m_list->addItems(text.proposals);
    m_list->setAccessibleName(label());
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_list->setMinimumContentsLength(6);
    m_list->lineEdit()->setPlaceholderText(QString::fromUtf8(text.placeholder));
    ignoreWheelWithoutFocus(*m_list);
    controls().addWidget(m_list, 1);
    connect(m_list, &QComboBox::activated, this, &ScenarioTextRow::wish);
    connect(m_list->lineEdit(), &QLineEdit::editingFinished, this, &ScenarioTextRow::wish);
}

void ScenarioTextRow::refresh()
{
    const QString text = m_text.get(scenario());
    if (text == m_list->currentText())
        return;
    const QSignalBlocker quiet{m_list};
    m_list->setEditText(text);
    m_list->lineEdit()->setCursorPosition(0);
    setRefusal({});
}

bool ScenarioTextRow::applies() const
{
    return !m_text.applies || m_text.applies(scenario());
}

void ScenarioTextRow::wish()
{
    const QString text = m_list->currentText().trimmed();
    if (text == m_text.get(scenario())) {
        setRefusal({});
        return;
    }
    Result<Scenario> changed = m_text.set(scenario(), text);
    setRefusal(changed ? QString{} : QString::fromStdString(changed.error().sentence));
    if (changed)
        emit wished(changed.value(), label(), -1);
}

} // namespace shardscope
