#pragma once

#include "core/sweep/sweep.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace shardscope
{

// What a study's answer is drawn as.
enum class StudyPicture : std::uint8_t {
    bars,       // a Sweep
    layouts,    // the front of time and memory of a LayoutSearch on the scenario's GPUs
    map,        // a TimeMap over two axes that the user chooses
    projection, // Pati et al.'s sweep of a single layer: a ProjectionSheet
    measured,   // a measured iteration at other sizes
    futures,    // the scenario's own layer on today's hardware and on tomorrow's: LayerTimes
    changes,    // SingleChanges
    steps,      // ChangeSteps from a pinned scenario
};

// A question that people ask, and the sweep that answers it.
struct Study {
    std::string_view key;    // for settings and file names
    std::string_view title;  // the question
    std::string_view source; // whose picture it follows; empty: nobody's
    StudyPicture picture = StudyPicture::bars;
    SweepAxis axis = SweepAxis::gpus_strong;
    std::optional<SweepAxis> group_axis;

    // More GPUs with the same layout: speedup and efficiency can be told, for each group by itself.
    bool isScaling() const { return picture == StudyPicture::bars && setsGpus(axis); }
};

// In the order in which they are offered.
std::span<const Study> studies();

// Why the study has nothing to vary in that scenario; empty: it has. The axes of a map are `x` and `y`.
std::string studyProblem(const Study& study, const Scenario& scenario, SweepAxis x, SweepAxis y);

// The study's sweep around a scenario. Pre: it is drawn as bars.
Sweep sweepOf(const Study& study, const Scenario& scenario);

// Axes that a map may have.
std::span<const SweepAxis> mapAxes();

} // namespace shardscope
