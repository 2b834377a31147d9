#include "core/base/quantity.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/model_parameters.h"
#include "core/prediction/time/link_bandwidth.h"
#include "core/prediction/time/time_error.h"
#include "core/prediction/time/time_model.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

// Of the whole iteration, what the rank that sends most spends on messages of a kind, and the share of
// forward.
struct KindTime {
    double all_s = 0.0;
    double forward_share = 0.0;
};

class LiModel
{
public:
    LiModel(const IterationFigures& figures, const Prediction& prediction, LayoutBandwidths& bandwidths)
        : m_figures{figures}, m_scenario{figures.scenario}, m_prediction{prediction}, m_bandwidths{bandwidths}
    {
    }

    IterationTime predict() const
    {
        const StageTime stage = microBatch();
        const double m = asDouble(m_figures.micro_batches);
        const double forward = stage.forward.total_s();
        const double backward = stage.backward.total_s();
        IterationTime time;
        const Parallel& parallel = m_scenario.parallel;
        time.chunks.assign(static_cast<std::size_t>(parallel.pipeline * parallel.virtual_stages),
                           shareOf(stage, asDouble(parallel.virtual_stages)));
        time.message_s.assign(static_cast<std::size_t>(parallel.pipeline), 0.0);
        time.dp_s = dataParallel();

        TimePrediction& summary = time.summary;
        summary.compute_s = m * (stage.forward.compute_s + stage.backward.compute_s);
        summary.tp_s = m * (stage.forward.tp_s + stage.backward.tp_s);
        summary.cp_s = m * (stage.forward.cp_s + stage.backward.cp_s);
        summary.ep_s = m * (stage.forward.ep_s + stage.backward.ep_s);
        summary.pp_s = m * (stage.forward.pp_s + stage.backward.pp_s);
        summary.dp_s = time.dp_s;
        // Eq. 8, or what the schedule makes of it.
        summary.bubble_s = pipelineBubble_s(m_scenario.parallel, forward, backward, stage.weight_gradient_s);
        summary.exposed_communication_s =
            summary.tp_s + summary.cp_s + summary.ep_s + summary.pp_s + summary.dp_s;
        // Eq. 1
        summary.iteration_s = summary.compute_s + summary.exposed_communication_s + summary.bubble_s;
        summary.error_band = timeErrorBand(m_scenario, m_prediction.parameters.total);
        return time;
    }

private:
    // A stage's virtual stages have equal parts of its time.
    static StageTime shareOf(StageTime stage, double chunks)
    {
        for (PassTime* pass : {&stage.forward, &stage.backward}) {
            pass->compute_s /= chunks;
            pass->tp_s /= chunks;
            pass->cp_s /= chunks;
            pass->ep_s /= chunks;
            pass->pp_s /= chunks;
        }
        stage.weight_gradient_s /= chunks;
        return stage;
    }

    BytesPerSecond bandwidth(Kind kind, std::optional<double> given_GBps) const
    {
        return given_GBps ? BytesPerSecond{*given_GBps * 1e9} : m_bandwidths.of(kind, m_scenario.cluster);
    }
    static double transfer_s(double bytes, BytesPerSecond bandwidth)
    {
        return transferTime(Bytes{bytes}, bandwidth).value();
    }

    // T_comp = 8 P b s / (p t μ F) for a micro-batch with recomputation: 2 P forward, again 2 P, 4 P
    // backward.
    void addCompute(StageTime& stage) const
    {
        const Cluster& cluster = m_scenario.cluster;
        const Parallel& parallel = m_scenario.parallel;
        const double speed =
            cluster.mu * formatPeak(m_scenario).value() * asDouble(parallel.pipeline * parallel.tensor);
        double forward_flops = 2.0 * asDouble(m_prediction.parameters.active) * asDouble(m_figures.tokens);
        if (m_scenario.model.kind == ModelKind::parameter_list)
            forward_flops =
                m_scenario.model.flops_per_sample / 3.0 * asDouble(m_scenario.training.micro_batch_size);
        const double forward = speed > 0.0 ? forward_flops / speed : 0.0;
        const double again = shareAgain(m_scenario) * forward;
        stage.forward.compute_s = forward;
        stage.backward.compute_s = 2.0 * forward + again;
        stage.weight_gradient_s = forward;
    }

