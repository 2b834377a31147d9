#include "core/prediction/predict.h"

#include "core/prediction/memory/memory.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/prediction_warnings.h"
#include "core/prediction/time/time_model.h"
#include "core/scenario/validation/validation.h"

#include <algorithm>

namespace shardscope
{

namespace
{

void countModel(const Scenario& scenario, Prediction& prediction)
{
    const ModelParameters parameters = countParameters(scenario.model);
    prediction.parameters.total = parameters.total;
    prediction.parameters.active = parameters.active;
    prediction.flops = countFlops(scenario);
}

void predictStages(const IterationFigures& figures, std::vector<StageShape>& shapes, Prediction& prediction)
{
    prediction.stages.reserve(shapes.size());
    for (StageShape& shape : shapes) {
        StagePrediction& stage = prediction.stages.emplace_back();
        stage.stage = shape.stage;
        stage.parameters = shape.parameters();
        stage.owned_parameters = ownedParameters(figures, shape);
        stage.recomputed = shape.recomputed;
        addStageMessages(figures, shape, stage);
        stage.layers = std::move(shape.layers);
        prediction.parameters.per_rank_max = std::max(prediction.parameters.per_rank_max, stage.parameters);
    }
}

// Throughput and utilisation follow from the iteration's time.
void completeTime(const Scenario& scenario, const FlopCount& flops, TimePrediction& time)
{
    if (time.iteration_s <= 0.0)
        return;
    const double peak = densePeak(scenario).value() * static_cast<double>(scenario.worldSize());
    time.tokens_per_s = tokensOfIteration(scenario) / time.iteration_s;
    time.communication_ratio = time.exposed_communication_s / time.iteration_s;
    time.bubble_ratio = time.bubble_s / time.iteration_s;
    if (peak > 0.0) {
        time.mfu = flops.model / (time.iteration_s * peak);
        time.hfu = flops.hardware / (time.iteration_s * peak);
    }
}

} // namespace

Result<MemoryPrediction> predictMemory(const Scenario& scenario)
{
    const std::vector<Problem> problems = validate(scenario);
    if (!problems.empty())
        return Error{problems.front().sentence};
    const IterationFigures figures{scenario};
    return predictMemory(figures, layOutStages(figures));
}

Result<CostAtLeast> costAtLeast(const Scenario& scenario)
{
    const std::vector<Problem> problems = validate(scenario);
    if (!problems.empty())
        return Error{problems.front().sentence};
    const IterationFigures figures{scenario};
    std::vector<StageShape> shapes = layOutStages(figures);
    Prediction prediction;
    prediction.memory = predictMemory(figures, shapes);
    CostAtLeast cost;
    cost.device_bytes = prediction.memory.device_bytes;
    cost.capacity_bytes = prediction.memory.capacity_bytes;
    cost.fits = prediction.memory.fits;
    if (!cost.fits)
        return cost;
    countModel(scenario, prediction);
    predictStages(figures, shapes, prediction);
    const LeastTime least = leastIterationTime(figures, prediction);
    cost.iteration_s = least.iteration_s;
    cost.error_band = least.error_band;
    return cost;
}

Result<Prediction> predict(const Scenario& scenario)
{
    const std::vector<Problem> problems = validate(scenario);
    if (!problems.empty())
        return Error{problems.front().sentence};

    const IterationFigures figures{scenario};
    std::vector<StageShape> shapes = layOutStages(figures);
    Prediction prediction;
    prediction.world_size = scenario.worldSize();
    prediction.micro_batches = figures.micro_batches;
    prediction.warnings = warningsFor(scenario);
    countModel(scenario, prediction);
    prediction.memory = predictMemory(figures, shapes);
    predictStages(figures, shapes, prediction);
    IterationTime time = predictTime(figures, prediction);
    prediction.time = time.summary;
    for (std::size_t i = 0; i < time.stages.size(); ++i)
        prediction.stages[i].use = time.stages[i];
    completeTime(scenario, prediction.flops, prediction.time);
    return prediction;
}

} // namespace shardscope
