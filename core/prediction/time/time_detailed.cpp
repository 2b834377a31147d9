#include "core/prediction/model/chunk_shape.h"
#include "core/prediction/time/communication_error.h"
#include "core/prediction/time/ends_time.h"
#include "core/prediction/time/iteration_summary.h"
#include "core/prediction/time/layer_time.h"
#include "core/prediction/time/layers_held.h"
#include "core/prediction/time/overlap.h"
#include "core/prediction/time/pipeline_bound.h"
#include "core/prediction/time/stage_clocks.h"
#include "core/prediction/time/stage_communication.h"
#include "core/prediction/time/time_error.h"
#include "core/prediction/time/time_model.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

// Equal layers of a chunk, and how many of them compute something again.
struct LayerRun {
    LayerSort sort;
    double layers;
    double again;
    const ComputeTime& compute;
};

// What so many layers have added to a stage's passes, each; messages of experts are told apart.
LayerPasses addedByEach(const StageTime& before, const StageTime& after, double layers)
{
    const auto pass_s = [](const PassTime& pass) { return pass.total_s() - pass.ep_s; };
    return {(pass_s(after.forward) - pass_s(before.forward)) / layers,
            (pass_s(after.backward) - pass_s(before.backward)) / layers,
            (after.weight_gradient_s - before.weight_gradient_s) / layers};
}

// Communication of one layer in one pass, as it adds to the layer's time.
struct LayerCommunication {
    double tp_s = 0.0;
    double cp_s = 0.0;
    double ep_s = 0.0; // of a layer with experts
};

class DetailedModel
{
public:
    DetailedModel(const IterationFigures& figures, const Prediction& prediction)
        : m_figures{figures},
          m_scenario{figures.scenario},
          m_prediction{prediction},
          m_machine{figures.scenario.cluster},
          m_layer_time{figures, m_machine},
          m_ends_time{figures, m_machine},
          m_communication{figures, m_machine},
          m_overlap{figures, m_communication.group(Kind::tp)},
          m_embedding{m_ends_time.embedding()},
          m_head{m_ends_time.head()},
          m_shapes{chunkShapes(figures)}
    {
        const Model& model = m_scenario.model;
        if (model.kind != ModelKind::transformer)
            return;
        layersByForm(model).each([&](LayerForm form, std::int64_t) {
            m_layers[static_cast<std::size_t>(form)] = m_layer_time.layer(form);
        });
        if (model.mtp_layers > 0) {
            m_module = m_layer_time.module(moduleSort(model).form);
            m_module.add(m_ends_time.lookUp());
        }
        if (model.hasEncoder()) {
            m_encoder = encoderLayerTime(m_scenario, m_machine);
            m_layers[static_cast<std::size_t>(LayerForm::attention_mlp)].add(m_layer_time.crossAttention());
        }
    }

    IterationTime predict()
    {
        IterationTime time = passes();
        const PipelineRun run = playPipeline(pipelineWork(m_figures, time), false);
        addReplicas(time, run);
        addSteps(time);
        summarize(time, run, m_figures, m_prediction, m_stages);
        return time;
    }

    LeastTime least()
    {
        constexpr double rounding = 1e-9; // of sums in another order
        IterationTime time = passes();
        const std::vector<StageAtLeast> stages = pipelineAtLeast(pipelineWork(m_figures, time));
        double until_step_s = 0.0;
        for (std::size_t i = 0; i < stages.size(); ++i)
            until_step_s = std::max(
                {until_step_s, stages[i].pipeline_s, stages[i].through_s + replicas(time, i).exposed_s()});
        addSteps(time);
        const double least_s = (until_step_s + time.step.total_s()) * (1.0 - rounding);
        return {least_s, withMostCommunicationError(timeErrorBand(m_scenario, m_prediction.parameters.total),
                                                    m_stages, least_s)};
    }

private:
    // What passes and messages take, before the schedule is played.
    IterationTime passes()
    {
        IterationTime time;
        readStages();
        addChunks(time);
        const auto stages = static_cast<int>(m_stages.size());
        for (int stage = 0; stage < stages; ++stage)
            time.message_s.push_back(m_communication.pipelineMessage(stage).value());
        time.sender_waits = senderWaits();
        return time;
    }

