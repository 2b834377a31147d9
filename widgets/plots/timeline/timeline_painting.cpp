#include "widgets/plots/timeline/timeline_painting.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr std::size_t most_labels = 300;
constexpr int most_cached_labels = 4'000;
constexpr double least_label_width = 9.0; // of a number
constexpr int least_label_height = 10;
constexpr double number_margin = 2.0; // beside a label, both sides together
constexpr double name_margin = 6.0;
constexpr double tick_spacing = 90.0;

struct Label {
    QRectF place;
    const LaneStrip* strip = nullptr;
    const LaneBar* bar = nullptr;
};

std::vector<Label> widestLabels(const LaneArea& area, const std::vector<LaneStrip>& strips, double ratio)
{
    std::vector<Label> labels;
    for (const LaneStrip& strip : strips) {
        if (strip.height < least_label_height)
            continue;
        for (const LaneBar& bar : strip.picture.bars) {
            const int left = bar.left + bar.waiting; // the name stands where the transfer runs
            const double width = (bar.right - left) / ratio;
            if (width >= least_label_width)
                labels.push_back({QRectF{area.place.left() + left / ratio,
                                         static_cast<double>(area.place.top() + strip.top - area.scroll),
                                         width, static_cast<double>(strip.height)},
                                  &strip, &bar});
        }
    }
    if (labels.size() > most_labels) {
        std::nth_element(labels.begin(), labels.begin() + most_labels, labels.end(),
                         [](const Label& a, const Label& b) { return a.place.width() > b.place.width(); });
        labels.resize(most_labels);
    }
    return labels;
}

// Dark or light, whichever can be read on a colour.
QColor readableOn(const QColor& ground)
{
    // Perceived brightness, ITU-R BT.601.
    const double brightness = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
    return brightness > 140.0 ? QColor{20, 22, 25} : QColor{250, 250, 250};
}

} // namespace

void LabelCache::draw(QPainter& painter, const QPointF& top_left, const QString& text)
{
    auto found = m_texts.find(text);
    if (found == m_texts.end()) {
        if (m_texts.size() >= most_cached_labels)
            m_texts.clear();
        QStaticText laid_out{text};
        laid_out.setTextFormat(Qt::PlainText);
        laid_out.setPerformanceHint(QStaticText::AggressiveCaching);
        found = m_texts.insert(text, laid_out);
    }
    painter.drawStaticText(top_left, *found);
}

void labelStrips(QPainter& painter, const LaneArea& area, const std::vector<LaneStrip>& strips,
                 const BarLabel& label, const TimelineStyle& style, LabelCache& cache)
{
    if (!label)
        return;
    painter.save();
    painter.setClipRect(area.place);
    painter.setFont(style.font);
    const QFontMetricsF metrics{style.font};
    const double letter = metrics.averageCharWidth();
    for (const Label& one : widestLabels(area, strips, style.pixel_ratio)) {
        TimelineSpot spot = one.strip->row;
        spot.span = one.bar->span;
        QString text = label(spot);
        if (text.isEmpty())
            continue;
        const bool is_number = text.front().isDigit();
        const double room = one.place.width() - (is_number ? number_margin : name_margin);
        const auto letters = static_cast<qsizetype>(room / letter);
        // A number is whole or absent; a name may be cut.
        if (text.size() > letters && (letters < 4 || is_number))
            continue;
        if (text.size() > letters)
            text = text.left(letters - 1) + QChar{0x2026};
        painter.setPen(one.strip->is_hidden
                           ? style.theme.text() // stripes are light and dark
                           : readableOn(style.colours[static_cast<std::size_t>(one.bar->paint)]));
        const double y = one.place.top() + (one.place.height() - metrics.height()) / 2.0;
        const double x = is_number ? one.place.center().x() - static_cast<double>(text.size()) * letter / 2.0
                                   : one.place.left() + 3.0;
        cache.draw(painter, {std::round(x), std::round(y)}, text);
    }
    painter.restore();
}

TimeTicks rulerTicks(const TimeRange& range, int width)
{
    return timeTicks(range, width, static_cast<int>(tick_spacing));
}

