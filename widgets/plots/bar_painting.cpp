#include "widgets/plots/bar_painting.h"

#include <QFontMetricsF>
#include <QHash>
#include <QPainter>
#include <QPixmap>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double text_margin = 4.0;
constexpr double stripe_period = 7.0;
constexpr double half_cap = 3.5; // of a whisker's ends

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
    void caption(const Bar& bar, const std::vector<PlacedSegment>& placed, int index) const;
    void whisker(const Bar& bar) const;
    double whiskerOffset(const Bar& bar) const;
    void limit() const;
    void note() const;

private:
    bool isVertical() const { return m_mapping.orientation == Qt::Vertical; }
    QColor colourOf(const BarSegment& segment) const;
    void label(const BarSegment& segment, const QRectF& box, const QColor& ground) const;
    QColor labelColour(const BarSegment& segment, const QColor& ground) const;
    void captionAbove(const Bar& bar, double top) const;
    void captionOnTop(const Bar& bar, const std::vector<PlacedSegment>& placed, int index) const;
    void boxedText(const QString& text, double x, double baseline, const QColor& colour) const;

    QPainter& m_painter;
    const BarScene& m_scene;
    const BarMapping& m_mapping;
    const BarStyle& m_style;
    QFontMetricsF m_metrics;
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
    if (placed.bar == m_style.highlighted_bar && placed.segment == m_style.highlighted_segment) {
        m_painter.setPen(QPen{m_style.theme.text(), 1.5});
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box);
    }
    label(segment, box, colour);
}

QColor Painting::labelColour(const BarSegment& segment, const QColor& ground) const
{
    if (segment.faded)
        return m_style.theme.faintText();
    return segment.texture == BarTexture::striped ? m_style.theme.text() : m_style.theme.textOn(ground);
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
        if (segment.texture == BarTexture::striped)
            m_painter.fillRect(place.adjusted(-2.0, 0.0, 2.0, 0.0), m_style.theme.background());
        m_painter.setPen(labelColour(segment, ground));
        m_painter.drawText(QPointF{place.left(), place.top() + m_metrics.ascent()}, text);
        return;
    }
}

// What stands above the limit, crossed out in the limit's colour.
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
    const QColor red = m_style.theme.colour(Hue::limit);
    if (m_style.is_vector)
        strokeStripes(m_painter, over, red);
    else
        fillStriped(m_painter, over, red,
                    colourOf(m_scene.bars[static_cast<std::size_t>(placed.bar)]
                                 .segments[static_cast<std::size_t>(placed.segment)]),
                    false);
}

void Painting::captionAbove(const Bar& bar, double top) const
{
    QFont strong = m_style.font;
    strong.setBold(true);
    const QFontMetricsF strong_metrics{strong};
    const double left = m_mapping.area.left() + 1.0;
    const double baseline = top + m_metrics.ascent();
    m_painter.setFont(strong);
    m_painter.setPen(m_style.theme.text());
    m_painter.drawText(QPointF{left, baseline}, bar.caption);
    m_painter.setFont(m_style.font);
    const double start = left + strong_metrics.horizontalAdvance(bar.caption + ' ') + text_margin;
    m_painter.setPen(m_style.theme.faintText());
    const QString remark =
        m_metrics.elidedText(bar.remark, Qt::ElideRight, std::max(0.0, m_mapping.area.right() - start));
    m_painter.drawText(QPointF{start, baseline}, remark);
}

void Painting::caption(const Bar& bar, const std::vector<PlacedSegment>& placed, int index) const
{
    const double centre = m_mapping.categoryPixel(bar.centre);
    const double thickness = std::min(bar.thickness * m_mapping.pixelsPerCategory(), bar.most_pixels);
    if (!isVertical()) {
        if (!bar.caption.isEmpty())
            captionAbove(bar, centre - thickness / 2.0 - captionHeight(m_style.font));
        return;
    }
    if (bar.is_marked) {
        const QRectF foot{centre - thickness / 2.0, m_mapping.area.bottom() - 3.0, thickness, 3.0};
        m_painter.fillRect(foot, m_style.theme.text());
    }
    captionOnTop(bar, placed, index);
}

