#include "widgets/panels/scenario/scenario_choice_row.h"

#include "widgets/panels/controls/quiet_wheel.h"
#include "widgets/panels/controls/segment_button.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>

namespace shardscope
{

namespace
{

constexpr std::size_t most_buttons = 4;
constexpr qsizetype most_letters = 18; // of all buttons of a row together

bool fitsButtons(const std::vector<Choice>& choices)
{
    qsizetype letters = 0;
    for (const Choice& choice : choices)
        letters += QString::fromUtf8(choice.text).size();
    return choices.size() <= most_buttons && letters <= most_letters;
}

} // namespace

ScenarioChoiceRow::ScenarioChoiceRow(const ChoiceFigure& choice, const Scenario& scenario, QWidget* parent)
    : ScenarioRow{choice.figure, scenario, parent}, m_choice{choice}
{
    if (fitsButtons(choice.choices))
        makeButtons();
    else
        makeList();
}

void ScenarioChoiceRow::makeButtons()
{
    m_buttons = new QButtonGroup{this};
    auto* line = new QHBoxLayout;
    line->setSpacing(0);
    const auto count = static_cast<int>(m_choice.choices.size());
    for (const Choice& choice : m_choice.choices) {
        auto* button = new SegmentButton{QString::fromUtf8(choice.text)};
        const auto place = static_cast<int>(m_buttons->buttons().size());
        button->setPlace(SegmentButton::placeOf(place, count));
        button->setToolTip(QString::fromUtf8(choice.tip));
        button->setAccessibleName(label() + ": " + button->text());
        m_buttons->addButton(button, place);
        line->addWidget(button, 1);
    }
    controls().addLayout(line, 1);
    connect(m_buttons, &QButtonGroup::idToggled, this, [this](int choice, bool on) {
        if (on)
            wish(choice);
    });
}

void ScenarioChoiceRow::makeList()
{
    m_list = new QComboBox;
    m_list->setAccessibleName(label());
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_list->setMinimumContentsLength(6);
    ignoreWheelWithoutFocus(*m_list);
    for (const Choice& choice : m_choice.choices) {
        m_list->addItem(QString::fromUtf8(choice.text));
        m_list->setItemData(m_list->count() - 1, QString::fromUtf8(choice.tip), Qt::ToolTipRole);
    }
    controls().addWidget(m_list, 1);
    connect(m_list, &QComboBox::currentIndexChanged, this, &ScenarioChoiceRow::wish);
}

QString ScenarioChoiceRow::words() const
{
    QStringList words{ScenarioRow::words()};
    for (const Choice& choice : m_choice.choices)
        words << QString::fromUtf8(choice.text) << QString::fromUtf8(choice.tip);
    return words.join('\n');
}

void ScenarioChoiceRow::refresh()
{
    const int choice = m_choice.get(scenario());
    if (m_list) {
        const QSignalBlocker quiet{m_list};
        m_list->setCurrentIndex(choice);
    } else if (QAbstractButton* button = m_buttons->button(choice)) {
        const QSignalBlocker quiet{m_buttons};
        button->setChecked(true);
    }
}

bool ScenarioChoiceRow::applies() const
{
    return !m_choice.applies || m_choice.applies(scenario());
}

void ScenarioChoiceRow::wish(int choice)
{
    if (choice >= 0)
        emit wished(m_choice.set(scenario(), choice), label(), -1);
}

} // namespace shardscope
