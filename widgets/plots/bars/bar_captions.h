#pragma once

#include "widgets/plots/bars/bar_scene.h"

#include <QFontMetricsF>

#include <optional>

namespace shardscope
{

// A text of a bar chart and the room it takes.
struct PlacedCaption {
    QRectF rectangle;
    QString text;
    int bar = -1;
};

// Captions over vertical bars, the fullest bar's first: it is there whatever the others leave. Others, those
// of ghosts last, are left out where they would lie on one another or on a bar. None is crossed by the line
// of the limit.
std::vector<PlacedCaption> placeCaptions(const BarScene& scene, const BarMapping& mapping,
                                         const std::vector<PlacedSegment>& placed,
                                         const QFontMetricsF& metrics);

// The text of a limit above its line, as far right as captions and bars leave it room; above the area where
// the limit is beyond the range. Where the scene has no line above, which has room for it, it may stand over
// bars, never over captions. Nothing: they leave none. Pre: the scene has a limit, bars are vertical.
std::optional<QRectF> placeLimitText(const BarScene& scene, const BarMapping& mapping,
                                     const std::vector<PlacedSegment>& placed,
                                     const std::vector<PlacedCaption>& captions,
                                     const QFontMetricsF& metrics);

// The categories' labels that have room beside each other on an axis that shows `span` categories over so
// many pixels: every one, names in two rows, with their lines broken at spaces into so many at most, without
// their second line, every second, fourth ..., so that people can count on from them.
std::vector<CategoryLabel> thinnedLabels(const BarScene& scene, const QFont& font, double span, double pixels,
                                         int most_lines = 3);

// The title of the categories within so many pixels: where it is wider, in so many lines at most, broken
// behind commas.
QString titleWithin(const QString& title, const QFontMetricsF& metrics, double pixels, int most_lines = 2);

// Pixels by which the last label, where it is kept, stands over the right end of an axis about that long.
double labelOverhang(const BarScene& scene, const QFont& font, double pixels);

} // namespace shardscope
