// A recurrence in the place of attention: its products, its scan, and its passes over memory.
#include "core/base/quantity.h"
#include "core/prediction/model/recurrence.h"
#include "core/prediction/time/layer_sum.h"

namespace shardscope
{

namespace
{

// Triton's kernels keep the units that are not for matrices busy: what they reach grows with the
// multiprocessors, not with the peak of matrices. Operations a second of scanFlops() on each, forward.
// Mamba-2: 128 heads of 64, states of 128, chunks of 256 tokens, 8,192 and 16,384 tokens in 0.649 and 1.268
// ms on an H100 (vllm-project/vllm, pull request 27299). Delta rule: 32 and 64 heads of 128 on an H200, 8,192
// tokens in 0.466 and 0.814 ms; on a GB200 0.459 and 0.755 ms (QwenLM/FlashQLA, benchmark_results_H200.txt
// and _GB200.txt, flash-linear-attention 0.5.1).
constexpr double mamba_flops_of_multiprocessor = 0.64e12;
constexpr double delta_flops_of_multiprocessor = 0.80e12;
// Chunks of a sequence wait for each other's state: what the same measurements have beside that.
constexpr double chunk_s = 0.9e-6;
// Of the same delta rules, 8,192 to 32,768 tokens, 16 and 32 heads: 2.8 to 3.1 times the forward pass, as the
// states and a chunk's pairs are computed again. Taken for Mamba-2 as well.
constexpr double backward_over_forward = 3.0;

} // namespace

// Operations of one token as kernels carry them out that work in chunks of c tokens (Dao & Gu 2024, section
// 6): keys with queries within the chunk, their weights with values, each of half the pairs; a state for each
// chunk, and what it gives its tokens. The gated delta rule (Yang et al. 2024, section 3.3) has keys with
// keys too, whose triangle is inverted and multiplied with keys and values, and reads its state once more.
double LayerTime::scanFlops() const
{
    const Recurrence& recurrence = m_model.recurrence;
    const double chunk = asDouble(recurrenceChunk(recurrence));
    const double heads = asDouble(recurrence.heads) / m_tensor;
    const double value = asDouble(recurrence.value_dim);
    const double key = asDouble(recurrence.key_dim);
    const bool is_mamba = recurrence.kind == RecurrenceKind::mamba2;
    const double keys_apart =
        is_mamba ? asDouble(recurrence.key_groups) / m_tensor : heads; // copied for heads
    const double within = chunk * (keys_apart * key + heads * value);
    const double states = 4.0 * heads * key * value;
    if (is_mamba)
        return within + states;
    return within + chunk * heads * (key + key + value) + states + 2.0 * heads * key * value;
}

void LayerTime::addRecurrence(Sum& sum) const
{
    const double h = asDouble(m_model.hidden_size);
    const RecurrenceWidths widths = recurrenceWidths(m_model, m_figures.tensor);
    addProduct(sum, {LayerStep::projection, "values, gate, keys, queries"},
               {m_tokens, asDouble(widths.projected()), h});
    addProduct(sum, {LayerStep::output_projection, "output projection"},
               {m_tokens, h, asDouble(widths.values)});
    const bool is_mamba = m_model.recurrence.kind == RecurrenceKind::mamba2;
    const double flops_per_s = m_figures.scenario.cluster.compute.multiprocessors
                               * (is_mamba ? mamba_flops_of_multiprocessor : delta_flops_of_multiprocessor);
    const double chunks = asDouble(m_model.sequence_length) / asDouble(recurrenceChunk(m_model.recurrence));
    const double scan_s = m_tokens * scanFlops() / flops_per_s + chunks * chunk_s;
    const double gradient_s = backward_over_forward * scan_s;
    sum.forward(scan_s);
    sum.elementwise_s += scan_s; // no product that checkpoints keep
    sum.input_gradient_s += gradient_s;
    sum.list({is_mamba ? "state space scan" : "gated delta rule",
              LayerStep::attention,
              {},
              1.0,
              scan_s,
              gradient_s,
              m_tokens * recurrenceFlops(m_model) / m_tensor});
    addRecurrencePasses(sum);
}

// Bytes for each token in 2-byte numbers. The convolution with its activation function reads and writes what
// passes it; the scan reads that, the gate too, and writes values, which the norm reads and writes. Kernels
// of a delta rule read keys and queries once more to normalise them, and copy them for every head. Backward:
// the gradients beside all of that.
void LayerTime::addRecurrencePasses(Sum& sum) const
{
    const RecurrenceWidths widths = recurrenceWidths(m_model, m_figures.tensor);
    const double bytes = m_traffic * m_tokens * m_number_bytes;
    const double convolved = asDouble(widths.convolved());
    const double values = asDouble(widths.values);
    double numbers = 2.0 * convolved + convolved + 2.0 * values + 2.0 * values;
    if (m_model.recurrence.kind == RecurrenceKind::gated_delta_net)
        numbers += 6.0 * asDouble(widths.keys);
    if (m_training.micro_batch_size > 1) // sequences stand side by side, kernels want them one after another
        numbers += 2.0 * asDouble(widths.projected()) + 2.0 * values;
    addPass(sum, {LayerStep::attention_gather, "convolution, gate, norm"}, Bytes{numbers * bytes},
            Bytes{2.0 * numbers * bytes});
}

} // namespace shardscope
