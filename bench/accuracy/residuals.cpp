#include "bench/accuracy/residuals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace shardscope
{

namespace
{

constexpr double share_within = 0.8;
constexpr std::size_t enough_cases = 5;

bool isLarge(const TruthCase& entry)
{
    return entry.large;
}
bool isFp8(const TruthCase& entry)
{
    return entry.precision == "fp8";
}
bool isSmall(const TruthCase& entry)
{
    return !entry.large && !isFp8(entry);
}

// Measured over predicted, less one: what stands beside a predicted time.
double bandOf(std::vector<double> errors)
{
    for (double& error : errors)
        error = 1.0 / (1.0 + error) - 1.0;
    return sizeBelow(errors, share_within);
}

// The band of the chosen cases; of too few, no less than that of all cases of their class.
double band(const Residuals& residuals, const std::vector<double>& predicted_s, const std::string& gpu,
            const Residuals::Chosen& chosen, double otherwise)
{
    const std::vector<double> own = residuals.errors(
        predicted_s, [&](const TruthCase& entry) { return chosen(entry) && entry.gpu == gpu; });
    const double error = bandOf(own);
    return own.size() >= enough_cases ? error : std::max(error, otherwise);
}

// The factor less one within which measured and predicted times are, whichever is longer.
double factorOf(std::vector<double> errors)
{
    for (double& error : errors)
        error = std::max(1.0 + error, 1.0 / (1.0 + error)) - 1.0;
    return sizeBelow(errors, share_within);
}

double upwards(double share)
{
    return std::ceil(share * 100.0) / 100.0;
}

} // namespace

std::vector<double> Residuals::errors(const std::vector<double>& predicted_s, const Chosen& chosen) const
{
    std::vector<double> errors;
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (chosen(cases[i]))
            errors.push_back(predicted_s[i] / cases[i].measured_s - 1.0);
    return errors;
}

Ordering Residuals::ordering(const std::vector<double>& predicted_s, const Chosen& chosen) const
{
    std::vector<TruthCase> some;
    std::vector<double> times;
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (chosen(cases[i])) {
            some.push_back(cases[i]);
            times.push_back(predicted_s[i]);
        }
    return orderingOf(some, times);
}

double meanSize(const std::vector<double>& errors)
{
    const auto add = [](double sum, double error) { return sum + std::abs(error); };
    return errors.empty()
               ? 0.0
               : std::accumulate(errors.begin(), errors.end(), 0.0, add) / static_cast<double>(errors.size());
}

double meanOf(const std::vector<double>& errors)
{
    return errors.empty()
               ? 0.0
               : std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
}

double sizeBelow(const std::vector<double>& errors, double share)
{
    if (errors.empty())
        return 0.0;
    std::vector<double> sizes;
    for (const double error : errors)
        sizes.push_back(std::abs(error));
    std::ranges::sort(sizes);
    const double place = std::ceil(share * static_cast<double>(sizes.size())) - 1.0;
    return sizes[static_cast<std::size_t>(std::max(place, 0.0))];
}

std::map<std::string, TimeErrors> timeErrors(const Residuals& residuals)
{
    const auto carried = [&](const Residuals::Chosen& chosen) {
        return sizeBelow(
            residuals.errors(residuals.carried_over_s,
                             [&](const TruthCase& entry) { return chosen(entry) && entry.gpu != "A100"; }),
            share_within);
    };
    TimeErrors others{carried(isLarge), 0.0, carried(isFp8)};
    others.small = std::max(others.large,
                            sizeBelow(residuals.errors(residuals.source_left_out_s, isSmall), share_within));
    others.fp8 = std::max(others.large, others.fp8);
    others.li = upwards(factorOf(residuals.errors(residuals.li_s, isLarge)));
    others.li_small = upwards(factorOf(residuals.errors(residuals.li_s, isSmall)));
    std::map<std::string, TimeErrors> by_gpu;
    std::set<std::string> gpus;
    for (const TruthCase& entry : residuals.cases)
        gpus.insert(entry.gpu);
    const std::vector<double>& left_out = residuals.source_left_out_s;
    for (const std::string& gpu : gpus)
        by_gpu[gpu] = {upwards(band(residuals, left_out, gpu, isLarge, others.large)),
                       upwards(band(residuals, left_out, gpu, isSmall, others.small)),
                       upwards(band(residuals, left_out, gpu, isFp8, others.fp8)), others.li,
                       others.li_small};
    by_gpu[""] = {upwards(others.large), upwards(others.small), upwards(others.fp8), others.li,
                  others.li_small};
    return by_gpu;
}

} // namespace shardscope
