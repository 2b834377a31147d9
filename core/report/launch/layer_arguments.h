#pragma once

#include "core/report/launch/command_arguments.h"
#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// Whether Megatron-LM starts the model as one of its hybrids: a layer has one block, or Mamba-2 in it.
bool isHybrid(const Model& model);

// With a layer for each block, as hybrids count them; as it is where it is no hybrid.
Scenario withBlocksAsLayers(Scenario scenario);
void remarkBlocksAsLayers(const Model& model, const Model& with_blocks, CommandArguments& arguments);

// Whether the pattern says what versions of before 2026 do not know: gated delta rule, or stages of their
// own. Their successors take the number of layers from it.
bool needsLayerPattern(const Scenario& hybrid);

// What stands in the place of attention, and on which layers.
void addLayerForms(const Scenario& scenario, CommandArguments& arguments);

// Which layers have experts, where these are not all; "'([0]*3+[1]*58)'".
void addLayersWithExperts(const Model& model, CommandArguments& arguments);

} // namespace shardscope
