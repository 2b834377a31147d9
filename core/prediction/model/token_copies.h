#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>

namespace shardscope
{

// The experts are cut into so many parts of neighbours, as ranks or nodes hold them. On how many of the parts
// the experts of a token are, on average over even routing: per_token experts out of groups_per_token groups
// (DeepSeek-AI 2024, section 2.1.2), every choice as likely as any other. Pre: `parts` divides the experts.
double partsOfToken(const Experts& experts, std::int64_t parts);

} // namespace shardscope
