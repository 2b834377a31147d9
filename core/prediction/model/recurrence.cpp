#include "core/prediction/model/recurrence.h"

#include "core/base/quantity.h"

namespace shardscope
{

namespace
{

bool isMamba(const Recurrence& recurrence)
{
    return recurrence.kind == RecurrenceKind::mamba2;
}

} // namespace

RecurrenceWidths recurrenceWidths(const Model& model, std::int64_t tensor)
{
    const Recurrence& recurrence = model.recurrence;
    const std::int64_t heads = recurrence.heads / tensor;
    return {heads * recurrence.value_dim, recurrence.key_groups / tensor * recurrence.key_dim,
            (isMamba(recurrence) ? 1 : 2) * heads};
}

LayerParameters recurrenceParameters(const Model& model, std::int64_t tensor)
{
    const Recurrence& recurrence = model.recurrence;
    const std::int64_t heads = recurrence.heads / tensor;
    const RecurrenceWidths widths = recurrenceWidths(model, tensor);
    LayerParameters count;
    count.dense_products = model.hidden_size * (widths.projected() + widths.values);
    count.sharded = count.dense_products + widths.convolved() * recurrence.conv_kernel;
    if (isMamba(recurrence))
        count.sharded += widths.convolved() + 3 * heads + widths.values;
    else
        count.sharded += 2 * heads;
    count.replicated = isMamba(recurrence) ? 0 : recurrence.value_dim;
    return count;
}

double recurrenceWeights(const Model& model)
{
    const RecurrenceWidths widths = recurrenceWidths(model, 1);
    return asDouble(model.hidden_size) * asDouble(widths.projected() + widths.values);
}

std::int64_t recurrenceChunk(const Recurrence& recurrence)
{
    return isMamba(recurrence) ? 128 : 64;
}

std::int64_t recurrenceStates(const IterationFigures& figures)
{
    const Recurrence& recurrence = figures.scenario.model.recurrence;
    const std::int64_t chunk = recurrenceChunk(recurrence);
    const std::int64_t of_heads =
        recurrence.heads * recurrence.value_dim * recurrence.key_dim / figures.tensor;
    return (figures.tokens + chunk - 1) / chunk * of_heads;
}

double recurrenceFlops(const Model& model)
{
    const Recurrence& recurrence = model.recurrence;
    const double state =
        asDouble(recurrence.heads) * asDouble(recurrence.value_dim) * asDouble(recurrence.key_dim);
    return (isMamba(recurrence) ? 7.0 : 8.0) * state;
}

} // namespace shardscope
