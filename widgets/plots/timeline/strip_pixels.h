#pragma once

#include "widgets/plots/timeline/lane_columns.h"

#include <QRgb>

#include <array>
#include <map>
#include <vector>

namespace shardscope
{

struct TimelineStyle;

// `share` of the second colour, in 256ths.
constexpr QRgb mixed(QRgb from, QRgb to, int share)
{
    const auto second = static_cast<std::uint32_t>(share);
    const std::uint32_t first = 256 - second;
    const std::uint32_t red_blue = (from & 0xff00ffU) * first + (to & 0xff00ffU) * second;
    const std::uint32_t green = (from & 0xff00U) * first + (to & 0xff00U) * second;
    return 0xff000000U | (red_blue >> 8 & 0xff00ffU) | (green >> 8 & 0xff00U);
}

// What strips are painted with, by paint.
struct StripColours {
    explicit StripColours(const TimelineStyle& style);

    QRgb ground = 0;
    std::array<QRgb, lane_paint_count> solid{};
    std::array<QRgb, lane_paint_count> dimmed{}; // the ground of stripes
};

// How high the paints of a column stand in all. Those with little of its time stand no lower than can be
// seen, and are the fainter the less it is.
struct Ink {
    double height = 0.0; // pixels
    double opacity = 1.0;
};
Ink inkOf(int filled, double lane_height);

enum class Tint : unsigned char { solid, dimmed, solid_unless_waiting };

// The pixels of a strip, line by line from the top: each line is the one above it with what changes there,
// which is little, for a column changes where one paint stands on the other.
class StripPixels
{
public:
    StripPixels(std::size_t width, const StripColours& colours) : m_colours{colours}, m_pixels(width) {}

    // `height`: lines, at least 1.
    void begin(const LaneColumns& columns, int height, Tint tint);
    // Call it for each line, from 0 on.
    const QRgb* line(int index);

private:
    struct Change {
        std::uint32_t column = 0;
        QRgb colour = 0;
    };
    struct Layer {
        const LaneColumns::Part* parts = nullptr;
        QRgb solid = 0;
        QRgb dimmed = 0;
    };

    struct InkUnits {
        int height = 0;  // in parts of a pixel
        int opacity = 0; // 256: all of it
    };

    void prepareInk(int height);
    void stack(std::size_t column, int filled, int height, bool is_dimmed);
    void standAlone(std::size_t column, int filled, int height, QRgb its);
    // At most once for each pixel.
    void set(std::size_t column, int line, QRgb colour)
    {
        if (line == 0) {
            m_pixels[column] = colour;
            return;
        }
        const auto index = static_cast<std::size_t>(line);
        m_changes[index * m_pixels.size() + m_change_count[index]++] = {static_cast<std::uint32_t>(column),
                                                                        colour};
    }

    const StripColours& m_colours;
    std::vector<QRgb> m_pixels;
    std::vector<Layer> m_layers;                 // the uppermost first
    std::vector<Change> m_changes;               // line by line, room for all columns in each
    std::vector<std::size_t> m_change_count;     // of each line
    std::map<int, std::vector<InkUnits>> m_inks; // by the height of strips, then by what is filled
    const InkUnits* m_ink = nullptr;             // those of this strip
};

} // namespace shardscope
