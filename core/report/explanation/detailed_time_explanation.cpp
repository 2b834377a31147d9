#include "core/base/format.h"
#include "core/prediction/time/operator_costs.h"
#include "core/prediction/time/stage_communication.h"
#include "core/prediction/time/time_model.h"
#include "core/report/explanation/collective_explanation.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr const char* source = detailed_time_source;
constexpr std::size_t most_terms = 4; // calls of other sizes are one term together

// All calls of one operation and size that a rank of a stage makes in an iteration.
struct Calls {
    Op op;
    Kind kind;
    std::int64_t message_bytes = 0;
    std::int64_t count = 0;
    double each_s = 0.0;
    const Message* first = nullptr;

    double total_s() const { return static_cast<double>(count) * each_s; }
};

std::string bytesText(std::int64_t bytes)
{
    return formatBytes(static_cast<double>(bytes));
}

std::string placeText(const Communicator& group)
{
    const std::string ranks = plain(std::int64_t{group.members}) + " ranks";
    return group.nodes() == 1 ? ranks + " of a node"
                              : ranks + " on " + plain(std::int64_t{group.nodes()}) + " nodes";
}

// Plays the scenario's iteration once more, and says what its times are made of.
class DetailedExplanation
{
public:
    explicit DetailedExplanation(const ExplainedRun& run)
        : m_run{run},
          m_machine{run.scenario.cluster},
          m_communication{m_run.figures, m_machine},
          m_time{predictTimeDetailed(m_run.figures, run.prediction)}
    {
    }

    // As the pictures divide it: what hides beneath it, and the step, have parts of their own.
    Explanation compute() const
    {
        const double forward = eachMicroBatch(&StageTime::forward);
        const double backward = eachMicroBatch(&StageTime::backward);
        const TimePrediction& time = m_run.prediction.time;
        Explanation explanation{"Compute",
                                "Operators of the slowest stage, "
                                    + plain(std::int64_t{m_time.summary.slowest_stage})
                                    + ", each timed by its size, and the optimizer.",
                                "m * (forward + backward) + optimizer",
                                worked(plain(m_run.figures.passes) + " * (" + plainTime(forward) + " + "
                                           + plainTime(backward) + ") + " + plainTime(time.step_s),
                                       formatSeconds(time.compute_s)),
                                source};
        explanation.parts =
            "forward " + formatSeconds(forward) + ", backward " + formatSeconds(backward)
            + (m_run.scenario.training.recompute == Recompute::none ? "" : ", recomputation included")
            + "\noptimizer " + formatSeconds(time.step_s);
        if (time.hidden_communication_s > 0.0)
            explanation.parts +=
                "\nbehind it " + formatSeconds(time.hidden_communication_s) + " of hidden communication";
        if (time.kernel_share > 0.0)
            explanation.parts +=
                "\nk1 " + plain(time.kernel_share, 3) + ": kernels, the rest is their dispatch; k2 "
                + plain(time.transformer_share, 3) + ": of the kernels, those of layers (Cheng et al. 2024)";
        if (m_run.scenario.cluster.launch_blocking && m_run.scenario.model.kind == ModelKind::transformer)
            explanation.parts += "\nkernels are started one by one: their dispatch adds up, nothing overlaps";
        if (time.mu > 0.0)
            explanation.parts +=
                "\nμ " + plain(time.mu, 3) + ": what Li et al. 2024, Eq. 5, would need for the same time";
        explanation.parts += operatorsOfLayer();
        return explanation;
    }

