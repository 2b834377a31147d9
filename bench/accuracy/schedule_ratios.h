#pragma once

#include "bench/accuracy/truth_cases.h"

#include <string>
#include <vector>

namespace shardscope
{

// A run, and that of 1F1B at the same configuration: throughput of the one over that of the other.
struct ScheduleGain {
    const TruthCase* run = nullptr;
    const TruthCase* one_f_one_b = nullptr;

    double measured() const { return one_f_one_b->measured_s / run->measured_s; }
    double predicted() const
    {
        return one_f_one_b->prediction.time.iteration_s / run->prediction.time.iteration_s;
    }
};
std::vector<ScheduleGain> scheduleGains(const std::vector<TruthCase>& cases);

// The section of docs/accuracy.md about them.
std::string scheduleSection(const std::vector<TruthCase>& cases);

} // namespace shardscope
