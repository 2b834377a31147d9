#include "random_scenario.h"

#include "core/scenario/defaults.h"
#include "core/scenario/validation/validation.h"

#include <algorithm>

namespace shardscope::test
{

std::int64_t RandomScenarios::pick(std::initializer_list<std::int64_t> choices)
{
    // Not std::uniform_int_distribution, which differs between libraries.
    return *(choices.begin() + static_cast<std::ptrdiff_t>(m_random() % choices.size()));
}

void RandomScenarios::drawModel(Model& model)
{
    model.layers = pick({2, 4, 7, 8, 12, 13});
    model.attention_heads = pick({4, 8, 16});
    model.kv_heads = coin() ? model.attention_heads : model.attention_heads / 2;
    model.head_dim = pick({8, 64});
    model.hidden_size = model.attention_heads * model.head_dim;
    model.ffn_hidden_size = 4 * model.hidden_size;
    model.gated_mlp = coin();
    model.linear_bias = coin();
    model.tied_embeddings = coin();
    model.norm = coin() ? Norm::rmsnorm : Norm::layernorm;
    model.position_embedding = coin() ? PositionEmbedding::rope : PositionEmbedding::learned;
    model.vocab_size = pick({1000, 50257});
    model.sequence_length = pick({64, 1024});
    model.qkv_bias = coin();
    model.qk_norm = coin();
    model.norms_per_layer = pick({2, 2, 4});
    model.final_norm = pick({0, 1, 1}) == 1;
    model.embedding_norm = coin();
    model.token_types = pick({0, 0, 2});
    model.output_head = static_cast<OutputHead>(pick({0, 0, 1}));
    model.head_bias = coin();
    if (pick({0, 0, 0, 1}) == 1)
        model.mla = {pick({0, 24}), 16, 8, pick({0, 4}), 12};
    model.encoder_layers = pick({0, 0, 0, 5});
    model.encoder_sequence_length = pick({0, 128});
    if (coin())
        return;
    Experts& experts = model.experts;
    experts.count = pick({4, 8});
    experts.per_token = pick({1, 2});
    experts.ffn_hidden_size = pick({128, 512});
    experts.every = pick({1, 2});
    experts.first = pick({0, 1, 3});
    experts.shared = pick({0, 1});
    experts.shared_gate = coin();
    experts.capacity_factor = coin() ? 0.0 : 1.25;
    experts.skew = coin() ? 0.0 : 0.5;
    experts.single_choice = coin() ? 0.0 : 0.25;
}

namespace
{

// By what is drawn anyway: one draw more would make every scenario another.
std::int64_t modulesOf(const Model& model)
{
    if (model.hasEncoder() || model.output_head == OutputHead::bert || model.vocab_size > 1000)
        return 0;
    return model.sequence_length > 64 ? 2 : 1;
}

// Hybrid models, by what is drawn anyway as well: a third of the decoders whose heads are small.
void takePattern(Model& model)
{
    if (model.hasEncoder() || model.output_head == OutputHead::bert || model.head_dim > 8
        || model.layers % 4 != 0)
        return;
    const bool is_delta = model.gated_mlp;
    model.recurrence = {is_delta ? RecurrenceKind::gated_delta_net : RecurrenceKind::mamba2, 8, 16, 4, 8, 4};
    model.attention_gate = is_delta;
    const bool has_experts = model.experts.count > 0;
    if (model.tied_embeddings) {
        const LayerForm second = has_experts ? LayerForm::experts : LayerForm::mlp;
        model.layer_pattern = {LayerForm::recurrence, second, LayerForm::attention, LayerForm::mlp};
    } else {
        model.layer_pattern = {LayerForm::recurrence_mlp,
                               has_experts ? LayerForm::attention_experts : LayerForm::attention_mlp};
        if (has_experts && model.qk_norm)
            model.layer_pattern.push_back(LayerForm::recurrence_experts);
    }
}

void takeDispatcher(Scenario& scenario)
{
    Experts& experts = scenario.model.experts;
    if (experts.count > 0 && experts.capacity_factor == 0.0 && experts.shared_gate)
        scenario.conventions.token_dispatcher = TokenDispatcher::deepep;
    scenario.conventions.fp8_dispatch = scenario.model.qkv_bias;
    scenario.conventions.fp8_param_gather = !scenario.model.tied_embeddings;
    scenario.parallel.expert_tensor_parallel =
        !scenario.model.qk_norm || !scenario.parallel.sequence_parallel;
    if (experts.count > 0 && scenario.model.norms_per_layer == 4)
        experts.groups = 2;
}

} // namespace

// The last chunks hold one more, against the usual order; some may hold none.
std::vector<std::int64_t> RandomScenarios::handSetLayers(std::int64_t layers, std::int64_t chunks)
{
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(chunks), layers / chunks);
    std::fill_n(sizes.rbegin(), layers % chunks, layers / chunks + 1);
    if (chunks > 1 && coin()) {
        sizes.back() += sizes.front();
        sizes.front() = 0;
    }
    return sizes;
}

