#include "core/inference/expert_shapes.h"

#include "core/inference/weight_product.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace shardscope
{

namespace
{

constexpr std::string_view greatest_scores = "aten::topk";
constexpr std::int64_t most_experts = 4096; // more scores are those of words

// How many experts a router chooses from, how often, for how many tokens.
ExpertShapes routerOf(const std::vector<OperatorShape>& operators, std::int64_t& tokens)
{
    ExpertShapes found;
    for (const OperatorShape& one : operators) {
        const Shape& scores = one.input(0);
        if (one.name != greatest_scores || scores.size() < 2 || scores.back() < 2
            || scores.back() > most_experts)
            continue;
        found.count = scores.back();
        found.passes += one.count;
        tokens += one.count
                  * std::accumulate(scores.begin(), scores.end() - 1, std::int64_t{1}, std::multiplies<>{});
    }
    return found;
}

// The divisor of the experts' number that is nearest: an expert without tokens may have no product.
std::int64_t nearestDivisor(std::int64_t count, double wanted)
{
    std::int64_t nearest = 1;
    for (std::int64_t divisor = 1; divisor <= count; ++divisor)
        if (count % divisor == 0
            && std::abs(static_cast<double>(divisor) - wanted)
                   < std::abs(static_cast<double>(nearest) - wanted))
            nearest = divisor;
    return nearest;
}

std::vector<WeightProduct> productsOfExperts(const std::vector<OperatorShape>& operators)
{
    std::vector<WeightProduct> products;
    for (const OperatorShape& one : operators)
        if (const auto product = weightProduct(one); product && isOfExperts(*product))
            products.push_back(*product);
    return products;
}

// What ends in the model's width tells how many experts there are, and of how many tokens.
void readDownProjections(const std::vector<WeightProduct>& products, std::int64_t hidden_size,
                         std::int64_t tokens, ExpertShapes& found)
{
    std::int64_t of_one = 0;
    std::int64_t rows = 0;
    std::set<std::int64_t> heights;
    for (const WeightProduct& product : products) {
        if (product.out != hidden_size || product.in == hidden_size)
            continue;
        found.ffn_hidden_size = product.in;
        of_one += product.count * product.matrices;
        rows += product.count * product.rows();
        heights.insert(product.rows());
    }
    if (of_one == 0 || tokens <= 0)
        return;
    found.on_rank =
        nearestDivisor(found.count, static_cast<double>(of_one) / static_cast<double>(found.passes));
    found.rows_per_token = static_cast<double>(rows) / static_cast<double>(tokens);
    found.even = heights.size() == 1;
}

// A gate stands in the product with what it opens, or in one of its own.
bool hasGate(const std::vector<WeightProduct>& products, std::int64_t hidden_size, const ExpertShapes& found)
{
    std::int64_t up = 0;
    std::int64_t down = 0;
    for (const WeightProduct& product : products) {
        if (product.in == hidden_size && product.out == 2 * found.ffn_hidden_size)
            return true;
        if (product.in == hidden_size && product.out == found.ffn_hidden_size)
            up += product.count;
        if (product.in == found.ffn_hidden_size && product.out == hidden_size)
            down += product.count;
    }
    return down > 0 && up >= 2 * down;
}

} // namespace

std::vector<std::string_view> expertOperators()
{
    return {greatest_scores};
}

bool isOfExperts(const WeightProduct& product)
{
    return product.grouped || product.rowsAlone();
}

bool hasRouter(const std::vector<OperatorShape>& operators)
{
    std::int64_t tokens = 0;
    return routerOf(operators, tokens).count > 0;
}

std::optional<ExpertShapes> expertShapes(const std::vector<OperatorShape>& operators,
                                         std::int64_t hidden_size)
{
    std::int64_t tokens = 0;
    ExpertShapes found = routerOf(operators, tokens);
    if (found.count == 0)
        return std::nullopt;
    const std::vector<WeightProduct> products = productsOfExperts(operators);
    readDownProjections(products, hidden_size, tokens, found);
    found.gated_mlp = hasGate(products, hidden_size, found);
    return found;
}

} // namespace shardscope
