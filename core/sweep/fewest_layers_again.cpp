#include "core/sweep/fewest_layers_again.h"

#include "core/prediction/memory/memory.h"
#include "core/prediction/model/recomputation.h"
#include "core/prediction/predict.h"

namespace shardscope
{

bool fitsWithRoom(const MemoryPrediction& memory, const Cluster& cluster)
{
    return memory.fits && !isNearlyFull(memory.device_bytes, cluster);
}

std::optional<std::int64_t> fewestLayersAgain(const Scenario& scenario, const MemorySuffices& suffices)
{
    if (scenario.model.kind == ModelKind::parameter_list)
        return std::nullopt;
    Scenario trial = scenario;
    const auto sufficesWith = [&](Recompute recompute, std::int64_t layers) {
        trial.training.recompute = recompute;
        trial.training.recompute_layers = layers;
        const auto memory = predictMemory(trial);
        return memory && suffices(memory.value(), trial.cluster);
    };
    std::int64_t too_few = 0;
    std::int64_t enough = layersOfVirtualStage(scenario); // of usual stages all
    if (sufficesWith(Recompute::none, 0) || !sufficesWith(Recompute::full, enough - 1))
        return std::nullopt;
    --enough;
    while (enough - too_few > 1) {
        const std::int64_t middle = too_few + (enough - too_few) / 2;
        (sufficesWith(Recompute::full, middle) ? enough : too_few) = middle;
    }
    return enough > 0 ? std::optional{enough} : std::nullopt;
}

} // namespace shardscope