void RandomScenarios::drawParallel(Scenario& scenario)
{
    Parallel& parallel = scenario.parallel;
    parallel.pipeline = pick({1, 1, 2, 3, 4});
    parallel.tensor = pick({1, 2, 4});
    parallel.data = pick({1, 2, 3, 4});
    parallel.context = pick({1, 1, 2});
    parallel.expert = scenario.model.experts.count > 0 ? pick({1, 2, 4}) : 1;
    parallel.context_method = coin()   ? ContextMethod::ring
                              : coin() ? ContextMethod::ulysses
                                       : ContextMethod::all_gather;
    parallel.sequence_parallel = coin();
    parallel.zero_stage = static_cast<int>(pick({0, 0, 1, 2, 3}));
    parallel.schedule = static_cast<Schedule>(pick({0, 1, 1, 2, 3, 4, 5, 6, 7, 8}));
    parallel.virtual_stages =
        parallel.schedule == Schedule::interleaved ? 2 : defaultVirtualStages(parallel.schedule);
    parallel.stage_balance = static_cast<StageBalance>(pick({0, 1, 2}));
    if (pick({0, 0, 0, 1}) == 1)
        parallel.stage_layers =
            handSetLayers(scenario.model.layers, parallel.pipeline * parallel.virtual_stages);
    std::shuffle(parallel.rank_order.begin(), parallel.rank_order.end(), m_random);
    scenario.training.micro_batch_size = pick({1, 2});
    scenario.training.global_batch_size =
        scenario.training.micro_batch_size * parallel.data * pick({1, 2, 4, 8, 12});
}

void RandomScenarios::drawConventions(Conventions& conventions)
{
    conventions.framework = static_cast<Framework>(pick({0, 1, 2, 3}));
    conventions.dp_reduction = coin() ? DpReduction::flat : DpReduction::buckets;
    conventions.dp_bucket_bytes = pick({100000, 26214400});
    conventions.dp_overlap = coin();
    conventions.param_overlap = coin();
    conventions.pp_overlap = coin();
    conventions.reduce_each_micro_batch = coin();
    conventions.zero_unit = coin() ? ZeroUnit::layer : ZeroUnit::model;
    conventions.zero_reduction = static_cast<ZeroReduction>(pick({0, 1, 2}));
    conventions.zero3_keeps = static_cast<ZeroKeeps>(pick({0, 1, 2}));
    conventions.sp_regather = coin();
    conventions.sp_reduce_scatter_embedding = coin();
    conventions.pp_partitioned = coin();
    conventions.tp_broadcast_batch = coin();
    conventions.fused_cross_entropy = coin();
    conventions.memory_measure = static_cast<MemoryMeasure>(pick({0, 1, 2}));
}

void RandomScenarios::drawRecomputation(Training& training)
{
    training.recompute = static_cast<Recompute>(pick({0, 1, 2}));
    training.recompute_layers = pick({0, 0, 1, 2});
    for (int module = 0; module <= static_cast<int>(RecomputeModule::shared_experts); ++module)
        if (pick({0, 0, 1}) == 1)
            training.recompute_modules.push_back(static_cast<RecomputeModule>(module));
}

Scenario RandomScenarios::draw()
{
    Scenario scenario;
    drawModel(scenario.model);
    scenario.model.mtp_layers = modulesOf(scenario.model);
    takePattern(scenario.model);
    drawParallel(scenario);
    drawConventions(scenario.conventions);
    takeDispatcher(scenario);
    scenario.training.precision = static_cast<Precision>(pick({0, 1, 2, 3}));
    scenario.training.gradient_bytes = static_cast<int>(pick({2, 4, 6}));
    drawRecomputation(scenario.training);
    scenario.training.flash_attention = coin();
    scenario.training.offload = coin() ? Offload::none : Offload::optimizer;
    scenario.time_model = coin() ? TimeModel::li : TimeModel::detailed;
    return scenario;
}

Scenario RandomScenarios::next()
{
    Scenario scenario = draw();
    while (!validate(scenario).empty())
        scenario = draw();
    return scenario;
}

} // namespace shardscope::test
