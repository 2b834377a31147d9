#include "core/scenario/rank_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

constexpr std::array<std::string_view, std::tuple_size_v<RankOrder>> dimension_words{"tp", "cp", "ep", "dp",
                                                                                     "pp"};

std::optional<Dimension> dimensionFromWord(std::string_view text)
{
    const auto found = std::ranges::find(dimension_words, text);
    if (found == dimension_words.end())
        return std::nullopt;
    return static_cast<Dimension>(found - dimension_words.begin());
}

// Tensor innermost, pipeline outermost, data just inside it, context and expert behind tensor.
void addMissing(std::vector<Dimension>& order)
{
    const auto place = [&](Dimension dimension) { return std::ranges::find(order, dimension); };
    const auto missing = [&](Dimension dimension) { return place(dimension) == order.end(); };
    if (missing(Dimension::tp))
        order.insert(order.begin(), Dimension::tp);
    if (missing(Dimension::pp))
        order.push_back(Dimension::pp);
    if (missing(Dimension::dp))
        order.insert(place(Dimension::pp), Dimension::dp);
    if (missing(Dimension::cp))
        order.insert(place(Dimension::tp) + 1, Dimension::cp);
    if (missing(Dimension::ep))
        order.insert(place(Dimension::cp) + 1, Dimension::ep);
}

std::string join(const RankOrder& order, bool with_cp_and_ep)
{
    std::string text;
    for (const Dimension dimension : order) {
        if (!with_cp_and_ep && (dimension == Dimension::cp || dimension == Dimension::ep))
            continue;
        if (!text.empty())
            text += '-';
        text += word(dimension);
    }
    return text;
}

RankOrder whole(std::vector<Dimension> order)
{
    addMissing(order);
    RankOrder result{};
    std::ranges::copy(order, result.begin());
    return result;
}

// Those that ranks differ in, innermost first.
std::vector<Dimension> differingDimensions(const Parallel& parallel)
{
    std::vector<Dimension> differing;
    for (const Dimension dimension : parallel.rank_order)
        if (sizeOf(parallel, dimension) > 1 || (dimension == Dimension::ep && parallel.expert > 1))
            differing.push_back(dimension);
    return differing;
}

// Neighbours that are of one stage.
std::int64_t strideOfStages(const Parallel& parallel, const RankOrder& order)
{
    std::int64_t stride = 1;
    for (auto inner = order.begin(); *inner != Dimension::pp; ++inner)
        stride *= sizeOf(parallel, *inner);
    return stride;
}

// With some of the other dimensions, told by a bit each, inside the pipeline. Answers the order, and how many
// pairs of them stand the other way round.
std::pair<RankOrder, int> withPipelineAround(std::span<const Dimension> others, unsigned bits)
{
    std::vector<Dimension> order;
    std::vector<Dimension> outside{Dimension::pp};
    std::size_t swapped = 0;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const bool is_inside = (bits >> i & 1U) != 0;
        swapped += is_inside ? outside.size() - 1 : 0;
        (is_inside ? order : outside).push_back(others[i]);
    }
    order.insert(order.end(), outside.begin(), outside.end());
    return {whole(order), static_cast<int>(swapped)};
}

} // namespace

std::string_view word(Dimension dimension)
{
    return dimension_words[static_cast<std::size_t>(dimension)];
}

Result<RankOrder> rankOrderFromWord(std::string_view text)
{
    std::vector<Dimension> order;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('-', start), text.size());
        const std::string part{text.substr(start, end - start)};
        const auto dimension = dimensionFromWord(part);
        if (!dimension)
            return Error{
                "join the dimensions tp, cp, ep, dp, pp with -, innermost first, as in \"tp-dp-pp\""};
        if (std::ranges::find(order, *dimension) != order.end())
            return Error{part + " is there twice; name each dimension once, innermost first"};
        order.push_back(*dimension);
        start = end + 1;
    }
    return whole(std::move(order));
}

std::string rankOrderWord(const RankOrder& order, bool with_cp_and_ep)
{
    const std::string brief = join(order, false);
    const auto again = rankOrderFromWord(brief);
    if (!with_cp_and_ep && again && again.value() == order)
        return brief;
    return join(order, true);
}

std::int64_t sizeOf(const Parallel& parallel, Dimension dimension)
{
    switch (dimension) {
    case Dimension::tp:
        return parallel.tensor;
    case Dimension::cp:
        return parallel.context;
    case Dimension::dp:
        return parallel.data;
    case Dimension::pp:
        return parallel.pipeline;
    case Dimension::ep:
        break;
    }
    return 1;
}

bool placeRanksAlike(const Parallel& a, const Parallel& b)
{
    const auto degreesOf = [](const Parallel& one) {
        return std::tuple{one.tensor,   one.context, one.data,
                          one.pipeline, one.expert,  one.expert > 1 ? one.expertTensor() : 1};
    };
    return degreesOf(a) == degreesOf(b) && differingDimensions(a) == differingDimensions(b);
}

std::vector<RankOrder> ordersOfOtherStages(const Parallel& parallel)
{
    std::vector<Dimension> others = differingDimensions(parallel);
    if (std::erase(others, Dimension::pp) == 0)
        return {};
    std::vector<std::pair<RankOrder, int>> possible;
    for (const RankOrder& usual : usual_rank_orders)
        possible.emplace_back(usual, -1);
    for (unsigned bits = 0; bits < 1U << others.size(); ++bits)
        possible.push_back(withPipelineAround(others, bits));
    std::ranges::stable_sort(possible, {}, &std::pair<RankOrder, int>::second);
    std::set<std::int64_t> strides{strideOfStages(parallel, parallel.rank_order)};
    std::vector<RankOrder> orders;
    for (const auto& [order, swapped] : possible)
        if (strides.insert(strideOfStages(parallel, order)).second)
            orders.push_back(order);
    return orders;
}

} // namespace shardscope
