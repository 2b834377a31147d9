#pragma once

#include "core/scenario/scenario.h"

#include <vector>

namespace shardscope
{

// Where the sliders of the scenario panel stop, ascending. Values that span decades are spaced by their
// logarithm; where the scenario's other figures must divide a value or be divided by it, only such values are
// offered.

std::vector<double> layerStops(const Scenario& scenario);
std::vector<double> hiddenStops(const Scenario& scenario); // multiples of the heads
std::vector<double> headStops(const Scenario& scenario);   // divisors of the hidden size
std::vector<double> kvHeadStops(const Scenario& scenario); // divisors of the heads
std::vector<double> sequenceStops(const Scenario& scenario);
std::vector<double> vocabularyStops(const Scenario& scenario);
// Divisors of a replica's share of the global batch.
std::vector<double> microBatchStops(const Scenario& scenario);
std::vector<double> globalBatchStops(const Scenario& scenario); // multiples of micro-batch times data
std::vector<double> worldStops(const Scenario& scenario);
std::vector<double> pipelineStops(const Scenario& scenario);
std::vector<double> tensorStops(const Scenario& scenario); // that divide the heads
std::vector<double> dataStops(const Scenario& scenario);
std::vector<double> contextStops(const Scenario& scenario);
std::vector<double> expertParallelStops(const Scenario& scenario);
std::vector<double> virtualStageStops(const Scenario& scenario);
std::vector<double> layersAgainStops(const Scenario& scenario); // of a virtual stage, to all
std::vector<double> bandwidthStops(const Scenario& scenario);   // GB/s
std::vector<double> shareStops(const Scenario& scenario);       // 0.02 ... 1

} // namespace shardscope