    // What a layer computes for one micro-batch, forward; of a model with experts one that has some.
    std::string operatorsOfLayer() const
    {
        const OperatorCosts costs = operatorCosts(m_run.scenario);
        if (costs.layers.empty())
            return {};
        const auto with_experts = std::ranges::find_if(
            costs.layers, [](const OperatorCosts::Layer& layer) { return hasExperts(layer.form); });
        const OperatorCosts::Layer& shown =
            with_experts != costs.layers.end() ? *with_experts : costs.layers.front();
        std::string text;
        for (const OperatorCost& cost : shown.operators) {
            text += "\n" + std::string{cost.what} + ": " + formatSeconds(cost.forward_s) + " forward";
            if (cost.forward_flops > 0.0 && costs.peak_flops > 0.0)
                text +=
                    ", " + formatRatio(cost.forward_flops / cost.forward_s / costs.peak_flops) + " of peak";
        }
        return (hasExperts(shown.form) ? "\na layer with experts:" : "\na layer:") + text;
    }

    // A line for each in the parts. Answers "count * time + ...", the shortest of many together.
    std::string listCalls(const std::vector<Calls>& calls, Explanation& explanation) const
    {
        std::string values;
        double rest = 0.0;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (i >= most_terms) {
                rest += calls[i].total_s();
                continue;
            }
            values += (i > 0 ? " + " : "") + plain(calls[i].count) + " * " + plainTime(calls[i].each_s);
            explanation.parts += (i > 0 ? "\n" : "") + lineOf(calls[i]);
        }
        if (rest > 0.0)
            values += " + " + plainTime(rest);
        if (!calls.empty())
            explanation.parts += working(*calls.front().first);
        return values;
    }

    // What they take in all is not what the iteration waits for: "all - hidden".
    std::string setAgainstHidden(double all, double exposed_s, bool of_replicas,
                                 Explanation& explanation) const
    {
        const double hidden = all - exposed_s;
        const int digits = digitsFor(all, exposed_s);
        explanation.formula += hidden > 0.0 ? " - hidden" : " + waiting for other stages";
        const bool in_buckets = std::ranges::any_of(
            m_run.prediction.stages, [](const StagePrediction& stage) { return !stage.buckets.empty(); });
        if (hidden > 0.0 && of_replicas && in_buckets && m_run.scenario.conventions.dp_overlap)
            explanation.parts +=
                "\na bucket goes when its gradients are ready and the ones before it are through; while one "
                "travels beneath a pass, the pass loses "
                + formatRatio(m_run.scenario.cluster.compute.dp_overlap_exposed)
                + " of its time, as published steps have it (dp_overlap_exposed)";
        return plainTime(all, digits) + (hidden > 0.0 ? " - " : " + ") + plainTime(std::fabs(hidden), digits);
    }

    // Calls of the kinds, each timed by its size, its group and the links between its ranks.
    Explanation calls(const char* title, std::vector<Kind> kinds, double exposed_s) const
    {
        const bool in_passes =
            kinds.front() == Kind::tp || kinds.front() == Kind::cp || kinds.front() == Kind::ep;
        const int stage = !in_passes ? stageOfMost(kinds) : m_time.summary.slowest_stage;
        const std::vector<Calls> calls = callsOf(stage, kinds);
        Explanation explanation{title,
                                "What one rank of stage " + plain(std::int64_t{stage})
                                    + " waits for, each call timed by its size, its group and its links.",
                                "sum of count * time of a call",
                                {},
                                source};
        std::string values = listCalls(calls, explanation);
        double all = 0.0;
        for (const Calls& each : calls)
            all += each.total_s();
        if (std::fabs(all - exposed_s) > 1e-6 * all)
            values = setAgainstHidden(all, exposed_s, isOfReplicas(kinds.front()), explanation);
        if (exposed_s <= 1e-6 * all)
            values.clear();
        explanation.with_values = worked(values.empty() ? "0" : values, formatSeconds(exposed_s));
        return explanation;
    }

    Explanation pipeline() const
    {
        const double waits = m_run.prediction.time.pp_s;
        Explanation explanation{
            "Pipeline parallelism",
            "How long the slowest stage, " + plain(std::int64_t{m_time.summary.slowest_stage})
                + ", stands idle because a message is on its way: read off the schedule as it is played.",
            "waiting for messages", worked(plainTime(waits), formatSeconds(waits)), source};
        if (m_run.figures.pipelined())
            explanation.parts =
                "a message of " + bytesText(m_run.figures.activation_bytes) + " takes "
                + formatSeconds(m_time.message_s[static_cast<std::size_t>(m_time.summary.slowest_stage)])
                + (travelsInParts(m_run.figures) ? ", in parts that the receivers gather" : "")
                + (m_time.sender_waits ? "; its sender waits for it" : "; its sender works on");
        return explanation;
    }

    Explanation bubble() const
    {
        const StageUse& use = m_time.stages[static_cast<std::size_t>(m_time.summary.slowest_stage)];
        Sum sum;
        sum.addTime("fill", use.fill_s)
            .addTime("drain", use.drain_s)
            .addTime("waiting for a neighbour", use.imbalance_s);
        Explanation explanation{
            "Bubble",
            "Idle time of the slowest stage, " + plain(std::int64_t{m_time.summary.slowest_stage})
                + ", read off the schedule as it is played: before its first backward pass, after its "
                  "last forward pass, and between them.",
            sum.symbols(), worked(sum.values(), formatSeconds(m_run.prediction.time.bubble_s)), source};
        explanation.parts = idleOfStages();
        return explanation;
    }

    // One line for each stage, of a deep pipeline for as many as can be read.
    std::string idleOfStages() const
    {
        constexpr std::size_t most_lines = 16;
        const std::size_t step = (m_time.stages.size() + most_lines - 1) / most_lines;
        std::string text = "stage: fill, drain, neighbour, message";
        for (std::size_t i = 0; i < m_time.stages.size(); i += step) {
            const StageUse& use = m_time.stages[i];
            text += "\n" + std::to_string(i) + ": " + formatSeconds(use.fill_s) + ", "
                    + formatSeconds(use.drain_s) + ", " + formatSeconds(use.imbalance_s) + ", "
                    + formatSeconds(use.message_s);
        }
        return text;
    }

    // Empty for what is received, and for calls that are timed with another one.
    std::string messageTime(const Message& message, int stage) const
    {
        if (message.op == Op::recv)
            return {};
        const bool piped = message.part == ModelPart::pipeline;
        if (piped && message.kind != Kind::pp)
            return {};
        const double each =
            (piped ? m_communication.pipelineMessage(stage) : m_communication.timeOf(message)).value();
        std::string text = "time " + formatSeconds(each) + " a call";
        if (message.op != Op::send) {
            const Communicator& group = m_communication.group(message.kind);
            const Bytes bytes = m_communication.bytesOf(message);
            const double bus = busBandwidthGBps(message.op, group.members, bytes, Seconds{each});
            const bool is_mean = bytes.value() > static_cast<double>(message.message_bytes);
            text +=
                " over " + placeText(group)
                + (is_mean ? ", all waiting for the rank that receives most, " + formatBytes(bytes.value())
                           : "")
                + ", bus bandwidth " + plain(bus, 3) + " GB/s";
        }
        return text + "; all calls " + formatSeconds(each * static_cast<double>(message.count))
               + working(message);
    }

