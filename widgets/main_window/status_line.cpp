#include "widgets/main_window/status_line.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyleOption>
#include <QToolTip>

#include <algorithm>

namespace shardscope
{

// While there is a message, only what is permanent is visible.
QRect StatusLine::messageRoom() const
{
    constexpr int margin = 6;
    int right = width() - margin;
    for (const QWidget* other : findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (other->isVisible() && !other->isWindow())
            right = std::min(right, other->x() - 2 * margin);
    return {margin, 0, std::max(0, right - margin), height()};
}

QString StatusLine::shownMessage() const
{
    return fontMetrics().elidedText(currentMessage(), Qt::ElideRight, messageRoom().width());
}

void StatusLine::paintEvent(QPaintEvent* event)
{
    if (currentMessage().isEmpty())
        return QStatusBar::paintEvent(event);
    QPainter painter{this};
    QStyleOption option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_PanelStatusBar, &option, &painter, this);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(messageRoom(), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shownMessage());
}

bool StatusLine::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || shownMessage() == currentMessage())
        return QStatusBar::event(event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), currentMessage(), this);
    return true;
}

} // namespace shardscope
