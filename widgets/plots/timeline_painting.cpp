#include "widgets/plots/timeline_painting.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace shardscope
{

namespace
{

constexpr std::size_t most_labels = 300;
constexpr int most_cached_labels = 4'000;
constexpr double least_label_width = 14.0;
constexpr int least_label_height = 10;
constexpr double tick_spacing = 90.0;
constexpr double least_opacity = 0.35; // of the emptiest column
constexpr double waiting_share = 0.4;  // of the colour in the ground of a call that waits
constexpr int widest_without_gap = 3;  // device pixels

using ColourTable = std::array<std::array<QRgb, 256>, lane_paint_count>;

ColourTable colourTable(const TimelineStyle& style)
{
    // Shares of the colour in 65,536ths: this is done for every frame.
    constexpr int whole = 1 << 16;
    constexpr int least = static_cast<int>(least_opacity * whole);
    ColourTable table;
    const QRgb ground = style.theme.background().rgb();
    for (std::size_t paint = 0; paint < table.size(); ++paint) {
        const QRgb colour = style.colours[paint].rgb();
        for (int fill = 0; fill < 256; ++fill) {
            const int share = least + (whole - least) * fill / 255;
            const auto part = [share](int from, int to) {
                return from + ((to - from) * share + whole / 2) / whole;
            };
            table[paint][static_cast<std::size_t>(fill)] =
                qRgb(part(qRed(ground), qRed(colour)), part(qGreen(ground), qGreen(colour)),
                     part(qBlue(ground), qBlue(colour)));
        }
    }
    return table;
}

// Bars of one span end a pixel early, so that neighbours of one colour are told apart without outlines.
int rightOf(const LaneBar& bar)
{
    return bar.span != no_span && bar.right - bar.left > widest_without_gap ? bar.right - 1 : bar.right;
}

// Stripes of the colour on a lighter ground.
bool isStripe(int x, int y)
{
    return (x + y) % 7 < 2;
}

QColor waitingColour(const TimelineStyle& style, LanePaint paint)
{
    return blend(style.theme.background(), style.colours[static_cast<std::size_t>(paint)], waiting_share);
}

// One line of pixels of a strip; in `stripes` the colour of the stripes where calls wait, else 0.
struct StripLine {
    std::vector<QRgb> pixels;
    std::vector<QRgb> stripes;
    bool has_stripes = false;

    void fill(const LaneStrip& strip, const ColourTable& table, const TimelineStyle& style)
    {
        const int width = static_cast<int>(pixels.size());
        std::fill(pixels.begin(), pixels.end(), style.theme.background().rgb());
        has_stripes = std::ranges::any_of(strip.bars, [](const LaneBar& bar) { return bar.waiting > 0; });
        if (has_stripes)
            stripes.assign(pixels.size(), 0);
        for (const LaneBar& bar : strip.bars) {
            const int right = std::min(width, rightOf(bar));
            if (right <= bar.left)
                continue;
            const QRgb colour = table[static_cast<std::size_t>(bar.paint)][bar.fill];
            pixels[static_cast<std::size_t>(bar.left)] = colour; // most bars have no more
            std::fill(pixels.begin() + bar.left + 1, pixels.begin() + right, colour);
            if (!has_stripes)
                continue;
            const int waits_until = std::min(right, bar.left + bar.waiting);
            std::fill(stripes.begin() + bar.left, stripes.begin() + right, 0);
            std::fill(stripes.begin() + bar.left, stripes.begin() + waits_until, colour);
            std::fill(pixels.begin() + bar.left, pixels.begin() + waits_until,
                      waitingColour(style, bar.paint).rgb());
        }
    }
    void copyTo(QRgb* row, int y) const
    {
        std::memcpy(row, pixels.data(), pixels.size() * sizeof(QRgb));
        for (std::size_t x = 0; has_stripes && x < stripes.size(); ++x)
            if (stripes[x] != 0 && isStripe(static_cast<int>(x), y))
                row[x] = stripes[x];
    }
};

struct Label {
    QRectF place;
    const LaneStrip* strip = nullptr;
    const LaneBar* bar = nullptr;
};

std::vector<Label> widestLabels(const LaneArea& area, const std::vector<LaneStrip>& strips, double ratio)
{
    std::vector<Label> labels;
    for (const LaneStrip& strip : strips) {
        if (strip.is_summary || strip.height < least_label_height)
            continue;
        for (const LaneBar& bar : strip.bars) {
            const int left = bar.left + bar.waiting; // the name stands where the transfer runs
            const double width = (bar.right - left) / ratio;
            if (bar.span != no_span && width >= least_label_width)
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

} // namespace

QColor blend(const QColor& ground, const QColor& colour, double share)
{
    const auto part = [share](int from, int to) {
        return static_cast<int>(std::lround(from + (to - from) * share));
    };
    return {part(ground.red(), colour.red()), part(ground.green(), colour.green()),
            part(ground.blue(), colour.blue())};
}

QColor readableOn(const QColor& ground)
{
    // Perceived brightness, ITU-R BT.601.
    const double brightness = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
    return brightness > 140.0 ? QColor{20, 22, 25} : QColor{250, 250, 250};
}

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

void fillStrips(QImage& image, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const TimelineStyle& style)
{
    const ColourTable table = colourTable(style);
    const double ratio = style.pixel_ratio;
    const auto device = [ratio](int y) { return static_cast<int>(std::lround(y * ratio)); };
    const int left = device(area.place.left());
    const int width = std::min(device(area.place.width()), image.width() - left);
    const int first_line = std::max(0, device(area.place.top()));
    const int last_line = std::min(image.height(), device(area.place.top() + area.place.height()));
    if (width <= 0)
        return;
    StripLine line{std::vector<QRgb>(static_cast<std::size_t>(width)), {}, false};
    const QRgb ground = style.theme.background().rgb();
    int next = first_line; // the first line that nothing was written to
    const auto clearUntil = [&](int end) {
        for (; next < end; ++next) {
            auto* const row = reinterpret_cast<QRgb*>(image.scanLine(next)) + left;
            std::fill(row, row + width, ground);
        }
    };
    for (const LaneStrip& strip : strips) {
        const int y = area.place.top() + strip.top - area.scroll;
        const int top = std::max(first_line, device(y));
        const int bottom = std::min(last_line, device(y + strip.height));
        if (top >= bottom)
            continue;
        clearUntil(top);
        next = std::max(next, bottom);
        line.fill(strip, table, style);
        for (int row = top; row < bottom; ++row)
            line.copyTo(reinterpret_cast<QRgb*>(image.scanLine(row)) + left, row);
    }
    clearUntil(last_line);
}

void fillStrips(QPainter& painter, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const TimelineStyle& style)
{
    const ColourTable table = colourTable(style);
    painter.save();
    painter.setClipRect(area.place);
    for (const LaneStrip& strip : strips)
        for (const LaneBar& bar : strip.bars) {
            const QColor colour = QColor::fromRgb(table[static_cast<std::size_t>(bar.paint)][bar.fill]);
            QRectF place{area.place.left() + bar.left / style.pixel_ratio,
                         static_cast<double>(area.place.top() + strip.top - area.scroll),
                         (rightOf(bar) - bar.left) / style.pixel_ratio, static_cast<double>(strip.height)};
            painter.fillRect(place, colour);
            if (bar.waiting == 0)
                continue;
            place.setWidth(std::min(place.width(), bar.waiting / style.pixel_ratio));
            painter.fillRect(place, waitingColour(style, bar.paint));
            painter.fillRect(place, QBrush{colour, Qt::BDiagPattern});
        }
    painter.restore();
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
        const double room = one.place.width() - 6.0;
        const auto letters = static_cast<qsizetype>(room / letter);
        // A number is whole or absent; a name may be cut.
        if (text.size() > letters && (letters < 4 || text.front().isDigit()))
            continue;
        if (text.size() > letters)
            text = text.left(letters - 1) + QChar{0x2026};
        if (text.isEmpty())
            continue;
        painter.setPen(readableOn(style.colours[static_cast<std::size_t>(one.bar->paint)]));
        const double y = one.place.top() + (one.place.height() - metrics.height()) / 2.0;
        const bool centred = text.front().isDigit();
        const double x = centred ? one.place.center().x() - static_cast<double>(text.size()) * letter / 2.0
                                 : one.place.left() + 3.0;
        cache.draw(painter, {std::round(x), std::round(y)}, text);
    }
    painter.restore();
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
    const int width = ruler.place.width();
    const TimeTicks ticks = timeTicks(ruler.range, width, static_cast<int>(tick_spacing));
    QColor line = style.theme.text();
    line.setAlpha(style.theme.isDark() ? 26 : 20);
    double left = ruler.place.left();
    if (!ticks.base_label.empty()) {
        const QString base = QString::fromStdString(ticks.base_label);
        painter.drawText(ruler.place.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, base);
        left += metrics.horizontalAdvance(base) + 12.0;
    }
    for (const TimeTick& tick : ticks.ticks) {
        const auto x = ruler.place.left() + static_cast<int>(columnOf(tick.time_ns, ruler.range, width));
        painter.fillRect(QRect{x, ruler.lanes.top(), 1, ruler.lanes.height()}, line);
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
