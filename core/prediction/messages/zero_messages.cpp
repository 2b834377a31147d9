#include "core/prediction/messages/zero_messages.h"

#include "core/prediction/messages/message_contents.h"

#include <algorithm>
#include <numeric>

namespace shardscope
{

namespace
{

// Units of equal size are one entry. With stage 3 each is gathered for forward and, unless it was kept, again
// for backward.
struct Unit {
    std::int64_t elements = 0; // padded to a multiple of the group
    std::int64_t count = 0;
    std::int64_t gathered_again = 0;
};

std::int64_t padded(std::int64_t elements, int group)
{
    return (elements + group - 1) / group * group;
}

bool reducesInBuckets(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    return scenario.conventions.zero_reduction == ZeroReduction::all_reduce
           && scenario.parallel.zero_stage < 3;
}

bool cutsBufferIntoBuckets(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    return scenario.parallel.zero_stage == 1
           && scenario.conventions.zero_reduction == ZeroReduction::reduce_scatter
           && scenario.conventions.dp_reduction == DpReduction::buckets;
}

// Stage 1 has the model's buffer, cut where gradients go in buckets, as Megatron-LM's distributed optimizer
// does that overlaps them with the backward pass.
std::vector<Unit> unitsOfStage1(const IterationFigures& figures, const ReplicaGroup& group)
{
    if (!cutsBufferIntoBuckets(figures))
        return {{padded(group.parameters, group.size), 1, 0}};
    // Megatron-LM's buckets end at a multiple of 128 elements too (_ParamAndGradBuffer).
    const bool of_megatron = figures.scenario.conventions.framework == Framework::megatron;
    const int multiple = of_megatron ? std::lcm(group.size, 128) : group.size;
    std::vector<Unit> units;
    for (const BucketSize& bucket : bucketsOf(figures, group))
        units.push_back({padded(bucket.elements, multiple), bucket.count, 0});
    std::reverse(units.begin(), units.end()); // in the model's order, as all units are
    return units;
}

std::vector<Unit> unitsOf(const IterationFigures& figures, const ReplicaGroup& group)
{
    const Scenario& scenario = figures.scenario;
    const ZeroKeeps keeps = scenario.conventions.zero3_keeps;
    const std::int64_t root_again = keeps == ZeroKeeps::none ? 1 : 0;
    std::vector<Unit> units;
    units.reserve(3);
    if (scenario.parallel.zero_stage == 1)
        return unitsOfStage1(figures, group);
    if (scenario.conventions.zero_unit == ZeroUnit::model) {
        units.push_back({padded(group.parameters, group.size), 1, root_again});
        return units;
    }
    if (group.root_parameters > 0)
        units.push_back({padded(group.root_parameters, group.size), 1, root_again});
    const bool keeps_last = keeps == ZeroKeeps::root_and_last;
    for (std::size_t i = 0; i < group.layers.size(); ++i) {
        const LayerUnit& layer = group.layers[i];
        const bool kept = keeps_last && group.last_layer == static_cast<int>(i);
        if (layer.parameters > 0 && layer.count > 0)
            units.push_back(
                {padded(layer.parameters, group.size), layer.count, layer.count - (kept ? 1 : 0)});
    }
    return units;
}

class ZeroRows
{
public:
    ZeroRows(const IterationFigures& figures, const ReplicaGroup& group, MessageList& list)
        : m_figures{figures}, m_group{group}, m_list{list}
    {
    }

    void gatherParameters(Phase phase, std::int64_t elements, std::int64_t count)
    {
        m_list.add({m_group.kind, Op::all_gather, m_group.size}, phase, m_figures.activation_dtype,
                   contents::parameters, elements * bytesPerElement(m_figures.activation_dtype), count);
    }
    void reduceGradients(Op op, Phase phase, std::int64_t elements, std::int64_t count)
    {
        m_list.add({m_group.kind, op, m_group.size}, phase, m_figures.gradient_dtype, contents::gradients,
                   elements * bytesPerElement(m_figures.gradient_dtype), count);
    }
    // Stage 3 scatters whatever stages 1 and 2 do.
    void reduceUnit(const Unit& unit, Phase phase, std::int64_t times)
    {
        const Scenario& scenario = m_figures.scenario;
        if (scenario.conventions.zero_reduction == ZeroReduction::reduce && scenario.parallel.zero_stage < 3)
            reduceGradients(Op::reduce, phase, unit.elements / m_group.size,
                            times * unit.count * m_group.size);
        else
            reduceGradients(Op::reduce_scatter, phase, unit.elements, times * unit.count);
    }

private:
    const IterationFigures& m_figures;
    const ReplicaGroup& m_group;
    MessageList& m_list;
};

// DeepSpeed's default for stages 1 and 2: buckets are reduced to every rank, and each keeps its part.
// Parameters come back in as few parts as the bucket's size allows.
void addBucketedReduction(const IterationFigures& figures, const ReplicaGroup& group, Phase phase,
                          std::int64_t times, ZeroRows& rows)
{
    const std::int64_t element = bytesPerElement(figures.gradient_dtype);
    const std::int64_t limit =
        std::max<std::int64_t>(1, figures.scenario.conventions.dp_bucket_bytes / element);
    for (const BucketSize& bucket : fillBucketsWithin(group.tensors, limit))
        rows.reduceGradients(Op::all_reduce, phase, bucket.elements, times * bucket.count);
    const std::int64_t all = padded(group.parameters, group.size);
    const std::int64_t parts = std::clamp<std::int64_t>(all / limit, 1, all / group.size);
    const std::int64_t part = all / group.size / parts * group.size;
    rows.gatherParameters(Phase::step, part, parts - 1);
    rows.gatherParameters(Phase::step, all - part * (parts - 1), 1);
}

void addStage3Gathers(const IterationFigures& figures, const std::vector<Unit>& units, ZeroRows& rows)
{
    const std::int64_t m = figures.passes;
    for (const Unit& unit : units)
        rows.gatherParameters(Phase::forward, unit.elements, m * unit.count);
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit)
        rows.gatherParameters(Phase::backward, unit->elements, m * unit->gathered_again);
}

} // namespace

bool needsTensors(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    if (scenario.parallel.zero_stage == 0)
        return scenario.conventions.dp_reduction == DpReduction::buckets;
    return reducesInBuckets(figures) || cutsBufferIntoBuckets(figures);
}

void addZeroMessages(const IterationFigures& figures, const ReplicaGroup& group, MessageList& list)
{
    const Scenario& scenario = figures.scenario;
    const int stage = scenario.parallel.zero_stage;
    ZeroRows rows{figures, group, list};
    // Stage 1 keeps whole gradients and reduces their sum.
    const std::int64_t times = figures.reducesEachMicroBatch() ? figures.passes : 1;
    const bool in_backward = stage > 1 || scenario.conventions.dp_overlap;
    const Phase phase = in_backward ? Phase::backward : Phase::step;
    if (reducesInBuckets(figures)) {
        addBucketedReduction(figures, group, phase, times, rows);
        return;
    }
    const std::vector<Unit> units = unitsOf(figures, group);
    if (stage == 3)
        addStage3Gathers(figures, units, rows);
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit)
        rows.reduceUnit(*unit, phase, times);
    if (stage == 3)
        return;
    for (const Unit& unit : units)
        rows.gatherParameters(Phase::step, unit.elements, unit.count);
}

} // namespace shardscope
