#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// Something that keeps a scenario from being trained, or that the user should know.
struct Problem {
    std::string field;        // the key that should change, as in the file: "parallel.tensor"
    std::string sentence;     // what is wrong and how to mend it
    std::string allowed = {}; // of a figure outside its range, "1 to 10 000"; empty: it is something else
};

// What makes the scenario impossible; empty when it can be predicted. Checks in an order that puts causes
// first: ranges of single figures, then how they divide one another. Never overflows, whatever the figures
// are.
std::vector<Problem> validate(const Scenario& scenario);

} // namespace shardscope
