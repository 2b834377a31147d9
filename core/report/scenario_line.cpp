#include "core/report/scenario_line.h"

#include "core/base/format.h"
#include "core/scenario/words.h"

namespace shardscope
{

namespace
{

constexpr const char* dot = " · ";

std::string nameOf(const Scenario& scenario, bool is_edited)
{
    if (!scenario.name.empty() && !is_edited)
        return scenario.name;
    const Model& model = scenario.model;
    if (!model.preset.empty())
        return model.preset;
    if (model.kind == ModelKind::parameter_list)
        return "own list of parameters";
    return std::to_string(model.layers) + " layers, hidden size " + std::to_string(model.hidden_size);
}

std::string layout(const Parallel& parallel)
{
    std::string text = "p " + std::to_string(parallel.pipeline) + dot + "t " + std::to_string(parallel.tensor)
                       + dot + "d " + std::to_string(parallel.data);
    const auto add = [&text](const char* letter, std::int64_t degree) {
        if (degree > 1)
            text += std::string{dot} + letter + ' ' + std::to_string(degree);
    };
    add("c", parallel.context);
    add("e", parallel.expert);
    add("v", parallel.virtual_stages);
    text += std::string{dot} + "ZeRO " + std::to_string(parallel.zero_stage);
    return parallel.sequence_parallel ? text + dot + "sequence parallel" : text;
}

} // namespace

std::string scenarioLine(const Scenario& scenario, bool is_edited)
{
    const Training& training = scenario.training;
    const std::int64_t gpus = scenario.worldSize();
    std::string line = nameOf(scenario, is_edited) + dot + formatGrouped(gpus)
                       + (gpus == 1 ? " GPU, " : " GPUs, ") + layout(scenario.parallel);
    if (scenario.model.kind == ModelKind::transformer)
        line += dot + ("s " + formatGrouped(scenario.model.sequence_length));
    line += dot + ("b " + formatGrouped(training.micro_batch_size)) + dot + "gb "
            + formatGrouped(training.global_batch_size) + dot + std::string{word(training.precision)};
    if (training.recompute != Recompute::none)
        line += dot + std::string{word(training.recompute)} + " recomputation";
    return line + dot + scenario.cluster.gpu + ", " + std::to_string(scenario.cluster.gpus_per_node)
           + " a node";
}

} // namespace shardscope
