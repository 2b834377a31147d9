// Whether a pattern of layers has what its forms ask for, and recurrences can be cut as the layout cuts them.
#include "core/scenario/validation/findings.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// What takes a decoder of layers with attention for granted.
void checkKind(const Model& model, Findings& findings)
{
    const auto refuse = [&](const char* what) {
        findings.add("model.layer_pattern",
                     std::string{"layer_pattern cannot be used with "} + what + "; leave it empty");
    };
    if (model.kind == ModelKind::parameter_list)
        refuse("a parameter_list, which has no layers");
    else if (model.hasEncoder())
        refuse("encoder_layers, whose decoder attends to them in every layer");
    else if (model.output_head == OutputHead::bert)
        refuse("BERT's output, whose layers look both ways");
}

void checkBlocks(const Model& model, Findings& findings)
{
    if (model.hasForm(hasExperts) && model.experts.count == 0)
        findings.add("model.layer_pattern",
                     "layer_pattern has layers with experts (E), and experts.count is 0; "
                     "set that, or write - for an MLP");
    if (model.hasForm(hasRecurrence) && model.recurrence.heads == 0)
        findings.add("model.recurrence.heads",
                     "layer_pattern has recurrences (M), and recurrence.heads is 0; set that, or write * for "
                     "attention");
}

void checkCuts(const Recurrence& recurrence, const Parallel& parallel, Findings& findings)
{
    const std::int64_t tensor = parallel.tensor;
    const std::int64_t context = parallel.context;
    const auto cutsBoth = [&](std::int64_t ranks) {
        return recurrence.heads % ranks == 0 && recurrence.key_groups % ranks == 0;
    };
    findings.divides("model.recurrence.key_groups", recurrence.key_groups, "recurrence.heads",
                     recurrence.heads);
    findings.divides("parallel.tensor", tensor, "recurrence.heads", recurrence.heads, cutsBoth);
    if (recurrence.heads % tensor != 0)
        return;
    findings.divides("parallel.tensor", tensor, "recurrence.key_groups", recurrence.key_groups, cutsBoth);
    if (context < 2 || recurrence.key_groups % tensor != 0)
        return;
    const std::int64_t groups = recurrence.key_groups / tensor;
    findings.divides("parallel.context", context, "recurrence.heads / tensor", recurrence.heads / tensor);
    const bool copies = recurrence.kind == RecurrenceKind::mamba2; // fewer groups than ranks
    if (recurrence.heads / tensor % context == 0 && groups % context != 0
        && !(copies && context % groups == 0))
        findings.divides("parallel.context", context, "recurrence.key_groups / tensor", groups);
}

} // namespace

void checkPattern(const Scenario& scenario, Findings& findings)
{
    const Model& model = scenario.model;
    if (model.attention_gate && (model.mla.kv_lora_rank > 0 || model.hasEncoder()))
        findings.add("model.attention_gate",
                     std::string{"attention_gate is not predicted with "}
                         + (model.hasEncoder() ? "encoder_layers" : "latent attention")
                         + "; set it to false");
    if (model.layer_pattern.empty())
        return;
    checkKind(model, findings);
    checkBlocks(model, findings);
    if (model.hasForm(hasRecurrence) && model.recurrence.heads > 0)
        checkCuts(model.recurrence, scenario.parallel, findings);
}

} // namespace shardscope