void paintRuler(QPainter& painter, const Ruler& ruler, const TimelineStyle& style)
{
    painter.save();
    painter.setFont(style.font);
    const QFontMetricsF metrics{style.font};
    painter.fillRect(
        QRect{0, ruler.place.top(), ruler.place.left() + ruler.place.width(), ruler.place.height()},
        blend(style.theme.background(), style.theme.text(), style.theme.isDark() ? 0.07 : 0.045));
    QFont strong = style.font;
    strong.setBold(true);
    painter.setFont(strong);
    painter.setPen(style.theme.text());
    const QRect title{6, ruler.place.top(), ruler.place.left() - 8, ruler.place.height()};
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF{strong}.elidedText(ruler.title, Qt::ElideRight, title.width()));
    painter.setFont(style.font);
    double right = ruler.place.left() + ruler.place.width();
    painter.setPen(style.theme.faintText());
    if (!ruler.note.isEmpty() && metrics.horizontalAdvance(ruler.note) < 0.6 * ruler.place.width()) {
        right -= metrics.horizontalAdvance(ruler.note) + 14.0;
        painter.drawText(ruler.place.adjusted(0, 0, -6, 0), Qt::AlignRight | Qt::AlignVCenter, ruler.note);
    }
    double left = ruler.place.left();
    if (!ruler.ticks.base_label.empty()) {
        const QString base = QString::fromStdString(ruler.ticks.base_label);
        painter.drawText(ruler.place.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, base);
        left += metrics.horizontalAdvance(base) + 12.0;
    }
    for (const TimeTick& tick : ruler.ticks.ticks) {
        const auto x =
            ruler.place.left() + static_cast<int>(columnOf(tick.time_ns, ruler.range, ruler.place.width()));
        const QString text = QString::fromStdString(tick.label);
        painter.fillRect(QRect{x, ruler.place.bottom() - 3, 1, 4}, style.theme.faintText());
        if (x + 4.0 >= left && x + 4.0 + metrics.horizontalAdvance(text) < right)
            painter.drawText(QRectF{x + 4.0, static_cast<double>(ruler.place.top()), 200.0,
                                    static_cast<double>(ruler.place.height())},
                             Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    painter.restore();
}

void paintLaneTitle(QPainter& painter, const QRect& place, const LaneTitle& title, const TimelineStyle& style)
{
    if (title.is_heading && title.is_open)
        painter.fillRect(place, blend(style.theme.background(), style.theme.text(), 0.06));
    if (title.is_marked)
        painter.fillRect(QRect{place.left(), place.top(), 3, place.height()}, style.theme.text());
    double x = place.left() + 6.0 + title.indent;
    const double middle = place.top() + place.height() / 2.0;
    if (title.has_triangle) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.theme.faintText());
        const QPolygonF triangle =
            title.is_open
                ? QPolygonF{{QPointF{x, middle - 2.5}, {x + 7.0, middle - 2.5}, {x + 3.5, middle + 2.5}}}
                : QPolygonF{{QPointF{x + 1.0, middle - 3.5}, {x + 6.0, middle}, {x + 1.0, middle + 3.5}}};
        painter.drawPolygon(triangle);
        x += 11.0;
    }
    QFont font = style.font;
    font.setBold(title.is_marked || title.is_heading);
    painter.setFont(font);
    const QFontMetricsF metrics{font};
    const double room = place.left() + place.width() - 4.0 - x;
    painter.setPen(style.theme.text());
    const QString name = metrics.elidedText(title.name, Qt::ElideRight, room);
    painter.drawText(QRectF{x, static_cast<double>(place.top()), room, static_cast<double>(place.height())},
                     Qt::AlignLeft | Qt::AlignVCenter, name);
    const double rest = room - metrics.horizontalAdvance(name) - 6.0;
    painter.setFont(style.font);
    if (!title.remark.isEmpty() && rest >= QFontMetricsF{style.font}.horizontalAdvance(title.remark)) {
        painter.setPen(style.theme.faintText());
        painter.drawText(
            QRectF{x, static_cast<double>(place.top()), room, static_cast<double>(place.height())},
            Qt::AlignRight | Qt::AlignVCenter, title.remark);
    }
}

} // namespace shardscope
