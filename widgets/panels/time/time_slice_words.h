#pragma once

#include "widgets/models/time_parts.h"
#include "widgets/plots/theme.h"

#include "core/report/explanation/explanation.h"

#include <QColor>
#include <QString>

#include <optional>

namespace shardscope
{

// How a part of an iteration's time is named, drawn and explained, the same in every picture.
QString sliceName(const TimeSlice& slice); // "compute", "tp"
QColor sliceColour(const TimeSlice& slice, const Theme& theme);
// What it is, in a sentence, for people who hover it.
QString sliceMeaning(const TimeSlice& slice);
// The figure that explains a predicted one.
std::optional<Figure> sliceFigure(const TimeSlice& slice);

// In front of the explanation of computing, where the slice is not all of it; else empty.
QString allComputing(const TimeSlice& slice, const TimePrediction& time);

QString kindName(Kind kind);

} // namespace shardscope
