#include "widgets/plots/bars/bar_painting.h"

#include "widgets/plots/bars/bar_captions.h"
#include "widgets/plots/bars/texts_above.h"
#include "widgets/plots/note_lines.h"

#include <QFontMetricsF>
#include <QHash>
#include <QPainter>
#include <QPixmap>

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr double text_margin = 4.0;
constexpr double stripe_period = 7.0;

// The same tile for every bar of a colour; a few dozen colours in all.
const QBrush& stripeBrush(const QColor& colour, const QColor& ground)
{
    static QHash<quint64, QBrush> brushes;
    const quint64 key = (static_cast<quint64>(colour.rgb()) << 32) | ground.rgb();
    auto it = brushes.find(key);
    if (it != brushes.end())
        return *it;
    constexpr int size = static_cast<int>(stripe_period);
    QImage tile{size, size, QImage::Format_RGB32};
    tile.fill(ground);
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            if ((x + y) % size < 3)
                tile.setPixelColor(x, y, colour);
    return *brushes.insert(key, QBrush{tile});
}

// 45 degree lines, cut to the rectangle by arithmetic: clips do not survive every vector format.
void strokeStripes(QPainter& painter, const QRectF& box, const QColor& colour)
{
    painter.setPen(QPen{colour, 2.0, Qt::SolidLine, Qt::FlatCap});
    const double last = box.width() + box.height();
    for (double shift = stripe_period / 2.0; shift < last; shift += stripe_period) {
        const double x0 = std::min(shift, box.width());
        const double x1 = std::max(0.0, shift - box.height());
        painter.drawLine(QPointF{box.left() + x0, box.top() + shift - x0},
                         QPointF{box.left() + x1, box.top() + shift - x1});
    }
}

class Painting
{
public:
    Painting(QPainter& painter, const BarScene& scene, const BarMapping& mapping, const BarStyle& style)
        : m_painter{painter}, m_scene{scene}, m_mapping{mapping}, m_style{style}, m_metrics{style.font}
    {
        m_painter.setFont(style.font);
    }

    void segment(const PlacedSegment& placed) const;
    void excess(const PlacedSegment& placed) const;
    void caption(const Bar& bar) const;
    void captionsOnTop(const std::vector<PlacedSegment>& placed);
    void whisker(const Bar& bar) const;
    void marks(const Bar& bar) const;
    void limitLine() const;
    bool moveOffLimit(QRectF& text, const QRectF& box) const;
    void lineAbove() const;

private:
    bool isVertical() const { return m_mapping.orientation == Qt::Vertical; }
    QColor colourOf(const BarSegment& segment) const;
    void outline(const QRectF& box, const QColor& colour) const;
    void label(const BarSegment& segment, const QRectF& box, const QColor& ground) const;
    QColor labelColour(const BarSegment& segment, const QColor& ground) const;
    void remarkedCaption(const Bar& bar) const;
    void boxedText(const QString& text, const QRectF& box, const QColor& colour) const;

    QPainter& m_painter;
    const BarScene& m_scene;
    const BarMapping& m_mapping;
    const BarStyle& m_style;
    QFontMetricsF m_metrics;
    bool m_limit_is_above = false; // its text, on the line above
};

QColor Painting::colourOf(const BarSegment& segment) const
{
    return segment.faded ? m_style.theme.faded(segment.colour) : segment.colour;
}

void Painting::segment(const PlacedSegment& placed) const
{
    const BarSegment& segment =
        m_scene.bars[static_cast<std::size_t>(placed.bar)].segments[static_cast<std::size_t>(placed.segment)];
    const QColor colour = colourOf(segment);
    QRectF box = placed.rectangle;
    if (segment.texture == BarTexture::outline) {
        m_painter.setPen(QPen{colour, 1.0, Qt::DashLine});
        m_painter.setBrush(m_style.theme.faded(colour));
        m_painter.drawRect(box);
        return;
    }
    // A hairline of background between neighbours, where there is room for one.
    if (isVertical() && box.height() > 4.0)
        box.setTop(box.top() + 1.0);
    else if (!isVertical() && box.width() > 4.0)
        box.setRight(box.right() - 1.0);
    if (segment.texture == BarTexture::striped)
        fillStriped(m_painter, box, colour, m_style.theme.dimmed(colour), m_style.is_vector);
    else
        m_painter.fillRect(box, colour);
    if (segment.faded) // so pale that the bar would be lost on the ground
        outline(box, m_style.theme.dimmed(segment.colour));
    if (placed.bar == m_style.highlighted_bar && placed.segment == m_style.highlighted_segment) {
        m_painter.setPen(QPen{m_style.theme.text(), 1.5});
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box);
    }
    label(segment, box, colour);
}

