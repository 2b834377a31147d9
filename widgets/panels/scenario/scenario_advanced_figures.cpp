#include "widgets/panels/scenario/scenario_figures.h"
#include "widgets/session/shown_text.h"

#include "widgets/panels/scenario/head_width_note.h"
#include "widgets/panels/scenario/scenario_stops.h"

#include "core/scenario/words.h"

#include <string_view>

namespace shardscope
{

namespace
{

// A text that may be anything.
template<auto... path>
TextFigure freeText(const ScenarioFigure& figure, const QStringList& proposals = {})
{
    return {figure,
            [](const Scenario& scenario) { return toQString(reach<path...>(scenario)); },
            [](Scenario scenario, const QString& text) -> Result<Scenario> {
                reach<path...>(scenario) = text.toStdString();
                return scenario;
            },
            proposals,
            "",
            nullptr};
}

QStringList linkKinds()
{
    QStringList kinds;
    for (const std::string_view kind : link_kinds)
        kinds << toQString(kind);
    return kinds;
}

std::vector<ScenarioControl> shapeFigures()
{
    constexpr auto model = &Scenario::model;
    return {freeText<&Scenario::name>(
                {"name", "Name", "", "What the scenario is called in its file and in reports."}),
            following<model, &Model::head_dim>(
                {"model.head_dim", "Head dimension", "dh",
                 "Width of one attention head; empty: h / a, as long as the model has none of its own.",
                 noteOfHeadDim}),
            following<model, &Model::ffn_hidden_size>(
                {"model.ffn_hidden_size", "Feed-forward", "f",
                 "Width of the feed-forward network: 4 h in GPT. Empty: it keeps its proportion to h."}),
            toggle<model, &Model::gated_mlp>(
                {"model.gated_mlp", "Gated MLP", "", "Three matrices instead of two (SwiGLU, as in Llama)."}),
            toggle<model, &Model::tied_embeddings>({"model.tied_embeddings", "Tied embeddings", "",
                                                    "Embedding and head share their weights; with pipeline "
                                                    "stages their gradients are summed over the first and "
                                                    "the last."}),
            choice<model, &Model::position_embedding>(
                {"model.position_embedding", "Positions", "", "How the model knows where a token stands."},
                {{"learned", "A trained table of s · h"},
                 {"rope", "Rotary"},
                 {"alibi", "Linear biases"},
                 {"none", ""},
                 {"relative", "A trained number for each of 32 distances and each head (T5)"}})};
}

std::vector<ScenarioControl> biasAndNormFigures()
{
    constexpr auto model = &Scenario::model;
    return {
        toggle<model, &Model::linear_bias>({"model.linear_bias", "Biases", "", "Linear layers have biases."}),
        toggle<model, &Model::qkv_bias>(
            {"model.qkv_bias", "QKV biases", "",
             "Queries, keys and values have biases even where other layers have none (Qwen2)."}),
        toggle<model, &Model::qk_norm>(
            {"model.qk_norm", "QK norms", "", "Queries and keys are normalised, head by head (Qwen3)."}),
        choice<model, &Model::norm>({"model.norm", "Norm", "", "How activations are normalised."},
                                    {{"layernorm", "With weight and bias"}, {"rmsnorm", "With weight only"}}),
        number<model, &Model::norms_per_layer>({"model.norms_per_layer", "Norms in a layer", "",
                                                "Two; four where outputs are normalised too (Gemma 2)."}),
        toggle<model, &Model::final_norm>(
            {"model.final_norm", "Final norm", "", "Off where every layer ends with its norm (BERT)."}),
        toggle<model, &Model::embedding_norm>(
            {"model.embedding_norm", "Embedding norm", "", "The embeddings are normalised (BERT, BLOOM)."})};
}

std::vector<ScenarioControl> endFigures()
{
    constexpr auto model = &Scenario::model;
    return {
        number<model, &Model::token_types>({"model.token_types", "Token types", "",
                                            "Rows of a second embedding; BERT has one for each sentence."}),
        toggle<model, &Model::head_bias>(
            {"model.head_bias", "Head bias", "", "The output has a bias, one number for each word (Phi-2)."}),
        choice<model, &Model::output_head>(
            {"model.output_head", "Output", "", "What stands on the last layer."},
            {{"words", "A language model: logits over the vocabulary"},
             {"BERT", "Masked words and next sentence, with BERT's pooler"}}),
        number<model, &Model::vocab_padding>(
            {"model.vocab_padding", "Vocabulary multiple", "",
             "The vocabulary is padded to a multiple of this, times the tensor-parallel size. Rows of logits "
             "that "
             "fill no steps of 16 bytes make the head's products take about twice as long."}),
        number<model, &Model::encoder_layers>(
            {"model.encoder_layers", "Encoder layers", "", "Layers of an encoder before the decoder (T5)."}),
        number<model, &Model::encoder_sequence_length>(
            {"model.encoder_sequence_length", "Encoder sequence", "",
             "Tokens of one sequence in the encoder; 0: as many as in the decoder."}),
        number<model, &Model::flops_per_sample>(
            {"model.flops_per_sample", "FLOPs per sample", "",
             "Forward and backward of one sample; for models that are given as a list of tensors."})};
}

ScenarioSection modelSection()
{
    return {"Model in detail", together({shapeFigures(), biasAndNormFigures(), endFigures()})};
}

ScenarioSection trainingSection()
{
    constexpr auto training = &Scenario::training;
    return {"Training in detail",
            {number<training, &Training::gradient_bytes>(
                 {"training.gradient_bytes", "Gradient bytes", "g",
                  "Of one gradient as it is held and summed: 2, 4 or 6 (16 bits and a float sum)."}),
             choice<training, &Training::optimizer>(
                 {"training.optimizer", "Optimizer", "", "What it keeps for each parameter."},
                 {{"Adam",
                   "12 bytes for each parameter, a copy of the weight in fp32 included; in fp32 training 8"},
                  {"SGD", "With momentum: 8 bytes for each parameter, a copy of the weight in fp32 included; "
                          "in fp32 training 4"},
                  {"none", "Nothing is kept, and there is no step"}}),
             choice<training, &Training::offload>(
                 {"training.offload", "Offload", "", "What the host's memory holds instead of the GPU's."},
                 {{"nothing", "All states stay on the GPU"},
                  {"the optimizer", "ZeRO-Offload: gradients and new weights pass PCIe"}}),
             toggle<training, &Training::flash_attention>({"training.flash_attention", "Flash attention", "",
                                                           "The attention scores are never stored."}),
             toggle<training, &Training::causal_flops>(
                 {"training.causal_flops", "Causal FLOPs", "",
                  "Attention counts half, as causal masks need; the papers count all of it."})}};
}

Result<Scenario> withStageLayers(Scenario scenario, const QString& text)
{
    std::vector<std::int64_t> layers;
    for (const QString& part : text.split(',', Qt::SkipEmptyParts)) {
        bool ok = false;
        layers.push_back(part.trimmed().toLongLong(&ok));
        if (!ok)
            return Error{"Write a number of layers for each stage, with commas between: 14, 14, 14, 12."};
    }
    scenario.parallel.stage_layers = std::move(layers);
    return scenario;
}

QString stageLayers(const Scenario& scenario)
{
    QStringList parts;
    for (const std::int64_t layers : scenario.parallel.stage_layers)
        parts << QString::number(layers);
    return parts.join(", ");
}

ScenarioSection layoutSection()
{
    constexpr auto parallel = &Scenario::parallel;
    return {"Layout in detail",
            {choice<parallel, &Parallel::context_method>(
                 {"parallel.context_method", "Context method", "",
                  "How the ranks that share out a sequence work on its attention."},
                 {{"ring", "Keys and values go round a ring"},
                  {"Ulysses", "all_to_all between sequence and heads"}}),
             choice<parallel, &Parallel::stage_balance>(
                 {"parallel.stage_balance", "Stage balance", "", "How layers are dealt out to the stages."},
                 {{"layers", "Evenly; the first stages hold one more"},
                  {"ends count", "The embedding and the head each count as a layer"},
                  {"parameters", "Contiguous, with the smallest largest part"}}),
             TextFigure{{"parallel.stage_layers", "Layers by stage", "",
                         "One number for each stage; empty: balanced."},
                        stageLayers,
                        withStageLayers,
                        {},
                        "balanced",
                        nullptr}}};
}

ScenarioSection gpuSection()
{
    constexpr auto cluster = &Scenario::cluster;
    return {
        "GPU and nodes",
        {freeText<cluster, &Cluster::gpu>({"cluster.gpu", "GPU", "", "Name of the accelerator."}),
         number<cluster, &Cluster::peak_tflops>({"cluster.peak_tflops", "Peak", "F", "Dense, 16 bit."},
                                                nullptr, "TFLOP/s"),
         number<cluster, &Cluster::memory_GB>({"cluster.memory_GB", "Memory", "", "Capacity of one GPU."},
                                              nullptr, "GB"),
         number<cluster, &Cluster::memory_bandwidth_GBps>(
             {"cluster.memory_bandwidth_GBps", "Memory bandwidth", "",
              "Of one GPU's own memory: the time of norms and activations depends on it."},
             nullptr, "GB/s"),
         number<cluster, &Cluster::gpus_per_node>({"cluster.gpus_per_node", "GPUs per node", "",
                                                   "GPUs of one machine, joined by the link in a node."})}};
}

std::vector<ScenarioControl> linkFigures()
{
    constexpr auto cluster = &Scenario::cluster;
    constexpr auto intra = &Cluster::intra_node;
    constexpr auto inter = &Cluster::inter_node;
    const std::vector<Choice> owners{{"GPU", "The bandwidth is each GPU's"},
                                     {"node", "All GPUs of a node share it"}};
    return {
        freeText<cluster, intra, &Link::kind>({"cluster.intra_node.kind", "Link in a node", "",
                                               "Kind of the links between the GPUs of a node."},
                                              linkKinds()),
        number<cluster, intra, &Link::latency_us>({"cluster.intra_node.latency_us", "In-node latency", "",
                                                   "Of one message between two GPUs of a node."},
                                                  nullptr, "µs"),
        choice<cluster, intra, &Link::bandwidth_of>({"cluster.intra_node.bandwidth_of", "In-node rate per",
                                                     "", "Whose the bandwidth within a node is."},
                                                    owners),
        freeText<cluster, inter, &Link::kind>(
            {"cluster.inter_node.kind", "Network", "", "Kind of the network between nodes."}, linkKinds()),
        number<cluster, inter, &Link::latency_us>(
            {"cluster.inter_node.latency_us", "Network latency", "",
             "Of one message between two nodes. The steps of collectives were measured on networks of about "
             "30 µs: what is above adds to each step between nodes, less changes nothing of them."},
            nullptr, "µs"),
        choice<cluster, inter, &Link::bandwidth_of>({"cluster.inter_node.bandwidth_of", "Network rate per",
                                                     "", "Whose the bandwidth between nodes is."},
                                                    owners)};
}

std::vector<ScenarioControl> effectiveRateFigures()
{
    constexpr auto cluster = &Scenario::cluster;
    constexpr auto effective = &Cluster::effective;
    return {
        derivable<cluster, effective, &EffectiveBandwidth::tp_GBps>(
            {"cluster.effective_GBps.tp", "Tensor rate", "C_TP",
             "Effective bandwidth of tensor-parallel messages in Li et al.'s model; empty: from the links."},
            "GB/s"),
        derivable<cluster, effective, &EffectiveBandwidth::pp_GBps>(
            {"cluster.effective_GBps.pp", "Pipeline rate", "C_PP",
             "Effective bandwidth of pipeline messages in Li et al.'s model; empty: from the links."},
            "GB/s"),
        derivable<cluster, effective, &EffectiveBandwidth::dp_GBps>(
            {"cluster.effective_GBps.dp", "Data rate", "C_DP",
             "Effective bandwidth of data-parallel messages in Li et al.'s model; empty: from the links."},
            "GB/s")};
}

std::vector<ScenarioControl> wiringFigures()
{
    constexpr auto cluster = &Scenario::cluster;
    return {number<cluster, &Cluster::scale_up_gpus>(
                {"cluster.scale_up_gpus", "GPUs of a domain", "",
                 "That NVLink connects beyond a node, as in a rack of GB200; 0: those of a node."}),
            number<cluster, &Cluster::nics_per_node>(
                {"cluster.nics_per_node", "NICs per node", "",
                 "NICs that the GPUs of a node share: whose traffic the busiest one carries. No time "
                 "depends on it; 0: not known."}),
            choice<cluster, &Cluster::node_wiring>(
                {"cluster.node_wiring", "GPUs of a node", "",
                 "How they are joined: of a mesh, a part of the node has a part of the bandwidth."},
                {{"auto", "As the links' kind, bandwidth and number tell"},
                 {"mesh", "Each to each by links of their own"},
                 {"switch", "By a switch"}}),
            toggle<cluster, &Cluster::in_network_reduction>({"cluster.in_network_reduction",
                                                             "Reduce in network", "",
                                                             "Switches between nodes add up: half of the "
                                                             "traffic of an all_reduce over nodes. Inside a "
                                                             "node, NVLS is part of the cluster's law."}),
            toggle<cluster, &Cluster::few_node_trees>(
                {"cluster.few_node_trees", "Trees on few nodes", "",
                 "An all_reduce on two or three nodes takes trees: on two nodes they send up to a half less "
                 "than a ring between them, on three up to a quarter less; more nodes gain nothing."}),
            number<cluster, &Cluster::collectives, &CollectiveLaw::ring_adapters>(
                {"cluster.collectives.ring_adapters", "NICs of a ring", "",
                 "Of a node's NICs, those by which the rings of one group leave it; 0: one for each of "
                 "its members there."}),
            toggle<cluster, &Cluster::launch_blocking>(
                {"cluster.launch_blocking", "Kernels one by one", "",
                 "The processor starts a kernel when the one before it is done (CUDA_LAUNCH_BLOCKING=1): the "
                 "dispatch of every kernel adds to its time, and nothing overlaps."})};
}

ScenarioSection linkSection()
{
    return {"Links", together({linkFigures(), effectiveRateFigures(), wiringFigures()})};
}

// What `calibrate` fits: a share of the links' bandwidths, and latencies.
ScenarioSection collectiveLawSection()
{
    constexpr auto cluster = &Scenario::cluster;
    constexpr auto law = &Cluster::collectives;
    return {
        "Law of collectives",
        {number<cluster, law, &CollectiveLaw::intra_efficiency>(
             {"cluster.collectives.intra_efficiency", "Reached in a node", "",
              "Share of the bandwidth inside a node that a ring reaches."}),
         number<cluster, law, &CollectiveLaw::inter_efficiency>(
             {"cluster.collectives.inter_efficiency", "Reached between", "",
              "Share of a node's network bandwidth that is reached; over TCP about a half."}),
         number<cluster, law, &CollectiveLaw::derate_per_doubling>(
             {"cluster.collectives.derate_per_doubling", "Loss per doubling", "",
              "Across nodes: bandwidth / (1 + this * log2(nodes))."}),
         number<cluster, law, &CollectiveLaw::switch_reduce_efficiency>(
             {"cluster.collectives.switch_reduce_efficiency", "NVLS reaches", "",
              "Bus bandwidth of an all_reduce by the node's switch over the link's bandwidth; 0: it has "
              "none."}),
         number<cluster, law, &CollectiveLaw::all_reduce_step_us>(
             {"cluster.collectives.all_reduce_step_us", "all_reduce step", "",
              "Inside a node, for each of its 2 (g - 1) steps."},
             nullptr, "µs"),
         number<cluster, law, &CollectiveLaw::all_reduce_doubling_us>(
             {"cluster.collectives.all_reduce_doubling_us", "Per node doubling", "",
              "What an all_reduce across nodes takes longer for each doubling of their number."},
             nullptr, "µs"),
         number<cluster, law, &CollectiveLaw::ring_base_us>(
             {"cluster.collectives.ring_base_us", "Ring start", "",
              "What all_gather, reduce_scatter and their like take before their steps."},
             nullptr, "µs"),
         number<cluster, law, &CollectiveLaw::ring_step_us>(
             {"cluster.collectives.ring_step_us", "Ring step", "",
              "What all_gather, reduce_scatter and their like take for each of their n - 1 steps."},
             nullptr, "µs"),
         number<cluster, law, &CollectiveLaw::blend>(
             {"cluster.collectives.blend", "Blend", "p",
              "T = (latency^p + transfer^p)^(1/p) of an all_reduce: 1 adds them up, less makes the middle "
              "sizes slower."})}};
}

// What the detailed model computes with.
ScenarioSection computeLawSection()
{
    constexpr auto cluster = &Scenario::cluster;
    constexpr auto law = &Cluster::compute;
    return {"Law of compute",
            {number<cluster, law, &ComputeLaw::gemm_efficiency>(
                 {"cluster.compute.gemm_efficiency", "Products reach", "",
                  "Share of the peak that large products of matrices reach."}),
             number<cluster, law, &ComputeLaw::memory_efficiency>(
                 {"cluster.compute.memory_efficiency", "Memory reaches", "",
                  "Share of the memory's bandwidth that norms, activations and dropout reach."}),
             number<cluster, law, &ComputeLaw::attention_efficiency>(
                 {"cluster.compute.attention_efficiency", "Fused attention", "",
                  "Share of the peak that a fused attention kernel reaches."}),
             number<cluster, law, &ComputeLaw::dispatch_us>(
                 {"cluster.compute.dispatch_us", "Dispatch", "",
                  "Of the processor, for each kernel: a layer never takes less."},
                 nullptr, "µs"),
             number<cluster, law, &ComputeLaw::overlap_contention>(
                 {"cluster.compute.overlap_contention", "Contention", "",
                  "Where communication hides behind compute, compute slows down by this share of the time "
                  "hidden."}),
             number<cluster, law, &ComputeLaw::dp_overlap_exposed>(
                 {"cluster.compute.dp_overlap_exposed", "Unhidden gradients", "",
                  "Of gradients and parameters that travel beneath a pass, the share of their time that "
                  "compute waits for all the same."}),
             number<cluster, law, &ComputeLaw::tp_overlap_exposed>(
                 {"cluster.compute.tp_overlap_exposed", "Unhidden tensor", "",
                  "Share of overlapped tensor-parallel messages that compute waits for all the same."})}};
}

} // namespace

std::vector<ScenarioControl> together(std::initializer_list<std::vector<ScenarioControl>> groups)
{
    std::vector<ScenarioControl> all;
    for (const std::vector<ScenarioControl>& group : groups)
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

std::vector<ScenarioSection> advancedSections()
{
    return {modelSection(), expertSection(), trainingSection(),      layoutSection(),    conventionSection(),
            gpuSection(),   linkSection(),   collectiveLawSection(), computeLawSection()};
}

} // namespace shardscope
