// A recurrence in the place of attention: its products, its scan, and its passes over memory.
#include "core/base/quantity.h"
#include "core/prediction/model/recurrence.h"
#include "core/prediction/time/layer_sum.h"

namespace shardscope
{

namespace
{

// Kernels that work in chunks multiply all pairs of a chunk, and keep what they need of them in registers:
// their products reach this share of what attention's reach. A round figure: NOT FITTED.
constexpr double scan_over_attention = 0.5;

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
    const double value = asDouble(recurrence.head_dim);
    const double key = asDouble(recurrence.state_dim);
    const bool is_mamba = recurrence.kind == RecurrenceKind::mamba2;
    const double keys_apart = is_mamba ? asDouble(recurrence.groups) / m_tensor : heads; // copied for heads
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
    const Flops operations{m_tokens * scanFlops() / scan_over_attention};
    const double states = 2.0 * asDouble(recurrenceStates(m_figures)) * 4.0; // written and read in fp32
    const double scan_s = m_operators.fusedAttention(operations, false).value()
                          + m_operators.memoryPass(Bytes{states}).value();
    const double gradient_s = 2.5 * scan_s; // the states and a chunk's pairs are computed again
    sum.forward(scan_s);
    sum.input_gradient_s += gradient_s;
    const bool is_mamba = m_model.recurrence.kind == RecurrenceKind::mamba2;
    sum.list({is_mamba ? "state space scan" : "gated delta rule", LayerStep::attention, {}, 1.0, scan_s,
              gradient_s, m_tokens * recurrenceFlops(m_model) / m_tensor});
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
    addPass(sum, {LayerStep::attention_gather, "convolution, gate, norm"}, Bytes{numbers * bytes},
            Bytes{2.0 * numbers * bytes});
}

} // namespace shardscope