// Within the box; a segment as thin as the line has none.
void Painting::outline(const QRectF& box, const QColor& colour) const
{
    if (std::min(box.width(), box.height()) < 3.0)
        return;
    m_painter.setPen(QPen{colour, 1.0});
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
}

QColor Painting::labelColour(const BarSegment& segment, const QColor& ground) const
{
    if (segment.faded)
        return m_style.theme.faintText();
    return segment.texture == BarTexture::striped ? m_style.theme.text() : m_style.theme.textOn(ground);
}

// The line of the limit would cross a text out: it goes below or above within its box. False: no room.
bool Painting::moveOffLimit(QRectF& text, const QRectF& box) const
{
    if (!m_scene.limit || !isVertical())
        return true;
    constexpr double margin = 2.0;
    const double line = m_mapping.valuePixel(m_scene.limit->value);
    if (line <= text.top() - margin || line >= text.bottom() + margin)
        return true;
    if (line + margin + text.height() <= box.bottom())
        text.moveTop(line + margin);
    else if (line - margin - text.height() >= box.top())
        text.moveBottom(line - margin);
    else
        return false;
    return true;
}

void Painting::label(const BarSegment& segment, const QRectF& box, const QColor& ground) const
{
    if (box.height() < m_metrics.height() || box.width() < 3.0 * m_metrics.averageCharWidth()
        || (segment.name.isEmpty() && segment.amount.isEmpty()))
        return;
    const double room = box.width() - 2.0 * text_margin;
    for (const QString& text : {segment.name + ' ' + segment.amount, segment.amount, segment.name}) {
        const double width = m_metrics.horizontalAdvance(text);
        if (text.isEmpty() || width > room)
            continue;
        QRectF place{box.center().x() - width / 2.0, box.center().y() - m_metrics.height() / 2.0, width,
                     m_metrics.height()};
        if (!moveOffLimit(place, box))
            continue;
        if (segment.texture == BarTexture::striped)
            m_painter.fillRect(place.adjusted(-2.0, 0.0, 2.0, 0.0), m_style.theme.background());
        m_painter.setPen(labelColour(segment, ground));
        m_painter.drawText(QPointF{place.left(), place.top() + m_metrics.ascent()}, text);
        return;
    }
}

// What stands above the limit, between lines of the limit's colour: stripes would look like a part of their
// own, and hide what is written there.
void Painting::excess(const PlacedSegment& placed) const
{
    if (!m_scene.limit || m_scene.bars[static_cast<std::size_t>(placed.bar)].is_ghost)
        return;
    const double edge = m_mapping.valuePixel(m_scene.limit->value);
    QRectF over = placed.rectangle;
    if (isVertical())
        over.setBottom(std::min(over.bottom(), edge));
    else
        over.setLeft(std::max(over.left(), edge));
    if (over.width() <= 0.0 || over.height() <= 0.0)
        return;
    const double thick = std::min(3.0, (isVertical() ? over.width() : over.height()) / 4.0);
    const QColor red = m_style.theme.colour(Hue::limit);
    if (isVertical()) {
        m_painter.fillRect(QRectF{over.left(), over.top(), thick, over.height()}, red);
        m_painter.fillRect(QRectF{over.right() - thick, over.top(), thick, over.height()}, red);
    } else {
        m_painter.fillRect(QRectF{over.left(), over.top(), over.width(), thick}, red);
        m_painter.fillRect(QRectF{over.left(), over.bottom() - thick, over.width(), thick}, red);
    }
}

