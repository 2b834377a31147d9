#include "core/base/format.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/time/link_bandwidth.h"
#include "core/prediction/time/time_model.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

constexpr const char* controllable_memory =
    "Qi et al. 2024, Pipeline Parallelism with Controllable Memory (passes of equal length)";
constexpr const char* zero_bubble = "Qi et al. 2024 (their B is B - W here)";

// Times of Li et al.'s model, each with the numbers that it was made of.
class LiExplanation
{
public:
    explicit LiExplanation(const ExplainedRun& run)
        : m_run{run}, m_scenario{run.scenario}, m_time{run.prediction.time}, m_layout{run.scenario.parallel}
    {
    }

    Explanation explain(Figure figure) const
    {
        switch (figure) {
        case Figure::compute_time:
            return compute();
        case Figure::tp_time:
            return tensor();
        case Figure::cp_time:
            return byWire(Kind::cp, "Context parallelism", m_time.cp_s);
        case Figure::ep_time:
            return byWire(Kind::ep, "Expert parallelism", m_time.ep_s);
        case Figure::pp_time:
            return pipeline();
        case Figure::dp_time:
            return data();
        case Figure::emb_time:
            return unknown("Tied embeddings");
        case Figure::mp_time:
            return unknown("Gradient norm");
        default:
            return bubble();
        }
    }

private:
    std::string m() const { return plain(m_run.figures.micro_batches); }

    double bandwidth(Kind kind, std::optional<double> given_GBps) const
    {
        if (given_GBps)
            return *given_GBps * 1e9;
        const double straight = straightShare(m_scenario, m_layout, kind);
        return derivedBandwidth(m_scenario.cluster, m_layout, kind, straight).value();
    }

    std::optional<double> given(Kind kind) const
    {
        const EffectiveBandwidth& effective = m_scenario.cluster.effective;
        if (kind == Kind::tp)
            return effective.tp_GBps;
        if (kind == Kind::pp)
            return effective.pp_GBps;
        return isOfReplicas(kind) ? effective.dp_GBps : std::nullopt;
    }

    std::string bandwidthSentence(Kind kind) const
    {
        return "The bandwidth of " + plainBandwidth(bandwidth(kind, given(kind))) + " is "
               + (given(kind) ? "the cluster's own figure."
                              : "derived from the cluster's links and the rank order.");
    }

    static std::string againText(double share)
    {
        if (share == 0.0)
            return {};
        return share == 1.0 ? "the same again to recompute, "
                            : plain(2.0 * share) + " P again to recompute some of the layers, ";
    }

    Explanation compute() const
    {
        const Parallel& parallel = m_scenario.parallel;
        const double again = shareAgain(m_scenario);
        const double speed = m_scenario.cluster.mu * formatPeak(m_scenario).value();
        const std::string reached = " The GPU reaches μ F = " + plainSpeed(speed) + ".";
        Explanation explanation;
        explanation.title = "Compute";
        explanation.source = "Li et al. 2024, Eq. 5";
        if (m_scenario.model.kind == ModelKind::parameter_list) {
            const double passes = 3.0 + again;
            explanation.why = "The backward pass costs two forward passes"
                              + std::string{again > 0.0 ? ", and one more to recompute." : "."} + reached;
            explanation.formula = "m b passes FLOPs of a sample / 3 / (μ F)";
            explanation.with_values =
                worked(m() + " * " + plain(m_scenario.training.micro_batch_size) + " * " + plain(passes)
                           + " * " + plain(m_scenario.model.flops_per_sample) + " / 3 / " + plainSpeed(speed),
                       formatSeconds(m_time.compute_s));
            return explanation;
        }
        explanation.why = std::string{"2 P operations a token forward, "} + againText(again)
                          + "4 P backward. P: the parameters that a token uses." + reached;
        const std::string operations = plain(6.0 + 2.0 * again);
        explanation.formula = "m " + operations + " P b s / (p t μ F)";
        explanation.with_values =
            worked(m() + " * " + operations + " * " + plain(m_run.prediction.parameters.active) + " * "
                       + plain(m_run.figures.tokens) + " / (" + plain(parallel.pipeline) + " * "
                       + plain(parallel.tensor) + " * " + plainSpeed(speed) + ")",
                   formatSeconds(m_time.compute_s));
        return explanation;
    }

    static Explanation unknown(const char* title)
    {
        Explanation explanation;
        explanation.title = title;
        explanation.source = "Li et al. 2024";
        return nothing(explanation, "The formula does not count it.");
    }

