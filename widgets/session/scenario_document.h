#pragma once

#include "core/scenario/scenario.h"

#include <QString>

namespace shardscope
{

// A scenario as a piece of work. All steps that the undo history has of it share one, so that a save holds
// for the steps back too.
struct ScenarioDocument {
    QString file;  // empty: not saved yet
    Scenario kept; // as it was begun, read or saved last
};

} // namespace shardscope
