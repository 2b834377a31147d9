// The form while settings are searched: the lines that were found, wherever they stand.
#include "widgets/panels/scenario/scenario_panel.h"

#include "widgets/panels/scenario/scenario_preset_list.h"
#include "widgets/panels/scenario/scenario_row.h"
#include "widgets/panels/scenario/setting_finder.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardscope
{

void ScenarioPanel::makeFinder(QVBoxLayout& column)
{
    m_finder = new SettingFinder;
    connect(m_finder, &QLineEdit::textChanged, this, &ScenarioPanel::find);
    connect(m_finder, &SettingFinder::goneOn, this, &ScenarioPanel::goToFirstShown);
    m_none = new QLabel;
    m_none->setObjectName(QStringLiteral("nothing found"));
    m_none->setWordWrap(true);
    m_none->setTextFormat(Qt::PlainText);
    m_none->setContentsMargins(8, 2, 8, 4);
    m_none->hide();
    auto* line = new QHBoxLayout;
    line->setContentsMargins(4, 4, 4, 3); // as wide as the lists of presets
    line->addWidget(m_finder);
    column.addLayout(line);
    column.addWidget(m_none);
}

void ScenarioPanel::beginSearch()
{
    m_finder->setFocus(Qt::ShortcutFocusReason);
    m_finder->selectAll();
}

// Esc in a line that was found, which has nothing of its own to take back, is the search's before it is the
// window's.
bool ScenarioPanel::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && m_search.isOn()
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void ScenarioPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_search.isOn())
        endSearch();
    else
        QWidget::keyPressEvent(event);
}

// The form comes back to where it stood before the search. A line that has the focus keeps it where it is
// still seen; one that is folded away again gives it back to the search.
void ScenarioPanel::endSearch()
{
    QPointer<QWidget> control = focusWidget();
    const bool is_folded_away = !m_is_unfolded && m_advanced && m_advanced->isAncestorOf(control);
    if (is_folded_away)
        m_finder->setFocus(Qt::OtherFocusReason);
    m_finder->clear();
    if (!is_folded_away && control && m_scroll->widget()->isAncestorOf(control))
        m_scroll->ensureWidgetVisible(control);
}

void ScenarioPanel::goToFirstShown()
{
    for (QWidget* part = m_finder->nextInFocusChain(); part != m_finder; part = part->nextInFocusChain()) {
        const bool takes_keys =
            part->isVisible() && part->isEnabled() && (part->focusPolicy() & Qt::TabFocus);
        if (takes_keys && m_scroll->widget()->isAncestorOf(part)) {
            part->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

void ScenarioPanel::find(const QString& typed)
{
    const bool was_on = m_search.isOn();
    m_search = SettingSearch{typed};
    if (!m_search.isOn() && !was_on)
        return;
    m_anchor->release();
    if (!was_on)
        m_place_before = m_scroll->verticalScrollBar()->value();
    showAdvanced();
    m_unfold->setVisible(!m_search.isOn());
    gatherFound();
    refresh();
    setProblems(m_problems);
    m_anchor->scrollTo(m_search.isOn() ? 0 : m_place_before);
}

void ScenarioPanel::gatherFound()
{
    m_found.clear();
    for (const Group& group : m_groups) {
        if (group.presets && m_search.finds(group.title + '\n' + group.presets->accessibleName()))
            m_found.insert(group.presets);
        for (const ScenarioRow* row : group.rows)
            if (m_search.finds(group.title + '\n' + row->words()))
                m_found.insert(row);
    }
}

bool ScenarioPanel::isFound(const QWidget* line) const
{
    return !m_search.isOn() || m_found.contains(line);
}

// A heading stands where one of its lines does.
void ScenarioPanel::showFound()
{
    QStringList unused; // found, but hidden
    bool is_any_shown = false;
    for (const Group& group : m_groups) {
        bool is_shown = group.presets && isFound(group.presets);
        if (group.head)
            group.head->setVisible(is_shown);
        for (const ScenarioRow* row : group.rows) {
            is_shown = is_shown || (isFound(row) && row->applies());
            if (isFound(row) && !row->applies())
                unused << row->label();
        }
        group.heading->setVisible(is_shown || !m_search.isOn());
        is_any_shown = is_any_shown || is_shown;
    }
    const bool has_none = m_search.isOn() && !is_any_shown;
    if (has_none)
        m_none->setText(unused.isEmpty() ? tr("No setting has these words.")
                                         : tr("Of no use in this scenario: %1.").arg(unused.join(", ")));
    m_none->setVisible(has_none);
}

} // namespace shardscope