    Explanation tensor() const
    {
        const Parallel& parallel = m_scenario.parallel;
        Explanation explanation;
        explanation.title = "Tensor parallelism";
        explanation.source = "Li et al. 2024, Eq. 2";
        if (m_run.figures.tensor < 2)
            return nothing(explanation, "One tensor rank has nobody to talk to.");
        const double again = shareAgain(m_scenario);
        const bool regather = parallel.sequence_parallel && m_scenario.conventions.sp_regather;
        const double units = 8.0 + 4.0 * again + (regather ? 2.0 : 0.0);
        explanation.why =
            "Each layer sends the activation of e b s h bytes " + plain(units)
            + " times (t - 1) / t: an all_reduce counts twice, an all_gather or reduce_scatter once. "
            + bandwidthSentence(Kind::tp);
        explanation.formula = "m (l / p) " + plain(units) + " e b s h (t - 1) / t / C";
        explanation.with_values =
            worked(m() + " * " + plain(layersOfTwoBlocks(m_scenario.model)) + " / " + plain(parallel.pipeline)
                       + " * " + plain(units) + " * "
                       + plainBytes(static_cast<double>(m_run.figures.activation_bytes)) + " * ("
                       + plain(parallel.tensor) + " - 1) / " + plain(parallel.tensor) + " / "
                       + plainBandwidth(bandwidth(Kind::tp, given(Kind::tp))),
                   formatSeconds(m_time.tp_s));
        return explanation;
    }

    Explanation pipeline() const
    {
        const Parallel& parallel = m_scenario.parallel;
        Explanation explanation;
        explanation.title = "Pipeline parallelism";
        explanation.source = "Li et al. 2024, Eq. 3";
        if (parallel.pipeline < 2)
            return nothing(explanation, "One stage has no neighbour.");
        const bool parts = parallel.sequence_parallel || m_scenario.conventions.pp_partitioned;
        Product message = Product{}.times("m", m_run.figures.micro_batches).times("2", 2);
        message.timesBytes("e b s h", m_run.figures.activation_bytes);
        if (parts && parallel.tensor > 1)
            message.over("t", parallel.tensor);
        if (parallel.virtual_stages > 1)
            message.times("v", parallel.virtual_stages);
        explanation.why = "Each micro-batch sends an activation forward and a gradient back"
                          + std::string{parts ? ", a part of it from each tensor rank. " : ". "}
                          + bandwidthSentence(Kind::pp);
        explanation.formula = message.symbols() + " / C";
        explanation.with_values =
            worked(message.values() + " / " + plainBandwidth(bandwidth(Kind::pp, given(Kind::pp))),
                   formatSeconds(m_time.pp_s));
        return explanation;
    }

    Explanation data() const
    {
        const Parallel& parallel = m_scenario.parallel;
        Explanation explanation;
        explanation.title = "Data parallelism";
        explanation.source = "Li et al. 2024, Eq. 4";
        const auto d = std::int64_t{m_run.figures.data_group};
        if (d < 2)
            return nothing(explanation, "One replica has nobody to share gradients with.");
        if (parallel.zero_stage > 0 || hasExperts(m_scenario.model) || m_run.figures.mirrored)
            return dataByWire(explanation);
        explanation.why =
            "All ranks that hold the same weights sum their gradients once, g bytes for each of P "
            "parameters. "
            + std::string{parallel.context > 1 ? "They are d * c, which stands for d here. " : ""}
            + bandwidthSentence(Kind::dp);
        explanation.formula = "g P / (p t) * 2 (d - 1) / d / C";
        explanation.with_values =
            worked(plain(std::int64_t{bytesPerElement(m_run.figures.gradient_dtype)}) + " * "
                       + plain(m_run.prediction.parameters.total) + " / (" + plain(parallel.pipeline) + " * "
                       + plain(parallel.tensor) + ") * 2 * (" + plain(d) + " - 1) / " + plain(d) + " / "
                       + plainBandwidth(bandwidth(Kind::dp, given(Kind::dp))),
                   formatSeconds(m_time.dp_s));
        return explanation;
    }

    // Bytes that the rank which sends most sends itself.
    double mostWireBytes(Kind kind) const
    {
        double most = 0.0;
        for (const StagePrediction& stage : m_run.prediction.stages) {
            double bytes = 0.0;
            for (const Message& message : stage.messages)
                bytes += message.kind == kind ? message.wire_bytes : 0.0;
            most = std::max(most, bytes);
        }
        return most;
    }

    Explanation dataByWire(Explanation explanation) const
    {
        Sum symbols;
        std::string values;
        for (const Kind kind : {Kind::dp, Kind::edp}) {
            const double bytes = mostWireBytes(kind);
            if (bytes <= 0.0)
                continue;
            symbols.add(std::string{word(kind)} + " wire bytes / C", bytes);
            values += (values.empty() ? "" : " + ") + plainBytes(bytes) + " / "
                      + plainBandwidth(bandwidth(kind, given(kind)));
        }
        explanation.why =
            (m_run.figures.mirrored
                 ? "DualPipe keeps each stage twice: 2 d c ranks sum its gradients, which the "
                   "paper's equation does not have. Here: the bytes that the busiest rank sends. "
                 : "With ZeRO or experts, the bytes that the busiest rank sends. ")
            + bandwidthSentence(Kind::dp);
        explanation.source = "wire bytes of the busiest rank; Li et al. 2024 have plain data parallelism";
        explanation.formula = symbols.symbols();
        explanation.with_values = worked(values.empty() ? "0" : values, formatSeconds(m_time.dp_s));
        return explanation;
    }

