#include "widgets/panels/scenario/form_anchor.h"

#include "widgets/panels/scenario/scenario_row.h"

#include <QApplication>
#include <QCursor>
#include <QLayout>
#include <QScrollArea>
#include <QScrollBar>

#include <algorithm>

namespace shardscope
{

namespace
{

// The line of a form that a part of it, which may be null, belongs to.
QWidget* lineOf(QWidget* part, const QWidget* content)
{
    for (QWidget* line = part; line && line != content; line = line->parentWidget())
        if (qobject_cast<ScenarioRow*>(line) || line->parentWidget() == content)
            return line;
    return nullptr;
}

// From the inside out, as a layout's size is made of those within it.
void activateLayouts(QWidget& widget)
{
    for (QObject* child : widget.children())
        if (auto* part = qobject_cast<QWidget*>(child))
            activateLayouts(*part);
    if (widget.layout())
        widget.layout()->activate();
}

} // namespace

void FormAnchor::use(QWidget* line, bool typed)
{
    m_used = line;
    if (line)
        m_left_at = typed ? std::optional{QCursor::pos()} : std::nullopt;
}

void FormAnchor::hold()
{
    const QPoint mouse = m_frame.mapFromGlobal(QCursor::pos());
    const bool is_left = m_left_at == QCursor::pos();
    const QRect seen{m_form.viewport()->mapTo(&m_frame, QPoint{0, 0}), m_form.viewport()->size()};
    const bool is_above = m_frame.rect().contains(mouse) && mouse.y() < seen.top();
    if (!m_used && is_above && m_held && m_is_pointed_at && m_form.verticalScrollBar()->value() == m_value)
        return; // a sentence has come over the line: it is held until that goes
    m_is_pointed_at = seen.contains(mouse) && !is_left;
    m_held = nullptr;
    if (!m_form.isVisible())
        return;
    QWidget* content = m_form.widget();
    QWidget* pointed = m_is_pointed_at ? content->childAt(content->mapFrom(&m_frame, mouse)) : nullptr;
    QWidget* part = m_is_pointed_at ? pointed : QApplication::focusWidget();
    if (m_used) {
        m_is_pointed_at = pointed && lineOf(pointed, content) == lineOf(m_used, content);
        part = m_used;
    }
    QWidget* line = content->isAncestorOf(part) ? lineOf(part, content) : nullptr;
    if (line == nullptr)
        return;
    m_held = line;
    m_y = yOf(*line);
}

// A scroll bar that comes makes the form narrower, so that sentences may take another line.
void FormAnchor::settle()
{
    constexpr int most_turns = 4;
    for (int turn = 0; turn < most_turns; ++turn) {
        const QWidget* held = m_held.data();
        if (held == nullptr || !held->isVisible())
            return;
        layOut();
        m_value = m_form.verticalScrollBar()->value();
        const int moved = yOf(*held) - m_y;
        const bool has_room_to_take_back = !m_is_pointed_at && m_above + m_below > 0;
        if (moved == 0 && !has_room_to_take_back)
            return;
        bringBack(moved);
    }
}

void FormAnchor::bringBack(int moved)
{
    QScrollBar& bar = *m_form.verticalScrollBar();
    const int wanted = bar.value() - m_above + moved; // as if no room were left free
    const int above = m_is_pointed_at ? std::max(0, -wanted) : 0;
    const int value = wanted + above;
    const int beyond = value + m_form.viewport()->height() - (linesHeight() + above);
    leaveFree(above, m_is_pointed_at && value > 0 ? std::max(0, beyond) : 0);
    bar.setValue(value);
}

void FormAnchor::release()
{
    if (m_above == 0 && m_below == 0)
        return;
    const int value = m_form.verticalScrollBar()->value() - m_above;
    leaveFree(0, 0);
    m_form.verticalScrollBar()->setValue(value);
}

void FormAnchor::scrollTo(int value)
{
    m_held = nullptr;
    leaveFree(0, 0);
    m_form.verticalScrollBar()->setValue(value);
}

int FormAnchor::yOf(const QWidget& line) const
{
    return line.mapTo(&m_frame, QPoint{0, 0}).y();
}

int FormAnchor::linesHeight() const
{
    const QLayout& lines = *m_form.widget()->layout();
    const int height = lines.hasHeightForWidth() ? lines.totalHeightForWidth(m_form.widget()->width())
                                                 : lines.totalMinimumSize().height();
    return height - m_above - m_below;
}

void FormAnchor::leaveFree(int above, int below)
{
    QLayout* lines = m_form.widget()->layout();
    lines->setContentsMargins(lines->contentsMargins() + QMargins{0, above - m_above, 0, below - m_below});
    m_above = above;
    m_below = below;
    layOut();
}

// At once: whoever asks where a line stands is told.
void FormAnchor::layOut()
{
    activateLayouts(m_frame);
    QCoreApplication::sendPostedEvents(m_form.viewport(), QEvent::LayoutRequest);
}

} // namespace shardscope
