#pragma once

#include "core/prediction/time/machine.h"
#include "core/scenario/scenario.h"

namespace shardscope
{

// A product of an m x k and a k x n matrix on one GPU.
struct Gemm {
    double m = 0.0;
    double n = 0.0;
    double k = 0.0;
};

// Times of single operators on one GPU.
class OperatorTime
{
public:
    OperatorTime(const Machine& machine, Precision precision);

    // flops / (eta * peak), eta = gemm_efficiency * waves / (waves + gemm_lost_waves) with waves of tiles of
    // 128 x 256; never faster than its matrices pass the memory; plus the kernel's start. `count` products of
    // the same shape, one for each expert, run a few at a time.
    Seconds gemm(const Gemm& gemm, double count = 1.0) const;
    // The two products of a backward pass: the input's gradient (m x k) and the weight's (k x n).
    Seconds inputGradient(const Gemm& forward, double count = 1.0) const;
    Seconds weightGradient(const Gemm& forward, double count = 1.0) const;
    // A pass over memory: read and written bytes together.
    Seconds memoryPass(Bytes bytes) const;
    // The same over one long run of memory, as the optimizer's.
    Seconds stream(Bytes bytes) const;
    // A fused attention kernel; `flops` count the past alone.
    Seconds fusedAttention(Flops flops, bool biased) const;
    // The two batched products of the unfused attention: one writes the scores, of that many bytes, the other
    // reads them, and neither is faster than that. Heads whose size is no multiple of 8 keep the matrix units
    // from being used with 16-bit numbers.
    Seconds attentionProducts(Flops flops, Bytes scores, bool aligned) const;
    // A product of any shape, where only its operations are known.
    Seconds operations(Flops flops) const;

private:
    Machine m_machine;
    FlopsPerSecond m_speed;          // of a large product
    FlopsPerSecond m_attention_peak; // fp8 multiplies scores in 16 bits
    double m_number_bytes;           // of a product's matrices; in fp8 too they are kept in 16 bits
};

} // namespace shardscope
