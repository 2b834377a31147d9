#include "widgets/panels/heatmap/rank_order_strip.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "core/scenario/rank_order.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double padding = 7.0;
constexpr double gap = 16.0; // room for the mark between two chips
constexpr double drag_begins = 4.0;

QString nameOf(Dimension dimension)
{
    return toQString(word(dimension));
}

Hue hueOf(Dimension dimension)
{
    switch (dimension) {
    case Dimension::tp:
        return Hue::tp;
    case Dimension::cp:
        return Hue::cp;
    case Dimension::ep:
        return Hue::ep;
    case Dimension::dp:
        return Hue::dp;
    case Dimension::pp:
        break;
    }
    return Hue::pp;
}

} // namespace

RankOrderStrip::RankOrderStrip(QWidget* parent) : QWidget{parent}
{
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::OpenHandCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(QStringLiteral("Order of ranks"));
    setToolTip(
        QStringLiteral("Order of ranks, innermost dimension first: neighbours along it have neighbouring\n"
                       "numbers. Drag a dimension to another place, or choose it with the arrow keys\n"
                       "and move it with Ctrl and an arrow key."));
}

void RankOrderStrip::setParallel(const Parallel& parallel)
{
    // A new size would have the whole window laid out again, in every frame of a drag.
    if (parallel == m_parallel)
        return;
    m_parallel = parallel;
    m_chips.clear();
    for (const Dimension dimension : parallel.rank_order)
        if (sizeOf(parallel, dimension) > 1)
            m_chips.push_back(dimension);
    m_current = m_chips.empty() ? 0 : std::min(m_current, m_chips.size() - 1);
    m_dragged.reset();
    updateGeometry();
    update();
}

QString RankOrderStrip::textOf(Dimension dimension) const
{
    return QStringLiteral("%1 %2").arg(nameOf(dimension)).arg(sizeOf(m_parallel, dimension));
}

QRectF RankOrderStrip::chipRectangle(std::size_t chip) const
{
    const QFontMetricsF metrics{font()};
    double left = 1.0;
    for (std::size_t i = 0; i < chip; ++i)
        left += std::ceil(metrics.horizontalAdvance(textOf(m_chips[i]))) + 2 * padding + gap;
    return {left, 1.0, std::ceil(metrics.horizontalAdvance(textOf(m_chips[chip]))) + 2 * padding,
            std::ceil(metrics.height()) + 4.0};
}

QSize RankOrderStrip::sizeHint() const
{
    const double height = std::ceil(QFontMetricsF{font()}.height()) + 7.0;
    const double width = m_chips.empty() ? 0.0 : chipRectangle(m_chips.size() - 1).right() + 2.0;
    return {static_cast<int>(width), static_cast<int>(height)};
}

std::optional<std::size_t> RankOrderStrip::chipAt(QPointF point) const
{
    for (std::size_t i = 0; i < m_chips.size(); ++i)
        if (chipRectangle(i).contains(point))
            return i;
    return std::nullopt;
}

std::size_t RankOrderStrip::placeAt(double x) const
{
    std::size_t place = 0;
    while (place + 1 < m_chips.size() && x > chipRectangle(place).right() + gap / 2)
        ++place;
    return place;
}

void RankOrderStrip::moveChip(std::size_t from, std::size_t to)
{
    if (from == to)
        return;
    m_current = to;
    const auto at = [this](std::size_t i) { return m_chips.begin() + static_cast<std::ptrdiff_t>(i); };
    if (from < to)
        std::rotate(at(from), at(from + 1), at(to + 1));
    else
        std::rotate(at(to), at(from), at(from + 1));
    QStringList words;
    for (const Dimension dimension : m_chips)
        words << nameOf(dimension);
    // Dimensions that are not shown stand in Megatron's place.
    emit orderWished(rankOrderFromWord(words.join(QLatin1Char{'-'}).toStdString()).value());
    update();
}

void RankOrderStrip::paintEvent(QPaintEvent*)
{
    const Theme theme{palette()};
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const auto paintChip = [&](std::size_t chip, const QRectF& box) {
        const QColor ground = theme.colour(hueOf(m_chips[chip]));
        painter.setPen(hasFocus() && chip == m_current ? QPen{theme.text(), 2.0} : QPen{Qt::NoPen});
        painter.setBrush(ground);
        painter.drawRoundedRect(box, 4.0, 4.0);
        painter.setPen(theme.textOn(ground));
        painter.drawText(box, Qt::AlignCenter, textOf(m_chips[chip]));
    };
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        const QRectF box = chipRectangle(i);
        if (m_dragged != i)
            paintChip(i, box);
        painter.setPen(theme.faintText());
        if (i + 1 < m_chips.size())
            painter.drawText(QRectF{box.right(), box.top(), gap, box.height()}, Qt::AlignCenter,
                             QStringLiteral("‹"));
    }
    if (!m_dragged)
        return;
    const QRectF target = chipRectangle(placeAt(m_mouse.x()));
    painter.setPen(QPen{theme.text(), 1.0, Qt::DashLine});
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(target, 4.0, 4.0);
    paintChip(*m_dragged, chipRectangle(*m_dragged).translated(m_mouse.x() - m_press.x(), 0.0));
}

void RankOrderStrip::mousePressEvent(QMouseEvent* event)
{
    const std::optional<std::size_t> chip = chipAt(event->position());
    if (event->button() != Qt::LeftButton || !chip)
        return;
    m_current = *chip;
    m_press = m_mouse = event->position();
    update();
}

void RankOrderStrip::mouseMoveEvent(QMouseEvent* event)
{
    if (!event->buttons().testFlag(Qt::LeftButton) || m_chips.empty() || m_press.isNull())
        return;
    m_mouse = event->position();
    if (!m_dragged && std::fabs(m_mouse.x() - m_press.x()) >= drag_begins)
        m_dragged = m_current;
    setCursor(m_dragged ? Qt::ClosedHandCursor : Qt::OpenHandCursor);
    update();
}

void RankOrderStrip::mouseReleaseEvent(QMouseEvent* event)
{
    setCursor(Qt::OpenHandCursor);
    m_press = {};
    if (const std::optional<std::size_t> chip = std::exchange(m_dragged, std::nullopt))
        moveChip(*chip, placeAt(event->position().x()));
    update();
}

void RankOrderStrip::keyPressEvent(QKeyEvent* event)
{
    const bool left = event->key() == Qt::Key_Left;
    if ((!left && event->key() != Qt::Key_Right) || m_chips.empty())
        return QWidget::keyPressEvent(event);
    const std::size_t last = m_chips.size() - 1;
    const std::size_t next =
        left ? m_current - std::min<std::size_t>(m_current, 1) : std::min(m_current + 1, last);
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))
        moveChip(m_current, next);
    else
        m_current = next;
    update();
}

void RankOrderStrip::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void RankOrderStrip::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace shardscope
