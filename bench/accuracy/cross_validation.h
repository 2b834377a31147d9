#pragma once

#include "bench/accuracy/law_fit.h"

#include <functional>
#include <string>
#include <vector>

namespace shardscope
{

// Predicted seconds of each case with constants that were fitted without any case of its fold.
std::vector<double> crossValidated(const std::vector<TruthCase>& cases, const Laws& presets,
                                   const std::function<std::string(const TruthCase&)>& foldOf);

// Cases of similar numbers of parameters: "1 to 2 billion".
std::string sizeClass(const TruthCase& entry);

} // namespace shardscope
