#pragma once

#include "core/sweep/studies.h"

#include <QString>

namespace shardscope
{

// What choosing a study does, in a sentence or two, and whose picture it follows.
QString studyMeaning(const Study& study);

} // namespace shardscope
