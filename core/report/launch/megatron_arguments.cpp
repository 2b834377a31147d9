#include "core/prediction/messages/zero_messages.h"
#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/model_parameters.h"
#include "core/prediction/model/stage_layout.h"
#include "core/prediction/time/node_placement.h"
#include "core/report/launch/launch_export.h"
#include "core/report/launch/layer_arguments.h"
#include "core/report/launch/training_arguments.h"
#include "core/scenario/rank_order.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

std::string decimal(double value)
{
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + "0" : text;
}

std::string_view script(const Scenario& scenario)
{
    const Model& model = scenario.model;
    if (isHybrid(model))
        return needsLayerPattern(scenario) ? "pretrain_hybrid.py" : "pretrain_mamba.py";
    if (model.hasEncoder())
        return "pretrain_t5.py";
    return model.output_head == OutputHead::bert ? "pretrain_bert.py" : "pretrain_gpt.py";
}

void addSizes(const Scenario& scenario, CommandArguments& arguments)
{
    const Model& model = scenario.model;
    if (model.hasEncoder()) {
        arguments.add("encoder-num-layers", model.encoder_layers);
        arguments.add("decoder-num-layers", model.layers);
        arguments.add("encoder-seq-length", model.encoderLength());
        arguments.add("decoder-seq-length", model.sequence_length);
    } else {
        if (!needsLayerPattern(scenario))
            arguments.add("num-layers", model.layers);
        if (model.mtp_layers > 0)
            arguments.add("mtp-num-layers", model.mtp_layers);
        arguments.add("seq-length", model.sequence_length);
    }
    arguments.add("max-position-embeddings", std::max(model.sequence_length, model.encoder_sequence_length));
    arguments.add("hidden-size", model.hidden_size);
    arguments.add("ffn-hidden-size", model.ffn_hidden_size);
    arguments.add("num-attention-heads", model.attention_heads);
    if (model.mla.kv_lora_rank == 0) {
        if (model.kv_heads != model.attention_heads) {
            arguments.flag("group-query-attention");
            arguments.add("num-query-groups", model.kv_heads);
        }
        arguments.add("kv-channels", model.head_dim);
    }
    arguments.add("make-vocab-size-divisible-by", model.vocab_padding);
    arguments.add("vocab-size", model.vocab_size);
}

void addArchitecture(const Model& model, CommandArguments& arguments)
{
    switch (model.position_embedding) {
    case PositionEmbedding::learned:
        arguments.add("position-embedding-type", "learned_absolute");
        break;
    case PositionEmbedding::rope:
        arguments.add("position-embedding-type", "rope");
        break;
    case PositionEmbedding::relative:
        arguments.add("position-embedding-type", "relative");
        break;
    case PositionEmbedding::alibi:
    case PositionEmbedding::none:
        arguments.add("position-embedding-type", "none");
        arguments.remarkIf(model.position_embedding == PositionEmbedding::alibi,
                           "No equivalent: position_embedding alibi; none is used instead.");
        break;
    }
    if (model.sliding_window > 0)
        arguments.add("window-size", std::to_string(model.sliding_window - 1) + ",0");
    if (model.sliding_window > 0 && model.full_attention_every > 0)
        arguments.add("window-attn-skip-freq", model.full_attention_every);
    arguments.add("normalization", model.norm == Norm::rmsnorm ? "RMSNorm" : "LayerNorm");
    arguments.flagIf(model.gated_mlp, "swiglu");
    arguments.flagIf(!model.linear_bias, "disable-bias-linear");
    arguments.flagIf(!model.linear_bias && model.qkv_bias, "add-qkv-bias");
    arguments.flagIf(model.qk_norm, "qk-layernorm");
    arguments.flagIf(!model.tied_embeddings, "untie-embeddings-and-output-weights");
    arguments.remarkIf(model.norms_per_layer != 2, "No equivalent: norms_per_layer other than 2.");
    arguments.remarkIf(model.head_bias && model.output_head == OutputHead::language_model,
                       "No equivalent: head_bias.");
    arguments.remarkIf(model.embedding_norm, "No equivalent: embedding_norm.");
    arguments.remarkIf(!model.final_norm,
                       "No equivalent: Megatron-LM's layers begin with their norm, and a final "
                       "norm follows the last.");
}

void addLatentAttention(const Mla& mla, CommandArguments& arguments)
{
    if (mla.kv_lora_rank == 0)
        return;
    arguments.flag("multi-latent-attention");
    if (mla.q_lora_rank > 0)
        arguments.add("q-lora-rank", mla.q_lora_rank);
    arguments.add("kv-lora-rank", mla.kv_lora_rank);
    arguments.add("qk-head-dim", mla.qk_nope_head_dim);
    arguments.add("qk-pos-emb-head-dim", mla.qk_rope_head_dim);
    arguments.add("v-head-dim", mla.v_head_dim);
    arguments.flag("qk-layernorm"); // the norms of the latents
}

