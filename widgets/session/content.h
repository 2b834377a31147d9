#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/measurement.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"
#include "core/trace/trace_set.h"

#include <memory>

namespace shardscope
{

struct ScenarioDocument;

// A scenario with its answer. Immutable and shared between pictures.
struct PredictedScenario {
    Scenario scenario;
    Prediction prediction;
    bool is_edited = false;  // it bears the name of a scenario that it is not any more
    bool is_nobodys = false; // neither set nor opened by somebody, nor told by the traces that are open
};

// A run that was imported, with its analysis.
struct MeasuredRun {
    TraceSet traces;
    Measurement measurement;
    std::shared_ptr<const ClassificationRules> rules; // that it was analysed by; null: the shipped ones
    // The scenario whose layout tells the kinds of all its calls, whatever is laid over it since; null: none.
    // Its ranks are in the order that they had in the run (see Measurement::other_order).
    std::shared_ptr<const Scenario> layout;
    // The first on screen whose messages are the run's, all and no more; null: none was.
    std::shared_ptr<const Scenario> scenario;
    bool is_forward_only = false; // PyTorch's operators were recorded, and none of a backward pass
    bool is_partial = false; // of an import that goes on: not analysed, and of some files the beginning alone

    const ClassificationRules& rulesOrShipped() const
    {
        return rules ? *rules : ClassificationRules::shipped();
    }
};

// All that pictures show. Cheap to copy; any pointer may be null.
struct Content {
    std::shared_ptr<const PredictedScenario> predicted; // the last valid one
    std::shared_ptr<const PredictedScenario> pinned;    // the ghost
    std::shared_ptr<const MeasuredRun> measured;
    bool stale = false; // the scenario on the left is invalid; `predicted` is the last good answer
    // While traces are imported: what is read so far. It has no analysis; the timeline alone shows it.
    std::shared_ptr<const MeasuredRun> partial = nullptr;
    // The piece of work on screen: another one once another scenario is opened, the same whatever is edited.
    std::shared_ptr<const ScenarioDocument> document = nullptr;
    // That the measured run is compared with: it was on screen before. Right after pinning it is the same.
    std::shared_ptr<const MeasuredRun> pinned_run = nullptr;
    // What it was laid over when it was pinned; null: nothing.
    std::shared_ptr<const PredictedScenario> pinned_run_beside = nullptr;

    // What the measured run is laid over. Null: there is no scenario but one that was there at the start, and
    // nothing says that it is the run's.
    const PredictedScenario* besideMeasured() const
    {
        return measured && predicted && predicted->is_nobodys ? nullptr : predicted.get();
    }
    bool comparesRuns() const { return measured && pinned_run && measured != pinned_run; }
};

} // namespace shardscope
