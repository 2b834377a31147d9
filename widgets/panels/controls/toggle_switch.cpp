#include "widgets/panels/controls/toggle_switch.h"

#include <QPainter>

namespace shardscope
{

ToggleSwitch::ToggleSwitch(QWidget* parent) : QAbstractButton{parent}
{
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize ToggleSwitch::sizeHint() const
{
    const int height = fontMetrics().height() + 2;
    return {height * 19 / 10, height};
}

void ToggleSwitch::paintEvent(QPaintEvent*)
{
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF slot = QRectF{rect()}.adjusted(1.5, 1.5, -1.5, -1.5);
    const qreal radius = slot.height() / 2;
    painter.setPen(
        QPen{palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), hasFocus() ? 2.0 : 1.0});
    painter.setBrush(palette().color(isChecked() ? QPalette::Highlight : QPalette::Base));
    painter.drawRoundedRect(slot, radius, radius);
    const QPointF knob{isChecked() ? slot.right() - radius : slot.left() + radius, slot.center().y()};
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(isChecked() ? QPalette::HighlightedText : QPalette::PlaceholderText));
    painter.drawEllipse(knob, radius - 2.5, radius - 2.5);
}

} // namespace shardscope
