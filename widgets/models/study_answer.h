#pragma once

#include "widgets/models/map_grid.h"
#include "widgets/session/content.h"

#include "core/analysis/operator_scaling.h"
#include "core/sweep/change_steps.h"
#include "core/sweep/given_speedups.h"
#include "core/sweep/projection_sheet.h"
#include "core/sweep/single_changes.h"
#include "core/sweep/studies.h"
#include "core/sweep/time_map.h"

#include <QString>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// What the picture of sweeps asks for: a study around the scenario, and what its controls say.
struct StudyQuestion {
    const Study* study = nullptr;
    std::shared_ptr<const PredictedScenario> predicted;
    std::shared_ptr<const PredictedScenario> pinned; // may be null
    std::shared_ptr<const MeasuredRun> measured;     // may be null
    std::optional<std::int64_t> rank;                // whose measurement is scaled; else the first
    SweepAxis map_x = SweepAxis::sequence_length;
    SweepAxis map_y = SweepAxis::network_bandwidth;
    MapModel map_model = MapModel::closed_form;
    MapGrid shown_grid;              // of the map that is on screen; none: of no side
    Evolution evolution;             // of projections
    std::vector<GivenSpeedup> given; // beside the speedups of a study about scaling
};

// A measured iteration of one rank as it is, at the scenario's own h, s and b, and with each of these two and
// four times as large.
struct MeasuredSize {
    QString name; // "h × 2": "2 h" would be two hours
    Resizing times;
    OperatorSeconds operators;
};
struct MeasuredSizes {
    std::int64_t rank = 0;
    std::vector<MeasuredSize> sizes; // the measured one first; empty: nothing was measured
    bool has_scenario = false;       // the second is the scenario's: which one the run is of is known
    bool is_against_pinned = false;  // it is taken for the pinned one
    bool is_other_layout = false;    // the scenario has other layers or degrees, which are not scaled
};

// Where the layout on screen stands in a search.
struct OwnLayout {
    std::size_t point = 0;    // of the answer's
    bool is_of_front = false; // one of the front's points; else one of its own, behind them
    std::int64_t place = 1;   // by time among those that fit; unless it is exact, there or before
    bool is_exact = false;
};

// What a search for layouts found beside the points, which are its front, fastest first, and the layout on
// screen where that is none of them.
struct LayoutsFound {
    std::int64_t possible = 0;
    std::int64_t fitting = 0;
    std::int64_t may_be_fastest = 0; // as the error band cannot tell them from the fastest
    std::int64_t front = 0; // up to twice the fastest time; the points are some of it, the ends among them
    std::size_t drawn = 0;  // points of the front
    std::optional<OwnLayout> own;
};

// All that the picture needs; what the study does not draw stays empty.
struct StudyAnswer {
    StudyQuestion question;
    std::string problem; // why the study has nothing to show here; empty: it has
    Sweep sweep;
    std::vector<SweepPoint> points;
    std::vector<SweepPoint> pinned_points; // the pinned scenario at the same places
    LayoutsFound layouts;
    TimeMap map;
    MapGrid grid; // of the map
    ProjectionSheet sheet;
    LayerFutures futures;
    MeasuredSizes measured;
    SingleChanges changes;
    ChangeSteps steps; // without a pinned scenario: none
};

// Pure. Once `stop` is true the answer is cut short. `share` is kept at what of a search is done.
StudyAnswer answerStudy(const StudyQuestion& question, const std::atomic<bool>* stop = nullptr,
                        std::atomic<double>* share = nullptr);

} // namespace shardscope
