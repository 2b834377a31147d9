#include "core/prediction/layer_time.h"

namespace shardscope
{

void ComputeTime::add(const ComputeTime& part)
{
    forward_s += part.forward_s;
    input_gradient_s += part.input_gradient_s;
    weight_gradient_s += part.weight_gradient_s;
    recompute_s += part.recompute_s;
    attention_s += part.attention_s;
    recomputed_attention_s += part.recomputed_attention_s;
    forward_dispatch_s += part.forward_dispatch_s;
    backward_dispatch_s += part.backward_dispatch_s;
    recompute_dispatch_s += part.recompute_dispatch_s;
}

// Queries and output are products for the decoder's tokens, keys and values for the encoder's; all scores of
// one with the other count, none is masked.
ComputeTime LayerTime::crossAttention() const
{
    const auto real = [](std::int64_t size) { return static_cast<double>(size); };
    const double h = real(m_model.hidden_size);
    const double width = real(m_model.attention_heads * m_model.head_dim) / m_tensor;
    const double key_width = real(m_model.kv_heads * m_model.head_dim) / m_tensor;
    const double encoder = real(m_figures.encoder_tokens);
    ComputeTime time;
    for (const Gemm& gemm :
         {Gemm{m_tokens, width, h}, Gemm{encoder, 2.0 * key_width, h}, Gemm{m_tokens, h, width}}) {
        time.forward_s += m_operators.gemm(gemm).value();
        time.input_gradient_s += m_operators.inputGradient(gemm).value();
        time.weight_gradient_s += m_operators.weightGradient(gemm).value();
    }
    const double scores = m_tokens * real(m_model.encoderLength()) * real(m_model.attention_heads) / m_tensor;
    const Flops products{2.0 * scores * 2.0 * real(m_model.head_dim)};
    const double attention =
        m_training.flash_attention
            ? m_operators.fusedAttention(products, false).value()
            : m_operators
                      .attentionProducts(products, Bytes{m_number_bytes * scores}, m_model.head_dim % 8 == 0)
                      .value()
                  + m_operators.memoryPass(Bytes{4.5 * m_number_bytes * scores}).value();
    const double norm = m_operators.memoryPass(Bytes{10.0 * m_tokens * h * m_number_bytes / 2.0}).value();
    time.forward_s += attention + norm;
    time.attention_s = attention;
    time.input_gradient_s += 2.5 * attention + 1.5 * norm;
    if (m_training.recompute != Recompute::none)
        time.recomputed_attention_s = attention;
    if (m_training.recompute == Recompute::full)
        time.recompute_s = time.forward_s;
    if (m_training.recompute == Recompute::selective)
        time.recompute_s = attention;
    return time;
}

} // namespace shardscope
