#include "widgets/panels/scenario/scenario_preset_list.h"

#include "widgets/panels/controls/line_keys.h"
#include "widgets/panels/controls/quiet_wheel.h"
#include "widgets/plots/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLabel>
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
    : QComboBox{parent}, m_items{new QStandardItemModel{this}}, m_refusal{new QLabel{this}}
{
    m_refusal->setWordWrap(true);
    m_refusal->setContentsMargins(4, 0, 4, 2);
    m_refusal->hide();
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
    connect(lineEdit(), &QLineEdit::textEdited, this, [this] { refuse({}); });
    connect(lineEdit(), &QLineEdit::returnPressed, this, &ScenarioPresetList::chooseFirstMatch);
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

QString ScenarioPresetList::nameOfTitle(const QString& title) const
{
    for (QStandardItem* item : m_items->findItems(title, Qt::MatchFixedString))
        if (const QString name = item->data(name_role).toString(); !name.isEmpty()) // no heading
            return name;
    return {};
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
    refuse({});
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

QString ScenarioPresetList::firstMatch(const QString& typed) const
{
    if (typed.isEmpty())
        return {};
    completer()->setCompletionPrefix(typed);
    for (int row = 0; completer()->setCurrentRow(row); ++row) {
        const QString name = completer()->currentIndex().data(name_role).toString();
        if (!name.isEmpty()) // no heading
            return name;
    }
    return {};
}

void ScenarioPresetList::chooseFirstMatch()
{
    const QString typed = currentText().trimmed();
    if (typed == shownText())
        return;
    const QString titled = nameOfTitle(typed);
    const QString name = titled.isEmpty() ? firstMatch(typed) : titled;
    setEditText(shownText());
    if (!name.isEmpty())
        emit chosen(name);
    else if (!typed.isEmpty())
        refuse(tr("No preset is called “%1”: %2 stays.").arg(typed, shownText()));
}

// Whatever was typed and is no preset's title gives way to what holds.
void ScenarioPresetList::chooseTyped()
{
    const QString typed = currentText().trimmed();
    if (typed == shownText())
        return;
    if (const QString name = nameOfTitle(typed); !name.isEmpty()) {
        emit chosen(name);
        return;
    }
    setEditText(shownText());
    if (const QString name = firstMatch(typed); !name.isEmpty())
        refuse(tr("“%1” was left without Return, which takes %2.").arg(typed, itemText(rowOf(name))));
    else if (!typed.isEmpty())
        refuse(tr("No preset is called “%1”: %2 stays.").arg(typed, shownText()));
}

void ScenarioPresetList::refuse(const QString& sentence)
{
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme{palette()}.colour(Hue::limit));
    m_refusal->setPalette(colours);
    m_refusal->setText(sentence);
    m_refusal->setVisible(!sentence.isEmpty());
}

void ScenarioPresetList::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape || !lineEdit()->isModified())
        return QComboBox::keyPressEvent(event);
    setEditText(shownText());
    refuse({});
    completer()->popup()->hide();
}

} // namespace shardscope
