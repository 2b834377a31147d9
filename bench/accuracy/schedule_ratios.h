#pragma once

#include "bench/accuracy/truth_cases.h"

#include <map>
#include <string>
#include <vector>

namespace shardscope
{

// By schedule: predicted over measured gain in throughput over 1F1B at the same configuration, less one.
std::map<Schedule, std::vector<double>> scheduleErrors(const std::vector<TruthCase>& cases);

// The section of docs/accuracy.md about them.
std::string scheduleSection(const std::vector<TruthCase>& cases);

} // namespace shardscope
