#include "core/scenario/rank_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
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
    addMissing(order);
    RankOrder result{};
    std::ranges::copy(order, result.begin());
    return result;
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

} // namespace shardscope
