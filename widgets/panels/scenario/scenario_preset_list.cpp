#include "widgets/panels/scenario/scenario_preset_list.h"

#include "widgets/panels/controls/line_keys.h"
#include "widgets/panels/controls/quiet_wheel.h"

#include <QCompleter>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStandardItemModel>

namespace shardscope
{

namespace
{

constexpr int name_role = Qt::UserRole;

}

ScenarioPresetList::ScenarioPresetList(const std::vector<PresetEntry>& entries, QWidget* parent)
    : QComboBox{parent}, m_items{new QStandardItemModel{this}}
{
    setModel(m_items);
    setEntries(entries);
    setEditable(true);
    setInsertPolicy(NoInsert);
    setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(12);
    setMaxVisibleItems(24);
    ignoreWheelWithoutFocus(*this);
    shareKeysWithWindow(*lineEdit());
    lineEdit()->setPlaceholderText(tr("Type to search"));
    auto* completer = new QCompleter{m_items, this};
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setCompletionMode(QCompleter::PopupCompletion);
    setCompleter(completer);
    connect(this, &QComboBox::activated, this, &ScenarioPresetList::choose);
    connect(lineEdit(), &QLineEdit::editingFinished, this, &ScenarioPresetList::chooseTyped);
}

void ScenarioPresetList::setEntries(const std::vector<PresetEntry>& entries)
{
    const QSignalBlocker quiet{this};
    m_items->clear();
    QStringList families;
    for (const PresetEntry& entry : entries) {
        if (!families.contains(entry.family))
            families << entry.family;
    }
    for (const QString& family : families) {
        if (families.size() > 1)
            appendHeading(family);
        for (const PresetEntry& entry : entries) {
            if (entry.family == family)
                append(entry);
        }
    }
    if (isEditable())
        show(m_name, m_edited);
}

void ScenarioPresetList::appendHeading(const QString& family)
{
    auto* heading = new QStandardItem{family};
    heading->setFlags(Qt::NoItemFlags);
    QFont bold = font();
    bold.setBold(true);
    heading->setFont(bold);
    m_items->appendRow(heading);
}

void ScenarioPresetList::append(const PresetEntry& entry)
{
    auto* item = new QStandardItem{entry.title};
    item->setData(entry.name, name_role);
    item->setToolTip(entry.tip);
    m_items->appendRow(item);
}

int ScenarioPresetList::rowOf(const QString& name) const
{
    return name.isEmpty() ? -1 : findData(name, name_role);
}

QString ScenarioPresetList::shownText() const
{
    const int row = rowOf(m_name);
    const QString title = row < 0 ? m_name : itemText(row);
    if (title.isEmpty())
        return tr("own figures");
    return m_edited ? tr("%1, edited").arg(title) : title;
}

void ScenarioPresetList::show(const QString& name, bool edited)
{
    m_name = name;
    m_edited = edited;
    if (currentText() == shownText())
        return;
    const QSignalBlocker quiet{this};
    setCurrentIndex(edited ? -1 : rowOf(name));
    setEditText(shownText());
    lineEdit()->setCursorPosition(0);
    setToolTip(shownText());
}

void ScenarioPresetList::choose(int row)
{
    const QString name = itemData(row, name_role).toString();
    if (!name.isEmpty())
        emit chosen(name);
}

// Whatever was typed and is no preset's title gives way to what holds.
void ScenarioPresetList::chooseTyped()
{
    const QString typed = currentText().trimmed();
    if (typed == shownText())
        return;
    const int row = findText(typed, Qt::MatchFixedString);
    if (row >= 0 && !itemData(row, name_role).toString().isEmpty()) {
        choose(row);
        return;
    }
    setEditText(shownText());
}

} // namespace shardscope
