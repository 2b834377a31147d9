#pragma once

#include <vector>

namespace shardscope
{

// Places of labels that are wished at rising places: at least `distance` apart, each near its wish, between
// `low` and `high` as far as there is room.
std::vector<double> spreadApart(const std::vector<double>& wished, double distance, double low, double high);

} // namespace shardscope
