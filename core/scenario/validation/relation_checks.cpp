#include "core/scenario/scale_up_domain.h"
#include "core/scenario/validation/findings.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <numeric>

namespace shardscope
{

namespace
{

// Ulysses hands whole heads to the ranks of a context group; keys and values may be copied for them, but
// evenly.
void checkExchangedHeads(const Model& model, const Parallel& parallel, Findings& findings)
{
    const std::int64_t c = parallel.context;
    const std::int64_t heads = model.attention_heads / parallel.tensor;
    findings.divides("parallel.context", c, "attention_heads / tensor", heads);
    const std::int64_t key_heads = std::max<std::int64_t>(1, model.kv_heads / parallel.tensor);
    if (heads % c == 0 && model.mla.kv_lora_rank == 0 && key_heads % c != 0 && c % key_heads != 0)
        findings.divides("parallel.context", c, "kv_heads / tensor", key_heads);
}

bool hasDenseLayers(const Model& model)
{
    if (!model.layer_pattern.empty())
        return model.hasForm(hasMlp) || (model.mtp_layers > 0 && !model.hasExpertLayers());
    return model.experts.count == 0 || model.experts.every != 1 || model.experts.first != 0;
}

// Shared experts are cut as any MLP.
bool cutsExperts(const Model& model, const Parallel& parallel)
{
    return model.hasExpertLayers() && (parallel.expert_tensor_parallel || model.experts.shared > 0);
}

// What a tensor group cuts into equal parts.
bool canBeCut(const Model& model, const Parallel& parallel, std::int64_t tensor)
{
    const bool keys =
        model.mla.kv_lora_rank > 0 || model.kv_heads % tensor == 0 || tensor % model.kv_heads == 0;
    return keys && model.attention_heads % tensor == 0
           && (!hasDenseLayers(model) || model.ffn_hidden_size % tensor == 0)
           && (!cutsExperts(model, parallel) || model.experts.ffn_hidden_size % tensor == 0);
}

void checkTensor(const Model& model, const Parallel& parallel, std::string_view name, std::int64_t size,
                 Findings& findings)
{
    findings.divides("parallel.tensor", parallel.tensor, name, size,
                     [&](std::int64_t tensor) { return canBeCut(model, parallel, tensor); });
}

void checkHeads(const Model& model, const Parallel& parallel, Findings& findings)
{
    const bool has_mla = model.mla.kv_lora_rank > 0;
    if (!has_mla)
        findings.divides("model.kv_heads", model.kv_heads, "attention_heads", model.attention_heads);
    checkTensor(model, parallel, "attention_heads", model.attention_heads, findings);
    const bool one_divides_the_other =
        model.kv_heads % parallel.tensor == 0 || parallel.tensor % model.kv_heads == 0;
    if (!has_mla && model.attention_heads % parallel.tensor == 0 && !one_divides_the_other)
        checkTensor(model, parallel, "kv_heads", model.kv_heads, findings);
    if (parallel.context > 1 && parallel.context_method == ContextMethod::ulysses
        && model.attention_heads % parallel.tensor == 0)
        checkExchangedHeads(model, parallel, findings);
}

void checkWidths(const Model& model, const Parallel& parallel, Findings& findings)
{
    if (hasDenseLayers(model))
        checkTensor(model, parallel, "ffn_hidden_size", model.ffn_hidden_size, findings);
    if (cutsExperts(model, parallel))
        checkTensor(model, parallel, "experts.ffn_hidden_size", model.experts.ffn_hidden_size, findings);
}

void checkSequence(const Scenario& scenario, Findings& findings)
{
    const Parallel& parallel = scenario.parallel;
    const std::int64_t length = scenario.model.sequence_length;
    findings.divides("parallel.context", parallel.context, "sequence_length", length);
    if (length % parallel.context != 0)
        return;
    const std::int64_t part = length / parallel.context;
    if (parallel.sequence_parallel && part % parallel.tensor != 0)
        findings.add(
            "parallel.sequence_parallel",
            "sequence_parallel splits " + std::to_string(part) + " tokens over tensor ("
                + std::to_string(parallel.tensor) + ") ranks, which does not come out even; choose a "
                + "sequence_length that is a multiple of "
                + std::to_string(parallel.tensor * parallel.context) + ", or turn sequence_parallel off");
    // Remainders of the factors, so that nothing overflows.
    const std::int64_t t = parallel.tensor;
    const std::int64_t elements_left =
        (scenario.training.micro_batch_size % t) * (part % t) % t * (scenario.model.hidden_size % t) % t;
    if (scenario.conventions.pp_partitioned && parallel.pipeline > 1 && elements_left != 0)
        findings.add("conventions.pp_partitioned",
                     "pp_partitioned cuts a pipeline message into tensor (" + std::to_string(t)
                         + ") parts, which do not come out even; choose another "
                           "tensor or hidden_size, or turn pp_partitioned off");
}

// How to come down to `units` pieces: by the number that is too large, or where that alone does not do, by
// the missing layers.
std::string fewerStages(const Parallel& parallel, std::int64_t units, std::int64_t missing_layers)
{
    if (parallel.pipeline <= units)
        return "choose at most " + std::to_string(units / parallel.pipeline) + " virtual stages";
    if (const std::int64_t most = units / parallel.virtual_stages; most > 0)
        return "choose at most " + std::to_string(most) + (most == 1 ? " stage" : " stages");
    return "choose fewer of both, or at least " + std::to_string(missing_layers) + " more layers";
}

void checkStages(const Scenario& scenario, Findings& findings)
{
    const Parallel& parallel = scenario.parallel;
    const std::int64_t layers = scenario.model.layers;
    const std::int64_t chunks = parallel.pipeline * parallel.virtual_stages;
    if (!parallel.stage_layers.empty()) {
        const auto given = static_cast<std::int64_t>(parallel.stage_layers.size());
        const std::int64_t sum =
            std::accumulate(parallel.stage_layers.begin(), parallel.stage_layers.end(), std::int64_t{0});
        if (given != chunks)
            findings.add("parallel.stage_layers",
                         "stage_layers has " + std::to_string(given)
                             + " numbers; give pipeline * virtual_stages = " + std::to_string(chunks));
        else if (sum != layers)
            findings.add("parallel.stage_layers", "stage_layers adds up to " + std::to_string(sum)
                                                      + "; the model has " + std::to_string(layers)
                                                      + " layers");
        return;
    }
    const bool ends_count = parallel.stage_balance == StageBalance::ends_count;
    const std::int64_t units = layers + (ends_count ? 2 : 0);
    if (chunks <= units)
        return;
    const bool pipeline_alone = parallel.pipeline > units;
    findings.add(pipeline_alone ? "parallel.pipeline" : "parallel.virtual_stages",
                 (parallel.virtual_stages > 1 ? "pipeline * virtual_stages (" + std::to_string(chunks) + ")"
                                              : named("pipeline", chunks))
                     + " is more than the " + std::to_string(units)
                     + (ends_count   ? " layers with both ends"
                        : units == 1 ? " layer"
                                     : " layers")
                     + " to share out; " + fewerStages(parallel, units, chunks - units));
}

void checkExperts(const Model& model, const Parallel& parallel, Findings& findings)
{
    if (parallel.expert > 1 && !model.hasExpertLayers())
        return findings.add("parallel.expert",
                            named("expert", parallel.expert) + " needs a mixture of experts; set "
                                + (model.experts.count == 0 ? "experts.count" : "layers with experts (E)")
                                + ", or expert to 1");
    const std::int64_t ranks = parallel.expertRanks();
    const auto sharesOut = [&](std::int64_t expert) {
        return ranks % expert == 0 && model.experts.count % expert == 0;
    };
    const std::string shared = parallel.context > 1 ? "data * context" : "data";
    const bool are_whole = parallel.holdsExpertsWhole();
    findings.divides("parallel.expert", parallel.expert, are_whole ? shared + " * tensor" : shared, ranks,
                     sharesOut);
    if (model.hasExpertLayers() && are_whole && !parallel.sequence_parallel)
        findings.add("parallel.expert_tensor_parallel",
                     "expert_tensor_parallel false needs tensor ranks with tokens of their own; set "
                     "sequence_parallel or expert_tensor_parallel to true");
    if (model.hasExpertLayers())
        findings.divides("parallel.expert", parallel.expert, "experts.count", model.experts.count, sharesOut);
}

void checkGroups(const Experts& experts, Findings& findings)
{
    if (experts.count == 0 || experts.groups < 1 || experts.groups_per_token < 1)
        return;
    if (experts.count % experts.groups != 0)
        return findings.divides("model.experts.groups", experts.groups, "experts.count", experts.count);
    if (experts.groups_per_token > experts.groups)
        return findings.add("model.experts.groups_per_token",
                            named("groups_per_token", experts.groups_per_token)
                                + " is more than experts.groups (" + std::to_string(experts.groups)
                                + "); choose at most that");
    const std::int64_t open = experts.count / experts.groups * experts.groups_per_token;
    if (experts.per_token > open)
        findings.add("model.experts.groups_per_token",
                     named("groups_per_token", experts.groups_per_token) + " groups hold "
                         + std::to_string(open) + " experts, a token needs per_token ("
                         + std::to_string(experts.per_token) + ") of them; choose more groups");
}

void checkDispatcher(const Scenario& scenario, Findings& findings)
{
    const Experts& experts = scenario.model.experts;
    if (scenario.conventions.token_dispatcher == TokenDispatcher::deepep && experts.count > 0
        && experts.capacity_factor > 0.0)
        findings.add("conventions.token_dispatcher",
                     "token_dispatcher deepep sends what the routing asks for; set experts.capacity_factor "
                     "to 0, or token_dispatcher to all_to_all");
}

// A rack that is one domain of links cannot stand in two pods.
void checkPods(const Cluster& cluster, Findings& findings)
{
    const std::int64_t domain = scaleUpDomain(cluster);
    if (domain < 1 || cluster.nodes_per_pod * cluster.gpus_per_node % domain == 0)
        return;
    findings.add("cluster.nodes_per_pod", "nodes_per_pod (" + std::to_string(cluster.nodes_per_pod)
                                              + ") nodes of " + std::to_string(cluster.gpus_per_node)
                                              + " GPUs do not fill whole domains of scale_up_gpus ("
                                              + std::to_string(domain) + "); set a multiple");
}

// Lists of parameters have no layers that could be cut: they are trained in data parallelism alone.
void checkPureData(const Parallel& parallel, Findings& findings)
{
    const auto one = [&](std::string_view field, std::int64_t value) {
        if (value != 1)
            findings.add(field, named(field, value)
                                    + " cannot be used with a parameter_list, which is trained only in "
                                      "data parallelism; choose 1");
    };
    one("parallel.pipeline", parallel.pipeline);
    one("parallel.tensor", parallel.tensor);
    one("parallel.context", parallel.context);
    one("parallel.expert", parallel.expert);
    one("parallel.virtual_stages", parallel.virtual_stages);
    if (isVShaped(parallel.schedule))
        findings.add("parallel.schedule", "schedule " + std::string{word(parallel.schedule)}
                                              + " needs stages, which a parameter_list has not; choose 1f1b");
}

// They are of attention that looks back.
void checkWindows(const Model& model, Findings& findings)
{
    if (model.sliding_window > 0 && (model.hasEncoder() || model.output_head == OutputHead::bert))
        findings.add("model.sliding_window", named("sliding_window", model.sliding_window)
                                                 + " is predicted for causal attention alone; set 0");
}

// The encoder's output goes to every layer of the decoder: it does not fit into a row of stages, nor do its
// parts into a ring.
void checkEncoder(const Scenario& scenario, Findings& findings)
{
    const Model& model = scenario.model;
    const Parallel& parallel = scenario.parallel;
    const auto refuse = [&](std::string_view field, const std::string& what, const std::string& instead) {
        findings.add(field, what + " is not predicted for a model with encoder_layers" + instead);
    };
    if (parallel.pipeline > 1)
        refuse("parallel.pipeline", named("pipeline", parallel.pipeline),
               ", whose output goes to every layer of the decoder; choose 1");
    if (parallel.context > 1)
        refuse("parallel.context", named("context", parallel.context),
               ", whose output goes to every layer of the decoder; choose 1");
    if (model.experts.count > 0)
        refuse("model.experts.count", "a mixture of experts", "; set experts.count to 0");
    if (model.mla.kv_lora_rank > 0)
        refuse("model.mla.kv_lora_rank", "latent attention", "; set mla.kv_lora_rank to 0");
    if (scenario.time_model == TimeModel::li)
        refuse("time_model", "Li et al.'s time model", "; choose detailed");
    if (parallel.sequence_parallel && model.encoderLength() % parallel.tensor != 0)
        findings.divides("parallel.tensor", parallel.tensor, "encoder_sequence_length",
                         model.encoderLength());
}

// Modules of multi-token prediction stand behind a decoder that predicts the next token; their projection is
// split by columns.
void checkMultiToken(const Model& model, const Parallel& parallel, Findings& findings)
{
    const auto refuse = [&](const std::string& what) {
        findings.add("model.mtp_layers",
                     named("mtp_layers", model.mtp_layers) + " cannot be used with " + what + "; set 0");
    };
    if (model.kind == ModelKind::parameter_list)
        return refuse("a parameter_list, which has no layers");
    if (model.hasEncoder())
        return refuse("encoder_layers: modules that predict further tokens follow a decoder alone");
    if (model.output_head == OutputHead::bert)
        return refuse("BERT's output, which predicts no next token");
    if (model.hidden_size % parallel.tensor != 0)
        checkTensor(model, parallel, "hidden_size", model.hidden_size, findings);
}

} // namespace

void checkRelations(const Scenario& scenario, Findings& findings)
{
    checkBatch(scenario, findings);
    checkPasses(scenario, findings);
    checkPods(scenario.cluster, findings);
    if (scenario.model.mtp_layers > 0)
        checkMultiToken(scenario.model, scenario.parallel, findings);
    if (scenario.model.kind == ModelKind::parameter_list)
        return checkPureData(scenario.parallel, findings);
    if (scenario.model.hasAttentionLayers())
        checkHeads(scenario.model, scenario.parallel, findings);
    checkPattern(scenario, findings);
    checkWidths(scenario.model, scenario.parallel, findings);
    checkStages(scenario, findings);
    checkSequence(scenario, findings);
    checkExperts(scenario.model, scenario.parallel, findings);
    checkGroups(scenario.model.experts, findings);
    checkDispatcher(scenario, findings);
    if (scenario.model.hasEncoder())
        checkEncoder(scenario, findings);
    checkWindows(scenario.model, findings);
    checkSchedule(scenario, findings);
}

} // namespace shardscope
