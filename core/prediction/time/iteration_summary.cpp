#include "core/prediction/time/iteration_summary.h"

#include "core/prediction/model/flops.h"
#include "core/prediction/time/communication_error.h"
#include "core/prediction/time/time_error.h"

#include <cstddef>

namespace shardscope
{

namespace
{

void addStep(TimePrediction& summary, const StepTime& step)
{
    summary.emb_s = step.emb_s;
    summary.tp_s += step.tp_s;
    summary.mp_s = step.mp_s;
    summary.step_s = step.optimizer_s;
    summary.compute_s += step.optimizer_s;
}

// Of what a stage computes: what kernels take, the rest is their dispatch; of that, what layers take.
struct KernelSeconds {
    double all_s = 0.0;
    double layers_s = 0.0;
};

void addPasses(TimePrediction& summary, KernelSeconds& kernels, double count, const StageTime& chunk)
{
    for (const PassTime* pass : {&chunk.forward, &chunk.backward}) {
        summary.compute_s += count * pass->compute_s;
        summary.tp_s += count * pass->tp_s;
        summary.cp_s += count * pass->cp_s;
        summary.ep_s += count * pass->ep_s;
        summary.dp_s += count * pass->dp_s;
    }
    kernels.all_s += count * chunk.kernels_s;
    kernels.layers_s += count * chunk.layer_kernels_s;
}

class IterationSummary
{
public:
    IterationSummary(const IterationFigures& figures, const Prediction& prediction,
                     const std::vector<StageCommunication>& stages)
        : m_figures{figures}, m_scenario{figures.scenario}, m_prediction{prediction}, m_stages{stages}
    {
    }

    // The parts of the stage that works longest, and its waiting.
    void sum(IterationTime& time, const PipelineRun& run) const
    {
        std::size_t slowest = 0;
        const auto busy = [&](std::size_t stage) {
            return run.stages[stage].forward_s + run.stages[stage].backward_s + run.stages[stage].message_s;
        };
        for (std::size_t i = 1; i < run.stages.size(); ++i)
            if (busy(i) > busy(slowest))
                slowest = i;
        TimePrediction& summary = time.summary;
        KernelSeconds kernels;
        const auto passes = static_cast<double>(m_figures.passes);
        const PipelineChain chain{m_scenario.parallel};
        for (int chunk = 0; chunk < m_scenario.parallel.virtual_stages; ++chunk) {
            const int place = chain.place(chunk, static_cast<int>(slowest));
            addPasses(summary, kernels, passes, time.chunks[static_cast<std::size_t>(place)]);
        }
        if (m_figures.mirrored) // the other half of the micro-batches passes the mirror image
            addPasses(summary, kernels, passes, time.chunks[m_stages.size() - 1 - slowest]);
        addViews(summary, kernels);
        const StageUse& use = run.stages[slowest];
        summary.slowest_stage = static_cast<int>(slowest);
        time.stages = run.stages;
        summary.dp_s += time.dp_s;
        summary.pp_s = use.message_s;
        summary.hidden_communication_s =
            hiddenCommunication(m_stages[slowest], summary) + use.hidden_message_s;
        addStep(summary, time.step);
        summary.bubble_s = use.bubble_s();
        summary.exposed_communication_s = summary.tp_s + summary.cp_s + summary.ep_s + summary.pp_s
                                          + summary.dp_s + summary.emb_s + summary.mp_s;
        summary.iteration_s = run.duration_s + time.dp_s + time.step.total_s();
        summary.error_band = withCommunicationError(timeErrorBand(m_scenario, m_prediction.parameters.total),
                                                    m_stages[slowest], summary);
    }

private:
    // Communication of a stage that runs while it computes: all of it without what is exposed, by kind.
    double hiddenCommunication(const StageCommunication& stage, const TimePrediction& exposed) const
    {
        const auto passes = static_cast<double>(m_figures.passes);
        double tp_s = 0.0;
        double cp_s = 0.0;
        double ep_s = 0.0;
        double dp_s = stage.gradients_s + stage.parameters_s;
        for (const PassCommunication& pass : stage.passes) {
            tp_s += passes
                    * (pass.tp_layers_s + pass.tp_experts_s + pass.tp_embedding_s + pass.tp_head_s
                       + pass.tp_modules_s);
            cp_s += passes * pass.cp_s;
            ep_s += passes * pass.ep_s;
            dp_s += passes * (pass.gathers_s + pass.losses_s);
        }
        const auto beneath = [](double all_s, double exposed_s) {
            constexpr double rounding = 1e-12; // of sums in another order
            return all_s - exposed_s > rounding * all_s ? all_s - exposed_s : 0.0;
        };
        return beneath(tp_s, exposed.tp_s) + beneath(cp_s, exposed.cp_s) + beneath(ep_s, exposed.ep_s)
               + beneath(dp_s, exposed.dp_s);
    }

    // Cheng et al.'s k1 and k2, and the constant that Li et al.'s Eq. 5 would need for this compute time.
    void addViews(TimePrediction& summary, const KernelSeconds& kernels) const
    {
        if (summary.compute_s <= 0.0 || kernels.all_s <= 0.0)
            return;
        summary.kernel_share = kernels.all_s / summary.compute_s;
        summary.transformer_share = kernels.layers_s / kernels.all_s;
        const double speed = formatPeak(m_scenario).value() * summary.compute_s;
        if (m_scenario.model.kind == ModelKind::parameter_list || speed <= 0.0)
            return;
        const double operations = 6.0 + 2.0 * shareAgain(m_scenario);
        const Parallel& parallel = m_scenario.parallel;
        summary.mu = operations * static_cast<double>(m_prediction.parameters.active)
                     * static_cast<double>(m_figures.tokens) * static_cast<double>(m_figures.micro_batches)
                     / (static_cast<double>(parallel.pipeline * parallel.tensor) * speed);
    }

    const IterationFigures& m_figures;
    const Scenario& m_scenario;
    const Prediction& m_prediction;
    const std::vector<StageCommunication>& m_stages;
};

} // namespace

void summarize(IterationTime& time, const PipelineRun& run, const IterationFigures& figures,
               const Prediction& prediction, const std::vector<StageCommunication>& stages)
{
    IterationSummary{figures, prediction, stages}.sum(time, run);
}

} // namespace shardscope
