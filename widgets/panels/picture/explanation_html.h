#pragma once

#include "core/report/explanation/explanation.h"

#include <QString>

namespace shardscope
{

// An explanation as a tooltip's text.
QString explanationHtml(const Explanation& explanation);

} // namespace shardscope
