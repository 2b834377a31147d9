#pragma once

#include "core/analysis/classification/classification.h"
#include "core/analysis/measurement.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>

namespace shardscope
{

// What is analysed of traces, and by which rules.
struct AnalysisOptions {
    const ClassificationRules* rules = nullptr; // null: the shipped ones
    // The open scenario, whose layout tells the kind of calls that nothing else names; may be null.
    const Scenario* layout = nullptr;
    // Another scenario, one whose layout told these traces' kinds before: it still does where that of the
    // open one explains less of what was recorded. May be null.
    const Scenario* known_layout = nullptr;
    // The open layout is one of many that are held against the traces: no other order of its ranks is tried.
    bool layout_is_on_trial = false;
    int traffic_bins = 1000;
    std::optional<std::int64_t> step; // what belongs to this profiler step alone (see StepOfEvents)

    const ClassificationRules& rulesOrShipped() const
    {
        return rules ? *rules : ClassificationRules::shipped();
    }
};

// Pure: the same set and options give the same measurement.
Measurement analyze(const TraceSet& traces, const AnalysisOptions& options = {});

} // namespace shardscope
