#pragma once

#include "widgets/models/analysis_section.h"

#include <QString>

namespace shardscope
{

// What a column of the analysis counts, in a sentence, by its heading in files ("delay_ns"); empty where the
// heading says it.
QString headingMeaning(AnalysisSection section, const QString& file_heading);

} // namespace shardscope