void Painting::remarkedCaption(const Bar& bar) const
{
    const CaptionAbove above = captionAbove(bar, m_mapping, m_style.font);
    QFont strong = m_style.font;
    strong.setBold(true);
    const double baseline = above.rectangle.top() + m_metrics.ascent();
    m_painter.setFont(strong);
    m_painter.setPen(m_style.theme.text());
    m_painter.drawText(QPointF{above.rectangle.left(), baseline}, bar.caption);
    m_painter.setFont(m_style.font);
    m_painter.setPen(m_style.theme.faintText());
    m_painter.drawText(QPointF{above.remark_left, baseline}, above.remark);
}

void Painting::caption(const Bar& bar) const
{
    if (!isVertical() && !bar.caption.isEmpty())
        remarkedCaption(bar);
    if (isVertical() && bar.is_marked) {
        const double centre = m_mapping.categoryPixel(bar.centre);
        const double thickness = std::min(bar.thickness * m_mapping.pixelsPerCategory(), bar.most_pixels);
        const QRectF foot{centre - thickness / 2.0, m_mapping.area.bottom() - 3.0, thickness, 3.0};
        m_painter.fillRect(foot, m_style.theme.text());
    }
}

void Painting::captionsOnTop(const std::vector<PlacedSegment>& placed)
{
    if (m_scene.leaves_out_captions) {
        if (m_scene.limit)
            limitLine();
        return;
    }
    const std::vector<PlacedCaption> captions = placeCaptions(m_scene, m_mapping, placed, m_metrics);
    if (m_scene.limit) {
        limitLine();
        if (const auto box = placeLimitText(m_scene, m_mapping, placed, captions, m_metrics))
            boxedText(m_scene.limit->text, *box, m_style.theme.colour(Hue::limit));
        else // without a line above it is left out: the lengths of the bars say more
            m_limit_is_above = hasLineAbove(m_scene) || m_scene.limit->value > m_scene.value_high;
    }
    for (const PlacedCaption& caption : captions) {
        const Bar& bar = m_scene.bars[static_cast<std::size_t>(caption.bar)];
        double length = 0.0;
        for (const BarSegment& segment : bar.segments)
            length += segment.value;
        const bool is_over = m_scene.limit && length > m_scene.limit->value;
        const QColor plain = bar.is_ghost ? m_style.theme.faintText() : m_style.theme.text();
        m_painter.setPen(is_over && !bar.is_ghost ? m_style.theme.colour(Hue::limit) : plain);
        m_painter.drawText(
            QPointF{caption.rectangle.left(), caption.rectangle.bottom() - m_metrics.descent()},
            caption.text);
    }
}

void Painting::whisker(const Bar& bar) const
{
    const double low = m_mapping.valuePixel(bar.whisker->low);
    const double high = m_mapping.valuePixel(bar.whisker->high);
    const double centre = m_mapping.categoryPixel(bar.centre) + whiskerOffset(bar, m_mapping);
    const auto point = [this](double along, double across) {
        return isVertical() ? QPointF{across, along} : QPointF{along, across};
    };
    m_painter.setPen(QPen{m_style.theme.text(), 1.5});
    m_painter.drawLine(point(low, centre), point(high, centre));
    for (const double end : {low, high})
        m_painter.drawLine(point(end, centre - half_whisker_cap), point(end, centre + half_whisker_cap));
}

// On a ground of their own, as segments have every colour; a little longer than the bar is thick.
void Painting::marks(const Bar& bar) const
{
    constexpr double beyond = 4.0;
    const double centre = m_mapping.categoryPixel(bar.centre);
    const double half =
        std::min(bar.thickness * m_mapping.pixelsPerCategory(), bar.most_pixels) / 2.0 + beyond;
    for (const BarMark& mark : bar.marks) {
        const double at = m_mapping.valuePixel(mark.value);
        const QLineF line = isVertical() ? QLineF{centre - half, at, centre + half, at}
                                         : QLineF{at, centre - half, at, centre + half};
        m_painter.setPen(QPen{m_style.theme.background(), 4.0, Qt::SolidLine, Qt::FlatCap});
        m_painter.drawLine(line);
        m_painter.setPen(markPen(mark.colour, mark.is_dashed));
        m_painter.drawLine(line);
    }
}

