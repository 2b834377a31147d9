#pragma once

#include "core/scenario/scenario.h"
#include "core/scenario/scenario_difference.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// One way to lay a model out: what a search varies of a scenario.
struct Layout {
    Parallel parallel;
    std::int64_t micro_batch_size = 1;
    Recompute recompute = Recompute::none;
    std::int64_t recompute_layers = 0; // as Training has them
    std::vector<RecomputeModule> recompute_modules{};
    bool operator==(const Layout&) const = default;
};
Scenario withLayout(const Scenario& base, const Layout& layout);
Layout layoutOf(const Scenario& scenario);
// The same as a scenario of its own, named by its model and layout: the base's name tells another.
Scenario foundScenario(const Scenario& base, const Layout& layout);

// What of the base's conventions is another with the layout, by keys of the file: the framework has another
// default there, and the base does not set its own ("tp_overlap" with sequence parallelism). It may be most
// of what the layout gains.
std::vector<ScenarioDifference> followingConventions(const Scenario& base, const Layout& layout);
// The same of any scenario that was made of the base.
std::vector<ScenarioDifference> followingConventions(const Scenario& base, const Scenario& made);

// The degrees that multiply to the number of GPUs, and how many ranks share the experts: "(p, t, d) = (8, 4,
// 32)", where sequences are split "(p, t, c, d) = (8, 4, 2, 16), ep 8".
std::string degreesText(const Parallel& parallel);
// "(p, t, d) = (8, 4, 32), micro-batch 1, interleaved 6, ZeRO 1, sequence parallel, selective recomputation".
std::string layoutText(const Layout& layout);

} // namespace shardscope