void addExperts(const Scenario& scenario, CommandArguments& arguments)
{
    const Experts& experts = scenario.model.experts;
    if (layersByForm(scenario.model).with(hasExperts) == 0)
        return;
    arguments.add("num-experts", experts.count);
    arguments.add("moe-router-topk", experts.per_token);
    arguments.add("moe-ffn-hidden-size", experts.ffn_hidden_size);
    addLayersWithExperts(scenario.model, arguments);
    if (experts.shared > 0)
        arguments.add("moe-shared-expert-intermediate-size", experts.shared * experts.ffn_hidden_size);
    arguments.flagIf(experts.shared > 0 && experts.shared_gate, "moe-shared-expert-gate");
    if (experts.capacity_factor > 0.0) {
        arguments.add("moe-expert-capacity-factor", decimal(experts.capacity_factor));
        arguments.flag("moe-pad-expert-input-to-capacity");
    }
    if (experts.routing_bias) { // Megatron-LM has it with sigmoid scores alone
        arguments.add("moe-router-score-function", "sigmoid");
        arguments.flag("moe-router-enable-expert-bias");
    }
    if (experts.groups > 1) {
        arguments.add("moe-router-num-groups", experts.groups);
        arguments.add("moe-router-group-topk", experts.groups_per_token);
    }
    const bool is_deepep = scenario.conventions.token_dispatcher == TokenDispatcher::deepep;
    arguments.add("moe-token-dispatcher-type", is_deepep ? "flex" : "alltoall");
    arguments.flagIf(is_deepep, "moe-enable-deepep");
    arguments.remarkIf(scenario.conventions.fp8_dispatch,
                       "No equivalent: Megatron-LM sends tokens to their experts in 16 bits.");
    arguments.add("expert-model-parallel-size", scenario.parallel.expert);
    arguments.flagIf(scenario.conventions.ep_overlap, "overlap-moe-expert-parallel-comm");
    arguments.remarkIf(scenario.parallel.expert > 1 && scenario.training.precision == Precision::fp16,
                       "Megatron-LM refuses expert parallelism with fp16; it takes bf16.");
    const Parallel& parallel = scenario.parallel;
    if (parallel.holdsExpertsWhole())
        arguments.add("expert-tensor-parallel-size", parallel.expertTensor());
    arguments.remarkIf(parallel.expert > 1 && parallel.tensor > 1 && !parallel.sequence_parallel,
                       "Megatron-LM refuses expert and tensor parallelism without --sequence-parallel.");
    arguments.remarkIf(experts.skew > 0.0 || experts.single_choice > 0.0,
                       "No equivalent: skew and single_choice are what the routing does, not settings.");
}

// Stages that do not hold the same number of layers each: "Et*14|t*14|t*14|t*12L", with multi-token
// prediction's before the L.
std::string stageLayout(const std::vector<std::int64_t>& chunks, std::int64_t modules)
{
    std::string text = "'E";
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (i > 0)
            text += "|";
        if (chunks[i] > 0)
            text += "t*" + std::to_string(chunks[i]);
    }
    return text + std::string(static_cast<std::size_t>(modules), 'm') + "L'";
}

void addStages(const Scenario& scenario, CommandArguments& arguments)
{
    const Parallel& parallel = scenario.parallel;
    arguments.add("pipeline-model-parallel-size", parallel.pipeline);
    if (parallel.pipeline == 1)
        return;
    const bool is_hybrid = isHybrid(scenario.model); // whose pattern has the stages
    const IterationFigures figures{scenario};
    const std::vector<std::int64_t> chunks = chunkLayers(figures);
    const bool even = std::ranges::all_of(chunks, [&](std::int64_t n) { return n == chunks.front(); });
    if (!even && !is_hybrid)
        arguments.add("pipeline-model-parallel-layout", stageLayout(chunks, scenario.model.mtp_layers));
    else if (parallel.schedule == Schedule::interleaved && !is_hybrid)
        arguments.add("num-layers-per-virtual-pipeline-stage", chunks.front());
    if (parallel.schedule == Schedule::interleaved && parallel.micro_batch_group > 0)
        arguments.add("microbatch-group-size-per-virtual-pipeline-stage", parallel.micro_batch_group);
    const bool known =
        parallel.schedule == Schedule::one_f_one_b || parallel.schedule == Schedule::interleaved;
    arguments.remarkIf(!known, "No equivalent: schedule " + std::string{word(parallel.schedule)}
                                   + "; Megatron-LM runs 1f1b, or interleaved with virtual stages.");
    arguments.remarkIf(
        scenario.conventions.pp_partitioned && !parallel.sequence_parallel && parallel.tensor > 1,
        "pp_partitioned: only older versions, by default (scatter-gather-tensors-in-pipeline).");
}

