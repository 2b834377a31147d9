#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

// One change that takes memory off a GPU: what it is called, and the scenario with it. Its conventions are
// those of before.
struct Relief {
    std::string name;
    Scenario scenario;
};
using Reliefs = std::vector<Relief>;

// Each adds the changes of one family to `changes`, from the least on.
void relieveByRecomputation(const Scenario& from, Reliefs& changes);
void relieveBySequenceParallelism(const Scenario& from, Reliefs& changes);
void relieveByZero(const Scenario& from, Reliefs& changes);
// The global batch stays: there are twice as many micro-batches.
void relieveBySmallerMicroBatches(const Scenario& from, Reliefs& changes);
// Twice as many ranks share the experts, and so on; the replicas stay.
void relieveByExpertParallelism(const Scenario& from, Reliefs& changes);
// The tensor ranks of a replica stay within a node.
void relieveByTensor(const Scenario& from, Reliefs& changes);
void relieveByPipeline(const Scenario& from, Reliefs& changes);
void relieveByOffload(const Scenario& from, Reliefs& changes);

} // namespace shardscope
