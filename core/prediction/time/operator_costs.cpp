#include "core/prediction/time/operator_costs.h"

#include "core/prediction/model/flops.h"
#include "core/prediction/time/ends_time.h"

namespace shardscope
{

OperatorCosts operatorCosts(const Scenario& scenario)
{
    OperatorCosts costs;
    if (scenario.model.kind != ModelKind::transformer)
        return costs;
    const IterationFigures figures{scenario};
    const Machine machine{scenario.cluster};
    const LayerTime layers{figures, machine};
    const std::int64_t with_experts = moeLayers(scenario.model);
    if (with_experts < scenario.model.layers)
        costs.dense_layer = layers.layerOperators(false);
    if (with_experts > 0)
        costs.expert_layer = layers.layerOperators(true);
    if (scenario.model.mtp_layers > 0) {
        costs.mtp_module = layers.moduleOperators(mtpMoeLayers(scenario.model) > 0);
        costs.mtp_module.insert(costs.mtp_module.begin(), EndsTime{figures, machine}.lookUpOperator());
    }
    costs.peak_flops = formatPeak(scenario).value();
    return costs;
}

} // namespace shardscope