void addRankOrder(const Scenario& scenario, CommandArguments& arguments)
{
    const Parallel& parallel = scenario.parallel;
    const std::string order = rankOrderWord(parallel.rank_order, parallel.context > 1 || parallel.expert > 1);
    const bool custom = order == "tp-pp-dp" || order == "tp-cp-ep-pp-dp";
    arguments.flagIf(custom, "use-tp-pp-dp-mapping");
    arguments.remarkIf(!custom && order != "tp-dp-pp" && order != "tp-cp-ep-dp-pp",
                       "No equivalent: rank_order " + order
                           + "; Megatron-LM has tp-dp-pp, and tp-pp-dp with --use-tp-pp-dp-mapping.");
}

void addParallel(const Scenario& scenario, CommandArguments& arguments)
{
    const Parallel& parallel = scenario.parallel;
    arguments.add("tensor-model-parallel-size", parallel.tensor);
    addStages(scenario, arguments);
    if (parallel.context > 1) {
        arguments.add("context-parallel-size", parallel.context);
        constexpr std::array<std::string_view, 3> exchanges{"p2p", "a2a", "all_gather"};
        arguments.add("cp-comm-type", exchanges[static_cast<std::size_t>(parallel.context_method)]);
        const std::int64_t halves = 2 * parallel.context;
        arguments.remarkIf(scenario.model.sequence_length % halves != 0,
                           "Megatron-LM wants seq-length to be a multiple of 2 * context-parallel-size = "
                               + std::to_string(halves) + ".");
    }
    arguments.flagIf(parallel.sequence_parallel && parallel.tensor > 1, "sequence-parallel");
    addRankOrder(scenario, arguments);
}

void remarkConventions(const Scenario& scenario, CommandArguments& arguments)
{
    const Conventions& conventions = scenario.conventions;
    arguments.remarkIf(conventions.framework != Framework::megatron,
                       "The scenario follows another framework's conventions: "
                           + std::string{word(conventions.framework)} + ".");
    arguments.remarkIf(scenario.parallel.zero_stage >= 1
                           && conventions.zero_reduction != ZeroReduction::reduce_scatter,
                       "No equivalent: zero_reduction " + std::string{word(conventions.zero_reduction)}
                           + "; Megatron-LM reduce-scatters.");
    arguments.remarkIf(scenario.parallel.sequence_parallel && !conventions.sp_regather,
                       "No equivalent: sp_regather false; Megatron-LM gathers the input again for the "
                       "weight's gradient.");
    // LanguageModelEmbedding decides by what is added to the sum.
    const bool scatters = scenario.model.position_embedding != PositionEmbedding::learned;
    const bool is_summed = scenario.parallel.sequence_parallel && scenario.parallel.tensor > 1;
    arguments.remarkIf(is_summed && conventions.sp_reduce_scatter_embedding != scatters,
                       std::string{"No equivalent: sp_reduce_scatter_embedding "}
                           + (scatters ? "false; Megatron-LM scatters the embedding's sum where no learned "
                                         "positions are added."
                                       : "true; Megatron-LM sums the embedding on every rank where learned "
                                         "positions are added."));
}