private:
    // Seconds that the slowest stage computes for a micro-batch; with dualpipe it holds two of the stages'
    // parts, and half of the micro-batches pass each.
    double eachMicroBatch(PassTime StageTime::*pass) const
    {
        const std::size_t stages = m_run.prediction.stages.size();
        const auto slowest = static_cast<std::size_t>(m_time.summary.slowest_stage);
        double sum = 0.0;
        const PipelineChain chain{m_run.scenario.parallel};
        for (int chunk = 0; chunk < m_run.scenario.parallel.virtual_stages; ++chunk) {
            const int place = chain.place(chunk, m_time.summary.slowest_stage);
            sum += (m_time.chunks[static_cast<std::size_t>(place)].*pass).compute_s;
        }
        if (m_run.figures.mirrored)
            sum += (m_time.chunks[stages - 1 - slowest].*pass).compute_s;
        return sum;
    }

    // Longest in all first.
    std::vector<Calls> callsOf(int stage, const std::vector<Kind>& kinds) const
    {
        std::vector<Calls> calls;
        for (const Message& message : m_run.prediction.stages[static_cast<std::size_t>(stage)].messages) {
            const bool wanted = std::ranges::find(kinds, message.kind) != kinds.end();
            if (!wanted || message.op == Op::recv || message.part == ModelPart::pipeline)
                continue;
            const auto same = std::ranges::find_if(calls, [&](const Calls& other) {
                return other.op == message.op && other.kind == message.kind
                       && other.message_bytes == message.message_bytes;
            });
            if (same != calls.end())
                same->count += message.count;
            else
                calls.push_back({message.op, message.kind, message.message_bytes, message.count,
                                 m_communication.timeOf(message).value(), &message});
        }
        std::ranges::stable_sort(calls, std::ranges::greater{}, &Calls::total_s);
        return calls;
    }

    // The stage whose replicas communicate longest, which is what the iteration waits for.
    int stageOfMost(const std::vector<Kind>& kinds) const
    {
        int most = 0;
        double longest = -1.0;
        for (const StagePrediction& stage : m_run.prediction.stages) {
            double sum = 0.0;
            for (const Calls& calls : callsOf(stage.stage, kinds))
                sum += calls.total_s();
            if (sum > longest) {
                longest = sum;
                most = stage.stage;
            }
        }
        return most;
    }

    // How the law comes to the time of one call; empty for messages between two ranks.
    std::string working(const Message& message) const
    {
        const Communicator& group = m_communication.group(message.kind);
        if (isPointToPoint(message.op) || group.members < 2)
            return {};
        const double pieces = m_communication.piecesOf(message);
        const Explanation call = explainCollective(message.op, m_communication.bytesOf(message) / pieces,
                                                   group, m_machine.interconnect);
        return (pieces > 1.0 ? "\none of its " + plain(pieces, 4) + " tensors, " : "\none call, ")
               + call.title + ": " + call.formula + " = " + call.with_values + "\n" + call.parts;
    }

    std::string lineOf(const Calls& calls) const
    {
        return std::string{word(calls.op)} + " of " + bytesText(calls.message_bytes) + " over "
               + placeText(m_communication.group(calls.kind)) + ": " + plain(calls.count) + " of "
               + formatSeconds(calls.each_s);
    }

    const ExplainedRun& m_run;
    Machine m_machine;
    CommunicationTime m_communication;
    IterationTime m_time;
};

} // namespace

