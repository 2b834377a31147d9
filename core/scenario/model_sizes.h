#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>

namespace shardscope
{

// The sizes of a model that somebody has set; nothing: it follows from the others.
struct OwnSizes {
    std::optional<std::int64_t> kv_heads;
    std::optional<std::int64_t> head_dim;
    std::optional<std::int64_t> ffn_hidden_size;
    std::optional<std::int64_t> expert_width;
};

// Whether head_dim is hidden_size / attention_heads, cut to a whole number, and no width of the model's own.
bool headDimFollows(const Model& model);

// The largest number of KV heads that divides so many heads and is not above `most`.
std::int64_t kvHeadsThere(std::int64_t heads, std::int64_t most);

// The sizes of a model that was `base` before its hidden_size and attention_heads were set. What is not its
// own follows where these are others: KV heads as many as heads, or kvHeadsThere() of the base's; head_dim
// hidden_size / attention_heads, unless the base has another; ffn_hidden_size in the base's ratio, in steps
// of 64 unless that is whole; the experts' width the MLP's where it was.
void deriveSizes(Model& model, const Model& base, const OwnSizes& own);

} // namespace shardscope