void addDataParallel(const Scenario& scenario, CommandArguments& arguments)
{
    const Conventions& conventions = scenario.conventions;
    const int zero = scenario.parallel.zero_stage;
    arguments.flagIf(zero >= 1, "use-distributed-optimizer");
    if (scenario.training.offload == Offload::optimizer) {
        arguments.flag("optimizer-cpu-offload");
        arguments.flag("use-precision-aware-optimizer");
        arguments.remarkIf(zero == 0, "optimizer-cpu-offload needs the distributed optimizer: zero_stage 1.");
    }
    if (zero >= 2) {
        arguments.flag("use-megatron-fsdp");
        arguments.add("data-parallel-sharding-strategy", zero == 2 ? "optim_grads" : "optim_grads_params");
        arguments.add("ckpt-format", "fsdp_dtensor");
    }
    arguments.flagIf(conventions.dp_overlap, "overlap-grad-reduce");
    // Megatron-LM refuses the second without the first.
    const bool gathers = conventions.param_overlap && zero >= 1;
    arguments.flagIf(gathers && conventions.dp_overlap, "overlap-param-gather");
    arguments.remarkIf(gathers && !conventions.dp_overlap,
                       "No equivalent: param_overlap without dp_overlap; overlap-param-gather needs "
                       "overlap-grad-reduce.");
    arguments.flagIf(gathersInFp8(scenario), "fp8-param-gather");
    if (conventions.cuda_graphs)
        arguments.add("cuda-graph-impl", "local");
    arguments.remarkIf(conventions.cuda_graphs && scenario.training.recompute == Recompute::full,
                       "Megatron-LM refuses CUDA graphs of layers with full recomputation.");
    arguments.remarkIf(zero >= 2 && !conventions.reduce_each_micro_batch,
                       "No equivalent: reduce_each_micro_batch false; Megatron-FSDP reduces every "
                       "micro-batch.");
    const std::int64_t gradient = std::min(4, scenario.training.gradient_bytes);
    if (conventions.dp_overlap && conventions.dp_reduction == DpReduction::buckets)
        arguments.add("ddp-bucket-size", conventions.dp_bucket_bytes / gradient);
    const bool overlaps = conventions.tp_overlap && scenario.parallel.sequence_parallel;
    const bool is_joined = staysOnNodes(scenario, Kind::tp);
    arguments.flagIf(overlaps && is_joined, "tp-comm-overlap");
    arguments.remarkIf(overlaps && !is_joined,
                       "No equivalent: tp_overlap of tensor groups that leave their nodes.");
    arguments.flagIf(scenario.parallel.schedule == Schedule::interleaved && !conventions.pp_overlap,
                     "no-overlap-p2p-communication");
    remarkConventions(scenario, arguments);
}

// Overlap of tensor and context parallelism relies on the order of kernels; Megatron-LM refuses to start
// without the variable before Blackwell, and its FSDP with it.
std::string environment(const Scenario& scenario)
{
    const Parallel& parallel = scenario.parallel;
    const bool ordered = (parallel.tensor > 1 || parallel.context > 1) && parallel.zero_stage < 2;
    return std::string{ordered ? "CUDA_DEVICE_MAX_CONNECTIONS=1 " : ""}
           + (scenario.cluster.launch_blocking ? "CUDA_LAUNCH_BLOCKING=1 " : "");
}

// As many processes as GPUs: the most of a host that divide them. torchrun runs on hosts, and those of a rack
// that is one domain of NVLink have four GPUs.
constexpr std::int64_t largest_host = 16;
constexpr std::int64_t host_of_a_rack = 4;

std::int64_t processesOfHost(std::int64_t world, std::int64_t gpus_per_node)
{
    std::int64_t processes = std::min(world, gpus_per_node > largest_host ? host_of_a_rack : gpus_per_node);
    while (world % processes != 0)
        --processes;
    return processes;
}

void addHosts(const Scenario& scenario, std::int64_t per_host, CommandArguments& arguments)
{
    const std::int64_t per_node = scenario.cluster.gpus_per_node;
    const bool is_rack = per_node > largest_host;
    arguments.remarkIf(is_rack, "Hosts are taken to have " + std::to_string(host_of_a_rack)
                                    + " GPUs: torchrun runs on a host, of which a rack of "
                                    + std::to_string(per_node) + " has several.");
    arguments.remarkIf(!is_rack && scenario.worldSize() > per_node && per_host != per_node,
                       "The GPUs do not fill nodes of " + std::to_string(per_node) + ": "
                           + std::to_string(per_host) + " processes run on each.");
}

} // namespace

Result<std::string> megatronArguments(const Scenario& told)
{
    if (told.model.kind == ModelKind::parameter_list)
        return Error{"A list of tensors has no Megatron-LM arguments; choose a transformer."};
    const Scenario scenario = withBlocksAsLayers(told);
    CommandArguments arguments;
    const std::int64_t world = scenario.worldSize();
    const std::int64_t per_host = processesOfHost(world, scenario.cluster.gpus_per_node);
    arguments.remarkIf(!scenario.name.empty(), scenario.name);
    arguments.remarkIf(true, std::to_string(world) + " GPUs; data parallel "
                                 + std::to_string(scenario.parallel.data) + " follows from the others.");
    arguments.remarkIf(true, "To be added: data, tokenizer, learning rate and the number of iterations.");
    remarkBlocksAsLayers(told.model, scenario.model, arguments);
    addSizes(scenario, arguments);
    addLayerForms(scenario, arguments);
    addArchitecture(scenario.model, arguments);
    addLatentAttention(scenario.model.mla, arguments);
    addExperts(scenario, arguments);
    addTraining(scenario, arguments);
    addParallel(scenario, arguments);
    addDataParallel(scenario, arguments);
    addHosts(scenario, per_host, arguments);
    return arguments.command(environment(scenario) + "torchrun --nnodes " + std::to_string(world / per_host)
                             + " --nproc-per-node " + std::to_string(per_host) + " "
                             + std::string{script(scenario)});
}

} // namespace shardscope
