#include "core/base/format.h"
#include "core/base/most_ranks.h"
#include "core/scenario/validation/findings.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Far beyond anything that was ever trained, and small enough that products of a few stay countable.
constexpr std::int64_t most_layers = 10'000;
constexpr std::int64_t most_modules = 64; // of multi-token prediction
constexpr std::int64_t most_width = 1 << 20;
constexpr std::int64_t most_ffn = 1 << 24;
constexpr std::int64_t most_vocabulary = 1 << 28;
constexpr std::int64_t most_tokens = 1 << 27;
constexpr std::int64_t most_heads = 1 << 16;
constexpr std::int64_t most_batch = 1 << 30;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
constexpr double least_rate = 1e-9;
constexpr double most_rate = 1e12;

void checkModel(const Model& model, Findings& findings)
{
    findings.range("model.layers", model.layers, 1, most_layers);
    if (static_cast<std::int64_t>(model.layer_pattern.size()) > most_layers)
        findings.add("model.layer_pattern",
                     "layer_pattern has "
                         + formatGrouped(static_cast<std::int64_t>(model.layer_pattern.size()))
                         + " words; write at most " + formatGrouped(most_layers) + ", one for each layer");
    findings.range("model.mtp_layers", model.mtp_layers, 0, most_modules);
    findings.range("model.encoder_layers", model.encoder_layers, 0, most_layers);
    findings.range("model.encoder_sequence_length", model.encoder_sequence_length, 0, most_tokens);
    findings.range("model.hidden_size", model.hidden_size, 1, most_width);
    findings.range("model.attention_heads", model.attention_heads, 1, most_heads);
    if (model.kv_heads < 1 || model.kv_heads > most_heads) // else checkRelations() has the sentence
        findings.range("model.kv_heads", model.kv_heads, 1,
                       std::clamp<std::int64_t>(model.attention_heads, 1, most_heads));
    findings.range("model.head_dim", model.head_dim, 1, most_heads);
    findings.range("model.ffn_hidden_size", model.ffn_hidden_size, 1, most_ffn);
    findings.range("model.vocab_size", model.vocab_size, 1, most_vocabulary);
    findings.range("model.vocab_padding", model.vocab_padding, 1, most_width);
    findings.range("model.sequence_length", model.sequence_length, 1, most_tokens);
    findings.range("model.sliding_window", model.sliding_window, 0, most_tokens);
    findings.range("model.full_attention_every", model.full_attention_every, 0, most_layers);
    findings.range("model.norms_per_layer", model.norms_per_layer, 0, 16);
    findings.range("model.token_types", model.token_types, 0, most_width);
    findings.range("model.flops_per_sample", model.flops_per_sample, 0.0, 1e30);
}

void checkMla(const Mla& mla, Findings& findings)
{
    const std::int64_t least = mla.kv_lora_rank == 0 ? 0 : 1; // the others count only when it is on
    findings.range("model.mla.q_lora_rank", mla.q_lora_rank, 0, most_width);
    findings.range("model.mla.kv_lora_rank", mla.kv_lora_rank, 0, most_width);
    findings.range("model.mla.qk_nope_head_dim", mla.qk_nope_head_dim, least, most_heads);
    findings.range("model.mla.qk_rope_head_dim", mla.qk_rope_head_dim, 0, most_heads);
    findings.range("model.mla.v_head_dim", mla.v_head_dim, least, most_heads);
}

void checkRecurrence(const Recurrence& recurrence, Findings& findings)
{
    findings.range("model.recurrence.heads", recurrence.heads, 0, most_heads);
    findings.range("model.recurrence.value_dim", recurrence.value_dim, 1, most_heads);
    findings.range("model.recurrence.key_groups", recurrence.key_groups, 1, most_heads);
    findings.range("model.recurrence.key_dim", recurrence.key_dim, 1, most_heads);
    findings.range("model.recurrence.conv_kernel", recurrence.conv_kernel, 1, most_heads);
}

void checkExperts(const Experts& experts, Findings& findings)
{
    findings.range("model.experts.count", experts.count, 0, most_heads);
    findings.range("model.experts.every", experts.every, 1, most_layers);
    findings.range("model.experts.first", experts.first, 0, most_layers);
    findings.range("model.experts.shared", experts.shared, 0, most_heads);
    findings.range("model.experts.capacity_factor", experts.capacity_factor, 0.0, 1e6);
    findings.range("model.experts.skew", experts.skew, 0.0, 1.0);
    findings.range("model.experts.single_choice", experts.single_choice, 0.0, 1.0);
    findings.range("model.experts.per_token", experts.per_token, 1, most_heads);
    findings.range("model.experts.ffn_hidden_size", experts.ffn_hidden_size, experts.count > 0 ? 1 : 0,
                   most_ffn);
    findings.range("model.experts.groups", experts.groups, 1, most_heads);
    findings.range("model.experts.groups_per_token", experts.groups_per_token, 1, most_heads);
    if (experts.count > 0 && experts.per_token > experts.count)
        findings.add("model.experts.per_token",
                     named("model.experts.per_token", experts.per_token) + " is more than experts.count ("
                         + std::to_string(experts.count) + "); choose at most that");
}

