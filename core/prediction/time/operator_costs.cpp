#include "core/prediction/time/operator_costs.h"

#include "core/prediction/model/flops.h"
#include "core/prediction/model/layer_traits.h"
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
    layersByForm(scenario.model).each([&](LayerForm form, std::int64_t count) {
        costs.layers.push_back({form, count, layers.layerOperators(form)});
    });
    if (scenario.model.mtp_layers > 0) {
        costs.mtp_module = layers.moduleOperators(moduleSort(scenario.model).form);
        costs.mtp_module.insert(costs.mtp_module.begin(), EndsTime{figures, machine}.lookUpOperator());
    }
    costs.peak_flops = formatPeak(scenario).value();
    return costs;
}

} // namespace shardscope
