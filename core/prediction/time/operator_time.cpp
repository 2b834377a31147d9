#include "core/prediction/time/operator_time.h"

#include "core/prediction/model/flops.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Of cuBLAS's tiles the larger and more efficient ones (NVIDIA, Matrix Multiplication Background, "Typical
// Tile Dimensions in cuBLAS and Performance").
constexpr double tile_rows = 128.0;
constexpr double tile_columns = 256.0;
// Transformer Engine hands the products of a rank's experts to so many streams (num_cublas_streams).
constexpr double concurrent_products = 4.0;
// Of the memory's bandwidth that products reach when it bounds them, and the optimizer: an estimate.
constexpr double streaming_efficiency = 0.85;
// Of the peak: batched products of scores and values on large sequences (a fit to published training steps),
// and the same without matrix units, whose rate is a small part of the peak: an estimate.
constexpr double batched_efficiency = 0.5;
constexpr double unaligned_efficiency = 0.08;

// Attention stays in 16 bits where the other products have fewer.
Precision ofAttention(Precision precision)
{
    return quantizesProducts(precision) ? Precision::fp16 : precision;
}

} // namespace

OperatorTime::OperatorTime(const Machine& machine, Precision precision)
    : m_machine{machine},
      m_speed{machine.peak * (machine.law.gemm_efficiency * formatSpeedup(machine.law, precision))},
      m_attention_peak{machine.peak * formatSpeedup(machine.law, ofAttention(precision))},
      m_number_bytes{precision == Precision::fp32 ? 4.0 : 2.0}
{
}

Seconds OperatorTime::gemm(const Gemm& gemm, double count) const
{
    const ComputeLaw& law = m_machine.law;
    const Flops work{2.0 * gemm.m * gemm.n * gemm.k * count};
    const double at_once = std::min(count, concurrent_products);
    // Parts of tiles count as parts: a row more must not make a product faster.
    const double tiles = std::max(1.0, gemm.m / tile_rows) * std::max(1.0, gemm.n / tile_columns) * at_once;
    const double waves = tiles / law.multiprocessors;
    const Seconds computing = work / (m_speed * (waves / (waves + law.gemm_lost_waves)));
    const Bytes moved{m_number_bytes * count * (gemm.m * gemm.k + gemm.k * gemm.n + gemm.m * gemm.n)};
    const Seconds moving = moved / (m_machine.memory * streaming_efficiency);
    return std::max(computing, moving) + Seconds{law.kernel_us * 1e-6} * (count / at_once);
}

Seconds OperatorTime::inputGradient(const Gemm& forward, double count) const
{
    return gemm({forward.m, forward.k, forward.n}, count);
}

Seconds OperatorTime::weightGradient(const Gemm& forward, double count) const
{
    return gemm({forward.n, forward.k, forward.m}, count);
}

Seconds OperatorTime::memoryPass(Bytes bytes) const
{
    return bytes / (m_machine.memory * m_machine.law.memory_efficiency);
}

Seconds OperatorTime::stream(Bytes bytes) const
{
    return bytes / (m_machine.memory * streaming_efficiency);
}

Seconds OperatorTime::fusedAttention(Flops flops, bool biased) const
{
    const ComputeLaw& law = m_machine.law;
    return flops / (m_attention_peak * (biased ? law.biased_attention_efficiency : law.attention_efficiency));
}

Seconds OperatorTime::attentionProducts(Flops flops, Bytes scores, bool aligned) const
{
    const double share = aligned ? batched_efficiency : batched_efficiency * unaligned_efficiency;
    return std::max(flops / (m_attention_peak * share), memoryPass(2.0 * scores));
}

Seconds OperatorTime::operations(Flops flops) const
{
    return flops / m_speed;
}

} // namespace shardscope
