#pragma once

#include "core/scenario/scenario.h"

#include <QString>

#include <string>

namespace shardscope
{

// Where a scenario comes from that takes the place of another: a file to save into, a file that is only
// looked at, or what was kept without one.
enum class ScenarioOrigin : unsigned char { file, copy, unsaved };

// A scenario as a piece of work. All steps that the undo history has of it share one, so that a save holds
// for the steps back too.
struct ScenarioDocument {
    QString file;  // empty: not saved yet
    Scenario kept; // as it was begun, read or saved last
    // Of the scenario that it was edited from and that was saved under another file's name: whatever step the
    // undo history goes to, it is not this one's.
    std::string left_name = {};
};

} // namespace shardscope
