#pragma once

#include "core/sweep/layout.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// What a search varies of a scenario beside data parallelism, the micro-batch and the ZeRO stage.
struct LayoutChoices {
    bool layers = false; // pipeline, tensor, sequence parallelism, recomputation: not of a list of parameters
    bool context = false; // not where a ring would bring the fused attention that the scenario is without
    bool expert = false;  // models with experts alone
    bool expert_tensor = false;  // whether tensor groups split them: where the framework has both ways
    bool virtual_stages = false; // not of schedules that have none
};
LayoutChoices layoutChoices(const Scenario& base);

// A figure of a scenario that is varied: "parallel.context", "context", "c".
struct VariedFigure {
    std::string_view key;  // as in the file
    std::string_view name; // empty: the name of the one before tells it
    std::string_view letter;
};
std::vector<VariedFigure> variedFigures(const Scenario& base);

// Every layout that fills `gpus` and can be trained, whatever its memory, the simpler degrees first. Where
// context is varied (and its ranks are neighbours within replicas), it and the micro-batch have no common
// factor: by that much smaller micro-batches on so many more replicas do the same with fewer messages.
std::vector<Layout> layoutCandidates(const Scenario& base, std::int64_t gpus);

} // namespace shardscope
