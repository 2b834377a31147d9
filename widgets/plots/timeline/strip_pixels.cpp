#include "widgets/plots/timeline/strip_pixels.h"

#include "widgets/plots/timeline/timeline_painting.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double least_height = 1.0;  // pixels of ink, however little there is
constexpr double least_share = 0.125; // of a lane
constexpr double least_opacity = 0.4;

constexpr int unit_bits = 8;
constexpr int unit = 1 << unit_bits; // parts of a pixel's height

// A pixel that several colours share.
class SharedPixel
{
public:
    void add(QRgb colour, int share)
    {
        m_red_blue += (colour & 0xff00ffU) * static_cast<std::uint32_t>(share);
        m_green += (colour & 0xff00U) * static_cast<std::uint32_t>(share);
        m_filled += share;
    }
    int room() const { return unit - m_filled; }
    QRgb colour() const
    {
        return 0xff000000U | (m_red_blue >> unit_bits & 0xff00ffU) | (m_green >> unit_bits & 0xff00U);
    }

private:
    std::uint32_t m_red_blue = 0;
    std::uint32_t m_green = 0;
    int m_filled = 0;
};

} // namespace

StripColours::StripColours(const TimelineStyle& style) : ground{style.theme.background().rgb()}
{
    for (std::size_t paint = 0; paint < style.colours.size(); ++paint) {
        solid[paint] = style.colours[paint].rgb();
        dimmed[paint] = style.theme.dimmed(style.colours[paint]).rgb();
    }
}

Ink inkOf(int filled, double lane_height)
{
    const double height = lane_height * filled / LaneColumns::whole;
    const double least = std::min(lane_height, std::max(least_height, least_share * lane_height));
    if (height >= least)
        return {height, 1.0};
    return {least, least_opacity + (1.0 - least_opacity) * height / least};
}

void StripPixels::prepareInk(int height)
{
    std::vector<InkUnits>& inks = m_inks[height];
    for (int filled = static_cast<int>(inks.size()); filled <= LaneColumns::whole; ++filled) {
        const Ink ink = inkOf(filled, height);
        inks.push_back(
            {static_cast<int>(std::lround(ink.height * unit)), static_cast<int>(256.0 * ink.opacity)});
    }
    m_ink = inks.data();
}

void StripPixels::begin(const LaneColumns& columns, int height, Tint tint)
{
    std::ranges::fill(m_pixels, m_colours.ground);
    prepareInk(height);
    m_layers.clear();
    m_change_count.assign(static_cast<std::size_t>(height), 0);
    m_changes.resize(std::max(m_changes.size(), m_change_count.size() * m_pixels.size()));
    columns.paints().forEach([&](LanePaint paint) {
        const auto index = static_cast<std::size_t>(paint);
        m_layers.push_back({columns.of(paint).data(), m_colours.solid[index], m_colours.dimmed[index]});
    });
    std::ranges::reverse(m_layers);
    const std::size_t width = std::min(m_pixels.size(), columns.size());
    for (std::size_t column = 0; column < width; ++column) {
        int filled = 0;
        int most = 0; // that one of them has
        const Layer* largest = nullptr;
        for (const Layer& layer : m_layers) {
            const int part = layer.parts[column];
            filled += part;
            largest = part > most ? &layer : largest;
            most = std::max(most, part);
        }
        if (filled == 0)
            continue;
        const bool is_dimmed =
            tint == Tint::dimmed || (tint == Tint::solid_unless_waiting && columns.waits(column));
        const QRgb its = is_dimmed ? largest->dimmed : largest->solid;
        if (most >= LaneColumns::whole)
            m_pixels[column] = its;
        else if (most == filled)
            standAlone(column, filled, height, its);
        else
            stack(column, filled, height, is_dimmed);
    }
}

// One paint on the ground, as stack() has it.
void StripPixels::standAlone(std::size_t column, int filled, int height, QRgb its)
{
    const InkUnits ink = m_ink[filled];
    const QRgb colour = ink.opacity < 256 ? mixed(m_colours.ground, its, ink.opacity) : its;
    const int begin = height * unit - ink.height;
    const int line = begin >> unit_bits;
    const int above = begin & (unit - 1); // ground in the pixel where it begins
    set(column, line, above == 0 ? colour : mixed(colour, m_colours.ground, above));
    if (above != 0 && line + 1 < height)
        set(column, line + 1, colour);
}

// From the top down: the ground, then paint by paint. A pixel in which one ends has parts of both.
void StripPixels::stack(std::size_t column, int filled, int height, bool is_dimmed)
{
    const InkUnits ink = m_ink[std::min(filled, LaneColumns::whole)];
    const int begin = height * unit - ink.height;
    const float units_of_part = static_cast<float>(ink.height) / static_cast<float>(filled);
    int line = begin >> unit_bits;
    SharedPixel pixel;
    pixel.add(m_colours.ground, begin & (unit - 1));
    int done = begin;
    int parts = 0;
    for (const Layer& layer : m_layers) {
        if (layer.parts[column] == 0)
            continue;
        parts += layer.parts[column];
        const int end = parts == filled ? begin + ink.height
                                        : begin + static_cast<int>(static_cast<float>(parts) * units_of_part);
        const QRgb its = is_dimmed ? layer.dimmed : layer.solid;
        const QRgb colour = ink.opacity < 256 ? mixed(m_colours.ground, its, ink.opacity) : its;
        int left = end - done;
        done = end;
        if (left < pixel.room()) {
            pixel.add(colour, left);
            continue;
        }
        left -= pixel.room();
        pixel.add(colour, pixel.room());
        set(column, line++, pixel.colour());
        if (left >= unit)
            set(column, line, colour);
        line += left >> unit_bits;
        pixel = {};
        pixel.add(colour, left & (unit - 1));
    }
}

const QRgb* StripPixels::line(int index)
{
    const auto line = static_cast<std::size_t>(index);
    const Change* const changes = m_changes.data() + line * m_pixels.size();
    for (std::size_t i = 0; i < m_change_count[line]; ++i)
        m_pixels[changes[i].column] = changes[i].colour;
    return m_pixels.data();
}

} // namespace shardscope