    // Zero-bubble schedules and dualpipe send while they work on other micro-batches. Megatron-LM's
    // interleaved schedule does with a switch. With kernels started one by one dualpipe alone does: its
    // passes go in pairs, and their messages leave together.
    bool senderWaits() const
    {
        const Schedule schedule = m_scenario.parallel.schedule;
        if (m_scenario.cluster.launch_blocking)
            return schedule != Schedule::dualpipe;
        return schedule == Schedule::one_f_one_b || schedule == Schedule::gpipe
               || (schedule == Schedule::interleaved && !m_scenario.conventions.pp_overlap);
    }

    // Stages with the same messages and neither end are alike: most of a deep pipeline is timed once.
    void readStages()
    {
        const std::vector<StagePrediction>& stages = m_prediction.stages;
        m_stages.reserve(stages.size());
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const bool inner = i > 1 && i + 1 < stages.size();
            const bool as_before = inner && sendAlike(stages[i], stages[i - 1]);
            m_stages.push_back(as_before ? m_stages.back() : m_communication.stage(stages[i]));
        }
    }

    void addChunks(IterationTime& time) const
    {
        std::vector<StageLayers> layers;
        layers.reserve(m_stages.size());
        for (const StagePrediction& stage : m_prediction.stages)
            layers.emplace_back(m_scenario, stage);
        time.chunks.reserve(m_shapes.size());
        const PipelineChain chain{m_scenario.parallel};
        for (std::size_t i = 0; i < m_shapes.size(); ++i) {
            const auto stage = static_cast<std::size_t>(chain.stageAt(static_cast<int>(i)));
            time.chunks.push_back(chunkTime(m_shapes[i], m_stages[stage], layers[stage]));
        }
    }

    // Messages of the stage's passes are spread evenly over its layers, those of experts over the layers that
    // have some, and those of a stage without layers over its virtual stages.
    StageTime chunkTime(const ChunkShape& chunk, const StageCommunication& stage,
                        const StageLayers& stage_layers) const
    {
        StageTime time;
        const double part = stage_layers.all().all > 0.0
                                ? chunk.layers() / stage_layers.all().all
                                : 1.0 / static_cast<double>(m_scenario.parallel.virtual_stages);
        eachRun(chunk, [&](const LayerRun& run) {
            const StageTime before = time;
            addRun(time, run, stage, stage_layers);
            time.layers[run.sort.index()] = addedByEach(before, time, run.layers);
        });
        addEnds(time, chunk, stage);
        addParameterList(time);
        hideExperts(time, chunk);
        m_overlap.hideGathers(time.forward, part * stage.of(Phase::forward).gathers_s);
        m_overlap.hideGathers(
            time.backward,
            part * (stage.of(Phase::backward).gathers_s + stage.of(Phase::recompute).gathers_s));
        if (chunk.head || m_scenario.model.kind == ModelKind::parameter_list)
            time.forward.dp_s += stage.of(Phase::forward).losses_s;
        return time;
    }

    template<class Take>
    void eachRun(const ChunkShape& chunk, Take take) const
    {
        const bool is_selective = m_scenario.training.recompute == Recompute::selective; // of every layer
        const auto run = [&](LayerSort sort, double layers, double whole, const ComputeTime& compute) {
            if (layers > 0.0)
                take(LayerRun{sort, layers, is_selective ? layers : whole, compute});
        };
        run(encoder_layer_sort, chunk.encoder_layers, chunk.encoder_again, m_encoder);
        chunk.decoder_layers.each([&](LayerForm form, double layers) {
            run({LayerSort::Stack::decoder, form}, layers, chunk.decoder_again[form],
                m_layers[static_cast<std::size_t>(form)]);
        });
        run(moduleSort(m_scenario.model), chunk.mtp_layers, chunk.mtp_again, m_module);
    }

    void hideExperts(StageTime& time, const ChunkShape& chunk) const
    {
        m_overlap.hideExperts(time);
        double moe_layers = 0.0;
        eachRun(chunk,
                [&](const LayerRun& run) { moe_layers += hasExperts(run.sort.form) ? run.layers : 0.0; });
        eachRun(chunk, [&](const LayerRun& run) {
            if (!hasExperts(run.sort.form))
                return;
            LayerPasses& layer = time.layers[run.sort.index()];
            layer.forward_s += time.forward.ep_s / moe_layers;
            layer.backward_s += time.backward.ep_s / moe_layers;
        });
    }

    void addRun(StageTime& time, const LayerRun& run, const StageCommunication& stage,
                const StageLayers& stage_layers) const
    {
        const ComputeTime& compute = run.compute;
        const double gradients_s = compute.input_gradient_s + compute.weight_gradient_s;
        const auto each = [&](Phase phase, double compute_s, double attention_s) {
            return layerCommunication(stage.of(phase), stage_layers.of(phase), run.sort,
                                      beneathTensor(compute_s, attention_s));
        };
        addLayers(time.forward, run.layers, compute.forward_s, compute.forward_dispatch_s,
                  each(Phase::forward, compute.forward_s, compute.attention_s),
                  m_overlap.hidingContext(compute.attention_s, 1.0));
        if (run.again > 0.0)
            addLayers(time.backward, run.again, compute.recompute_s, compute.recompute_dispatch_s,
                      each(Phase::recompute, compute.recompute_s, compute.recomputed_attention_s),
                      m_overlap.hidingContext(compute.recomputed_attention_s, 1.0));
        const double kernels_s =
            run.layers * (compute.forward_s + gradients_s) + run.again * compute.recompute_s;
        time.kernels_s += kernels_s;
        time.layer_kernels_s += kernels_s;
        const double before_s = time.backward.compute_s;
        addLayers(time.backward, run.layers, gradients_s, compute.backward_dispatch_s,
                  each(Phase::backward, gradients_s, compute.attention_gradient_s),
                  m_overlap.hidingContext(compute.attention_gradient_s, asDouble(m_figures.context)));
        // Where kernels wait for the processor, both gradients do.
        if (gradients_s > 0.0)
            time.weight_gradient_s +=
                (time.backward.compute_s - before_s) * compute.weight_gradient_s / gradients_s;
    }

    // What tensor-parallel messages may run beneath: not the attention that hides those of a ring.
    double beneathTensor(double compute_s, double attention_s) const
    {
        const bool is_taken =
            m_scenario.parallel.context > 1 && m_scenario.parallel.context_method == ContextMethod::ring;
        return is_taken ? compute_s - attention_s : compute_s;
    }

    // A module's look-up and projection are no products of a layer, which the overlap is of.
    LayerCommunication layerCommunication(const PassCommunication& pass, const LayersHeld& layers,
                                          LayerSort sort, double products_s) const
    {
        const bool has_experts = hasExperts(sort.form);
        LayerCommunication each;
        if (has_experts ? layers.experts_send : layers.dense_send)
            each.tp_s = m_overlap.exposedTensor(
                pass.tp_layers_s * asDouble(blocksOf(sort.form)) / layers.blocks, products_s);
        if (sort.isModule())
            each.tp_s += pass.tp_modules_s / layers.modules;
        if (hasAttention(sort.form))
            each.cp_s = pass.cp_s / layers.attentions;
        else if (hasRecurrence(sort.form))
            each.cp_s = pass.cp_recurrences_s / layers.recurrences;
        if (has_experts) {
            each.tp_s += pass.tp_experts_s / layers.with_experts;
            each.ep_s = pass.ep_s / layers.with_experts;
        }
        return each;
    }

    // The processor has to keep up with the kernels of every layer, or starts each once the last is done.
    void addLayers(PassTime& pass, double layers, double compute_s, double dispatch_s,
                   LayerCommunication communication, double hiding_context_s) const
    {
        communication.cp_s = std::max(0.0, communication.cp_s - hiding_context_s);
        const double communicating = communication.tp_s + communication.cp_s + communication.ep_s;
        pass.compute_s +=
            layers
            * (m_scenario.cluster.launch_blocking ? compute_s + dispatch_s
                                                  : std::max(compute_s, dispatch_s - communicating));
        pass.tp_s += layers * communication.tp_s;
        pass.cp_s += layers * communication.cp_s;
        pass.ep_s += layers * communication.ep_s;
    }

    void addEnds(StageTime& time, const ChunkShape& chunk, const StageCommunication& stage) const
    {
        const auto add = [&](const ComputeTime& end) {
            time.forward.compute_s += end.forward_s;
            time.backward.compute_s += end.input_gradient_s + end.weight_gradient_s;
            time.weight_gradient_s += end.weight_gradient_s;
            time.kernels_s += end.forward_s + end.input_gradient_s + end.weight_gradient_s - end.starts_s;
        };
        if (chunk.embedding)
            add(m_embedding);
        if (chunk.head)
            add(m_head);
        const auto ends = [&](Phase phase) {
            const PassCommunication& pass = stage.of(phase);
            return (chunk.loads ? pass.tp_embedding_s : 0.0) + (chunk.head ? pass.tp_head_s : 0.0);
        };
        time.forward.tp_s += ends(Phase::forward);
        time.backward.tp_s += ends(Phase::backward);
    }

    // Only the operations of a list of parameters are known: a third of them is the forward pass.
    void addParameterList(StageTime& time) const
    {
        if (m_scenario.model.kind != ModelKind::parameter_list)
            return;
        const OperatorTime operators{m_machine, m_scenario.training.precision};
        const double samples = static_cast<double>(m_scenario.training.micro_batch_size);
        const Flops forward{m_scenario.model.flops_per_sample / 3.0 * samples};
        time.forward.compute_s = operators.operations(forward).value();
        time.backward.compute_s = 2.0 * time.forward.compute_s;
        time.weight_gradient_s = time.forward.compute_s;
        time.kernels_s = time.forward.compute_s + time.backward.compute_s;
        time.layer_kernels_s = time.kernels_s;
    }

    // What replicas' messages add behind the pipeline. A stage that is through early reduces its gradients
    // while others still work.
    void addReplicas(IterationTime& time, const PipelineRun& run) const
    {
        time.replicas.reserve(m_stages.size());
        for (std::size_t i = 0; i < m_stages.size(); ++i) {
            time.replicas.push_back(replicas(time, i));
            time.dp_s = std::max(time.dp_s, time.replicas.back().exposed_s() - run.stages[i].rest_s);
        }
    }

    ReplicaTime replicas(const IterationTime& time, std::size_t stage) const
    {
        const StageCommunication& communication = m_stages[stage];
        if (communication.gradient_calls.empty() && communication.parameter_calls.empty())
            return m_overlap.replicas(communication, {}, {});
        const StageClocks clocks{m_figures, time, m_shapes, m_head};
        return m_overlap.replicas(communication, clocks.lastBackward(stage, communication),
                                  clocks.firstForward(stage, communication));
    }

    void addSteps(IterationTime& time) const
    {
        time.steps.reserve(m_stages.size());
        StepTime& longest = time.step;
        for (std::size_t i = 0; i < m_stages.size(); ++i) {
            const StageCommunication& stage = m_stages[i];
            const StagePrediction& predicted = m_prediction.stages[i];
            const auto owned = static_cast<double>(predicted.owned_parameters);
            const auto held = static_cast<double>(predicted.parameters);
            const StepTime step{stage.embeddings_s, stage.replicated_gradients_s, stage.norm_s,
                                m_ends_time.optimizerStep(owned, held).value()};
            if (step.beforeNorm_s() > longest.beforeNorm_s()) {
                longest.emb_s = step.emb_s;
                longest.tp_s = step.tp_s;
            }
            longest.mp_s = std::max(longest.mp_s, step.mp_s);
            longest.optimizer_s = std::max(longest.optimizer_s, step.optimizer_s);
            time.steps.push_back(step);
        }
    }

    const IterationFigures& m_figures;
    const Scenario& m_scenario;
    const Prediction& m_prediction;
    Machine m_machine;
    LayerTime m_layer_time;
    EndsTime m_ends_time;
    CommunicationTime m_communication;
    Overlap m_overlap;
    std::array<ComputeTime, layer_form_count> m_layers; // of the decoder's forms
    ComputeTime m_encoder;
    ComputeTime m_module; // of multi-token prediction
    ComputeTime m_embedding;
    ComputeTime m_head;
    std::vector<ChunkShape> m_shapes; // of the virtual stages
    std::vector<StageCommunication> m_stages;
};

} // namespace

IterationTime predictTimeDetailed(const IterationFigures& figures, const Prediction& prediction)
{
    return DetailedModel{figures, prediction}.predict();
}

LeastTime leastTimeDetailed(const IterationFigures& figures, const Prediction& prediction)
{
    return DetailedModel{figures, prediction}.least();
}

} // namespace shardscope
