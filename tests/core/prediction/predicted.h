#pragma once

#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/prediction/timeline/timeline.h"

#include <QtGlobal>

namespace shardscope
{

// What is predicted of a scenario that has to be a valid one.
inline Prediction predicted(const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    return prediction.value();
}

inline PredictedTimeline timelineOf(const Scenario& scenario)
{
    return predictTimeline(scenario, predicted(scenario));
}

inline MemoryPrediction memoryOf(const Scenario& scenario)
{
    const Result<MemoryPrediction> memory = predictMemory(scenario);
    if (!memory)
        qFatal("%s", memory.error().sentence.c_str());
    return memory.value();
}

} // namespace shardscope