    // T_TP = m (l/p) 6 * 2bsh * 2(t-1)/(t C_TP), 4 without recomputation. An all_reduce is worth two units of
    // (t-1)/t, an all_gather or reduce_scatter of sequence parallelism one.
    void addTensorParallel(StageTime& stage) const
    {
        const double t = m_figures.tensor;
        if (m_figures.tensor < 2)
            return;
        const bool gathers_again =
            m_scenario.parallel.sequence_parallel && m_scenario.conventions.sp_regather;
        const double layers = layersOfTwoBlocks(m_scenario.model) / asDouble(m_scenario.parallel.pipeline);
        const double unit = transfer_s(layers * asDouble(m_figures.activation_bytes) * (t - 1.0) / t,
                                       bandwidth(Kind::tp, m_scenario.cluster.effective.tp_GBps));
        stage.forward.tp_s = 4.0 * unit;
        stage.backward.tp_s = (4.0 + 4.0 * shareAgain(m_scenario) + (gathers_again ? 2.0 : 0.0)) * unit;
    }

    // T_PP = m * 2 * 2bsh / C_PP: one activation forward, one gradient backward.
    void addPipeline(StageTime& stage) const
    {
        if (!m_figures.pipelined())
            return;
        const double bytes = asDouble(pipelineMessageBytes(m_figures));
        const double one = transfer_s(bytes * asDouble(m_scenario.parallel.virtual_stages),
                                      bandwidth(Kind::pp, m_scenario.cluster.effective.pp_GBps));
        stage.forward.pp_s = one;
        stage.backward.pp_s = one;
    }

    // Not in the paper: context and expert parallelism take the wire bytes of the busiest stage over their
    // bandwidth.
    KindTime fromMessages(Kind kind) const
    {
        KindTime time;
        double most = 0.0;
        for (const StagePrediction& stage : m_prediction.stages) {
            double all = 0.0;
            double forward = 0.0;
            for (const Message& message : stage.messages)
                if (message.kind == kind) {
                    all += message.wire_bytes;
                    forward += message.phase == Phase::forward ? message.wire_bytes : 0.0;
                }
            if (all > most) {
                most = all;
                time.forward_share = forward / all;
            }
        }
        if (most > 0.0)
            time.all_s = transfer_s(most, m_bandwidths.ofStraight(kind, m_scenario));
        return time;
    }

    StageTime microBatch() const
    {
        StageTime stage;
        addCompute(stage);
        addTensorParallel(stage);
        addPipeline(stage);
        const double m = asDouble(m_figures.micro_batches);
        const KindTime context = fromMessages(Kind::cp);
        stage.forward.cp_s = context.all_s / m * context.forward_share;
        stage.backward.cp_s = context.all_s / m * (1.0 - context.forward_share);
        KindTime expert = fromMessages(Kind::ep);
        expert.all_s *= m_figures.busiest_load;
        stage.forward.ep_s = expert.all_s / m * expert.forward_share;
        stage.backward.ep_s = expert.all_s / m * (1.0 - expert.forward_share);
        return stage;
    }

    // T_DP = (2N/(pt)) 2(d-1)/(d C_DP). With ZeRO, experts or mirrored stages, which the paper leaves out,
    // the messages' bytes.
    double dataParallel() const
    {
        const double d = m_figures.data_group;
        if (!m_figures.hasReplicas())
            return 0.0;
        const std::optional<double> given = m_scenario.cluster.effective.dp_GBps;
        if (m_scenario.parallel.zero_stage > 0 || hasExperts(m_scenario.model) || m_figures.mirrored)
            return fromReplicas(Kind::dp, given) + fromReplicas(Kind::edp, given);
        const Parallel& parallel = m_scenario.parallel;
        const double gradients = asDouble(m_prediction.parameters.total)
                                 * bytesPerElement(m_figures.gradient_dtype)
                                 / asDouble(parallel.pipeline * parallel.tensor);
        return transfer_s(gradients * 2.0 * (d - 1.0) / d, bandwidth(Kind::dp, given));
    }
    double fromReplicas(Kind kind, std::optional<double> given_GBps) const
    {
        double most = 0.0;
        for (const StagePrediction& stage : m_prediction.stages) {
            double bytes = 0.0;
            for (const Message& message : stage.messages)
                bytes += message.kind == kind ? message.wire_bytes : 0.0;
            most = std::max(most, bytes);
        }
        return most > 0.0 ? transfer_s(most, bandwidth(kind, given_GBps)) : 0.0;
    }

    const IterationFigures& m_figures;
    const Scenario& m_scenario;
    const Prediction& m_prediction;
    LayoutBandwidths& m_bandwidths;
};

} // namespace

IterationTime predictTimeLi(const IterationFigures& figures, const Prediction& prediction)
{
    LayoutBandwidths bandwidths{figures.scenario.parallel, figures.scenario.cluster};
    return predictTimeLi(figures, prediction, bandwidths);
}

IterationTime predictTimeLi(const IterationFigures& figures, const Prediction& prediction,
                            LayoutBandwidths& bandwidths)
{
    return LiModel{figures, prediction, bandwidths}.predict();
}

} // namespace shardscope
