#include "widgets/plots/bars/bar_captions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace shardscope
{

namespace
{

constexpr double caption_margin = 6.0;
constexpr double label_distance = 8.0;  // labels of neighbours
constexpr double limit_distance = 16.0; // from the limit's text to a caption: side by side they read as one
constexpr double line_margin = 2.0;     // between a text and the line of the limit, and between two lines

double lengthOf(const Bar& bar)
{
    double length = 0.0;
    for (const BarSegment& segment : bar.segments)
        length += segment.value;
    return length;
}

// Bars with a caption, the fullest first, then from left to right, ghosts last.
std::vector<int> orderOfCaptions(const BarScene& scene)
{
    const auto bar = [&](int i) -> const Bar& { return scene.bars[static_cast<std::size_t>(i)]; };
    std::vector<int> order(scene.bars.size());
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](int i) { return bar(i).caption.isEmpty(); });
    const auto ghosts =
        std::stable_partition(order.begin(), order.end(), [&](int i) { return !bar(i).is_ghost; });
    const auto fullest = std::max_element(order.begin(), ghosts,
                                          [&](int a, int b) { return lengthOf(bar(a)) < lengthOf(bar(b)); });
    if (fullest != ghosts)
        std::rotate(order.begin(), fullest, fullest + 1);
    return order;
}

// Goes above a line that would strike the text through.
double clearOf(double line, double foot, const QFontMetricsF& metrics)
{
    return foot > line - line_margin && foot - metrics.height() < line + line_margin ? line - line_margin
                                                                                     : foot;
}

// The line's pixel, where it is within the range.
std::optional<double> limitPixel(const BarScene& scene, const BarMapping& mapping)
{
    if (!scene.limit || scene.limit->value > scene.value_high)
        return std::nullopt;
    return mapping.valuePixel(scene.limit->value);
}

PlacedCaption captionOf(const BarScene& scene, const BarMapping& mapping,
                        const std::vector<PlacedSegment>& placed, int index, const QFontMetricsF& metrics)
{
    const Bar& bar = scene.bars[static_cast<std::size_t>(index)];
    const QString whole =
        bar.remark.isEmpty() ? bar.caption : bar.caption + QStringLiteral(", ") + bar.remark;
    const double room = mapping.pixelsPerCategory() - caption_margin;
    const QString& text = metrics.horizontalAdvance(whole) <= room ? whole : bar.caption;
    const double width = metrics.horizontalAdvance(text);
    double foot = mapping.area.bottom();
    for (const PlacedSegment& segment : placed)
        if (segment.bar == index)
            foot = std::min(foot, segment.rectangle.top());
    if (bar.whisker && width / 2.0 + half_whisker_cap > whiskerOffset(bar, mapping))
        foot = std::min(foot, mapping.valuePixel(bar.whisker->high));
    for (const PlacedSegment& segment : placed) {
        const Bar& other = scene.bars[static_cast<std::size_t>(segment.bar)];
        if (other.is_ghost && other.centre == bar.centre)
            foot = clearOf(segment.rectangle.top(), foot, metrics);
    }
    for (const BarMark& mark : bar.marks)
        foot = clearOf(mapping.valuePixel(mark.value), foot, metrics);
    if (const auto line = limitPixel(scene, mapping))
        foot = clearOf(*line, foot, metrics);
    const double left = std::clamp(mapping.categoryPixel(bar.centre) - width / 2.0, mapping.area.left(),
                                   std::max(mapping.area.left(), mapping.area.right() - width));
    return {{left, foot - 1.0 - metrics.height(), width, metrics.height()}, text, index};
}

double widestOf(const std::vector<CategoryLabel>& labels, const QFont& font)
{
    const QFontMetricsF metrics{font};
    double widest = 0.0;
    for (const CategoryLabel& label : labels)
        widest = std::max(widest, metrics.size(0, label.text).width());
    return widest;
}

int linesOf(const std::vector<CategoryLabel>& labels)
{
    qsizetype lines = 1;
    for (const CategoryLabel& label : labels)
        lines = std::max(lines, 1 + label.text.count('\n'));
    return static_cast<int>(lines);
}

