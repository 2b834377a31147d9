#include "widgets/panels/scenario/scenario_figures.h"

#include "core/scenario/scenario_change.h"
#include "core/scenario/zero_stages.h"

#include <utility>

namespace shardscope
{

namespace
{

bool hasExperts(const Scenario& scenario)
{
    return scenario.model.experts.count > 0;
}

// A pattern says which layers have them.
bool hasFreeExperts(const Scenario& scenario)
{
    return hasExperts(scenario) && scenario.model.layer_pattern.empty();
}

bool isInterleaved(const Scenario& scenario)
{
    return scenario.parallel.schedule == Schedule::interleaved;
}

bool gathersParametersOnce(const Scenario& scenario)
{
    return scenario.parallel.zero_stage == 1 || scenario.parallel.zero_stage == 2;
}

bool sharesGradients(const Scenario& scenario)
{
    return scenario.parallel.zero_stage > 1;
}

bool hasExpertGroups(const Scenario& scenario)
{
    return hasExperts(scenario) && scenario.model.experts.groups > 1;
}

bool exchangesTokens(const Scenario& scenario)
{
    return hasExperts(scenario) && scenario.parallel.expert > 1;
}

// Each expert gets a copy of its own, wherever it is: groups move none together.
bool sendsToEachExpert(const Scenario& scenario)
{
    return !exchangesTokens(scenario) || scenario.conventions.token_dispatcher == TokenDispatcher::all_to_all;
}

QString noteOfGroups(const Scenario& scenario)
{
    if (!exchangesTokens(scenario))
        return QObject::tr("Nothing depends on it while Expert is 1: tokens stay on their GPU.");
    return sendsToEachExpert(scenario)
               ? QObject::tr("Nothing depends on it while \"Tokens go\" is \"to each expert\": there are as "
                             "many copies.")
               : QString{};
}

bool hasLatentAttention(const Scenario& scenario)
{
    return scenario.model.mla.kv_lora_rank > 0;
}

template<class Figure>
Figure when(bool (*applies)(const Scenario&), Figure figure)
{
    figure.applies = applies;
    return figure;
}

// Choosing a framework sets the other conventions to what it does.
ChoiceFigure frameworkFigure()
{
    ChoiceFigure framework = choice<&Scenario::conventions, &Conventions::framework>(
        {"conventions.framework", "Framework", "",
         "Sets the other conventions to its defaults; each can be moved."},
        {{"Megatron-LM", "One flat gradient buffer"},
         {"DeepSpeed", "Buckets of 500 M elements; pipeline messages split over the tensor group"},
         {"FSDP", "A unit for each layer, overlapped with the backward pass"},
         {"DDP", "Buckets of 25 MiB, overlapped with the backward pass"}});
    framework.set = [](Scenario scenario, int chosen) {
        return withFramework(std::move(scenario), static_cast<Framework>(chosen));
    };
    return framework;
}

NumberFigure kvRank()
{
    return number<&Scenario::model, &Model::mla, &Mla::kv_lora_rank>(
        {"model.mla.kv_lora_rank", "Latent KV rank", "",
         "Multi-head latent attention (DeepSeek): width of the compressed keys and values; 0: off."});
}

// What travels while the GPU works.
std::vector<ScenarioControl> overlapFigures()
{
    constexpr auto conventions = &Scenario::conventions;
    return {
        toggle<conventions, &Conventions::dp_overlap>({"conventions.dp_overlap", "Overlap gradients", "",
                                                       "They are sent while the backward pass goes on."}),
        when(gathersParametersOnce, toggle<conventions, &Conventions::param_overlap>(
                                        {"conventions.param_overlap", "Overlap parameters", "",
                                         "They are gathered while the first forward pass goes on."})),
        toggle<conventions, &Conventions::tp_overlap>(
            {"conventions.tp_overlap", "Overlap tensor", "",
             "Tensor-parallel messages travel while products are computed."}),
        when(isInterleaved, toggle<conventions, &Conventions::pp_overlap>(
                                {"conventions.pp_overlap", "Overlap pipeline", "",
                                 "A stage works on while its messages to other stages travel."})),
        when(hasExperts,
             toggle<conventions, &Conventions::ep_overlap>(
                 {"conventions.ep_overlap", "Overlap experts", "",
                  "Tokens travel to experts and back while another micro-batch is computed; with DualPipe "
                  "they always do."})),
        toggle<conventions, &Conventions::cuda_graphs>(
            {"conventions.cuda_graphs", "CUDA graphs", "",
             "Each layer is started at once instead of kernel by kernel, but for its routing and experts."})};
}

// How tokens get to their experts and back.
std::vector<ScenarioControl> dispatchFigures()
{
    constexpr auto conventions = &Scenario::conventions;
    return {
        when(exchangesTokens,
             choice<conventions, &Conventions::token_dispatcher>(
                 {"conventions.token_dispatcher", "Tokens go", "", "How they reach their experts."},
                 {{"to each expert", "One copy for each, by an all_to_all of NCCL"},
                  {"to each rank", "One copy for each rank that holds some of them; what is for other nodes "
                                   "crosses once a node and is handed on there (DeepEP, HybridEP)"}})),
        when(exchangesTokens,
             toggle<conventions, &Conventions::fp8_dispatch>(
                 {"conventions.fp8_dispatch", "Tokens in fp8", "",
                  "On the way to the experts, a float for every 128 numbers beside them; what comes back "
                  "stays in 16 bits."}))};
}

// How ZeRO shares out gradients and parameters.
std::vector<ScenarioControl> zeroFigures()
{
    constexpr auto conventions = &Scenario::conventions;
    return {
        choice<conventions, &Conventions::zero_unit>(
            {"conventions.zero_unit", "ZeRO unit", "", "What is reduced and gathered at once."},
            {{"model", "One flat buffer"}, {"layer", "Each layer"}}),
        choice<conventions, &Conventions::zero_reduction>(
            {"conventions.zero_reduction", "ZeRO reduces by", "",
             "How gradients come together in stages 1 and 2."},
            {{"all_reduce", "DeepSpeed's default"},
             {"reduce_scatter", "Each rank gets only its part"},
             {"reduce", "One for each owner, as Cheng et al. 2024 saw it"}}),
        when(canGatherInFp8, toggle<conventions, &Conventions::fp8_param_gather>(
                                 {"conventions.fp8_param_gather", "Weights in fp8", "",
                                  "Weights of products are gathered in fp8; embeddings, norms and "
                                  "gradients travel as ever."})),
        when(sharesGradients,
             toggle<conventions, &Conventions::reduce_each_micro_batch>(
                 {"conventions.reduce_each_micro_batch", "Reduce every pass", "",
                  "Gradients are shared out at once. Off: each rank keeps whole sums and reduces them once "
                  "an iteration, as with PyTorch's no_sync."})),
        choice<conventions, &Conventions::zero3_keeps>(
            {"conventions.zero3_keeps", "ZeRO-3 keeps", "",
             "What stays gathered between the forward and the backward pass."},
            {{"nothing", "Every unit is gathered twice (torchtitan's reshard_after_forward = always)"},
             {"the root", "Embeddings, final norm and head are gathered once"},
             {"root, last layer", "As PyTorch FSDP: backward starts with the last layer"}}),
        toggle<conventions, &Conventions::zero3_by_tensor>(
            {"conventions.zero3_by_tensor", "ZeRO-3 by tensor", "",
             "Stage 3 gathers each tensor by itself, as DeepSpeed does; else a layer at once."})};
}

// What is sent, and in which parts, within a stage and between stages.
std::vector<ScenarioControl> messageFigures()
{
    constexpr auto conventions = &Scenario::conventions;
    return {
        toggle<conventions, &Conventions::sp_regather>(
            {"conventions.sp_regather", "SP gathers again", "",
             "With sequence parallelism the backward pass gathers the activations anew instead of keeping "
             "them."}),
        toggle<conventions, &Conventions::sp_reduce_scatter_embedding>(
            {"conventions.sp_reduce_scatter_embedding", "SP at embedding", "",
             "The embedding's sum is scattered at once instead of summed everywhere."}),
        toggle<conventions, &Conventions::pp_partitioned>(
            {"conventions.pp_partitioned", "Split pipeline sends", "",
             "Pipeline messages are split over the tensor group (DeepSpeed's default)."}),
        toggle<conventions, &Conventions::tp_broadcast_batch>({"conventions.tp_broadcast_batch",
                                                               "Broadcast the batch", "",
                                                               "To the ranks of the tensor group."}),
        toggle<conventions, &Conventions::report_loss>({"conventions.report_loss", "Report the loss", "",
                                                        "An all_reduce of one float for each micro-batch."}),
        toggle<conventions, &Conventions::gradient_norm>(
            {"conventions.gradient_norm", "Gradient norm", "", "An all_reduce of one float a step."})};
}

// What single operators read and keep, and how memory is counted.
std::vector<ScenarioControl> operatorFigures()
{
    constexpr auto conventions = &Scenario::conventions;
    return {number<conventions, &Conventions::operator_traffic>(
                {"conventions.operator_traffic", "Memory traffic", "",
                 "Of norms, activations, dropout and residuals, against Megatron-LM's fused kernels."}),
            toggle<conventions, &Conventions::fused_cross_entropy>(
                {"conventions.fused_cross_entropy", "Fused loss", "",
                 "The loss leaves its gradient in the 16-bit logits instead of a copy in fp32."}),
            choice<conventions, &Conventions::memory_measure>(
                {"conventions.memory_measure", "Memory counts", "",
                 "What the run's report counts as its peak: small in the headline, "
                 "the rest pale in the bars. Whether it fits is asked of the device."},
                {{"tensors", "Megatron-LM's report: max allocated"},
                 {"reserved", "torchtitan's report: what PyTorch's allocator holds"},
                 {"the device", "nvidia-smi: with the CUDA context and NCCL"}})};
}

// Which experts tokens go to.
std::vector<ScenarioControl> routingFigures()
{
    constexpr auto model = &Scenario::model;
    constexpr auto experts = &Model::experts;
    return {when(hasExperts, number<model, experts, &Experts::capacity_factor>(
                                 {"model.experts.capacity_factor", "Capacity factor", "",
                                  "Slots of each expert over its even share; 0: nothing is dropped."})),
            when(hasExperts, number<model, experts, &Experts::skew>(
                                 {"model.experts.skew", "Skew", "",
                                  "0: even routing; towards 1: a few experts get most."})),
            when(hasExperts,
                 number<model, experts, &Experts::single_choice>(
                     {"model.experts.single_choice", "One expert only", "",
                      "Share of the tokens whose other choices count for nothing and are not sent."})),
            when(hasExperts, number<model, experts, &Experts::groups>(
                                 {"model.experts.groups", "Expert groups", "",
                                  "Groups of neighbours that the routing is limited to; 1: it is not.",
                                  noteOfGroups, sendsToEachExpert})),
            when(hasExpertGroups, number<model, experts, &Experts::groups_per_token>(
                                      {"model.experts.groups_per_token", "Groups per token", "",
                                       "The experts of a token are in at most so many groups.", noteOfGroups,
                                       sendsToEachExpert}))};
}

std::vector<ScenarioControl> expertFigures()
{
    constexpr auto model = &Scenario::model;
    constexpr auto experts = &Model::experts;
    return {
        number<model, experts, &Experts::count>(
            {"model.experts.count", "Experts", "E", "Of each mixture-of-experts layer; 0: a dense model."}),
        when(hasExperts,
             number<model, experts, &Experts::per_token>({"model.experts.per_token", "Experts per token",
                                                          "top-k", "How many each token is sent to."})),
        when(hasExperts,
             following<model, experts, &Experts::ffn_hidden_size>(
                 {"model.experts.ffn_hidden_size", "Expert width", "",
                  "Feed-forward width of one expert; empty: f, as long as the model has none of its own."})),
        when(hasFreeExperts,
             number<model, experts, &Experts::every>(
                 {"model.experts.every", "Every n-th layer", "", "1: every layer has experts."})),
        when(hasFreeExperts,
             number<model, experts, &Experts::first>(
                 {"model.experts.first", "First such layer", "", "Layers before it are dense."})),
        when(hasExperts,
             number<model, experts, &Experts::shared>(
                 {"model.experts.shared", "Shared experts", "", "Experts that every token goes through."})),
        when(hasExperts, toggle<model, experts, &Experts::shared_gate>(
                             {"model.experts.shared_gate", "Gate of the shared", "",
                              "hidden_size weights scale what the shared experts return (Qwen2-MoE)."})),
        when(hasExperts, toggle<model, experts, &Experts::routing_bias>(
                             {"model.experts.routing_bias", "Routing bias", "",
                              "One number for each expert that no gradient trains (DeepSeek-V3)."}))};
}

std::vector<ScenarioControl> latentAttentionFigures()
{
    constexpr auto model = &Scenario::model;
    constexpr auto mla = &Model::mla;
    return {
        kvRank(),
        when(hasLatentAttention,
             number<model, mla, &Mla::q_lora_rank>(
                 {"model.mla.q_lora_rank", "Latent query rank", "", "0: not compressed."})),
        when(hasLatentAttention,
             number<model, mla, &Mla::qk_nope_head_dim>(
                 {"model.mla.qk_nope_head_dim", "Head part, plain", "dn",
                  "Width of the part of a head's queries and keys that does not rotate."})),
        when(hasLatentAttention, number<model, mla, &Mla::qk_rope_head_dim>(
                                     {"model.mla.qk_rope_head_dim", "Head part, rotary", "dr",
                                      "Width of the part of a head's queries and keys that rotates with the "
                                      "position; its key is the same for all heads."})),
        when(hasLatentAttention, number<model, mla, &Mla::v_head_dim>({"model.mla.v_head_dim", "Value head",
                                                                       "dv", "Width of a head's values."}))};
}

std::vector<ScenarioControl> gradientFigures()
{
    constexpr auto conventions = &Scenario::conventions;
    return {choice<conventions, &Conventions::dp_reduction>(
                {"conventions.dp_reduction", "Gradients go", "",
                 "In how many messages the gradients are reduced."},
                {{"flat", "In one buffer"},
                 {"in buckets", "Closed once they reach their size, last layer first"}}),
            number<conventions, &Conventions::dp_bucket_bytes>(
                {"conventions.dp_bucket_bytes", "Bucket size", "", "A bucket closes once it reaches it."},
                nullptr, "B")};
}

} // namespace

ScenarioSection expertSection()
{
    return {"Experts and latent attention",
            together({expertFigures(), routingFigures(), latentAttentionFigures()})};
}

ScenarioSection conventionSection()
{
    return {"Conventions of the framework", together({{frameworkFigure()},
                                                      gradientFigures(),
                                                      overlapFigures(),
                                                      dispatchFigures(),
                                                      zeroFigures(),
                                                      messageFigures(),
                                                      operatorFigures()})};
}

} // namespace shardscope
