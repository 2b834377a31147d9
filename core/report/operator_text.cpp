#include "core/report/operator_text.h"

#include "core/base/format.h"
#include "core/prediction/time/operator_costs.h"
#include "core/report/text_table.h"
#include "core/scenario/layer_form_words.h"

#include <cmath>

namespace shardscope
{

namespace
{

std::string shapeText(const Gemm& shape)
{
    if (shape.m == 0.0)
        return {};
    const auto whole = [](double size) { return std::to_string(std::llround(size)); };
    return whole(shape.m) + " x " + whole(shape.n) + " x " + whole(shape.k);
}

std::string operatorTable(const std::vector<OperatorCost>& operators, double peak_flops)
{
    TextTable table{{"operator", ">m x n x k", ">count", ">forward", ">backward", ">forward reaches"}};
    for (const OperatorCost& cost : operators) {
        const bool computes = cost.forward_flops > 0.0 && peak_flops > 0.0;
        const double reached = computes ? cost.forward_flops / cost.forward_s / peak_flops : 0.0;
        table.addRow({std::string{cost.what}, shapeText(cost.shape),
                      cost.shape.m > 0.0 ? std::to_string(std::llround(cost.count)) : "",
                      formatSeconds(cost.forward_s), formatSeconds(cost.backward_s),
                      computes ? formatRatio(reached) + " of peak" : "memory"});
    }
    return table.text();
}

// Of layers that are not all alike with their number.
std::string operatorsTitle(const Model& model, const OperatorCosts::Layer& layer)
{
    if (!model.layer_pattern.empty())
        return "Operators of a layer of " + std::string{layerFormWords(layer.form)} + ", "
               + std::to_string(layer.count) + " of " + std::to_string(model.layers)
               + "; one micro-batch on one GPU";
    return layer.form == LayerForm::attention_experts ? "Operators of a layer with experts"
                                                      : "Operators of a layer, one micro-batch on one GPU";
}

} // namespace

std::string operatorsText(const Scenario& scenario)
{
    const OperatorCosts costs = operatorCosts(scenario);
    std::string text;
    for (const OperatorCosts::Layer& layer : costs.layers)
        text += '\n' + operatorsTitle(scenario.model, layer) + '\n'
                + operatorTable(layer.operators, costs.peak_flops);
    if (!costs.mtp_module.empty())
        text += "\nOperators of a module of multi-token prediction, without the head's\n"
                + operatorTable(costs.mtp_module, costs.peak_flops);
    return text;
}

} // namespace shardscope