    // Not in the paper.
    Explanation byWire(Kind kind, const char* title, double seconds) const
    {
        Explanation explanation;
        explanation.title = title;
        explanation.source = "wire bytes of the busiest rank; Li et al. 2024 leave it out";
        const double bytes = mostWireBytes(kind);
        if (bytes <= 0.0)
            return nothing(explanation, "Nothing of this kind is sent.");
        explanation.why = bandwidthSentence(kind);
        explanation.formula = "wire bytes / C";
        explanation.with_values = worked(
            plainBytes(bytes) + " / " + plainBandwidth(bandwidth(kind, given(kind))), formatSeconds(seconds));
        return explanation;
    }

    // How long stages wait with a schedule: symbols, values, and who says so.
    struct Waiting {
        std::string formula;
        std::string values;
        const char* source;
    };

    Waiting waiting() const
    {
        constexpr int digits = 6; // differences of nearly equal times
        const Parallel& parallel = m_scenario.parallel;
        const StageTime chunk = predictTimeLi(m_run.figures, m_run.prediction).chunks.front();
        const auto chunks = static_cast<double>(parallel.virtual_stages);
        const std::string f = plainTime(chunks * chunk.forward.total_s(), digits);
        const std::string b = plainTime(chunks * chunk.backward.total_s(), digits);
        const std::string w = plainTime(chunks * chunk.weight_gradient_s, digits);
        const std::string fill = "(" + plain(parallel.pipeline) + " - 1)";
        switch (parallel.schedule) {
        case Schedule::interleaved:
            return {"(p - 1) (F + B) / v",
                    fill + " * (" + f + " + " + b + ") / " + plain(parallel.virtual_stages),
                    "Narayanan et al. 2021, section 2.2"};
        case Schedule::zb_h1:
            return {"(p - 1) max(0, F + B - 2 W)", fill + " * max(0, " + f + " + " + b + " - 2 * " + w + ")",
                    zero_bubble};
        case Schedule::zb_h2:
        case Schedule::zb_v:
            return {"(p - 1) max(0, F + B - 3 W)", fill + " * max(0, " + f + " + " + b + " - 3 * " + w + ")",
                    zero_bubble};
        case Schedule::v_half:
            return {"(p - 1) (F + B) / 2", fill + " * (" + f + " + " + b + ") / 2", controllable_memory};
        case Schedule::v_min:
            return {"2 (p - 1) (F + B) / 3", "2 * " + fill + " * (" + f + " + " + b + ") / 3",
                    controllable_memory};
        case Schedule::dualpipe:
            return {"max(0, p / 2 - 1) max(0, F + 2 B - 3 W)",
                    "max(0, " + plain(parallel.pipeline) + " / 2 - 1) * max(0, " + f + " + 2 * " + b
                        + " - 3 * " + w + ")",
                    "DualPipe's README: (p / 2 - 1) (F&B + B - 3 W)"};
        case Schedule::gpipe:
        case Schedule::one_f_one_b:
            break;
        }
        return {"(p - 1) (F + B)", fill + " * (" + f + " + " + b + ")",
                "Li et al. 2024, Eq. 8; Narayanan et al. 2021, section 2.2"};
    }

    Explanation bubble() const
    {
        const bool splits_backward = m_scenario.parallel.schedule > Schedule::interleaved;
        const Waiting waiting = this->waiting();
        Explanation explanation;
        explanation.title = "Bubble";
        explanation.why =
            "Stages wait while the pipeline fills and drains. F, B: forward and backward pass of a "
            "micro-batch, messages included";
        explanation.why +=
            splits_backward ? "; W: the part of B that makes weight gradients and can be put off." : ".";
        explanation.formula = waiting.formula;
        explanation.with_values = worked(waiting.values, formatSeconds(m_time.bubble_s));
        explanation.source = waiting.source;
        return explanation;
    }

    static Explanation nothing(Explanation explanation, const char* why)
    {
        explanation.why = why;
        explanation.formula = "0";
        explanation.with_values = worked("0", formatSeconds(0.0));
        return explanation;
    }

    const ExplainedRun& m_run;
    const Scenario& m_scenario;
    const TimePrediction& m_time;
    RankLayout m_layout;
};

} // namespace

Explanation explainLiTime(Figure figure, const ExplainedRun& run)
{
    return LiExplanation{run}.explain(figure);
}

} // namespace shardscope
