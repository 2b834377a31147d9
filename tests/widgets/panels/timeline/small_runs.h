#pragma once

#include "core/trace/trace_builder.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/session/content.h"

#include <memory>

namespace shardscope
{

inline std::shared_ptr<const PredictedScenario> twoStages()
{
    Scenario scenario;
    scenario.time_model = TimeModel::detailed;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.training.global_batch_size = 16;
    scenario.training.micro_batch_size = 4;
    return predictedOf(scenario);
}

// Kernels gemm and AllReduce, a millisecond each, five times.
inline std::shared_ptr<const MeasuredRun> tenKernels()
{
    TraceBuilder builder;
    const TrackIndex track = builder.addTrack("0", "7", true);
    for (int i = 0; i < 10; ++i)
        builder.addEvent(track, i * 1'000'000, 1'000'000,
                         builder.intern(i % 2 == 0 ? "gemm" : "ncclDevKernel_AllReduce"),
                         builder.intern("kernel"), i);
    auto run = std::make_shared<MeasuredRun>();
    TraceFile file;
    file.path = "nowhere.json";
    file.format = "kineto";
    file.store = builder.finish();
    run->traces.files.push_back(std::move(file));
    return run;
}

} // namespace shardscope
