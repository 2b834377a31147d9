#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace shardscope
{

// What is wrong with a scenario, as validate() says it: where the sentence begins with the key of a figure,
// it gets its section, as it stands in the file ("model.layers is 0"). Other sentences stay as they are.
std::string withWholeKey(const std::string& sentence, const Scenario& scenario);

} // namespace shardscope
