#pragma once

#include "widgets/session/content.h"

#include <QString>

namespace shardscope
{

// The folder that the run lies in, or its only file, and how many ranks it has; logs have none: "run7, 8
// ranks".
QString runName(const MeasuredRun& run);

} // namespace shardscope