void checkMoment(const char* key, int bytes, Findings& findings)
{
    if (bytes != 1 && bytes != 2 && bytes != 4)
        findings.add(std::string{"training."} + key,
                     named(key, bytes) + " must be 1 (8 bits), 2 (16 bits) or 4 (fp32)");
}

void checkOptimizer(const Training& training, Findings& findings)
{
    const int copy = training.master_bytes;
    if (copy != 0 && copy != 2 && copy != 4)
        findings.add("training.master_bytes",
                     named("master_bytes", copy)
                         + " must be 0 (no copy of the weights), 2 (16 bits) or 4 (fp32)");
    checkMoment("exp_avg_bytes", training.exp_avg_bytes, findings);
    checkMoment("exp_avg_sq_bytes", training.exp_avg_sq_bytes, findings);
}

bool hasCountableReplicas(const Parallel& parallel)
{
    return parallel.data >= 1 && parallel.data <= most_ranks;
}

// A global batch that the file leaves out follows from the micro-batch and the replicas: with one of these
// out of range it says nothing of its own.
void checkBatchSizes(const Training& training, const Parallel& parallel, Findings& findings)
{
    findings.range("training.micro_batch_size", training.micro_batch_size, 1, most_batch);
    const bool is_countable = training.micro_batch_size >= 1 && training.micro_batch_size <= most_batch;
    if (is_countable && hasCountableReplicas(parallel))
        findings.range("training.global_batch_size", training.global_batch_size, 1, most_batch);
}

void checkTraining(const Training& training, Findings& findings)
{
    const int bytes = training.gradient_bytes;
    if (bytes != 2 && bytes != 4 && bytes != 6)
        findings.add("training.gradient_bytes",
                     named("gradient_bytes", bytes)
                         + " must be 2 (16 bits), 4 (float), or 6 (16 bits and a float sum)");
    checkOptimizer(training, findings);
    findings.range("training.recompute_layers", training.recompute_layers, 0, most_layers);
}

void checkParallel(const Parallel& parallel, Findings& findings)
{
    findings.range("parallel.pipeline", parallel.pipeline, 1, most_layers);
    findings.range("parallel.tensor", parallel.tensor, 1, most_heads);
    findings.range("parallel.data", parallel.data, 1, most_ranks);
    findings.range("parallel.context", parallel.context, 1, most_ranks);
    findings.range("parallel.expert", parallel.expert, 1, most_ranks);
    findings.range("parallel.virtual_stages", parallel.virtual_stages, 1, most_layers);
    findings.range("parallel.micro_batch_group", parallel.micro_batch_group, 0, most_ranks);
    findings.range("parallel.zero_stage", std::int64_t{parallel.zero_stage}, 0, 3);
    for (const std::int64_t layers : parallel.stage_layers)
        findings.range("parallel.stage_layers", layers, 0, most_layers);
    std::array<bool, 5> seen{};
    for (const Dimension dimension : parallel.rank_order)
        seen[static_cast<std::size_t>(dimension)] = true;
    if (!std::ranges::all_of(seen, [](bool is_seen) { return is_seen; }))
        findings.add("parallel.rank_order",
                     "rank_order has a dimension twice; name each of tp, cp, ep, dp, pp once");
}

void checkLink(std::string_view bandwidth, std::string_view latency, const Link& link, Findings& findings)
{
    findings.range(bandwidth, link.bandwidth_GBps, least_rate, most_rate);
    findings.range(latency, link.latency_us, 0.0, 1e9);
}

void checkBandwidthOwners(const Cluster& cluster, Findings& findings)
{
    if (cluster.intra_node.bandwidth_of == BandwidthOf::nic)
        findings.add(
            "cluster.intra_node.bandwidth_of",
            "intra_node.bandwidth_of is nic, but no NIC joins the GPUs of a node; choose gpu or node");
    if (cluster.inter_node.bandwidth_of == BandwidthOf::nic && cluster.nics_per_node == 0)
        findings.add("cluster.nics_per_node",
                     "nics_per_node is 0, not known, and inter_node.bandwidth_of is nic; say how many NICs a "
                     "node has, or choose gpu or node");
}