// Broken at its spaces, so that no line is wider than that unless a word is.
QString brokenWithin(const QString& text, const QFontMetricsF& metrics, double pixels)
{
    QStringList lines;
    for (const QString& whole : text.split('\n')) {
        QString line;
        for (const QString& word : whole.split(' ')) {
            const QString longer = line.isEmpty() ? word : line + ' ' + word;
            const bool has_room = line.isEmpty() || metrics.horizontalAdvance(longer) <= pixels;
            if (!has_room)
                lines << line;
            line = has_room ? longer : word;
        }
        lines << line;
    }
    return lines.join('\n');
}

std::vector<CategoryLabel> brokenWithin(std::vector<CategoryLabel> labels, const QFont& font, double pixels)
{
    const QFontMetricsF metrics{font};
    for (CategoryLabel& label : labels) {
        const QString whole = std::exchange(label.text, brokenWithin(label.text, metrics, pixels));
        if (metrics.size(0, label.text).width() > pixels) // better than nothing
            label.text = brokenWithin(QString{whole}.replace(QChar{0x00a0}, ' '), metrics, pixels);
    }
    return labels;
}

// Every second one a line lower.
std::vector<CategoryLabel> inTwoRows(std::vector<CategoryLabel> labels)
{
    for (std::size_t i = 1; i < labels.size(); i += 2)
        labels[i].text.prepend('\n');
    return labels;
}

// Every second, fourth ..., whichever have so many pixels for each.
std::vector<CategoryLabel> everySoMany(const BarScene& scene, const std::vector<CategoryLabel>& all,
                                       double each, double pixels_per_category)
{
    const double distance = std::fabs(all[1].position - all[0].position) * pixels_per_category;
    const int least = std::max(1, static_cast<int>(std::ceil(each / std::max(distance, 0.01))));
    const auto every = static_cast<std::size_t>(std::exp2(std::ceil(std::log2(least))));
    std::vector<CategoryLabel> shown;
    for (std::size_t i = 0; i < all.size(); i += every)
        shown.push_back(all[i]);
    if (!scene.keeps_last_label || (all.size() - 1) % every == 0)
        return shown;
    while (!shown.empty()
           && std::fabs(all.back().position - shown.back().position) * pixels_per_category < each)
        shown.pop_back();
    shown.push_back(all.back());
    return shown;
}

bool hitsCaption(const QRectF& box, const std::vector<PlacedCaption>& captions,
                 double distance = caption_margin / 2.0)
{
    const QRectF apart = box.adjusted(-distance, 0.0, distance, 0.0);
    return std::ranges::any_of(
        captions, [&](const PlacedCaption& caption) { return caption.rectangle.intersects(apart); });
}

bool hitsBar(const QRectF& box, const BarScene& scene, const std::vector<PlacedSegment>& placed, int but = -1)
{
    return std::ranges::any_of(placed, [&](const PlacedSegment& segment) {
        return segment.bar != but && !scene.bars[static_cast<std::size_t>(segment.bar)].is_ghost
               && segment.rectangle.intersects(box);
    });
}

} // namespace

std::vector<PlacedCaption> placeCaptions(const BarScene& scene, const BarMapping& mapping,
                                         const std::vector<PlacedSegment>& placed,
                                         const QFontMetricsF& metrics)
{
    std::vector<PlacedCaption> captions;
    for (const int index : orderOfCaptions(scene)) {
        PlacedCaption caption = captionOf(scene, mapping, placed, index, metrics);
        const bool is_first = captions.empty();
        if (caption.rectangle.width() <= mapping.area.width()
            && (is_first
                || (!hitsCaption(caption.rectangle, captions)
                    && !hitsBar(caption.rectangle, scene, placed, index))))
            captions.push_back(std::move(caption));
    }
    return captions;
}

