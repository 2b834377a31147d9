#pragma once

#include "core/prediction/prediction.h"

#include <span>
#include <string>
#include <string_view>

namespace shardscope
{

// A figure of a prediction that a lesson may ask for.
struct LessonFigure {
    std::string_view key;   // as lesson files name it: "optimizer_bytes"
    std::string_view title; // "optimizer states on the fullest GPU"
    double (*of)(const Prediction&);
    std::string (*text)(double); // with its unit
};

// Of the model, of the fullest GPU, of the iteration's time, and for each kind of parallelism what a GPU
// sends and how often, of the stage that has most.
std::span<const LessonFigure> lessonFigures();
// Nothing: there is none of that name.
const LessonFigure* lessonFigure(std::string_view key);

} // namespace shardscope