void checkCluster(const Cluster& cluster, Findings& findings)
{
    findings.range("cluster.peak_tflops", cluster.peak_tflops, least_rate, most_rate);
    findings.range("cluster.memory_GB", cluster.memory_GB, least_rate, 1e9);
    findings.range("cluster.memory_bandwidth_GBps", cluster.memory_bandwidth_GBps, least_rate, most_rate);
    findings.range("cluster.gpus_per_node", cluster.gpus_per_node, 1, most_ranks);
    findings.range("cluster.scale_up_gpus", cluster.scale_up_gpus, 0, most_ranks);
    findings.range("cluster.nics_per_node", cluster.nics_per_node, 0, most_ranks);
    findings.range("cluster.nodes_per_pod", cluster.nodes_per_pod, 0, most_ranks);
    findings.range("cluster.oversubscription", cluster.oversubscription, 1.0, 1e6);
    checkLink("cluster.intra_node.bandwidth_GBps", "cluster.intra_node.latency_us", cluster.intra_node,
              findings);
    checkLink("cluster.inter_node.bandwidth_GBps", "cluster.inter_node.latency_us", cluster.inter_node,
              findings);
    checkBandwidthOwners(cluster, findings);
    findings.range("cluster.mu", cluster.mu, 1e-6, 1.0);
    findings.range("cluster.fitted_mu", cluster.fitted_mu, 0.0, 1.0);
    findings.range("cluster.effective_GBps.tp", cluster.effective.tp_GBps.value_or(1.0), least_rate,
                   most_rate);
    findings.range("cluster.effective_GBps.pp", cluster.effective.pp_GBps.value_or(1.0), least_rate,
                   most_rate);
    findings.range("cluster.effective_GBps.dp", cluster.effective.dp_GBps.value_or(1.0), least_rate,
                   most_rate);
}

void checkTensors(const Model& model, Findings& findings)
{
    constexpr std::int64_t most_parameters = std::int64_t{1} << 50;
    if (model.tensors.empty())
        findings.add("model.tensors",
                     "a parameter_list needs its tensors; list each with its name and parameters");
    double sum = 0.0;
    for (std::size_t row = 0; row < model.tensors.size(); ++row) {
        const std::int64_t parameters = model.tensors[row].parameters;
        if (parameters < 1 || parameters > most_parameters)
            findings.add("model.tensors", "tensors[" + std::to_string(row) + "].parameters is "
                                              + std::to_string(parameters) + "; choose 1 to "
                                              + formatGrouped(most_parameters));
        sum += static_cast<double>(parameters);
    }
    if (sum > static_cast<double>(most_parameters))
        findings.add("model.tensors",
                     "the tensors have more than 2^50 parameters together; check their sizes");
}

std::int64_t longestSequence(const Model& model)
{
    return std::max(model.sequence_length, model.encoder_sequence_length);
}

// Upper bounds, in floating point: they cannot overflow, and what they let pass is countable.
double parametersAtMost(const Scenario& scenario)
{
    const Model& model = scenario.model;
    const auto real = [](std::int64_t size) { return static_cast<double>(size); };
    const double hidden = real(model.hidden_size);
    const double attention =
        6.0 * hidden * real(model.attention_heads) * real(model.head_dim)
        + 4.0 * (hidden + real(model.attention_heads) * real(model.head_dim + 1))
              * real(model.mla.q_lora_rank + model.mla.kv_lora_rank + model.mla.qk_nope_head_dim
                     + model.mla.qk_rope_head_dim + model.mla.v_head_dim + 1);
    const Recurrence& recurrence = model.recurrence;
    const double values = real(recurrence.heads) * real(recurrence.value_dim + 2);
    const double keys = real(recurrence.key_groups) * real(recurrence.key_dim);
    const double recurrences =
        (4.0 * hidden + real(recurrence.conv_kernel + 2)) * (values + keys) + real(recurrence.value_dim);
    const double experts = real(model.experts.count + model.experts.shared);
    const double mlp =
        4.0 * hidden * (real(model.ffn_hidden_size) + experts * real(model.experts.ffn_hidden_size + 1));
    const double vocabulary =
        real(model.vocab_size) + real(model.vocab_padding) * real(scenario.parallel.tensor);
    const double layers = real(model.layers + model.mtp_layers + model.encoder_layers);
    const double rows = 2.0 * vocabulary + real(longestSequence(model)) + real(model.token_types);
    return real(model.mtp_layers) * (2.0 * hidden * hidden + 6.0 * hidden)
           + layers * (2.0 * attention + recurrences + mlp + (16.0 + real(model.norms_per_layer)) * hidden)
           + (rows + 4.0 * hidden + 16.0) * hidden + 64.0 * real(model.attention_heads);
}

