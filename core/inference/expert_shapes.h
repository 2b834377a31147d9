#pragma once

#include "core/inference/operator_shapes.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shardscope
{

struct WeightProduct;

// What the operators of one rank tell of its experts. Counts are of all profiled steps together; sizes that
// tensor parallelism divides are the rank's own part.
struct ExpertShapes {
    std::int64_t count = 0;           // that the router chooses from
    std::int64_t on_rank = 0;         // of them, those that the rank computes; 0: no products are here
    std::int64_t ffn_hidden_size = 0; // of one of them
    bool gated_mlp = false;
    std::int64_t passes = 0;     // forward passes through a layer with experts, repeated ones included
    double rows_per_token = 0.0; // that the rank's experts compute, over the tokens that its router sees
    bool even = false;           // the same number of rows in each product: slots of a fixed capacity
};

// The operators that expertShapes() looks at, beside those of weightProduct().
std::vector<std::string_view> expertOperators();

// A product of several experts; or of one, where rows come without the samples that they are of: behind a
// router, what the layers' other products do not.
bool isOfExperts(const WeightProduct& product);

// A router takes the greatest of its scores (torch.topk).
bool hasRouter(const std::vector<OperatorShape>& operators);

// Products are forward ones. Nothing: no router is here.
std::optional<ExpertShapes> expertShapes(const std::vector<OperatorShape>& operators,
                                         std::int64_t hidden_size);

} // namespace shardscope