void Painting::boxedText(const QString& text, const QRectF& box, const QColor& colour) const
{
    QColor ground = m_style.theme.background();
    ground.setAlpha(205);
    m_painter.fillRect(box.adjusted(-2.0, 0.0, 2.0, 0.0), ground);
    m_painter.setPen(colour);
    m_painter.drawText(QPointF{box.left(), box.bottom() - m_metrics.descent()}, text);
}

void Painting::limitLine() const
{
    if (m_scene.limit->value > m_scene.value_high)
        return;
    const QRectF& area = m_mapping.area;
    const double place = m_mapping.valuePixel(m_scene.limit->value);
    m_painter.setPen(QPen{m_style.theme.colour(Hue::limit), 1.5});
    if (isVertical())
        m_painter.drawLine(QPointF{area.left(), place}, QPointF{area.right(), place});
    else
        m_painter.drawLine(QPointF{place, area.top()}, QPointF{place, area.bottom()});
}

// The title of the values, the limit's text that found no room elsewhere, and the note, on a line above the
// captions that stand over the area. It begins beside the axis, whose highest figure reaches into it.
void Painting::lineAbove() const
{
    const QRectF& area = m_mapping.area;
    const double overhang =
        isVertical() ? captionOverhang(m_scene, area.height(), captionHeight(m_style.font)) : 0.0;
    const double baseline = area.top() - overhang - m_metrics.descent() - 2.0;
    double taken = 0.0;
    const auto write = [&](const QString& text, const QColor& colour) {
        if (text.isEmpty())
            return;
        m_painter.setPen(colour);
        m_painter.drawText(QPointF{area.left() + taken, baseline}, text);
        taken += m_metrics.horizontalAdvance(text) + 2.0 * text_margin;
    };
    write(m_scene.value_title, m_style.theme.faintText());
    if (m_limit_is_above)
        write(m_scene.limit->text, m_style.theme.colour(Hue::limit));
    if (m_scene.leaves_out_note)
        return;
    m_painter.setPen(m_style.theme.faintText());
    const QStringList lines = noteWithin(m_scene.note, m_metrics, area.width(),
                                         area.width() - taken - 2.0 * text_margin, m_style.note_lines);
    double line = baseline - static_cast<double>(lines.size() - 1) * m_metrics.height();
    for (const QString& text : lines) {
        m_painter.drawText(QPointF{area.right() - m_metrics.horizontalAdvance(text), line}, text);
        line += m_metrics.height();
    }
}

} // namespace

QPen markPen(const QColor& colour, bool is_dashed)
{
    QPen pen{colour, 2.0, Qt::SolidLine, Qt::FlatCap};
    if (is_dashed)
        pen.setDashPattern({2.0, 1.5}); // in widths of the line: a few dashes fit into a legend
    return pen;
}

void fillStriped(QPainter& painter, const QRectF& rectangle, const QColor& colour, const QColor& ground,
                 bool is_vector)
{
    if (!is_vector) {
        painter.fillRect(rectangle, stripeBrush(colour, ground));
        return;
    }
    painter.fillRect(rectangle, ground);
    strokeStripes(painter, rectangle, colour);
}

void paintBars(QPainter& painter, const BarScene& scene, const BarMapping& mapping,
               const std::vector<PlacedSegment>& placed, const BarStyle& style)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, style.is_vector);
    Painting painting{painter, scene, mapping, style};
    for (const PlacedSegment& segment : placed) {
        painting.segment(segment);
        painting.excess(segment);
    }
    for (const Bar& bar : scene.bars)
        painting.marks(bar);
    if (mapping.orientation == Qt::Vertical)
        painting.captionsOnTop(placed);
    else if (scene.limit)
        painting.limitLine();
    for (const Bar& bar : scene.bars) {
        painting.caption(bar);
        if (bar.whisker)
            painting.whisker(bar);
    }
    if (hasLineAbove(scene))
        painting.lineAbove();
    painter.restore();
}

} // namespace shardscope
