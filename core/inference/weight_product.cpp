#include "core/inference/weight_product.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace shardscope
{

namespace
{

constexpr std::string_view weight_first = "_Linear"; // Transformer Engine's
constexpr std::array<std::string_view, 5> single{"aten::linear",
                                                 "LinearWithGradAccumulationAndAsyncCommunication",
                                                 "LinearWithFrozenWeight", weight_first, "_LayerNormLinear"};
constexpr std::string_view matrices_apart = "_GroupedLinear"; // Transformer Engine's
constexpr std::string_view matrices_in_one = "GroupedGemm";   // grouped_gemm's

using Input = std::vector<Shape>::const_iterator;

// The first input that is an activation.
Input activationOf(const OperatorShape& one)
{
    const Input first = one.inputs.begin();
    if (one.name != weight_first || first->size() != 2)
        return first;
    const Input found = std::find_if(first + 1, one.inputs.end(), [&](const Shape& shape) {
        return shape.size() >= 2 && shape.back() == first->back();
    });
    return found == one.inputs.end() ? first : found;
}

std::optional<WeightProduct> withOneMatrix(const OperatorShape& one)
{
    const Input input = activationOf(one);
    const auto matrix = std::ranges::find_if(one.inputs, [&](const Shape& shape) {
        return &shape != &*input && shape.size() == 2 && shape[1] == input->back();
    });
    if (matrix == one.inputs.end())
        return std::nullopt;
    // The bias follows the weight, or the input where that stands between them.
    const auto after = std::ranges::find_if(matrix + 1, one.inputs.end(),
                                            [&](const Shape& shape) { return &shape != &*input; });
    WeightProduct product{*input, input->back(), matrix->front()};
    product.bias = after != one.inputs.end() && after->size() == 1;
    return product;
}

// One matrix for each expert, then their biases.
std::optional<WeightProduct> withMatricesApart(const OperatorShape& one)
{
    const Shape& input = one.inputs.front();
    const auto isMatrix = [&](const Shape& shape) {
        return &shape != &input && shape.size() == 2 && shape[1] == input.back();
    };
    const auto matrix = std::ranges::find_if(one.inputs, isMatrix);
    if (matrix == one.inputs.end())
        return std::nullopt;
    WeightProduct product{input, input.back(), matrix->front()};
    product.matrices = std::ranges::count_if(one.inputs, isMatrix);
    product.bias = one.inputs.back().size() == 1;
    return product;
}

// Experts, then in and out, or the other way round.
std::optional<WeightProduct> withMatricesInOne(const OperatorShape& one)
{
    const Shape& input = one.inputs.front();
    const Shape& matrices = one.input(1);
    if (matrices.size() != 3 || (matrices[1] != input.back() && matrices[2] != input.back()))
        return std::nullopt;
    WeightProduct product{input, input.back(), matrices[1] == input.back() ? matrices[2] : matrices[1]};
    product.matrices = matrices[0];
    return product;
}

} // namespace

std::int64_t WeightProduct::rows() const
{
    return std::accumulate(input.begin(), input.end() - 1, std::int64_t{1}, std::multiplies<>{});
}

std::vector<std::string_view> weightProductOperators()
{
    std::vector<std::string_view> names{single.begin(), single.end()};
    names.push_back(matrices_apart);
    names.push_back(matrices_in_one);
    return names;
}

std::optional<WeightProduct> weightProduct(const OperatorShape& one)
{
    if (one.input(0).size() < 2 || one.count == 0)
        return std::nullopt;
    std::optional<WeightProduct> product;
    if (one.isOneOf(single))
        product = withOneMatrix(one);
    else if (one.name == matrices_apart)
        product = withMatricesApart(one);
    else if (one.name == matrices_in_one)
        product = withMatricesInOne(one);
    if (product && (product->in <= 0 || product->out <= 0)) // a damaged trace: widths are divided by
        return std::nullopt;
    if (product) {
        product->grouped = !one.isOneOf(single);
        product->count = one.count;
    }
    return product;
}

} // namespace shardscope
