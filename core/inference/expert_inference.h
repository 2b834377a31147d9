#pragma once

#include "core/inference/finding.h"
#include "core/inference/rank_places.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// Of the model's layers, as far as the passes through them tell.
struct ExpertLayers {
    std::int64_t with_experts = 0;
    std::int64_t with_mlp = 0; // that no router chooses: a dense layer's, or shared experts
    double confidence = 0.0;
};

// Sets model.experts and parallel.expert of a scenario whose layers, widths and degrees are known, and says
// what told them. Nothing changes where no rank computes experts.
std::vector<Finding> inferExperts(const std::vector<RankShapes>& ranks, const ExpertLayers& layers,
                                  Scenario& scenario);

} // namespace shardscope
