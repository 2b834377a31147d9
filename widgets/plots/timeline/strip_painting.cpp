#include "widgets/plots/timeline/strip_painting.h"

#include "widgets/plots/timeline/strip_pixels.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace shardscope
{

namespace
{

constexpr int stripe_period = 7;
constexpr int stripe_width = 3;

// As in the bars of an iteration's time: stripes of the colour on a lighter ground.
bool isStripe(int x, int y)
{
    return (x + y) % stripe_period < stripe_width;
}

// Device pixels [first, second) of a line, from the left edge of the lanes.
std::pair<std::size_t, std::size_t> pixelsOf(int place, double ratio, std::size_t width)
{
    const auto device = [&](int x) {
        return std::min(width, static_cast<std::size_t>(std::max(0L, std::lround(x * ratio))));
    };
    return {device(place), device(place + 1)};
}

// Lines of an image from the left edge of the lanes on, and what is drawn over all of them.
class LaneImage
{
public:
    LaneImage(QImage& image, int left, int width, const LaneLines& lines, double ratio)
        : m_image{image}, m_left{left}, m_width{static_cast<std::size_t>(width)}, m_line_colour{lines.colour}
    {
        for (const int place : lines.places)
            m_lines.push_back(pixelsOf(place, ratio, m_width));
    }

    // `stripes` may be null.
    void write(int y, const QRgb* pixels, const QRgb* stripes)
    {
        QRgb* const row = reinterpret_cast<QRgb*>(m_image.scanLine(y)) + m_left;
        std::memcpy(row, pixels, m_width * sizeof(QRgb));
        if (stripes != nullptr)
            for (std::size_t x = 0; x < m_width; ++x)
                row[x] = isStripe(static_cast<int>(x), y) ? stripes[x] : row[x];
        for (const auto& [first, last] : m_lines)
            for (std::size_t x = first; x < last; ++x)
                row[x] =
                    mixed(row[x], m_line_colour.rgb(), m_line_colour.alpha() + m_line_colour.alpha() / 128);
    }

private:
    QImage& m_image;
    int m_left;
    std::size_t m_width;
    QColor m_line_colour;
    std::vector<std::pair<std::size_t, std::size_t>> m_lines;
};

bool isStriped(const LaneStrip& strip)
{
    return strip.is_hidden || strip.picture.columns.haveWaits();
}

// One run of columns, on the painter's scale: from the foot up.
void paintRun(QPainter& painter, const QRectF& place, const ColumnRun& run, bool is_striped,
              const StripColours& colours)
{
    int filled = 0;
    for (const ColumnRun::Share& share : run.shares)
        filled += share.part;
    const Ink ink = inkOf(std::min(filled, LaneColumns::whole), place.height());
    double bottom = place.bottom();
    for (const ColumnRun::Share& share : run.shares) {
        const double height = ink.height * share.part / filled;
        const QRectF box{place.left(), bottom - height, place.width(), height};
        const auto paint = static_cast<std::size_t>(share.paint);
        const auto opaque = [&](QRgb colour) {
            return QColor::fromRgb(mixed(colours.ground, colour, static_cast<int>(256.0 * ink.opacity)));
        };
        painter.fillRect(box, opaque(is_striped ? colours.dimmed[paint] : colours.solid[paint]));
        if (is_striped)
            painter.fillRect(box, QBrush{opaque(colours.solid[paint]), Qt::BDiagPattern});
        bottom -= height;
    }
}

} // namespace

void fillStrips(QImage& image, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const LaneLines& lines, const TimelineStyle& style)
{
    const double ratio = style.pixel_ratio;
    const auto device = [ratio](int y) { return static_cast<int>(std::lround(y * ratio)); };
    const int left = device(area.place.left());
    const int width = std::min(device(area.place.width()), image.width() - left);
    const int first_line = std::max(0, device(area.place.top()));
    const int last_line = std::min(image.height(), device(area.place.top() + area.place.height()));
    if (width <= 0)
        return;
    const StripColours colours{style};
    LaneImage lanes{image, left, width, lines, ratio};
    const std::vector<QRgb> ground(static_cast<std::size_t>(width), colours.ground);
    StripPixels pixels{static_cast<std::size_t>(width), colours};
    StripPixels stripes{static_cast<std::size_t>(width), colours};
    int next = first_line; // the first line that nothing was written to
    const auto fillGround = [&](int until) {
        for (; next < until; ++next)
            lanes.write(next, ground.data(), nullptr);
    };
    for (const LaneStrip& strip : strips) {
        const int y = area.place.top() + strip.top - area.scroll;
        const int top = device(y);
        const int bottom = device(y + strip.height);
        if (std::max(first_line, top) >= std::min(last_line, bottom))
            continue;
        fillGround(std::max(first_line, top));
        const bool is_striped = isStriped(strip);
        pixels.begin(strip.picture.columns, bottom - top,
                     strip.is_hidden ? Tint::dimmed : Tint::solid_unless_waiting);
        if (is_striped)
            stripes.begin(strip.picture.columns, bottom - top, Tint::solid);
        for (int line = top; line < std::min(last_line, bottom); ++line) {
            const QRgb* const plain = pixels.line(line - top);
            const QRgb* const striped = is_striped ? stripes.line(line - top) : nullptr;
            if (line >= next)
                lanes.write(line, plain, striped);
        }
        next = std::max(next, std::min(last_line, bottom));
    }
    fillGround(last_line);
}

void fillStrips(QPainter& painter, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const LaneLines& lines, const TimelineStyle& style)
{
    const StripColours colours{style};
    painter.save();
    painter.setClipRect(area.place);
    for (const LaneStrip& strip : strips)
        for (const ColumnRun& run : runsOf(strip.picture.columns)) {
            const QRectF place{area.place.left() + run.left / style.pixel_ratio,
                               static_cast<double>(area.place.top() + strip.top - area.scroll),
                               (run.right - run.left) / style.pixel_ratio, static_cast<double>(strip.height)};
            paintRun(painter, place, run, strip.is_hidden || run.waits, colours);
        }
    for (const int place : lines.places)
        painter.fillRect(QRect{area.place.left() + place, area.place.top(), 1, area.place.height()},
                         lines.colour);
    painter.restore();
}

} // namespace shardscope