// Of what a token keeps of a recurrence, and its share of the states between chunks.
double recurrenceWidth(const Recurrence& recurrence)
{
    const auto real = [](std::int64_t size) { return static_cast<double>(size); };
    const double values = real(recurrence.heads) * real(recurrence.value_dim);
    const double keys = real(std::max(recurrence.key_groups, recurrence.heads)) * real(recurrence.key_dim);
    return values + keys + values * real(recurrence.key_dim) / 64.0;
}

// Bytes that one rank moves or keeps in an iteration, generously: 64 for each token, layer and widest row,
// and 16 for each attention score of the micro-batches in flight.
double bytesAtMost(const Scenario& scenario)
{
    const Model& model = scenario.model;
    const auto real = [](std::int64_t size) { return static_cast<double>(size); };
    const double length = real(longestSequence(model));
    const double tokens = real(scenario.training.global_batch_size) * length;
    const std::int64_t latent_head =
        model.mla.qk_nope_head_dim + model.mla.qk_rope_head_dim + model.mla.v_head_dim;
    const double width =
        std::max({real(model.hidden_size), real(model.ffn_hidden_size),
                  real(model.attention_heads) * real(std::max(model.head_dim, latent_head)),
                  real(model.mla.q_lora_rank + model.mla.kv_lora_rank), recurrenceWidth(model.recurrence),
                  real(model.experts.ffn_hidden_size) * real(1 + model.experts.shared)});
    const double vocabulary =
        (real(model.vocab_size) + real(model.vocab_padding) * real(scenario.parallel.tensor))
        * real(1 + model.mtp_layers);
    const double layers = 2.0 * real(model.layers + model.mtp_layers + model.encoder_layers);
    const double routed =
        std::max(1.0, real(model.experts.per_token) * std::max(1.0, model.experts.capacity_factor));
    const double scores =
        real(scenario.training.micro_batch_size) * length * length * real(model.attention_heads) * layers;
    return 64.0 * tokens * (layers * width * routed + vocabulary) + 16.0 * scores;
}

} // namespace

void checkRanges(const Scenario& scenario, Findings& findings)
{
    // Figures before those that follow from them where a file leaves them out.
    checkParallel(scenario.parallel, findings);
    checkBatchSizes(scenario.training, scenario.parallel, findings);
    checkTraining(scenario.training, findings);
    checkCluster(scenario.cluster, findings);
    if (hasCountableReplicas(scenario.parallel)) // Megatron-LM's buckets grow with them
        findings.range("conventions.dp_bucket_bytes", scenario.conventions.dp_bucket_bytes, 1, most_bytes);
    if (scenario.model.kind == ModelKind::parameter_list)
        checkTensors(scenario.model, findings);
    checkModel(scenario.model, findings);
    checkMla(scenario.model.mla, findings);
    checkExperts(scenario.model.experts, findings);
    checkRecurrence(scenario.model.recurrence, findings);
}

void checkProducts(const Scenario& scenario, Findings& findings)
{
    constexpr double countable = 4e18; // below 2^62
    const Parallel& parallel = scenario.parallel;
    const double ranks = static_cast<double>(parallel.pipeline) * static_cast<double>(parallel.tensor)
                         * static_cast<double>(parallel.context) * static_cast<double>(parallel.data);
    if (ranks > static_cast<double>(most_ranks))
        findings.add("parallel.data", "pipeline * tensor * context * data is more than "
                                          + formatGrouped(most_ranks) + " GPUs; make one of them smaller");
    // Every micro-batch of ZeRO-3 moves all parameters three times, four bytes each.
    const double sequences =
        static_cast<double>(scenario.training.micro_batch_size) * static_cast<double>(scenario.parallel.data);
    const double micro_batches =
        std::max(1.0, static_cast<double>(scenario.training.global_batch_size) / sequences);
    constexpr double many_micro_batches = 1e6; // than which the batch is at fault, not the model
    const double moved_at_once = 16.0 * parametersAtMost(scenario);
    if (moved_at_once * micro_batches > countable && moved_at_once * many_micro_batches <= countable)
        findings.add("training.global_batch_size",
                     "each replica has about " + formatCount(micro_batches)
                         + " micro-batches, more than can be counted with this model; make "
                           "global_batch_size smaller, or micro_batch_size or data larger");
    else if (moved_at_once * micro_batches > countable)
        findings.add("model.hidden_size",
                     "the model has about " + formatCount(parametersAtMost(scenario))
                         + " parameters, more than can be counted through an iteration; "
                           "make hidden_size, layers, experts or global_batch_size smaller");
    else if (bytesAtMost(scenario) > countable)
        findings.add("model.sequence_length", "an iteration moves more bytes than can be counted; make "
                                              "sequence_length, global_batch_size or hidden_size smaller");
}

} // namespace shardscope
