#pragma once

#include "bench/accuracy/ordering.h"
#include "bench/accuracy/truth_cases.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shardscope
{

// All cases with their predicted times, in the order of the cases. The second and third are made with
// constants that saw nothing of the case's source, or of models of its size.
struct Residuals {
    std::vector<TruthCase> cases;
    std::vector<double> fitted_s;
    std::vector<double> source_left_out_s;
    std::vector<double> size_left_out_s;
    // With the constants of the type of GPU before its own: what a type without measurements has to expect.
    std::vector<double> carried_over_s;
    std::vector<double> li_s; // by Li et al.'s formula with bandwidths from data sheets

    using Chosen = std::function<bool(const TruthCase&)>;
    // Predicted over measured, less one, of the chosen cases.
    std::vector<double> errors(const std::vector<double>& predicted_s, const Chosen& chosen) const;
    Ordering ordering(const std::vector<double>& predicted_s, const Chosen& chosen) const;
};

double meanSize(const std::vector<double>& errors); // mean of the absolute values; 0 without any
double meanOf(const std::vector<double>& errors);   // with their signs
double sizeBelow(const std::vector<double>& errors, double share); // that this share of them stays below

// Bands of predicted times for a type of GPU: four of five cases of a source that the constants never saw lie
// within.
struct TimeErrors {
    double large = 0.0; // models of at least 1e9 parameters, 16 bit
    double small = 0.0; // smaller ones
    double fp8 = 0.0;
    // Of Li et al.'s formula, as a factor less one, of all cases: it has no constants of a type of GPU.
    double li = 0.0;
    double li_small = 0.0;
};

// By type of GPU; "" is for those without measurements.
std::map<std::string, TimeErrors> timeErrors(const Residuals& residuals);

} // namespace shardscope