Explanation explainDetailedTime(Figure figure, const ExplainedRun& run)
{
    const DetailedExplanation explanation{run};
    const TimePrediction& time = run.prediction.time;
    switch (figure) {
    case Figure::compute_time:
        return explanation.compute();
    case Figure::tp_time:
        return explanation.calls("Tensor parallelism", {Kind::tp}, time.tp_s);
    case Figure::cp_time:
        return explanation.calls("Context parallelism", {Kind::cp}, time.cp_s);
    case Figure::ep_time:
        return explanation.calls("Expert parallelism", {Kind::ep}, time.ep_s);
    case Figure::pp_time:
        return explanation.pipeline();
    case Figure::dp_time:
        return explanation.calls("Data parallelism", {Kind::dp, Kind::edp}, time.dp_s);
    case Figure::emb_time:
        return explanation.calls("Tied embeddings", {Kind::emb}, time.emb_s);
    case Figure::mp_time:
        return explanation.calls("Gradient norm", {Kind::mp}, time.mp_s);
    default:
        return explanation.bubble();
    }
}

std::string explainMessageTime(const Message& message, const ExplainedRun& run, int stage)
{
    if (run.scenario.time_model == TimeModel::li)
        return {};
    return DetailedExplanation{run}.messageTime(message, stage);
}

} // namespace shardscope