// The caption over a vertical bar, with its remark where both have room.
void Painting::captionOnTop(const Bar& bar, const std::vector<PlacedSegment>& placed, int index) const
{
    const double room = m_mapping.pixelsPerCategory() - text_margin;
    const QString whole =
        bar.remark.isEmpty() ? bar.caption : bar.caption + QStringLiteral(", ") + bar.remark;
    const QString& text = m_metrics.horizontalAdvance(whole) <= room ? whole : bar.caption;
    const double width = m_metrics.horizontalAdvance(text);
    if (text.isEmpty() || width > room)
        return;
    double top = m_mapping.area.bottom();
    double height = 0.0;
    for (const PlacedSegment& segment : placed)
        if (segment.bar == index)
            top = std::min(top, segment.rectangle.top());
    for (const BarSegment& segment : bar.segments)
        height += segment.value;
    if (bar.whisker && width / 2.0 + half_cap > whiskerOffset(bar))
        top = std::min(top, m_mapping.valuePixel(bar.whisker->high));
    const bool is_over = m_scene.limit && height > m_scene.limit->value;
    m_painter.setPen(is_over ? m_style.theme.colour(Hue::limit) : m_style.theme.text());
    m_painter.drawText(
        QPointF{m_mapping.categoryPixel(bar.centre) - width / 2.0, top - m_metrics.descent() - 1.0}, text);
}

// From the bar's middle to its whisker: near the foot of a horizontal bar, below its labels; near the right
// edge of a vertical one, beside them.
double Painting::whiskerOffset(const Bar& bar) const
{
    const double thickness = std::min(bar.thickness * m_mapping.pixelsPerCategory(), bar.most_pixels);
    return isVertical() ? std::max(0.0, thickness / 2.0 - half_cap - 1.0) : thickness / 2.0 - 1.0;
}

void Painting::whisker(const Bar& bar) const
{
    const double low = m_mapping.valuePixel(bar.whisker->low);
    const double high = m_mapping.valuePixel(bar.whisker->high);
    const double centre = m_mapping.categoryPixel(bar.centre) + whiskerOffset(bar);
    const auto point = [this](double along, double across) {
        return isVertical() ? QPointF{across, along} : QPointF{along, across};
    };
    m_painter.setPen(QPen{m_style.theme.text(), 1.5});
    m_painter.drawLine(point(low, centre), point(high, centre));
    for (const double end : {low, high})
        m_painter.drawLine(point(end, centre - half_cap), point(end, centre + half_cap));
}

void Painting::boxedText(const QString& text, double x, double baseline, const QColor& colour) const
{
    QColor ground = m_style.theme.background();
    ground.setAlpha(205);
    const double width = m_metrics.horizontalAdvance(text);
    m_painter.fillRect(QRectF{x - 2.0, baseline - m_metrics.ascent(), width + 4.0, m_metrics.height()},
                       ground);
    m_painter.setPen(colour);
    m_painter.drawText(QPointF{x, baseline}, text);
}

void Painting::limit() const
{
    const QColor red = m_style.theme.colour(Hue::limit);
    const QRectF& area = m_mapping.area;
    const double place = m_mapping.valuePixel(m_scene.limit->value);
    const bool inside = m_scene.limit->value <= m_scene.value_high;
    const double width = m_metrics.horizontalAdvance(m_scene.limit->text);
    if (inside) {
        m_painter.setPen(QPen{red, 1.5});
        if (isVertical())
            m_painter.drawLine(QPointF{area.left(), place}, QPointF{area.right(), place});
        else
            m_painter.drawLine(QPointF{place, area.top()}, QPointF{place, area.bottom()});
    }
    // A limit beyond the range stands above the bars, where no caption reaches.
    const double line = inside ? std::max(place, area.top() + m_metrics.height()) : area.top() - 1.0;
    boxedText(m_scene.limit->text, area.right() - width - text_margin, line - m_metrics.descent() - 1.0, red);
}

void Painting::note() const
{
    const QRectF& area = m_mapping.area;
    const QString text = m_metrics.elidedText(m_scene.note, Qt::ElideRight, area.width() - text_margin);
    m_painter.setPen(m_style.theme.faintText());
    m_painter.drawText(
        QPointF{area.right() - m_metrics.horizontalAdvance(text), area.top() - m_metrics.descent() - 2.0},
        text);
}

} // namespace

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

double captionHeight(const QFont& font)
{
    return QFontMetricsF{font}.height() + 1.0;
}

void paintBars(QPainter& painter, const BarScene& scene, const BarMapping& mapping,
               const std::vector<PlacedSegment>& placed, const BarStyle& style)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, style.is_vector);
    const Painting painting{painter, scene, mapping, style};
    for (const PlacedSegment& segment : placed) {
        painting.segment(segment);
        painting.excess(segment);
    }
    if (scene.limit)
        painting.limit();
    for (std::size_t i = 0; i < scene.bars.size(); ++i) {
        painting.caption(scene.bars[i], placed, static_cast<int>(i));
        if (scene.bars[i].whisker)
            painting.whisker(scene.bars[i]);
    }
    if (!scene.note.isEmpty())
        painting.note();
    painter.restore();
}

} // namespace shardscope
