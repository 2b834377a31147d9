#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/time/layer_time.h"
#include "core/prediction/time/operator_time.h"

namespace shardscope
{

// What a rank computes beside its layers: the embedding and the head of a micro-batch, the optimizer's step.
class EndsTime
{
public:
    EndsTime(const IterationFigures& figures, const Machine& machine);

    ComputeTime embedding() const;
    // Final norm, logits and cross-entropy.
    ComputeTime head() const;
    // `owned`: parameters whose states the rank has; `held`: all that it computes with.
    Seconds optimizerStep(double owned, double held) const;

private:
    double gradientBytes() const;
    double startOfEnd(double kernels) const;

    const IterationFigures& m_figures;
    OperatorTime m_operators;
    double m_dispatch_s;
    double m_tokens;       // of a micro-batch on one rank
    double m_number_bytes; // of an activation
};

} // namespace shardscope
