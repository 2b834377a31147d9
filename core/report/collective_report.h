#pragma once

#include "core/prediction/time/collective_prediction.h"

#include <string>

namespace shardscope
{

// {"op", "ranks", "time_s": [], "busbw_GBps": [], "error_band": [[below, above]]} in the order of the sizes,
// and a table for people.
std::string collectiveJson(const CollectiveAnswer& answer, int indent = 2);
std::string collectiveText(const CollectiveAnswer& answer);

} // namespace shardscope
