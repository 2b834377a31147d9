#pragma once

#include "core/sweep/sweep.h"

#include <QString>

#include <vector>

namespace shardscope
{

// What stands below the bars of layouts that a search found.
struct LayoutLabels {
    // Of each: "8·4·32", the pipeline, tensor and data degree; and a line below with that by which layouts of
    // the same degrees differ: "b2 z1".
    std::vector<QString> labels;
    QString title; // says what the letters are
};
LayoutLabels layoutLabels(const std::vector<SweepPoint>& points);

} // namespace shardscope
