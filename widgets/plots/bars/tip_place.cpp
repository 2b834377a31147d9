#include "widgets/plots/bars/tip_place.h"

#include <QLabel>
#include <QScreen>
#include <QStyle>
#include <QToolTip>
#include <QWidget>

#include <algorithm>

namespace shardscope
{

namespace
{

// What QToolTip makes of the text.
QSize tipSize(const QString& text)
{
    QLabel label{text};
    label.setFont(QToolTip::font());
    label.setMargin(1 + label.style()->pixelMetric(QStyle::PM_ToolTipLabelFrameWidth, nullptr, &label));
    label.setIndent(1);
    label.setWordWrap(Qt::mightBeRichText(text));
    return label.sizeHint() + QSize{1, 0};
}

} // namespace

QPoint tipPlace(const QPoint& pointer, const QSize& tip, const QRect& screen)
{
    constexpr int gap = 12;
    constexpr int qt_adds = 2; // QToolTip does, to the place that it is given
    const int right = pointer.x() + gap;
    const int left = pointer.x() - gap - tip.width() - qt_adds;
    const bool has_room = right + qt_adds + tip.width() <= screen.x() + screen.width();
    return {has_room ? right : std::max(screen.x(), left), pointer.y() + gap};
}

void showTipBeside(const QPoint& pointer, const QString& text, QWidget* owner)
{
    QToolTip::showText(tipPlace(pointer, tipSize(text), owner->screen()->geometry()), text, owner);
}

} // namespace shardscope
