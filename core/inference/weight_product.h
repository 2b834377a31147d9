#pragma once

#include "core/inference/operator_shapes.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shardscope
{

// A product of activations with weights, or with those of several experts at once, as a layer's code calls
// it: PyTorch's, Megatron-LM's, Transformer Engine's and Apex's, grouped_gemm's.
struct WeightProduct {
    Shape input; // sequences, samples and `in`; or rows and `in`
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t matrices = 1; // of experts that stand in one product
    bool grouped = false;
    bool bias = false;
    std::int64_t count = 0; // calls

    std::int64_t rows() const; // of all samples, or of all experts
    bool rowsAlone() const { return input.size() == 2; }
};

// The operators that weightProduct() knows.
std::vector<std::string_view> weightProductOperators();

// Nothing: the operator is none, or its shapes do not fit each other.
std::optional<WeightProduct> weightProduct(const OperatorShape& one);

} // namespace shardscope
