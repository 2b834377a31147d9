#pragma once

#include "widgets/session/content.h"

#include "core/sweep/projection_sheet.h"
#include "core/sweep/studies.h"
#include "core/sweep/time_map.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace shardscope
{

// What the picture of sweeps asks for: a study around the scenario, and what its controls say.
struct StudyQuestion {
    const Study* study = nullptr;
    std::shared_ptr<const PredictedScenario> predicted;
    std::shared_ptr<const PredictedScenario> pinned; // may be null
    SweepAxis map_x = SweepAxis::sequence_length;
    SweepAxis map_y = SweepAxis::network_bandwidth;
    MapModel map_model = MapModel::closed_form;
    Evolution evolution; // of projections
};

// The scenario's own layer on hardware of today, on hardware whose compute grew, and there with slow links
// between replicas that share them with compute.
struct LayerFutures {
    LayerCase layer;
    std::array<LayerTimes, 3> times;
};

// All that the picture needs; what the study does not draw stays empty.
struct StudyAnswer {
    StudyQuestion question;
    Sweep sweep;
    std::vector<SweepPoint> points;
    std::vector<SweepPoint> pinned_points; // the pinned scenario at the same places
    TimeMap map;
    ProjectionSheet sheet;
    LayerFutures futures;
};

// Pure. Once `stop` is true the answer is cut short.
StudyAnswer answerStudy(const StudyQuestion& question, const std::atomic<bool>* stop = nullptr);

} // namespace shardscope
