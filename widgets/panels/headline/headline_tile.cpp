#include "widgets/panels/headline/headline_tile.h"

#include "widgets/plots/theme.h"

#include <QFocusEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace shardscope
{

namespace
{

constexpr int margin = 8;
constexpr double least_share = 0.75; // of the small font: where a figure has no room

// Green and red are told apart by lightness too, and every change has a sign and an arrow.
QColor judgementColour(HeadlineValue::Judgement judgement, const Theme& theme)
{
    switch (judgement) {
    case HeadlineValue::Judgement::better:
        return theme.colour(Hue::dp);
    case HeadlineValue::Judgement::worse:
        return theme.colour(Hue::limit);
    case HeadlineValue::Judgement::neutral:
        break;
    }
    return theme.faintText();
}

} // namespace

QString beginningOf(const QString& detail)
{
    for (const char* const cut : {"; ", ": ", ", "})
        if (detail.contains(QLatin1String{cut}))
            return detail.section(QLatin1String{cut}, 0, 0);
    return detail;
}

HeadlineTile::HeadlineTile(const QString& title, QWidget* parent) : QWidget{parent}, m_title{title}
{
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(title);
}

void HeadlineTile::setValue(const HeadlineValue& value)
{
    if (value == m_value)
        return;
    m_value = value;
    setAccessibleName(value.title.isEmpty() ? m_title : value.title);
    setAccessibleDescription(value.value + ' ' + (value.change.isEmpty() ? value.detail : value.change));
    update();
}

QFont HeadlineTile::valueFont() const
{
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.45);
    large.setWeight(QFont::DemiBold);
    return large;
}

QFont HeadlineTile::smallFont() const
{
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.88);
    return small;
}

QSize HeadlineTile::sizeHint() const
{
    const int height = QFontMetrics{smallFont()}.height() * 2 + QFontMetrics{valueFont()}.height() + 8;
    return {150, height};
}

QSize HeadlineTile::minimumSizeHint() const
{
    return {80, sizeHint().height()};
}

void HeadlineTile::paintEvent(QPaintEvent*)
{
    const Theme theme{palette()};
    QPainter painter{this};
    if (!isEnabled())
        painter.setOpacity(0.45); // the last good answer, while the scenario is impossible
    if (hasFocus() && m_reached_by_key) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
    QRect left = space();
    const auto line = [&](const QFont& font, const QColor& colour, const QString& text) {
        painter.setFont(font);
        painter.setPen(colour);
        const QFontMetrics metrics = painter.fontMetrics();
        painter.drawText(left.left(), left.top() + metrics.ascent(),
                         metrics.elidedText(text, Qt::ElideRight, left.width()));
        left.setTop(left.top() + metrics.height());
    };
    line(smallFont(), theme.faintText(), m_value.title.isEmpty() ? m_title : m_value.title);
    QFont large = valueFont();
    // Step by step: widths do not follow sizes exactly, and a unit cut off is another figure.
    const auto fits = [&] {
        painter.setFont(large);
        return painter.fontMetrics().elidedText(m_value.value, Qt::ElideRight, left.width()) == m_value.value;
    };
    while (!fits() && large.pointSizeF() > least_share * smallFont().pointSizeF())
        large.setPointSizeF(large.pointSizeF() - 0.5);
    const int top = left.top();
    line(large, m_value.wrong ? theme.colour(Hue::limit) : theme.text(), m_value.value);
    left.setTop(top + QFontMetrics{valueFont()}.height());
    paintLastLine(painter, left.topLeft(), theme);
    painter.setPen(theme.grid());
    painter.drawLine(width() - 1, 8, width() - 1, height() - 8);
}

QRect HeadlineTile::space() const
{
    return rect().adjusted(margin, 4, -margin / 2, -4);
}

QString HeadlineTile::changePart() const
{
    const QString end = m_value.detail.isEmpty() ? QString{} : QStringLiteral(" · ");
    return m_value.change.isEmpty() ? QString{} : m_value.change + end;
}

// A figure that is cut would be another one: the detail is left out, and told by the tip.
QString HeadlineTile::shownDetail() const
{
    const QFontMetrics metrics{smallFont()};
    const int room = space().width() - metrics.horizontalAdvance(changePart());
    for (const QString& detail : {m_value.detail, beginningOf(m_value.detail)})
        if (metrics.horizontalAdvance(detail) <= room)
            return detail;
    return {};
}

// The change against the pinned scenario, and behind it what room is left for.
void HeadlineTile::paintLastLine(QPainter& painter, const QPoint& place, const Theme& theme) const
{
    painter.setFont(smallFont());
    const QFontMetrics metrics = painter.fontMetrics();
    const int base = place.y() + metrics.ascent();
    painter.setPen(judgementColour(m_value.judgement, theme));
    painter.drawText(place.x(), base, shownDetail().isEmpty() ? m_value.change : changePart());
    painter.setPen(m_value.warned ? theme.colour(Hue::limit) : theme.faintText());
    painter.drawText(place.x() + metrics.horizontalAdvance(changePart()), base, shownDetail());
}

bool HeadlineTile::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        explainAt(static_cast<QHelpEvent*>(event)->globalPos());
        return true;
    }
    return QWidget::event(event);
}

void HeadlineTile::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    event->accept();
}

// Qt hides a tip at every press and release, before the widget hears of it.
void HeadlineTile::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !rect().contains(event->position().toPoint()))
        return QWidget::mouseReleaseEvent(event);
    if (m_action)
        m_action();
    else
        explainAt(event->globalPosition().toPoint());
}

void HeadlineTile::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space || event->key() == Qt::Key_Return)
        explainAt(mapToGlobal(QPoint{margin, height()}));
    else
        QWidget::keyPressEvent(event);
}

void HeadlineTile::focusInEvent(QFocusEvent* event)
{
    m_reached_by_key = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    QWidget::focusInEvent(event);
}

void HeadlineTile::explainAt(const QPoint& place)
{
    if (!m_explanation)
        return;
    const bool is_cut = shownDetail() != m_value.detail;
    QToolTip::showText(place,
                       (is_cut ? QStringLiteral("<p>%1</p>").arg(m_value.detail.toHtmlEscaped()) : QString{})
                           + m_explanation(),
                       this);
}

} // namespace shardscope
