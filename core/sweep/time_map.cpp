#include "core/sweep/time_map.h"

#include "core/prediction/model/flops.h"
#include "core/prediction/model/model_parameters.h"
#include "core/prediction/predict.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/time/link_bandwidth.h"
#include "core/prediction/time/time_model.h"
#include "core/scenario/validation/validation.h"
#include "core/sweep/sweep_place.h"

#include <array>

namespace shardscope
{

namespace
{

// Points a side. Ours: a map of 3B on 32 GPUs is there in 57 ms in closed form and in 33 ms by the detailed
// model (bench_sweep); where messages are counted it has a number between theirs.
constexpr int closed_form_side = 256;
constexpr int counted_side = 96;
constexpr int detailed_side = 48;

// Li et al.'s formula needs no list of messages, but for what the paper leaves out: ZeRO, experts, context
// parallelism, mirrored stages.
bool needsNoMessages(const Scenario& scenario)
{
    return scenario.parallel.zero_stage == 0 && scenario.parallel.context == 1
           && !hasMirroredStages(scenario.parallel) && !hasExperts(scenario.model);
}

MapCell cellOf(const Scenario& scenario, const TimePrediction& time, const FlopCount& flops)
{
    MapCell cell;
    if (time.iteration_s <= 0.0)
        return cell;
    const double peak = densePeak(scenario).value() * static_cast<double>(scenario.worldSize());
    cell.iteration_s = time.iteration_s;
    cell.error_band = time.error_band;
    cell.communication_ratio = time.exposed_communication_s / time.iteration_s;
    cell.bubble_ratio = time.bubble_s / time.iteration_s;
    cell.tokens_per_s = tokensOfIteration(scenario) / time.iteration_s;
    cell.mfu = peak > 0.0 ? flops.model / (time.iteration_s * peak) : 0.0;
    return cell;
}

// predict()'s time without the lists that it makes besides. `bandwidths` may be of the point before.
MapCell closedForm(const Scenario& scenario, LayoutBandwidths& bandwidths)
{
    if (!validate(scenario).empty())
        return {};
    if (!bandwidths.isOf(scenario.parallel, scenario.cluster))
        bandwidths = LayoutBandwidths{scenario.parallel, scenario.cluster};
    const IterationFigures figures{scenario};
    Prediction prediction;
    const ModelParameters parameters = countParameters(scenario.model);
    prediction.parameters.total = parameters.total;
    prediction.parameters.active = parameters.active;
    return cellOf(scenario, predictTimeLi(figures, prediction, bandwidths).summary, countFlops(scenario));
}

MapCell predicted(const Scenario& scenario)
{
    const Result<Prediction> answer = predict(scenario);
    if (!answer)
        return {};
    const Prediction& prediction = answer.value();
    MapCell cell = cellOf(scenario, prediction.time, prediction.flops);
    const MemoryPrediction& memory = prediction.memory;
    if (scenario.time_model == TimeModel::detailed && memory.capacity_bytes > 0)
        cell.memory_ratio =
            static_cast<double>(memory.device_bytes) / static_cast<double>(memory.capacity_bytes);
    return cell;
}

std::array<AxisValue, 2> placeOf(const TimeMap& map, std::size_t x, std::size_t y)
{
    return {AxisValue{map.x_axis, map.x_values[x]}, AxisValue{map.y_axis, map.y_values[y]}};
}

Scenario withModel(Scenario scenario, MapModel model)
{
    scenario.time_model = model == MapModel::closed_form ? TimeModel::li : TimeModel::detailed;
    return scenario;
}

} // namespace

int mapSide(MapModel model, const Scenario& scenario)
{
    if (model == MapModel::detailed)
        return detailed_side;
    return needsNoMessages(scenario) ? closed_form_side : counted_side;
}

void fillMap(TimeMap& map, const Scenario& asked, const std::atomic<bool>* stop)
{
    const Scenario base = withModel(asked, map.model);
    Scenario scenario = base;
    LayoutBandwidths bandwidths{base.parallel, base.cluster};
    map.cells.assign(map.x_values.size() * map.y_values.size(), MapCell{});
    for (std::size_t y = 0; y < map.y_values.size(); ++y) {
        if (stop != nullptr && stop->load(std::memory_order_relaxed))
            return;
        for (std::size_t x = 0; x < map.x_values.size(); ++x) {
            if (setPlace(scenario, base, placeOf(map, x, y)) != Misfit::none)
                continue;
            const bool fast = map.model == MapModel::closed_form && needsNoMessages(scenario);
            map.cells[y * map.x_values.size() + x] =
                fast ? closedForm(scenario, bandwidths) : predicted(scenario);
        }
    }
}

std::string mapProblem(const TimeMap& map, const Scenario& asked, std::size_t x, std::size_t y)
{
    const Scenario base = withModel(asked, map.model);
    Scenario scenario = base;
    if (const Misfit misfit = setPlace(scenario, base, placeOf(map, x, y)); misfit != Misfit::none)
        return misfitSentence(misfit, scenario);
    const std::vector<Problem> problems = validate(scenario);
    return problems.empty() ? std::string{} : problems.front().sentence;
}

Scenario mapScenario(const TimeMap& map, const Scenario& base, std::size_t x, std::size_t y)
{
    Scenario scenario = base;
    setPlace(scenario, base, placeOf(map, x, y));
    return scenario;
}

} // namespace shardscope
