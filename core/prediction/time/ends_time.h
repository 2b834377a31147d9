#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/time/layer_time.h"
#include "core/prediction/time/operator_time.h"

namespace shardscope
{

// How many times as long products of logits take whose rows fill no steps of 16 bytes, where the vocabulary
// is not padded: 1 where they do. From the heads of vTrain's GPTs (h 1024 and 2048, fp16, A100), whose times
// are as if their vocabulary of 50257 had been cut by t and never padded: its rows are then multiples of 2,
// 16, 8 and 4 bytes for t = 1, 2, 4 and 8, and their products reach about 78, 200, 112 and 112 TFLOP/s.
double logitsSlowdown(const Scenario& scenario);

// What a rank computes beside its layers: the embedding and the head of a micro-batch, the optimizer's step.
class EndsTime
{
public:
    EndsTime(const IterationFigures& figures, const Machine& machine);

    ComputeTime embedding() const;
    // The same where the processor has work queued already.
    ComputeTime lookUp() const;
    OperatorCost lookUpOperator() const;
    // Final norm, logits and cross-entropy: of the next token and, with multi-token prediction, of those
    // after it, each by products of its own.
    ComputeTime head() const;
    // `owned`: parameters whose states the rank has; `held`: all that it computes with.
    Seconds optimizerStep(double owned, double held) const;

private:
    ComputeTime headOfOneToken() const;
    double gradientBytes() const;
    double startOfEnd(double kernels) const;

    const IterationFigures& m_figures;
    OperatorTime m_operators;
    double m_dispatch_s;
    double m_tokens;       // of a micro-batch on one rank
    double m_number_bytes; // of an activation
};

} // namespace shardscope
