#pragma once

#include "core/scenario/scenario.h"

namespace shardscope
{

// Whether layers, attention and pipelines are PyTorch's own, and not those of Megatron-LM and its forks.
constexpr bool isPyTorch(Framework framework)
{
    return framework == Framework::fsdp || framework == Framework::ddp;
}

} // namespace shardscope
