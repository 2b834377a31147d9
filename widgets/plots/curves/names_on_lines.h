#pragma once

#include "widgets/plots/curves/curve_painting.h"

#include <QRectF>
#include <QString>

#include <vector>

namespace shardscope
{

// A label that lies on its line.
struct NameOnLine {
    QRectF box;
    int line = 0; // of the scene
};

// Places for the labels of lines that are named on the line: where fewest other lines pass and no other label
// lies, as far left as may be. A name without a free place, or with several lines at each, is left out.
std::vector<NameOnLine> namesOnLines(const CurveScene& scene, const CurveMapping& mapping, const QFont& font);
void paintNamesOnLines(QPainter& painter, const CurveScene& scene, const CurveMapping& mapping,
                       const CurveStyle& style);

} // namespace shardscope
