#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <string_view>

namespace shardscope
{

// The value of one key as the file would show it ("312", "nvlink3", "true"), found by its path within the
// section ("intra_node.bandwidth_GBps"). Empty for what is no single value, and for keys that do not exist.
std::string figureText(const Model& model, std::string_view path);
std::string figureText(const Cluster& cluster, std::string_view path);

} // namespace shardscope
