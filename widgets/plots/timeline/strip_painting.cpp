#include "widgets/plots/timeline/strip_painting.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace shardscope
{

namespace
{

constexpr double least_opacity = 0.18; // of the emptiest column
constexpr double waiting_share = 0.4;  // of the colour in the ground of a call that waits

// Stripes of the colour on a lighter ground.
bool isStripe(int x, int y)
{
    return (x + y) % 7 < 2;
}

QRgb over(QRgb ground, const QColor& colour)
{
    return blend(QColor::fromRgb(ground), colour, colour.alphaF()).rgb();
}

// Device pixels [first, second) of a line, from the left edge of the lanes.
std::pair<std::size_t, std::size_t> pixelsOf(int place, double ratio, std::size_t width)
{
    const auto device = [&](int x) {
        return std::min(width, static_cast<std::size_t>(std::max(0L, std::lround(x * ratio))));
    };
    return {device(place), device(place + 1)};
}

// One line of pixels of a strip; in `stripes` the colour of the stripes where calls wait, else 0.
class StripLine
{
public:
    StripLine(std::size_t width, const LaneLines& lines, const ShadeColours& colours, double ratio)
        : m_pixels(width), m_lines{lines}, m_colours{colours}, m_ratio{ratio}
    {
    }

    void fillGround()
    {
        std::ranges::fill(m_pixels, m_colours.ground());
        m_has_stripes = false;
        drawLines();
    }
    void fill(const std::vector<Shade>& columns)
    {
        const std::size_t width = std::min(m_pixels.size(), columns.size());
        for (std::size_t x = 0; x < width; ++x)
            m_pixels[x] = m_colours.of(columns[x]);
        m_has_stripes = std::ranges::any_of(columns, [](Shade shade) { return shade.waits(); });
        if (m_has_stripes) {
            m_stripes.assign(m_pixels.size(), 0);
            for (std::size_t x = 0; x < width; ++x)
                if (columns[x].waits())
                    m_stripes[x] = m_colours.of(Shade{columns[x].paint(), columns[x].fill()});
        }
        drawLines();
    }
    void copyTo(QRgb* row, int y) const
    {
        std::memcpy(row, m_pixels.data(), m_pixels.size() * sizeof(QRgb));
        for (std::size_t x = 0; m_has_stripes && x < m_stripes.size(); ++x)
            if (m_stripes[x] != 0 && isStripe(static_cast<int>(x), y))
                row[x] = m_stripes[x];
    }

private:
    void drawLines()
    {
        for (const int place : m_lines.places) {
            const auto [first, last] = pixelsOf(place, m_ratio, m_pixels.size());
            for (std::size_t x = first; x < last; ++x)
                m_pixels[x] = over(m_pixels[x], m_lines.colour);
        }
    }

    std::vector<QRgb> m_pixels;
    std::vector<QRgb> m_stripes;
    bool m_has_stripes = false;
    const LaneLines& m_lines;
    const ShadeColours& m_colours;
    double m_ratio;
};

} // namespace

void ShadeColours::use(const TimelineStyle& style)
{
    const QRgb ground = style.theme.background().rgb();
    if (!m_table.empty() && ground == m_ground && style.colours == m_colours)
        return;
    m_ground = ground;
    m_colours = style.colours;
    m_table.assign(Shade::codes, ground);
    for (std::size_t i = 0; i < m_colours.size(); ++i) {
        const auto paint = static_cast<LanePaint>(i);
        const QColor below = style.theme.background();
        for (int fill = 1; fill <= Shade::full; ++fill) {
            const double share = least_opacity + (1.0 - least_opacity) * fill / Shade::full;
            const Shade shade{paint, fill};
            m_table[shade.code()] = blend(below, m_colours[i], share).rgb();
            m_table[shade.waiting().code()] = blend(below, m_colours[i], waiting_share).rgb();
        }
    }
}

void fillStrips(QImage& image, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const LaneLines& lines, const ShadeColours& colours, const TimelineStyle& style)
{
    const double ratio = style.pixel_ratio;
    const auto device = [ratio](int y) { return static_cast<int>(std::lround(y * ratio)); };
    const int left = device(area.place.left());
    const int width = std::min(device(area.place.width()), image.width() - left);
    const int first_line = std::max(0, device(area.place.top()));
    const int last_line = std::min(image.height(), device(area.place.top() + area.place.height()));
    if (width <= 0)
        return;
    StripLine ground{static_cast<std::size_t>(width), lines, colours, ratio};
    ground.fillGround();
    StripLine line{static_cast<std::size_t>(width), lines, colours, ratio};
    const auto copy = [&](const StripLine& from, int first, int last) {
        for (int y = first; y < last; ++y)
            from.copyTo(reinterpret_cast<QRgb*>(image.scanLine(y)) + left, y);
    };
    int next = first_line; // the first line that nothing was written to
    for (const LaneStrip& strip : strips) {
        const int y = area.place.top() + strip.top - area.scroll;
        const int top = std::max(first_line, device(y));
        const int bottom = std::min(last_line, device(y + strip.height));
        if (top >= bottom)
            continue;
        copy(ground, next, top);
        next = std::max(next, bottom);
        line.fill(strip.picture.columns);
        copy(line, top, bottom);
    }
    copy(ground, next, last_line);
}

void fillStrips(QPainter& painter, const LaneArea& area, const std::vector<LaneStrip>& strips,
                const LaneLines& lines, const ShadeColours& colours, const TimelineStyle& style)
{
    painter.save();
    painter.setClipRect(area.place);
    for (const LaneStrip& strip : strips)
        for (const ShadeRun& run : runsOf(strip.picture.columns)) {
            const QRectF place{area.place.left() + run.left / style.pixel_ratio,
                               static_cast<double>(area.place.top() + strip.top - area.scroll),
                               (run.right - run.left) / style.pixel_ratio, static_cast<double>(strip.height)};
            painter.fillRect(place, QColor::fromRgb(colours.of(run.shade)));
            if (run.shade.waits())
                painter.fillRect(place, QBrush{QColor::fromRgb(colours.of({run.shade.paint(), Shade::full})),
                                               Qt::BDiagPattern});
        }
    for (const int place : lines.places)
        painter.fillRect(QRect{area.place.left() + place, area.place.top(), 1, area.place.height()},
                         lines.colour);
    painter.restore();
}

} // namespace shardscope
