#pragma once

#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <cstdint>

namespace shardscope
{

// One figure of a scenario moved by hand, and with it what follows from it, so that one move leaves a model
// that people would build. Anything may be moved; validate() says whether the result can be trained.

// worldSize() of figures that nobody has validated: bounded, without overflow.
std::int64_t boundedWorldSize(const Parallel& parallel);

// data becomes what is left of `gpus` for the other dimensions, at least 1. The world is smaller than asked
// for where the others do not divide it.
Scenario withWorldSize(Scenario scenario, std::int64_t gpus);

// Brings a scenario whose dimension `moved` has changed back to `gpus`: data gives way; when data was moved,
// pipeline does, then tensor, to the most with which the model can be laid out.
Scenario keepingWorldSize(Scenario scenario, std::int64_t gpus, Dimension moved);

// What a file of the edited figures would have: unless the edit was of conventions, those that are as they
// are by default follow.
Scenario withFollowingConventions(const Scenario& before, Scenario edited);

// gradient_bytes, master_bytes, and the buckets that are counted in gradients, follow where they are as they
// are by default.
Scenario withPrecision(const Scenario& scenario, Precision precision);

// Virtual stages belong to the interleaved schedule, and two of them to one in a V: where one is set, the
// other follows.
void setSchedule(Parallel& parallel, Schedule schedule);
Scenario withSchedule(Scenario scenario, Schedule schedule);
Scenario withVirtualStages(Scenario scenario, std::int64_t virtual_stages);

// All conventions as they are with that framework by default; gradient_bytes and context_method follow
// likewise.
Scenario withFramework(Scenario scenario, Framework framework);

// Within a node; its GPUs stay joined as they were.
Scenario withNodeBandwidth(Scenario scenario, double GBps);

// The preset's model or cluster in place of the scenario's. The rest stays, but for attention, which is fused
// or not as the model's time had it.
Scenario withModel(const Scenario& scenario, const ModelPreset& preset);
Scenario withCluster(Scenario scenario, const ClusterPreset& preset);

// The preset whose every figure this model or cluster has, whatever name it carries; null: none.
const ModelPreset* matchingPreset(const Model& model, const Presets& presets);
const ClusterPreset* matchingPreset(const Cluster& cluster, const Presets& presets);

} // namespace shardscope
