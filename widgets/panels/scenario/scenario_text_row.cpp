#include "widgets/panels/scenario/scenario_text_row.h"

#include "widgets/panels/controls/line_keys.h"
#include "widgets/panels/controls/quiet_wheel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>

namespace shardscope
{

ScenarioTextRow::ScenarioTextRow(const TextFigure& text, const Scenario& scenario, QWidget* parent)
    : ScenarioRow{text.figure, scenario, parent}, m_text{text}
{
    if (text.proposals.isEmpty()) {
        m_line = new QLineEdit;
        controls().addWidget(m_line, 1);
    } else {
        makeList();
    }
    m_line->setAccessibleName(label());
    shareKeysWithWindow(*m_line);
    m_line->setPlaceholderText(QString::fromUtf8(text.placeholder));
    connect(m_line, &QLineEdit::editingFinished, this, &ScenarioTextRow::wish);
}

void ScenarioTextRow::makeList()
{
    m_list = new QComboBox;
    m_list->setEditable(true);
    m_list->setInsertPolicy(QComboBox::NoInsert);
    m_list->addItems(m_text.proposals);
    m_list->setAccessibleName(label());
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_list->setMinimumContentsLength(6);
    ignoreWheelWithoutFocus(*m_list);
    m_line = m_list->lineEdit();
    controls().addWidget(m_list, 1);
    connect(m_list, &QComboBox::activated, this, &ScenarioTextRow::wish);
}

void ScenarioTextRow::refresh()
{
    const QString text = m_text.get(scenario());
    if (text == m_line->text())
        return;
    const QSignalBlocker quiet_list{m_list};
    const QSignalBlocker quiet_line{m_line};
    m_line->setText(text);
    m_line->setCursorPosition(0);
    setRefusal({});
}

bool ScenarioTextRow::applies() const
{
    return !m_text.applies || m_text.applies(scenario());
}

void ScenarioTextRow::wish()
{
    const QString text = m_line->text().trimmed();
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
