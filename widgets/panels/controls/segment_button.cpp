#include "widgets/panels/controls/segment_button.h"

#include <QPainter>
#include <QPainterPath>

namespace shardscope
{

namespace
{

constexpr qreal radius = 4.0;
constexpr int text_margin = 4; // on both sides together

} // namespace

SegmentButton::SegmentButton(const QString& text, QWidget* parent) : QAbstractButton{parent}
{
    setText(text);
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
}

SegmentButton::Place SegmentButton::placeOf(int index, int count)
{
    if (count == 1)
        return Place::alone;
    if (index == 0)
        return Place::first;
    return index + 1 == count ? Place::last : Place::middle;
}

void SegmentButton::setShortText(const QString& text)
{
    m_short_text = text;
    updateGeometry();
}

QString SegmentButton::shownText() const
{
    const int room = width() - text_margin;
    const QFontMetrics metrics = fontMetrics();
    if (metrics.horizontalAdvance(text()) <= room || m_short_text.isEmpty())
        return metrics.elidedText(text(), Qt::ElideRight, room);
    return metrics.elidedText(m_short_text, Qt::ElideRight, room);
}

int SegmentButton::widthFor(const QString& text) const
{
    const int sides = m_place == Place::alone ? 16 : 10; // its own corners
    return fontMetrics().horizontalAdvance(text) + sides;
}

QSize SegmentButton::sizeHint() const
{
    return {widthFor(text()), fontMetrics().height() + 6};
}

QSize SegmentButton::minimumSizeHint() const
{
    if (!m_short_text.isEmpty())
        return {widthFor(m_short_text), sizeHint().height()};
    // Layouts go by the policy; who sums up what tools need at least goes by this.
    return sizePolicy().horizontalPolicy() == QSizePolicy::Fixed ? sizeHint()
                                                                 : QAbstractButton::minimumSizeHint();
}

void SegmentButton::paintEvent(QPaintEvent*)
{
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(rect());
    // Round only at the row's ends: the other ends are pushed out of sight.
    QRectF shape = QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5);
    const bool begins = m_place == Place::first || m_place == Place::alone;
    const bool ends = m_place == Place::last || m_place == Place::alone;
    if (!begins)
        shape.setLeft(-2 * radius);
    if (!ends)
        shape.setRight(width() + 2 * radius);
    const QColor ground = palette().color(isChecked() ? QPalette::Highlight : QPalette::Base);
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(underMouse() && !isChecked() ? palette().color(QPalette::AlternateBase) : ground);
    painter.drawRoundedRect(shape, radius, radius);
    if (!ends)
        painter.drawLine(QPointF{width() - 0.5, 0.5}, QPointF{width() - 0.5, height() - 0.5});
    if (hasFocus()) {
        painter.setPen(QPen{palette().color(isChecked() ? QPalette::HighlightedText : QPalette::Highlight), 1,
                            Qt::DotLine});
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF{rect()}.adjusted(2.5, 2.5, -3.5, -2.5));
    }
    painter.setPen(palette().color(isChecked() ? QPalette::HighlightedText : QPalette::Text));
    painter.drawText(rect(), Qt::AlignCenter, shownText());
}

} // namespace shardscope
