#include "widgets/panels/scenario/scenario_figures.h"

#include "widgets/panels/scenario/head_width_note.h"
#include "widgets/panels/scenario/scenario_stops.h"
#include "widgets/session/shown_text.h"

#include "core/scenario/rank_order.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/schedule_title.h"

#include <utility>

namespace shardscope
{

namespace
{

bool isTransformer(const Scenario& scenario)
{
    return scenario.model.kind == ModelKind::transformer;
}

NumberFigure ofTransformer(NumberFigure number)
{
    number.applies = isTransformer;
    return number;
}

ScenarioSection modelSection()
{
    constexpr auto model = &Scenario::model;
    return {
        "Model",
        {ofTransformer(number<model, &Model::layers>(
             {"model.layers", "Layers", "l", "Transformer layers of the decoder."}, layerStops)),
         ofTransformer(number<model, &Model::hidden_size>(
             {"model.hidden_size", "Hidden size", "h",
              "Width of the model. Moving it keeps the feed-forward width in proportion and divides it anew "
              "among the heads, unless these were given widths of their own."},
             hiddenStops)),
         ofTransformer(number<model, &Model::attention_heads>(
             {"model.attention_heads", "Attention heads", "a",
              "Query heads. The slider stops at divisors of the hidden size; the tensor-parallel size must "
              "divide them. KV heads follow.",
              noteOfHeads},
             headStops)),
         ofTransformer(number<model, &Model::kv_heads>({"model.kv_heads", "KV heads", "k",
                                                        "Key and value heads: as many as heads in multi-head "
                                                        "attention, fewer when queries share them."},
                                                       kvHeadStops)),
         ofTransformer(number<model, &Model::sequence_length>(
             {"model.sequence_length", "Sequence length", "s", "Tokens of one sequence."}, sequenceStops)),
         ofTransformer(
             number<model, &Model::vocab_size>({"model.vocab_size", "Vocabulary", "V",
                                                "Tokens known to the model. It is padded to a multiple of t "
                                                "times the Vocabulary multiple (Advanced)."},
                                               vocabularyStops))}};
}

ScenarioSection batchSection()
{
    constexpr auto training = &Scenario::training;
    return {
        "Batch",
        {number<training, &Training::micro_batch_size>({"training.micro_batch_size", "Micro-batch", "b",
                                                        "Sequences that go through the pipeline together."},
                                                       microBatchStops),
         number<training, &Training::global_batch_size>(
             {"training.global_batch_size", "Global batch", "gb",
              "Sequences of one iteration, over all replicas. Each replica works through m = gb / (b · d) "
              "micro-batches."},
             globalBatchStops)}};
}

NumberFigure worldFigure()
{
    return {
        {"world_size", "GPUs", "",
         "All GPUs: p · t · d · c. Moving it moves the data-parallel size and closes the lock: moving p, t "
         "or c then moves d, so that the number stays."},
        [](const Scenario& scenario) { return static_cast<double>(boundedWorldSize(scenario.parallel)); },
        [](Scenario scenario, double value) {
            return withWorldSize(std::move(scenario), static_cast<std::int64_t>(value));
        },
        worldStops,
        true,
        "",
        false,
        nullptr};
}

QString noteOfMu(const Scenario& scenario)
{
    return isDetailed(scenario)
               ? QObject::tr("Only Li et al.'s formula uses it: the detailed model times each "
                             "operator.")
               : QString{};
}

QString noteOfPrecision(const Scenario& scenario)
{
    const Precision precision = scenario.training.precision;
    const ComputeLaw& law = scenario.cluster.compute;
    if (quantizesProducts(precision) && !law.hasFp8())
        return QObject::tr("No matrix units for %1 are known of this GPU: products take as long as in bf16.")
            .arg(toQString(word(precision)));
    if (precision == Precision::fp4 && !law.hasFp4())
        return QObject::tr("No matrix units for fp4 are known of this GPU: products take as long as in fp8.");
    return {};
}

QString noteOfZero(const Scenario& scenario)
{
    const bool is_unusual = scenario.parallel.zero_stage > 1 && scenario.parallel.pipeline > 1
                            && scenario.conventions.reduce_each_micro_batch;
    if (!is_unusual)
        return {};
    switch (scenario.conventions.framework) {
    case Framework::megatron:
        return QObject::tr("Megatron-LM's distributed optimizer is stage 1: with pipelines, stages 2 and 3 "
                           "here mean that the gradients of every micro-batch are reduced.");
    case Framework::deepspeed:
        return QObject::tr("DeepSpeed runs pipelines only with stages 0 and 1: here the gradients of every "
                           "micro-batch are reduced.");
    case Framework::fsdp:
        return QObject::tr("PyTorch's pipelines sum gradients first: here every micro-batch's are reduced "
                           "(Reduce every pass, below).");
    case Framework::ddp:
        break;
    }
    return QObject::tr("With pipelines the gradients of every micro-batch are reduced here.");
}

ScenarioControl zeroFigure()
{
    return choice<&Scenario::parallel, &Parallel::zero_stage>(
        {"parallel.zero_stage", "ZeRO stage", "",
         "What the data-parallel ranks share out among themselves instead of each holding a copy.",
         noteOfZero},
        {{"0", "Every rank holds all states of its part of the model"},
         {"1", "Optimizer states are shared out"},
         {"2", "Optimizer states and gradients are shared out"},
         {"3", "Optimizer states, gradients and weights are shared out"}});
}

ScenarioControl sequenceParallelFigure()
{
    return toggle<&Scenario::parallel, &Parallel::sequence_parallel>(
        {"parallel.sequence_parallel", "Sequence parallel", "",
         "Tensor-parallel ranks share out the activations between the matrices too: all_gather and "
         "reduce_scatter instead of all_reduce."});
}

ChoiceFigure scheduleFigure()
{
    const auto named = [](Schedule schedule, const char* meaning) {
        return Choice{titleOf(schedule).data(), meaning};
    };
    ChoiceFigure schedule = choice<&Scenario::parallel, &Parallel::schedule>(
        {"parallel.schedule", "Schedule", "",
         "In which order a pipeline stage works on forward and backward passes. ZB-H1, ZB-H2 and ZB-V put "
         "weight gradients off, which keep what full recomputation would not: with that they take far more "
         "memory than 1F1B."},
        {named(
             Schedule::gpipe,
             "All forward passes, then all backward passes: the activations of all m micro-batches are kept"),
         named(Schedule::one_f_one_b, "One forward, one backward: at most p micro-batches in flight"),
         named(Schedule::interleaved,
               "1F1B with several virtual stages on each rank: a smaller bubble, more messages"),
         named(Schedule::zb_h1, "About a third of 1F1B's bubble, memory of 1F1B's first stage on all, unless "
                                "all is recomputed (Qi et al. 2024)"),
         named(Schedule::zb_h2, "Hardly any bubble, up to twice the activations, far more if all is "
                                "recomputed (Qi et al. 2024)"),
         named(Schedule::zb_v, "Down the stages and back up, hardly any bubble, memory of 1F1B's first stage "
                               "on all, unless all is recomputed (Qi et al. 2024b)"),
         named(Schedule::v_half, "In a V, about half of 1F1B's activations and of its bubble, a longer one "
                                 "if all is recomputed (Qi et al. 2024b)"),
         named(Schedule::v_min, "In a V, a third of 1F1B's activations, about two thirds of its bubble where "
                                "passes take equally long, else a longer one (Qi et al. 2024b)"),
         named(Schedule::dualpipe, "From both ends of the pipeline at once (DeepSeek-V3): each rank has "
                                   "weights, gradients and optimizer of two stages; m >= 2 p")});
    schedule.set = [](Scenario scenario, int chosen) {
        return withSchedule(std::move(scenario), static_cast<Schedule>(chosen));
    };
    return schedule;
}

NumberFigure virtualStagesFigure()
{
    NumberFigure stages = number<&Scenario::parallel, &Parallel::virtual_stages>(
        {"parallel.virtual_stages", "Virtual stages", "v",
         "Pieces of the model on each pipeline rank. More than one means the interleaved schedule, or two "
         "one in a V."},
        virtualStageStops);
    stages.set = [](Scenario scenario, double value) {
        return withVirtualStages(std::move(scenario), static_cast<std::int64_t>(value));
    };
    return stages;
}

// A dense model has no experts to share out; a layout that does so all the same is to be put right.
NumberFigure expertFigure()
{
    NumberFigure expert = number<&Scenario::parallel, &Parallel::expert>(
        {"parallel.expert", "Expert", "ep",
         "Ranks that share out the experts of each layer, out of the data · context ranks (with the tensor "
         "ranks where these do not split experts): the number of GPUs stays the same."},
        expertParallelStops);
    expert.applies = [](const Scenario& scenario) {
        return scenario.model.experts.count > 0 || scenario.parallel.expert > 1;
    };
    return expert;
}

ScenarioControl expertTensorFigure()
{
    ToggleFigure split = toggle<&Scenario::parallel, &Parallel::expert_tensor_parallel>(
        {"parallel.expert_tensor_parallel", "Split experts", "",
         "The tensor-parallel ranks split routed experts as they do other matrices. Off (Megatron-LM's "
         "expert_tensor_parallel_size 1): each rank holds its experts whole, and expert groups run over the "
         "tensor-parallel ranks too; that needs sequence parallelism."});
    split.applies = [](const Scenario& scenario) {
        return (scenario.model.experts.count > 0 && scenario.parallel.tensor > 1)
               || !scenario.parallel.expert_tensor_parallel;
    };
    return split;
}

ScenarioSection layoutSection()
{
    constexpr auto parallel = &Scenario::parallel;
    return {"Layout",
            {worldFigure(),
             number<parallel, &Parallel::pipeline>(
                 {"parallel.pipeline", "Pipeline", "p", "Pipeline stages: each holds a run of layers."},
                 pipelineStops),
             number<parallel, &Parallel::tensor>(
                 {"parallel.tensor", "Tensor", "t",
                  "GPUs that share every layer's matrices. It must divide the attention heads."},
                 tensorStops),
             number<parallel, &Parallel::data>(
                 {"parallel.data", "Data", "d", "Replicas that each work on their share of the batch."},
                 dataStops),
             number<parallel, &Parallel::context>({"parallel.context", "Context", "c",
                                                   "GPUs that share out each sequence: long ones need it."},
                                                  contextStops),
             expertFigure(), expertTensorFigure(), zeroFigure(), sequenceParallelFigure(), recomputeFigure(),
             layersAgainFigure(), modulesAgainFigure(), scheduleFigure(), virtualStagesFigure(),
             rankOrderFigure()}};
}

// Gradients have the format's usual size, as in a file.
ScenarioControl precisionFigure()
{
    ChoiceFigure precision = choice<&Scenario::training, &Training::precision>(
        {"training.precision", "Precision", "", "Number format of weights and activations.", noteOfPrecision},
        {{"fp32", "4 bytes; products as TF32 where the GPU has it, at half the 16-bit rate"},
         {"fp16", "2 bytes"},
         {"bf16", "2 bytes"},
         {"fp8", "Products alone; weights and activations are kept and sent in bf16, 2 bytes"},
         {"fp4", "Products alone, as Transformer Engine's NVFP4; the rest in bf16, 2 bytes"}});
    precision.set = [](Scenario scenario, int chosen) {
        return withPrecision(scenario, static_cast<Precision>(chosen));
    };
    return precision;
}

ScenarioSection clusterSection()
{
    constexpr auto cluster = &Scenario::cluster;
    NumberFigure within = number<cluster, &Cluster::intra_node, &Link::bandwidth_GBps>(
        {"cluster.intra_node.bandwidth_GBps", "Within a node", "",
         "Bandwidth between GPUs of one node, one direction, each GPU, all its links together. Up to "
         "four GPUs with NVLink, and those of Infinity Fabric, have no switch: a part of the node has "
         "a part of it."},
        bandwidthStops, "GB/s");
    within.set = [](Scenario scenario, double value) {
        return withNodeBandwidth(std::move(scenario), value);
    };
    return {"Cluster",
            {within,
             number<cluster, &Cluster::inter_node, &Link::bandwidth_GBps>(
                 {"cluster.inter_node.bandwidth_GBps", "Between nodes", "",
                  "Bandwidth of the network, one direction, each GPU unless \"Network rate per\" says "
                  "that it is each node's or each NIC's."},
                 bandwidthStops, "GB/s"),
             number<cluster, &Cluster::mu>(
                 {"cluster.mu", "Efficiency", "μ",
                  "Share of the peak that computation reaches: only Li et al.'s time model "
                  "uses it, the detailed one times each operator.",
                  noteOfMu, isDetailed},
                 shareStops),
             precisionFigure(),
             choice<&Scenario::time_model>(
                 {"time_model", "Time model", "", "How the time of an iteration is predicted."},
                 {{"Li et al.", "Closed form with effective bandwidths: Li et al. 2024, Eq. 1 to 9"},
                  {"detailed", "Every collective by size, group and link"}})}};
}

} // namespace

bool isDetailed(const Scenario& scenario)
{
    return scenario.time_model == TimeModel::detailed;
}

TextFigure rankOrderFigure()
{
    return {{"parallel.rank_order", "Mapping", "",
             "Which dimension is innermost, so that its ranks are neighbours. tp-dp-pp is the default of "
             "Megatron and DeepSpeed, tp-pp-dp the custom mapping of Li et al. 2024."},
            [](const Scenario& scenario) {
                const Parallel& parallel = scenario.parallel;
                return toQString(
                    rankOrderWord(parallel.rank_order, parallel.context > 1 || parallel.expert > 1));
            },
            [](Scenario scenario, const QString& text) -> Result<Scenario> {
                const Result<RankOrder> order = rankOrderFromWord(text.toStdString());
                if (!order)
                    return order.error();
                scenario.parallel.rank_order = order.value();
                return scenario;
            },
            {"tp-dp-pp", "tp-pp-dp", "dp-tp-pp", "pp-tp-dp"},
            "tp-dp-pp",
            nullptr};
}

std::vector<ScenarioSection> everydaySections()
{
    return {modelSection(), batchSection(), layoutSection(), clusterSection()};
}

ScenarioRow* createRow(const ScenarioControl& control, const Scenario& scenario, QWidget* parent)
{
    struct Creator {
        const Scenario& scenario;
        QWidget* parent;
        ScenarioRow* operator()(const NumberFigure& figure) const
        {
            return new ScenarioNumberRow{figure, scenario, parent};
        }
        ScenarioRow* operator()(const ChoiceFigure& figure) const
        {
            return new ScenarioChoiceRow{figure, scenario, parent};
        }
        ScenarioRow* operator()(const ToggleFigure& figure) const
        {
            return new ScenarioToggleRow{figure, scenario, parent};
        }
        ScenarioRow* operator()(const TextFigure& figure) const
        {
            return new ScenarioTextRow{figure, scenario, parent};
        }
    };
    return std::visit(Creator{scenario, parent}, control);
}

} // namespace shardscope
