#include "bench/accuracy/ordering.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace shardscope
{

namespace
{

constexpr std::size_t least_layouts = 4;
constexpr double near_enough = 1.05;

struct Sweep {
    std::vector<double> predicted;
    std::vector<double> measured;
};

// Ranks from 0 on; equal values share their mean.
std::vector<double> ranksOf(const std::vector<double>& values)
{
    std::vector<double> ranks(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto below = std::ranges::count_if(values, [&](double other) { return other < values[i]; });
        const auto equal = std::ranges::count(values, values[i]);
        ranks[i] = static_cast<double>(below) + 0.5 * static_cast<double>(equal - 1);
    }
    return ranks;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y)
{
    const auto n = static_cast<double>(x.size());
    const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
    const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
    double xy = 0.0, xx = 0.0, yy = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    return xx * yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0;
}

} // namespace

Ordering orderingOf(const std::vector<TruthCase>& cases, const std::vector<double>& predicted_s)
{
    std::map<std::string, Sweep> sweeps;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Scenario& scenario = cases[i].scenario;
        const double tokens = static_cast<double>(scenario.training.global_batch_size)
                              * static_cast<double>(scenario.model.sequence_length);
        Sweep& sweep = sweeps[cases[i].sweep];
        sweep.predicted.push_back(predicted_s[i] / tokens);
        sweep.measured.push_back(cases[i].measured_s / tokens);
    }
    Ordering ordering;
    double sum = 0.0;
    for (const auto& [name, sweep] : sweeps) {
        if (sweep.measured.size() < least_layouts)
            continue;
        ++ordering.groups;
        sum += correlation(ranksOf(sweep.predicted), ranksOf(sweep.measured));
        const auto chosen = std::ranges::min_element(sweep.predicted) - sweep.predicted.begin();
        const double best = *std::ranges::min_element(sweep.measured);
        if (sweep.measured[static_cast<std::size_t>(chosen)] <= near_enough * best)
            ++ordering.near_best;
    }
    ordering.spearman = ordering.groups > 0 ? sum / ordering.groups : 0.0;
    return ordering;
}

} // namespace shardscope
