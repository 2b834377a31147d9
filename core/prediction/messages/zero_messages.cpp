#include "core/prediction/messages/zero_messages.h"

#include "core/prediction/messages/message_contents.h"
#include "core/scenario/zero_stages.h"

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
    std::int64_t in_fp8 = 0; // of the elements, when they are gathered
};

// In the order of the model, and the order in which backward completes the gradients of each call.
struct Units {
    struct Call {
        std::size_t unit;
        double ready; // see GradientBucket
    };
    std::vector<Unit> units;
    std::vector<Call> backward;

    // Complete when the pass is.
    void addWhole(const Unit& unit)
    {
        backward.push_back({units.size(), 1.0});
        units.push_back(unit);
    }
};

std::int64_t padded(std::int64_t elements, int group)
{
    return (elements + group - 1) / group * group;
}

// Padded to `multiple`.
Unit unitOf(const ReplicaGroup& group, std::int64_t parameters, std::int64_t in_fp8, int multiple)
{
    const std::int64_t elements = padded(parameters, multiple);
    return {elements, 1, 0, group.is_fp8 ? elements : in_fp8};
}

// All that the group's units have.
Unit wholeUnit(const ReplicaGroup& group)
{
    std::int64_t in_fp8 = 0;
    for (const LayerUnit& layer : group.layers)
        in_fp8 += layer.in_fp8 * layer.count;
    return unitOf(group, group.parameters, in_fp8, group.size);
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
Units unitsOfStage1(const IterationFigures& figures, const ReplicaGroup& group)
{
    Units units;
    if (!cutsBufferIntoBuckets(figures)) {
        units.addWhole(wholeUnit(group));
        return units;
    }
    // Megatron-LM's buckets end at a multiple of 128 elements too (_ParamAndGradBuffer).
    const bool of_megatron = figures.scenario.conventions.framework == Framework::megatron;
    const int multiple = of_megatron ? std::lcm(group.size, 128) : group.size;
    const Buckets buckets = bucketsOf(figures, group);
    for (auto bucket = buckets.sizes.rbegin(); bucket != buckets.sizes.rend(); ++bucket) {
        units.units.push_back(unitOf(group, bucket->elements, 0, multiple));
        units.units.back().count = bucket->count;
    }
    for (const Buckets::Bucket& bucket : buckets.order)
        units.backward.push_back(
            {buckets.sizes.size() - 1 - bucket.size, group.bucketReadyAfter(bucket.end)});
    return units;
}

// Layer by layer: each is ready when backward is through with it, whatever sorts of layers the stage has.
void addLayers(const IterationFigures& figures, const ReplicaGroup& group, Units& units)
{
    const bool keeps_last = figures.scenario.conventions.zero3_keeps == ZeroKeeps::root_and_last;
    std::array<std::optional<std::size_t>, layer_sort_count> unit_of_sort;
    for (std::size_t i = 0; i < group.layers.size(); ++i) {
        const LayerUnit& layer = group.layers[i];
        if (layer.parameters == 0 || layer.count == 0)
            continue;
        unit_of_sort[i] = units.units.size();
        const bool kept = keeps_last && group.last_layer && group.last_layer->index() == i;
        Unit& unit = units.units.emplace_back(unitOf(group, layer.parameters, layer.in_fp8, group.size));
        unit.count = layer.count;
        unit.gathered_again = layer.count - (kept ? 1 : 0);
    }
    const auto all = static_cast<double>(group.sorts.size());
    double through = 0.0;
    for (auto sort = group.sorts.rbegin(); sort != group.sorts.rend(); ++sort) {
        through += 1.0;
        if (const auto unit = unit_of_sort[sort->index()])
            units.backward.push_back({*unit, through / all});
    }
}

Units unitsOf(const IterationFigures& figures, const ReplicaGroup& group)
{
    const Scenario& scenario = figures.scenario;
    const ZeroKeeps keeps = scenario.conventions.zero3_keeps;
    const std::int64_t root_again = keeps == ZeroKeeps::none ? 1 : 0;
    if (scenario.parallel.zero_stage == 1)
        return unitsOfStage1(figures, group);
    Units units;
    units.units.reserve(4);
    if (scenario.conventions.zero_unit == ZeroUnit::model) {
        Unit unit = wholeUnit(group);
        unit.gathered_again = root_again;
        units.addWhole(unit);
        return units;
    }
    if (group.root_parameters > 0)
        units.addWhole({padded(group.root_parameters, group.size), 1, root_again, 0});
    addLayers(figures, group, units);
    return units;
}

class ZeroRows
{
public:
    ZeroRows(const IterationFigures& figures, const ReplicaGroup& group, MessageList& list)
        : m_figures{figures}, m_group{group}, m_list{list}
    {
    }

    // Each answers its row.
    int gatherParameters(Phase phase, const Unit& unit, std::int64_t count)
    {
        const Dtype dtype = unit.in_fp8 > 0 ? Dtype::fp8 : m_figures.activation_dtype;
        const std::int64_t bytes =
            unit.in_fp8 * bytesPerElement(Dtype::fp8)
            + (unit.elements - unit.in_fp8) * bytesPerElement(m_figures.activation_dtype);
        return m_list.add({m_group.kind, Op::all_gather, m_group.size}, phase, dtype, contents::parameters,
                          bytes, count);
    }
    int reduceGradients(Op op, Phase phase, std::int64_t elements, std::int64_t count)
    {
        return m_list.add({m_group.kind, op, m_group.size}, phase, m_figures.gradient_dtype,
                          contents::gradients, elements * bytesPerElement(m_figures.gradient_dtype), count);
    }
    // Stage 3 scatters whatever stages 1 and 2 do.
    int reduceUnit(const Unit& unit, Phase phase, std::int64_t times)
    {
        const Scenario& scenario = m_figures.scenario;
        if (scenario.conventions.zero_reduction == ZeroReduction::reduce && scenario.parallel.zero_stage < 3)
            return reduceGradients(Op::reduce, phase, unit.elements / m_group.size,
                                   times * unit.count * m_group.size);
        return reduceGradients(Op::reduce_scatter, phase, unit.elements, times * unit.count);
    }
    void addBucket(const GradientBucket& bucket) { m_list.addBucket(bucket); }

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
    const Buckets buckets = fillBucketsWithin(group.tensors, limit);
    std::vector<int> reduced;
    for (const BucketSize& bucket : buckets.sizes)
        reduced.push_back(rows.reduceGradients(Op::all_reduce, phase, bucket.elements, times * bucket.count));
    if (phase == Phase::backward && !figures.reducesEachMicroBatch())
        for (const Buckets::Bucket& bucket : buckets.order)
            rows.addBucket({reduced[bucket.size], -1, group.readyAfter(bucket.end)});
    const std::int64_t all = padded(group.parameters, group.size);
    const std::int64_t parts = std::clamp<std::int64_t>(all / limit, 1, all / group.size);
    const std::int64_t part = all / group.size / parts * group.size;
    const auto gather = [&](std::int64_t elements, std::int64_t count) {
        rows.gatherParameters(Phase::step, {elements, count, 0, group.is_fp8 ? elements : 0}, count);
    };
    gather(part, parts - 1);
    gather(all - part * (parts - 1), 1);
}

void addStage3Gathers(const IterationFigures& figures, const std::vector<Unit>& units, ZeroRows& rows)
{
    const std::int64_t m = figures.passes;
    for (const Unit& unit : units)
        rows.gatherParameters(Phase::forward, unit, m * unit.count);
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit)
        rows.gatherParameters(Phase::backward, *unit, m * unit->gathered_again);
}

} // namespace

bool gathersInFp8(const Scenario& scenario)
{
    return scenario.conventions.fp8_param_gather && canGatherInFp8(scenario);
}

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
    const auto [units, backward] = unitsOf(figures, group);
    if (stage == 3)
        addStage3Gathers(figures, units, rows);
    std::vector<GradientBucket> buckets(units.size());
    for (std::size_t i = units.size(); i-- > 0;)
        buckets[i].reduced = rows.reduceUnit(units[i], phase, times);
    if (stage < 3)
        for (std::size_t i = 0; i < units.size(); ++i)
            buckets[i].gathered = rows.gatherParameters(Phase::step, units[i], units[i].count);
    if (phase != Phase::backward || figures.reducesEachMicroBatch())
        return;
    for (const Units::Call& call : backward)
        rows.addBucket({buckets[call.unit].reduced, buckets[call.unit].gathered, call.ready});
}

} // namespace shardscope
