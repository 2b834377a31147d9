#include "core/scenario/model_sizes.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// Sizes up to here can be multiplied by one another; what is larger is refused by validate() and derives
// nothing.
constexpr std::int64_t derivable = 1'000'000'000;
constexpr std::int64_t most_searched_heads = 65536; // a bound for the search below; no model comes near
constexpr double ffn_step = 64.0;

bool isDerivable(std::int64_t size)
{
    return size > 0 && size <= derivable;
}

std::int64_t derivedKvHeads(const Model& model, const Model& base)
{
    if (model.attention_heads == base.attention_heads)
        return base.kv_heads;
    if (base.kv_heads == base.attention_heads || base.kv_heads < 1)
        return model.attention_heads;
    return kvHeadsThere(model.attention_heads, base.kv_heads);
}

std::int64_t derivedHeadDim(const Model& model, const Model& base)
{
    const bool same = model.hidden_size == base.hidden_size && model.attention_heads == base.attention_heads;
    if (same || !headDimFollows(base) || model.attention_heads < 1)
        return base.head_dim;
    return std::max<std::int64_t>(1, model.hidden_size / model.attention_heads);
}

std::int64_t derivedFfn(const Model& model, const Model& base)
{
    if (model.hidden_size == base.hidden_size)
        return base.ffn_hidden_size;
    if (!isDerivable(model.hidden_size))
        return model.ffn_hidden_size;
    if (!isDerivable(base.hidden_size) || !isDerivable(base.ffn_hidden_size))
        return 4 * model.hidden_size;
    if (base.ffn_hidden_size % base.hidden_size == 0)
        return base.ffn_hidden_size / base.hidden_size * model.hidden_size;
    const double ratio = static_cast<double>(base.ffn_hidden_size) / static_cast<double>(base.hidden_size);
    const double steps = std::round(ratio * static_cast<double>(model.hidden_size) / ffn_step);
    return std::llround(std::max(1.0, steps) * ffn_step);
}

std::int64_t derivedExpertWidth(const Model& model, const Model& base)
{
    if (model.ffn_hidden_size == base.ffn_hidden_size)
        return base.experts.ffn_hidden_size;
    const bool follows = base.experts.count == 0 || base.experts.ffn_hidden_size == base.ffn_hidden_size;
    return follows ? model.ffn_hidden_size : base.experts.ffn_hidden_size;
}

} // namespace

bool headDimFollows(const Model& model)
{
    return model.attention_heads > 0 && model.head_dim == model.hidden_size / model.attention_heads;
}

std::int64_t kvHeadsThere(std::int64_t heads, std::int64_t most)
{
    if (most >= heads)
        return std::max<std::int64_t>(1, heads);
    for (std::int64_t divisor = std::min({heads, most, most_searched_heads}); divisor > 1; --divisor) {
        if (heads % divisor == 0)
            return divisor;
    }
    return 1;
}

void deriveSizes(Model& model, const Model& base, const OwnSizes& own)
{
    model.kv_heads = own.kv_heads ? *own.kv_heads : derivedKvHeads(model, base);
    model.head_dim = own.head_dim ? *own.head_dim : derivedHeadDim(model, base);
    model.ffn_hidden_size = own.ffn_hidden_size ? *own.ffn_hidden_size : derivedFfn(model, base);
    model.experts.ffn_hidden_size = own.expert_width ? *own.expert_width : derivedExpertWidth(model, base);
}

} // namespace shardscope
