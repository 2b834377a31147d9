#pragma once

#include "core/scenario/scenario.h"

#include <span>
#include <string>

namespace shardscope
{

class Presets;

// What a picture or a table is of, in a line: "Table 3 · GPT 3B (Li et al. 2024) · 32 GPUs, p 4 · t 2 · d 4 ·
// 1F1B · ZeRO 0 · s 2 048 · b 4 · gb 512 · fp16 · A100-SXM4-80GB, 8 a node, 25 GB/s a GPU between nodes ·
// detailed time model". Whatever changes its figures and is not as usual stands in it too ("mapping
// tp-pp-dp", "in-network reduction"). An edited one bears the name of a scenario that it is not any more,
// which is left out. `presets` give models their titles and tell what is usual of a cluster. What
// `variations` of it, drawn beside it, do not have in common is left out.
std::string scenarioLine(const Scenario& scenario, bool is_edited = false,
                         std::span<const Scenario> variations = {}, const Presets* presets = nullptr);

} // namespace shardscope
