#pragma once

#include <functional>
#include <vector>

namespace shardscope
{

// The point near `start` where `loss` is least, by Nelder and Mead's simplex (Computer Journal 7, 1965) in
// the logarithms of the values: every value stays above 0 and moves in proportion. Deterministic.
std::vector<double> simplexSearch(std::vector<double> start,
                                  const std::function<double(const std::vector<double>&)>& loss,
                                  int evaluations);

} // namespace shardscope
