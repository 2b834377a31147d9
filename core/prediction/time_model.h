#pragma once

#include "core/prediction/iteration_figures.h"
#include "core/prediction/prediction.h"

#include <vector>

namespace shardscope
{

// What one stage spends on one pass of one micro-batch, in seconds. Nothing in it overlaps.
struct PassTime {
    double compute_s = 0.0;
    double tp_s = 0.0;
    double cp_s = 0.0;
    double ep_s = 0.0;
    double pp_s = 0.0;

    double total_s() const { return compute_s + tp_s + cp_s + ep_s + pp_s; }
};

struct StageTime {
    PassTime forward;
    PassTime backward;              // recomputation and weight gradients included
    double weight_gradient_s = 0.0; // the part of backward that schedules may put off
};

struct IterationTime {
    TimePrediction summary;
    std::vector<StageTime> stages; // by stage
    double dp_s = 0.0;             // after the last backward pass, gradients and parameters
};

// The scenario's time model at work. Pre: messages, flops and parameters of `prediction` are filled in.
IterationTime predictTime(const IterationFigures& figures, const Prediction& prediction);

// Idle time of every stage while the pipeline fills and drains, with equal stages. f, b: forward and whole
// backward pass of a micro-batch; w: the part of b that makes weight gradients. Narayanan et al. 2021,
// section 2.2; Qi et al. 2024; DualPipe's README.
double pipelineBubble(const Parallel& parallel, double f, double b, double w);

// Li et al. 2024, Eq. 1 to 9.
IterationTime predictTimeLi(const IterationFigures& figures, const Prediction& prediction);

} // namespace shardscope
