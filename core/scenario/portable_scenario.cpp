#include "core/scenario/portable_scenario.h"

namespace shardscope
{

namespace
{

template<class Preset>
void clearUnlessShipped(std::string& name, const Preset* preset)
{
    if (preset == nullptr || preset->is_own)
        name.clear();
}

} // namespace

Scenario portable(Scenario scenario, const Presets& presets)
{
    clearUnlessShipped(scenario.model.preset, presets.model(scenario.model.preset));
    clearUnlessShipped(scenario.cluster.preset, presets.cluster(scenario.cluster.preset));
    return scenario;
}

} // namespace shardscope
