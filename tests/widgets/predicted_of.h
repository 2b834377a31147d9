#pragma once

#include "core/prediction/predict.h"
#include "widgets/session/content.h"

#include <QtGlobal>

#include <memory>

namespace shardscope
{

// A scenario with its prediction, as pictures are given it.
inline std::shared_ptr<const PredictedScenario> predictedOf(const Scenario& scenario)
{
    Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    return std::make_shared<const PredictedScenario>(scenario, std::move(prediction).value());
}

} // namespace shardscope
