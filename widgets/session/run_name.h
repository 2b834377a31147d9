#pragma once

#include "widgets/session/content.h"

#include <QString>

namespace shardscope
{

// The folder that the run lies in, or its only file, how many ranks it has, and the step that alone is
// counted: "run7, 8 ranks, step 551"; logs have no ranks.
QString runName(const MeasuredRun& run);

} // namespace shardscope
