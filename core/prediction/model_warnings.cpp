#include "core/prediction/model_warnings.h"

#include "core/prediction/model/model_parameters.h"

namespace shardscope
{

namespace
{

void warnOfLayers(const Scenario& scenario, std::vector<std::string>& warnings)
{
    const Experts& experts = scenario.model.experts;
    const LayersByForm<std::int64_t> layers = layersByForm(scenario.model);
    const bool has_pattern = !scenario.model.layer_pattern.empty();
    if (has_pattern && experts.count > 0 && layers.with(hasExperts) == 0)
        warnings.emplace_back("No layer of layer_pattern has experts (E): experts.count counts for nothing.");
    const auto words = static_cast<std::int64_t>(scenario.model.layer_pattern.size());
    if (words > 1 && scenario.model.layers % words != 0)
        warnings.emplace_back("layer_pattern has " + std::to_string(words) + " words for "
                              + std::to_string(scenario.model.layers) + " layers: "
                              + (words > scenario.model.layers ? "the last are left out."
                                                               : "it begins again, and is cut at the end."));
    if (scenario.model.recurrence.heads > 0 && layers.with(hasRecurrence) == 0)
        warnings.emplace_back("No layer of layer_pattern has a recurrence (M): recurrence.heads counts for "
                              "nothing.");
    if (has_pattern && experts.count > 0 && (experts.every != 1 || experts.first != 0))
        warnings.emplace_back("layer_pattern says which layers have experts: experts.every and experts.first "
                              "count for nothing.");
    if (!has_pattern && experts.count > 0 && experts.first >= scenario.model.layers)
        warnings.emplace_back("None of the " + std::to_string(scenario.model.layers)
                              + " layers has experts: experts.first is " + std::to_string(experts.first)
                              + ".");
}

} // namespace

void warnOfModel(const Scenario& scenario, std::vector<std::string>& warnings)
{
    if (scenario.model.kind == ModelKind::transformer && !scenario.model.tensors.empty())
        warnings.emplace_back("The model's tensors count for nothing: its kind is transformer; set it to "
                              "parameter_list to predict the list.");
    if (scenario.model.kind == ModelKind::parameter_list)
        warnings.emplace_back(
            "A list of tensors does not tell what activations take: the memory shown has none.");
    if (scenario.model.kind == ModelKind::parameter_list && scenario.model.flops_per_sample <= 0.0)
        warnings.emplace_back("flops_per_sample is not told: the iteration is that of messages and the step "
                              "alone.");
    warnOfLayers(scenario, warnings);
}

} // namespace shardscope
