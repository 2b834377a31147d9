#include "core/prediction/messages/gradient_buckets.h"
#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/messages/zero_messages.h"
#include "core/prediction/model/parameter_tensors.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace shardscope
{

namespace
{

// PyTorch DDP closes its first bucket early, so that communication starts early.
constexpr std::int64_t ddp_first_bucket_bytes = 1048576;

void addBuckets(const IterationFigures& figures, const ReplicaGroup& group, MessageList& list)
{
    const Conventions& conventions = figures.scenario.conventions;
    const bool overlaps = conventions.framework == Framework::ddp || conventions.dp_overlap;
    const Buckets buckets = bucketsOf(figures, group);
    std::vector<int> rows;
    for (const BucketSize& bucket : buckets.sizes)
        rows.push_back(list.add({group.kind, Op::all_reduce, group.size},
                                overlaps ? Phase::backward : Phase::step, figures.gradient_dtype,
                                contents::gradients,
                                bucket.elements * bytesPerElement(figures.gradient_dtype), bucket.count));
    if (overlaps)
        for (const Buckets::Bucket& bucket : buckets.order)
            list.addBucket({rows[bucket.size], -1, group.readyAfter(bucket.end)});
}

void addReplicaGroup(const IterationFigures& figures, const ReplicaGroup& group, MessageList& list)
{
    const Scenario& scenario = figures.scenario;
    if (group.size < 2 || group.parameters == 0)
        return;
    if (scenario.parallel.zero_stage > 0)
        addZeroMessages(figures, group, list);
    else if (scenario.conventions.dp_reduction == DpReduction::buckets)
        addBuckets(figures, group, list);
    else
        list.add({group.kind, Op::all_reduce, group.size}, Phase::step, figures.gradient_dtype,
                 contents::gradients, group.parameters * bytesPerElement(figures.gradient_dtype), 1);
}

// Of `count` layers of one sort what they hold beside routed experts, and these.
LayerUnit denseUnit(const LayerParameters& layer, std::int64_t count)
{
    return {layer.dense(), count, layer.dense_products};
}

LayerUnit routedUnit(const LayerParameters& layer, std::int64_t count)
{
    return {layer.routed, count, layer.routed_products};
}

// A module of multi-token prediction is a unit with its layer.
LayersByForm<std::int64_t> withoutModules(const IterationFigures& figures, const StageShape& shape)
{
    LayersByForm<std::int64_t> layers = shape.counts.decoder;
    layers[moduleSort(figures.scenario.model).form] -= shape.counts.mtp;
    return layers;
}

ReplicaGroup denseGroup(const IterationFigures& figures, const StageShape& shape)
{
    ReplicaGroup dense;
    dense.kind = Kind::dp;
    dense.size = figures.data_group;
    dense.parameters = shape.dense_parameters;
    dense.root_parameters = shape.end_parameters;
    const Model& model = figures.scenario.model;
    withoutModules(figures, shape).each([&](LayerForm form, std::int64_t layers) {
        dense.layers[static_cast<std::size_t>(form)] = denseUnit(figures.layer(form), layers);
    });
    dense.layers[encoder_layer_sort.index()] = denseUnit(figures.encoder_layer, shape.counts.encoder);
    dense.layers[moduleSort(model).index()] = denseUnit(figures.mtp_module, shape.counts.mtp);
    const std::int64_t last_layer = model.encoder_layers + model.layers + model.mtp_layers - 1;
    if (shape.last && std::ranges::find(shape.layers, last_layer) != shape.layers.end())
        dense.last_layer = layerSort(model, last_layer);
    return dense;
}

// `dense`: that of the same stage.
ReplicaGroup routedGroup(const IterationFigures& figures, const StageShape& shape, const ReplicaGroup& dense)
{
    ReplicaGroup routed;
    routed.kind = Kind::edp;
    routed.size = figures.expert_data_group;
    routed.parameters = shape.routed_parameters;
    withoutModules(figures, shape).each([&](LayerForm form, std::int64_t layers) {
        routed.layers[static_cast<std::size_t>(form)] = routedUnit(figures.layer(form), layers);
    });
    routed.layers[moduleSort(figures.scenario.model).index()] =
        routedUnit(figures.mtp_module, shape.counts.mtp);
    routed.last_layer = dense.last_layer;
    return routed;
}

// The part of the group that is gathered in fp8, taken out of it.
ReplicaGroup takeProducts(ReplicaGroup& group)
{
    ReplicaGroup products = group;
    products.is_fp8 = true;
    products.parameters = 0;
    products.root_parameters = 0;
    for (std::size_t sort = 0; sort < layer_sort_count; ++sort) {
        LayerUnit& unit = products.layers[sort];
        unit.parameters = unit.in_fp8;
        products.parameters += unit.parameters * unit.count;
        group.layers[sort].parameters -= unit.parameters;
        group.layers[sort].in_fp8 = 0;
    }
    group.parameters -= products.parameters;
    group.goes_with_last = true;
    return products;
}

// What is reduced over the data group, and what over the replicas of an expert: the same group while each
// rank has all the experts. Megatron-LM's weights in fp8 are groups of their own.
class StageReplicas
{
public:
    StageReplicas(const IterationFigures& figures, const StageShape& shape)
    {
        const Scenario& scenario = figures.scenario;
        add(denseGroup(figures, shape));
        ReplicaGroup& dense = m_groups.front();
        ReplicaGroup routed = routedGroup(figures, shape, dense);
        if (scenario.conventions.framework == Framework::fsdp) // torchao's grouped weights travel in 16 bits
            for (LayerUnit& unit : routed.layers)
                unit.in_fp8 = 0;
        if (figures.experts_apart)
            add(routed);
        else
            join(dense, routed);
        const bool has_fp8 = gathersInFp8(scenario);
        m_splits = has_fp8 && scenario.conventions.framework == Framework::megatron;
        if (!has_fp8)
            for (ReplicaGroup& group : groups())
                for (LayerUnit& unit : group.layers)
                    unit.in_fp8 = 0;
        for (std::size_t i = 0, unsplit = m_count; m_splits && i < unsplit; ++i)
            add(takeProducts(m_groups[i]));
        if (needsTensors(figures) && figures.hasReplicas())
            takeTensors(figures, shape);
    }

    std::span<ReplicaGroup> groups() { return {m_groups.data(), m_count}; }

private:
    void add(const ReplicaGroup& group) { m_groups[m_count++] = group; }

    static void join(ReplicaGroup& group, const ReplicaGroup& more)
    {
        group.parameters += more.parameters;
        for (std::size_t sort = 0; sort < layer_sort_count; ++sort) {
            group.layers[sort].parameters += more.layers[sort].parameters;
            group.layers[sort].in_fp8 += more.layers[sort].in_fp8;
        }
    }

    void takeTensors(const IterationFigures& figures, const StageShape& shape)
    {
        m_tensors = gradientTensors(figures, shape, m_splits ? TensorChoice::others : TensorChoice::all);
        if (m_splits)
            m_products = gradientTensors(figures, shape, TensorChoice::products);
        for (ReplicaGroup& group : groups()) {
            const GradientTensors& tensors = group.is_fp8 ? m_products : m_tensors;
            const bool is_routed = group.kind == Kind::edp;
            group.tensors = is_routed ? tensors.routed : tensors.dense;
            group.layer_begins = is_routed ? tensors.routed_layers : tensors.dense_layers;
            group.chunk_begins = is_routed ? tensors.routed_chunks : tensors.dense_chunks;
            if (!is_routed)
                group.shared_embedding = tensors.shared_embedding;
        }
    }

    std::array<ReplicaGroup, 4> m_groups; // no more than there can be: made for every stage of every step
    std::size_t m_count = 0;
    bool m_splits = false;
    GradientTensors m_tensors;
    GradientTensors m_products; // where these are groups of their own
};

std::vector<LayerSort> layerSorts(const Model& model, const StageShape& shape)
{
    std::vector<LayerSort> sorts;
    sorts.reserve(shape.layers.size());
    for (const int layer : shape.layers)
        sorts.push_back(layerSort(model, layer));
    return sorts;
}

ChunkRules chunkRules(const IterationFigures& figures, const ReplicaGroup& group, std::int64_t limit)
{
    constexpr std::int64_t tensor_alignment = 64;
    ChunkRules rules;
    rules.cuts_last = group.of_first_stage;
    rules.limit = limit;
    if (figures.scenario.parallel.zero_stage == 0)
        return rules;
    rules.alignment = tensor_alignment;
    rules.own = group.shared_embedding;
    return rules;
}

} // namespace

double ReplicaGroup::readyAfter(std::size_t end) const
{
    if (layer_begins.empty())
        return 1.0;
    const auto begun = std::ranges::lower_bound(layer_begins, end) - layer_begins.begin();
    return static_cast<double>(begun) / static_cast<double>(layer_begins.size());
}

double ReplicaGroup::bucketReadyAfter(std::size_t end) const
{
    if (!goes_with_last)
        return readyAfter(end);
    const auto next_chunk = std::ranges::lower_bound(chunk_begins, end);
    return readyAfter(next_chunk != chunk_begins.end() ? *next_chunk : tensors.size());
}

Buckets bucketsOf(const IterationFigures& figures, const ReplicaGroup& group)
{
    const Conventions& conventions = figures.scenario.conventions;
    const std::int64_t element = bytesPerElement(figures.gradient_dtype);
    // Limits are bytes; a bucket has reached one when its elements are no fewer.
    const auto elements = [&](std::int64_t bytes) {
        return std::max<std::int64_t>(1, (bytes + element - 1) / element);
    };
    const std::int64_t limit = elements(conventions.dp_bucket_bytes);
    if (conventions.framework == Framework::megatron && conventions.dp_overlap)
        return fillChunkBuckets(group.tensors, group.chunk_begins, chunkRules(figures, group, limit));
    const bool ddp = conventions.framework == Framework::ddp;
    return fillBuckets(group.tensors, ddp ? elements(ddp_first_bucket_bytes) : limit, limit);
}

void addDataParallelMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    const Conventions& conventions = figures.scenario.conventions;
    if (shape.last && conventions.report_loss)
        list.add({Kind::dp, Op::all_reduce, figures.data_group}, Phase::forward, Dtype::fp32, contents::loss,
                 bytesPerElement(Dtype::fp32), figures.passes);
    StageReplicas replicas{figures, shape};
    std::vector<LayerSort> sorts;
    if (figures.scenario.parallel.zero_stage > 1)
        sorts = layerSorts(figures.scenario.model, shape);
    for (ReplicaGroup& group : replicas.groups()) {
        group.sorts = sorts;
        group.of_first_stage = shape.first; // with dualpipe both ends are replicas of each other
        addReplicaGroup(figures, group, list);
    }
}

} // namespace shardscope