std::optional<QRectF> placeLimitText(const BarScene& scene, const BarMapping& mapping,
                                     const std::vector<PlacedSegment>& placed,
                                     const std::vector<PlacedCaption>& captions, const QFontMetricsF& metrics)
{
    const QRectF& area = mapping.area;
    const double width = metrics.horizontalAdvance(scene.limit->text);
    const double last = area.right() - width - caption_margin;
    const std::optional<double> line = limitPixel(scene, mapping);
    // Beyond the range it stands above the bars, where captions seldom reach.
    const double foot = line.value_or(area.top() + 1.0);
    const QRectF preferred{last, foot - line_margin - metrics.height(), width, metrics.height()};
    if (!line)
        return hitsCaption(preferred, captions) || hasLineAbove(scene) ? std::nullopt
                                                                       : std::optional{preferred};
    constexpr double step = 4.0;
    const double row_above = metrics.height() + line_margin;
    const double most_above = std::max(row_above, captionOverhang(scene, area.height(), metrics.height()));
    const auto free = [&](double up, bool minds_bars, double distance) -> std::optional<QRectF> {
        if (preferred.top() - up < area.top() - most_above) // no line is there any more
            return std::nullopt;
        for (double left = last; left >= area.left(); left -= step) {
            const QRectF box{left, preferred.top() - up, width, metrics.height()};
            if (!hitsCaption(box, captions, distance) && (!minds_bars || !hitsBar(box, scene, placed)))
                return box;
        }
        return std::nullopt;
    };
    if (const auto box = free(0.0, true, limit_distance); box || hasLineAbove(scene))
        return box;
    for (const double distance : {limit_distance, caption_margin / 2.0})
        for (const auto& [up, minds_bars] :
             {std::pair{0.0, true}, {row_above, true}, {0.0, false}, {row_above, false}})
            if (const auto box = free(up, minds_bars, distance))
                return box;
    return std::nullopt;
}

std::vector<CategoryLabel> thinnedLabels(const BarScene& scene, const QFont& font, double span, double pixels,
                                         int most_lines)
{
    std::vector<CategoryLabel> all = scene.category_labels;
    if (all.size() < 2)
        return all;
    const double pixels_per_category = std::max(pixels / span, 0.01);
    const double distance = std::fabs(all[1].position - all[0].position) * pixels_per_category;
    const auto have_room = [&](const std::vector<CategoryLabel>& labels, double rows = 1.0) {
        return widestOf(labels, font) + label_distance <= rows * distance;
    };
    if (have_room(all))
        return all;
    const int lines = linesOf(all);
    if (scene.labels_are_names && lines == 1 && have_room(all, 2.0))
        return inTwoRows(std::move(all));
    if (lines > 1) {
        std::vector<CategoryLabel> broken = brokenWithin(all, font, distance - label_distance);
        if (have_room(broken) && linesOf(broken) <= std::max(most_lines, lines + 1))
            return broken;
        for (CategoryLabel& label : all)
            label.text = label.text.section('\n', 0, 0);
        if (have_room(all))
            return all;
    }
    if (scene.labels_are_names) {
        std::vector<CategoryLabel> broken = brokenWithin(all, font, distance - label_distance);
        if (have_room(broken) && linesOf(broken) == 2)
            return broken;
        if (have_room(all, 2.0))
            return inTwoRows(std::move(all));
    }
    return everySoMany(scene, all, widestOf(all, font) + label_distance, pixels_per_category);
}

QString titleWithin(const QString& title, const QFontMetricsF& metrics, double pixels, int most_lines)
{
    QStringList lines;
    QString rest = title;
    while (lines.size() + 1 < most_lines && metrics.horizontalAdvance(rest) > pixels) {
        qsizetype comma = rest.lastIndexOf(QStringLiteral(", "));
        while (comma > 0 && metrics.horizontalAdvance(rest.left(comma + 1)) > pixels)
            comma = rest.lastIndexOf(QStringLiteral(", "), comma - 1);
        if (comma <= 0)
            break;
        lines << rest.left(comma + 1);
        rest = rest.mid(comma + 2);
    }
    lines << metrics.elidedText(rest, Qt::ElideRight, pixels);
    return lines.join('\n');
}

double labelOverhang(const BarScene& scene, const QFont& font, double pixels)
{
    if (!scene.keeps_last_label || scene.category_labels.empty())
        return 0.0;
    const CategoryLabel& last = scene.category_labels.back();
    const double room =
        (scene.category_high - last.position) / (scene.category_high - scene.category_low) * pixels;
    return std::max(0.0, QFontMetricsF{font}.size(0, last.text).width() / 2.0 - room);
}

} // namespace shardscope
