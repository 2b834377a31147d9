#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Every key of the scenario format with its path: "name", "model.layers", "cluster.intra_node.kind", ...
const std::vector<std::string>& scenarioKeys();

// Steps from one word to the other: put in, leave out, change a letter, swap two neighbours (optimal string
// alignment).
int editDistance(std::string_view from, std::string_view to);

// The known key that a wrong one was probably meant to be, with its path. `path` is the wrong key's
// ("model.layrs"); keys of the same section win over equally near ones elsewhere, and over all where none is
// near enough to be meant.
std::string nearestKey(std::string_view path);

// What to say behind "is not a known key": the nearest one, and where none is near all of its section.
std::string hintAtKeys(std::string_view path);

// The same of names like "dgx-h200", in which a part with a figure names the GPU: those that have it go
// before all others.
std::string nearestMachine(std::string_view name, const std::vector<std::string>& names);

// The word of the list that is nearest to `text`; nothing when the list is empty.
std::string nearestWord(std::string_view text, const std::vector<std::string>& words);

} // namespace shardscope
