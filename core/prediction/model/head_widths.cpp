#include "core/prediction/model/head_widths.h"

#include <algorithm>

namespace shardscope
{

HeadWidths headWidths(const IterationFigures& figures, std::int64_t least_key_heads)
{
    const Model& model = figures.scenario.model;
    const Mla& mla = model.mla;
    const std::int64_t heads = model.attention_heads / figures.tensor;
    if (mla.kv_lora_rank > 0) {
        const std::int64_t key = heads * (mla.qk_nope_head_dim + mla.qk_rope_head_dim);
        return {key, key, heads * mla.v_head_dim, heads * mla.v_head_dim};
    }
    const std::int64_t key_heads =
        std::max(least_key_heads, (model.kv_heads + figures.tensor - 1) / figures.tensor);
    const std::int64_t query = heads * model.head_dim;
    const std::int64_t key = key_heads * model.head_dim;
    return {query, key, key, query};
}

} // namespace shardscope
