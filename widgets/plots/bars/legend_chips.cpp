#include "widgets/plots/bars/legend_chips.h"

#include "widgets/plots/bars/bar_painting.h"
#include "widgets/plots/kind_meaning.h"
#include "widgets/plots/theme.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double padding = 4.0;      // within a chip, left and right
constexpr double gap = 1.0;          // between chips
constexpr double square_space = 5.0; // between the square and the word

double squareSize(const QFontMetricsF& metrics)
{
    return std::round(metrics.ascent() * 0.8);
}

double lineHeight(const QFontMetricsF& metrics)
{
    return std::ceil(metrics.height()) + 4.0;
}

// What the kind means whose chip is under the mouse; false where none is.
bool showMeaning(const QHelpEvent& asked, LegendChips& legend)
{
    for (std::size_t i = 0; i < legend.chips().size(); ++i) {
        const QRectF place = legend.chipRectangle(static_cast<int>(i));
        const std::optional<Kind> kind = kindFromWord(legend.chips()[i].text.toStdString());
        if (!place.contains(asked.pos()) || !kind || meaningOf(*kind).isEmpty())
            continue;
        QToolTip::showText(asked.globalPos(), meaningOf(*kind), &legend, place.toRect());
        return true;
    }
    return false;
}

// What stands before the word.
void paintSign(QPainter& painter, const LegendChip& chip, const QRectF& square, const QColor& colour,
               const Theme& theme, bool on_screen)
{
    painter.setBrush(Qt::NoBrush);
    if (chip.is_line) {
        painter.setPen(markPen(colour, chip.is_dashed));
        painter.drawLine(
            QLineF{square.left() - 2.0, square.center().y(), square.right() + 2.0, square.center().y()});
    } else if (chip.is_off) {
        painter.setPen(QPen{colour, 1.5});
        painter.drawRect(square.adjusted(0.75, 0.75, -0.75, -0.75));
    } else if (chip.is_striped) {
        fillStriped(painter, square, colour, theme.dimmed(colour), !on_screen);
    } else {
        painter.fillRect(square, colour);
    }
}

} // namespace

LegendChips::LegendChips(Use use, QWidget* parent) : QWidget{parent}, m_use{use}
{
    QSizePolicy policy{QSizePolicy::Preferred, QSizePolicy::Fixed};
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    if (use == Use::buttons) {
        setMouseTracking(true);
        setFocusPolicy(Qt::TabFocus);
    }
}

void LegendChips::setChips(std::vector<LegendChip> chips)
{
    if (chips == m_chips)
        return;
    const bool same_texts =
        std::equal(chips.begin(), chips.end(), m_chips.begin(), m_chips.end(),
                   [](const LegendChip& a, const LegendChip& b) { return a.text == b.text; });
    m_chips = std::move(chips);
    m_focused = std::clamp(m_focused, 0, std::max(0, static_cast<int>(m_chips.size()) - 1));
    if (!same_texts)
        updateGeometry();
    tellRest();
    update();
}

void LegendChips::setMostLines(int lines)
{
    if (lines == m_most_lines)
        return;
    m_most_lines = lines;
    tellRest();
    updateGeometry();
    update();
}

int LegendChips::linesFor(int width) const
{
    const std::vector<QRectF> places = placeAll(width);
    return places.empty() ? 0
                          : static_cast<int>(std::lround(places.back().bottom() / places.back().height()));
}

std::vector<QRectF> LegendChips::place(double width) const
{
    std::vector<QRectF> places = placeAll(width);
    const QFontMetricsF metrics{pixelFont(font())};
    const double bottom = m_most_lines * lineHeight(metrics);
    if (m_most_lines == 0 || places.empty() || places.back().bottom() <= bottom)
        return places;
    const double rest_width = metrics.horizontalAdvance(QStringLiteral("+00")) + padding;
    while (!places.empty() && (places.back().bottom() > bottom || places.back().right() + rest_width > width))
        places.pop_back();
    return places;
}

void LegendChips::tellRest()
{
    if (m_most_lines == 0 && toolTip().isEmpty())
        return;
    QStringList rest;
    for (std::size_t i = place(width()).size(); i < m_chips.size(); ++i)
        rest.append(m_chips[i].text);
    setToolTip(rest.isEmpty() ? QString{} : QStringLiteral("Also: %1").arg(rest.join(", ")));
}

std::vector<QRectF> LegendChips::placeAll(double width) const
{
    const QFontMetricsF metrics{pixelFont(font())};
    const double height = lineHeight(metrics);
    std::vector<QRectF> places;
    double x = 0.0;
    double y = 0.0;
    for (const LegendChip& chip : m_chips) {
        const double wide = std::ceil(2.0 * padding + squareSize(metrics) + square_space
                                      + metrics.horizontalAdvance(chip.text));
        if (x > 0.0 && x + wide > width) {
            x = 0.0;
            y += height;
        }
        places.emplace_back(x, y, wide, height);
        x += wide + gap;
    }
    return places;
}

int LegendChips::heightForWidth(int width) const
{
    const std::vector<QRectF> places = place(width);
    return places.empty() ? 0 : static_cast<int>(std::ceil(places.back().bottom()));
}

QSize LegendChips::sizeHint() const
{
    const std::vector<QRectF> places = place(1e6);
    if (places.empty())
        return {0, 0};
    return {static_cast<int>(std::ceil(places.back().right())),
            static_cast<int>(std::ceil(places.back().bottom()))};
}

QSize LegendChips::minimumSizeHint() const
{
    double widest = 0.0;
    for (const QRectF& place : place(1e6))
        widest = std::max(widest, place.width());
    return {static_cast<int>(widest),
            m_chips.empty() ? 0 : static_cast<int>(lineHeight(QFontMetricsF{pixelFont(font())}))};
}

QRectF LegendChips::chipRectangle(int index) const
{
    const std::vector<QRectF> places = place(width());
    return index < static_cast<int>(places.size()) ? places[static_cast<std::size_t>(index)] : QRectF{};
}

void LegendChips::paintChips(QPainter& painter, const std::vector<QRectF>& places, bool on_screen) const
{
    const Theme theme{palette()};
    const QFontMetricsF metrics{pixelFont(font())};
    const double size = squareSize(metrics);
    painter.setFont(pixelFont(font()));
    for (std::size_t i = 0; i < places.size(); ++i) {
        const LegendChip& chip = m_chips[i];
        const QRectF& box = places[i];
        if (chip.is_marked || (on_screen && static_cast<int>(i) == m_hovered)) {
            painter.setPen(chip.is_marked ? QPen{theme.text()} : QPen{theme.grid()});
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(box.adjusted(0.5, 1.5, -0.5, -1.5), 3.0, 3.0);
        }
        const QColor colour = chip.is_faded ? theme.faded(chip.colour) : chip.colour;
        const QRectF square{box.left() + padding, std::round(box.center().y() - size / 2.0), size, size};
        paintSign(painter, chip, square, colour, theme, on_screen);
        painter.setPen(chip.is_off || chip.is_faded ? theme.faintText() : theme.text());
        painter.drawText(QPointF{square.right() + square_space,
                                 box.center().y() - metrics.height() / 2.0 + metrics.ascent()},
                         chip.text);
        if (on_screen && m_has_key_focus && static_cast<int>(i) == m_focused) {
            painter.setPen(QPen{palette().color(QPalette::Highlight), 1.5});
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3.0, 3.0);
        }
    }
}

void LegendChips::paintRest(QPainter& painter, const std::vector<QRectF>& places) const
{
    if (places.empty() || places.size() == m_chips.size())
        return;
    painter.setPen(Theme{palette()}.faintText());
    const QRectF box = places.back().translated(places.back().width() + gap, 0.0);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("+%1").arg(m_chips.size() - places.size()));
}

void LegendChips::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    tellRest();
}

void LegendChips::paintEvent(QPaintEvent*)
{
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const std::vector<QRectF> places = place(width());
    paintChips(painter, places, true);
    paintRest(painter, places);
}

double LegendChips::paintTo(QPainter& painter, const QRectF& rectangle) const
{
    const std::vector<QRectF> places =
        placeAll(rectangle.width()); // a picture that is saved names everything
    if (places.empty())
        return 0.0;
    const double height = places.back().bottom();
    painter.save();
    painter.translate(rectangle.topLeft());
    paintChips(painter, places, false);
    painter.restore();
    return height;
}

int LegendChips::buttonAt(QPointF point) const
{
    const std::vector<QRectF> places = place(width());
    for (std::size_t i = 0; i < places.size(); ++i)
        if (m_use == Use::buttons && m_chips[i].id >= 0 && places[i].contains(point))
            return static_cast<int>(i);
    return -1;
}

void LegendChips::mouseMoveEvent(QMouseEvent* event)
{
    const int hovered = buttonAt(event->position());
    if (hovered == m_hovered)
        return;
    m_hovered = hovered;
    setCursor(hovered < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void LegendChips::mousePressEvent(QMouseEvent* event)
{
    const int index = buttonAt(event->position());
    if (event->button() != Qt::LeftButton || index < 0)
        return QWidget::mousePressEvent(event);
    press(index);
}

void LegendChips::press(int index)
{
    m_focused = index;
    update();
    if (m_chips[static_cast<std::size_t>(index)].id >= 0)
        emit clicked(m_chips[static_cast<std::size_t>(index)].id);
}

void LegendChips::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_hovered = -1;
    update();
}

void LegendChips::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_chips.size()) - 1;
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        m_focused = std::clamp(m_focused + (event->key() == Qt::Key_Left ? -1 : 1), 0, std::max(0, last));
        update();
    } else if ((event->key() == Qt::Key_Space || event->key() == Qt::Key_Return) && last >= 0) {
        press(m_focused);
    } else {
        QWidget::keyPressEvent(event);
    }
}

bool LegendChips::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && showMeaning(*static_cast<QHelpEvent*>(event), *this))
        return true;
    if (event->type() == QEvent::FontChange)
        updateGeometry();
    if (event->type() == QEvent::PaletteChange)
        update();
    return QWidget::event(event);
}

// A frame around the current chip is for people who came by keyboard.
void LegendChips::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    m_has_key_focus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void LegendChips::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    m_has_key_focus = false;
    update();
}

} // namespace shardscope
