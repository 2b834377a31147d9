#include "core/report/prediction_report.h"

#include "core/base/format.h"
#include "core/base/format_alike.h"
#include "core/prediction/memory/memory.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/time/time_error.h"
#include "core/prediction/timeline/timeline.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "core/report/link_report.h"
#include "core/report/memory_advice_text.h"
#include "core/report/operator_text.h"
#include "core/report/scenario_words.h"
#include "core/report/text_table.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace shardscope
{

namespace
{

std::string bytesText(std::int64_t bytes)
{
    return formatBytes(static_cast<double>(bytes));
}

// "a = 4 pipeline * 2 tensor * 4 data": dimensions of one rank are left out.
std::string worldText(const Scenario& scenario)
{
    const Parallel& parallel = scenario.parallel;
    std::string product;
    const auto append = [&](std::int64_t size, const char* name) {
        if (size > 1)
            product += (product.empty() ? " = " : " * ") + std::to_string(size) + " " + name;
    };
    append(parallel.pipeline, "pipeline");
    append(parallel.tensor, "tensor");
    append(parallel.context, "context");
    append(parallel.data, "data");
    return std::to_string(scenario.worldSize()) + product;
}

std::string iterationText(const Scenario& scenario, const TimePrediction& time)
{
    const std::string band = timeBandText(scenario, time);
    return formatSeconds(time.iteration_s) + (band.empty() ? "" : " (" + band + ")") + ", "
           + formatCount(time.tokens_per_s) + ' ' + throughputWord(scenario.model) + ", MFU "
           + formatRatio(time.mfu) + " (" + formatPlain(time.mfu * densePeak(scenario).value() * 1e-12, 4)
           + " TFLOP/s a GPU)";
}

std::string communicationText(const TimePrediction& time)
{
    const std::string text = formatRatio(time.communication_ratio) + " of the iteration";
    return time.hidden_communication_s > 0.0
               ? text + "; " + formatSeconds(time.hidden_communication_s) + " more behind compute"
               : text;
}

std::string fitText(const MemoryPrediction& memory, const Cluster& cluster)
{
    if (memory.fits)
        return isNearlyFull(memory.device_bytes, cluster) ? "fits, nearly full" : "fits";
    return "does not fit, " + bytesText(memory.device_bytes - memory.capacity_bytes) + " too much";
}

// Cheng et al.'s k1 and k2, and the constant with which Li et al.'s formula would compute as long.
std::string computeText(const TimePrediction& time)
{
    std::string text = formatRatio(time.kernel_share) + " of it runs kernels, the rest starts them (k1)";
    if (time.transformer_share > 0.0)
        text += "; " + formatRatio(time.transformer_share) + " of the kernels' time is the layers' (k2)";
    if (time.mu > 0.0)
        text += "; Li et al.'s formula takes as long with mu = " + formatCount(time.mu);
    return text;
}

// "671 B, 37.6 B active for a token, 5.24 B on the fullest rank"; of a dense model a token uses all.
std::string parametersText(const ParameterCount& parameters)
{
    std::string text = formatCount(static_cast<double>(parameters.total));
    if (parameters.active != parameters.total)
        text += ", " + formatCount(static_cast<double>(parameters.active)) + " active for a token";
    return text + ", " + formatCount(static_cast<double>(parameters.per_rank_max)) + " on the fullest rank";
}

std::string headline(const Scenario& scenario, const Prediction& prediction)
{
    const TimePrediction& time = prediction.time;
    const double capacity = static_cast<double>(prediction.memory.capacity_bytes);
    TextTable table{{"", ""}};
    table.addRow({"parameters", parametersText(prediction.parameters)});
    table.addRow({"GPUs", worldText(scenario)});
    table.addRow({"cluster", clusterText(scenario.cluster)});
    table.addRow({"batch", globalBatchText(scenario) + "; " + std::to_string(prediction.micro_batches)
                               + (prediction.micro_batches == 1 ? " micro-batch of " : " micro-batches of ")
                               + std::to_string(scenario.training.micro_batch_size) + " for each replica"});
    table.addRow({"memory", bytesText(prediction.memory.peak_bytes) + " "
                                + std::string{word(scenario.conventions.memory_measure)}
                                + " on the fullest GPU, " + bytesText(prediction.memory.device_bytes) + " of "
                                + formatBytes(capacity)
                                + " in all: " + fitText(prediction.memory, scenario.cluster)});
    if (prediction.memory.host_transfer_s > 0.0)
        table.addRow({"", formatSeconds(prediction.memory.host_transfer_s)
                              + " for what passes between GPU and host, not in the iteration"});
    if (const std::string advice = memoryAdviceText(scenario, prediction); !advice.empty())
        table.addRow({"", advice});
    table.addRow({"iteration", iterationText(scenario, time)});
    table.addRow({"communication", communicationText(time)});
    table.addRow({"bubble", formatRatio(time.bubble_ratio) + " of the iteration"});
    if (time.kernel_share > 0.0)
        table.addRow({"compute", computeText(time)});
    std::string text = table.text();
    return text.substr(text.find('\n') + 1); // without the headings, which are empty
}

std::string timeTable(const TimePrediction& time)
{
    TextTable table{{"part", ">time", ">share"}};
    const auto row = [&](const char* part, double seconds) {
        if (seconds > 0.0)
            table.addRow({part, formatSeconds(seconds), formatRatio(seconds / time.iteration_s)});
    };
    row("compute", time.compute_s - time.step_s);
    row("step", time.step_s);
    row("tp", time.tp_s);
    row("cp", time.cp_s);
    row("ep", time.ep_s);
    row("pp", time.pp_s);
    row("dp", time.dp_s);
    row("emb", time.emb_s);
    row("mp", time.mp_s);
    row("bubble", time.bubble_s);
    row("iteration", time.iteration_s);
    return table.text();
}

// "Time of an iteration, of stage 3, which works longest": where stages differ, the parts are those of one,
// but for what replicas send.
std::string timeHeading(const Scenario& scenario, const Prediction& prediction)
{
    const std::string heading = "Time of an iteration";
    const int stage = prediction.time.slowest_stage;
    if (scenario.parallel.pipeline == 1 || stage < 0)
        return heading;
    const bool has_replicas = prediction.time.dp_s > 0.0;
    return heading + ", of stage " + std::to_string(stage) + ", which works longest"
           + (has_replicas ? "; dp: by so much replicas of any stage lengthen it" : "");
}

// Idle time of each stage by its cause.
std::string stageTable(const std::vector<StagePrediction>& stages)
{
    TextTable table{{">stage", ">forward", ">backward", ">fill", ">drain", ">neighbour", ">message"}};
    for (const StagePrediction& stage : stages) {
        std::vector<std::string> row{std::to_string(stage.stage)};
        const StageUse& use = stage.use;
        for (const double seconds :
             {use.forward_s, use.backward_s, use.fill_s, use.drain_s, use.imbalance_s, use.message_s})
            row.push_back(formatSeconds(seconds));
        table.addRow(row);
    }
    return table.text();
}

std::string memoryTable(const MemoryPrediction& memory)
{
    TextTable table{{">stage", ">weights", ">gradients", ">optimizer", ">activations", ">temporaries",
                     ">buffers", ">cached", ">context", ">device"}};
    for (const StageMemory& stage : memory.stages) {
        std::vector<std::string> row{std::to_string(stage.stage)};
        for (const std::int64_t bytes :
             {stage.weights_bytes, stage.gradients_bytes, stage.optimizer_bytes, stage.activations_bytes,
              stage.temporaries_bytes, stage.buffers_bytes, stage.cached_bytes, stage.context_bytes,
              stage.deviceBytes()})
            row.push_back(bytesText(bytes));
        table.addRow(row);
    }
    return table.text();
}

std::string messageTable(const std::vector<Message>& messages)
{
    TextTable table{{"kind", "op", "phase", "what", "dtype", ">group", ">size", ">count", ">total", ">wire"}};
    for (const Message& message : messages)
        table.addRow({std::string{word(message.kind)}, std::string{word(message.op)},
                      std::string{word(message.phase)}, std::string{message.what},
                      std::string{word(message.dtype)}, std::to_string(message.group_size),
                      bytesText(message.message_bytes), formatGrouped(message.count),
                      bytesText(message.total_bytes), formatBytes(message.wire_bytes)});
    return table.text();
}

bool sameMessages(const StagePrediction& a, const StagePrediction& b)
{
    return std::ranges::equal(a.messages, b.messages, [](const Message& x, const Message& y) {
        return x.kind == y.kind && x.op == y.op && x.phase == y.phase && x.dtype == y.dtype
               && x.what == y.what && x.group_size == y.group_size && x.message_bytes == y.message_bytes
               && x.count == y.count;
    });
}

// Which ranks differ from the tables of their stages.
std::string unevenText(const RankParts& parts)
{
    if (!parts.isUneven())
        return {};
    return "\nExperts receive unlike numbers of tokens: these are the messages of a rank that receives the "
           "mean. Others receive "
           + formatRatio(parts.leastLoad()) + " to " + formatRatio(parts.greatestLoad())
           + " of that, and what they send of it is as much smaller or larger: --ranks lists it.\n";
}

// One table for each run of stages that do the same.
std::string stagesText(const std::vector<StagePrediction>& stages)
{
    std::string text;
    for (std::size_t first = 0; first < stages.size();) {
        std::size_t last = first;
        while (last + 1 < stages.size() && sameMessages(stages[first], stages[last + 1]))
            ++last;
        text += "\nMessages of each rank of stage " + std::to_string(first)
                + (last > first ? " to " + std::to_string(last) : "") + " ("
                + std::to_string(stages[first].layers.size()) + " layers, "
                + formatCount(static_cast<double>(stages[first].parameters)) + " parameters)\n"
                + messageTable(stages[first].messages);
        first = last + 1;
    }
    return text;
}

std::string ranksText(const Prediction& prediction, const RankLayout& layout, const RankParts& parts,
                      const std::vector<std::int64_t>& ranks)
{
    std::string text;
    for (const std::int64_t rank : ranks) {
        const RankCoordinates place = layout.coordinates(rank);
        text += "\nMessages of rank " + std::to_string(rank) + " (tp " + std::to_string(place.tp) + ", cp "
                + std::to_string(place.cp) + ", dp " + std::to_string(place.dp) + ", pp "
                + std::to_string(place.pp) + ", ep " + std::to_string(place.ep) + ")\n"
                + messageTable(parts.messages(prediction, parts.part(place)));
    }
    return text;
}

std::string matrixText(const TrafficMatrix& matrix)
{
    std::string text;
    for (const Kind kind : matrix.kinds()) {
        TextTable table{{">sender", ">receiver", ">bytes"}};
        for (const TrafficCell& cell : matrix.cells(kind))
            table.addRow(
                {std::to_string(cell.sender), std::to_string(cell.receiver), formatBytes(cell.bytes)});
        text += "\nTraffic of " + std::string{word(kind)} + "\n" + table.text();
    }
    return text;
}

std::string_view word(const TimelineSpan& span)
{
    switch (span.activity) {
    case Activity::forward:
        return "forward";
    case Activity::backward:
        return span.isOptimizer() ? "optimizer" : "backward";
    case Activity::weight_gradient:
        return "weight gradient";
    case Activity::communication:
        return word(span.kind);
    case Activity::bubble:
        break;
    }
    return "bubble";
}

std::string timelineText(const PredictedTimeline& timeline)
{
    TextTable table{{">stage", "what", ">micro-batch", ">start", ">duration"}};
    for (const TimelineSpan& span : timeline.spans)
        table.addRow({std::to_string(span.stage), std::string{word(span)},
                      span.micro_batch < 0 ? "" : std::to_string(span.micro_batch),
                      formatSeconds(span.start_s), formatSeconds(span.duration_s)});
    return "\nTimeline\n" + table.text();
}

} // namespace

std::string timeBandWords(const std::array<double, 2>& band)
{
    const auto percent = [](double share) { return std::to_string(std::lround(100.0 * share)) + " %"; };
    const auto [low, high] = band;
    if (low == 0.0 && high == 0.0)
        return {};
    return -low == high ? "± " + percent(high) : percent(low) + " to +" + percent(high);
}

const StagePrediction* stageOfLongestBubble(const Prediction& prediction)
{
    const auto longest = std::ranges::max_element(
        prediction.stages, {}, [](const StagePrediction& stage) { return stage.use.bubble_s(); });
    constexpr double notable = 0.005; // of the iteration
    const bool is_longer =
        longest != prediction.stages.end()
        && longest->use.bubble_s() > prediction.time.bubble_s + notable * prediction.time.iteration_s;
    return is_longer ? &*longest : nullptr;
}

std::string timeBandText(const Scenario& scenario, const TimePrediction& time)
{
    const auto& [low, high] = time.error_band;
    const std::string remark = isUncalibratedLi(scenario) ? "not calibrated" : "";
    if (low == 0.0 && high == 0.0)
        return remark;
    const auto ends = formatSecondsAlike(time.iteration_s * (1.0 + low), time.iteration_s * (1.0 + high));
    const std::string from_to = ends[0] + " to " + ends[1];
    if (!remark.empty())
        return remark + ", " + from_to;
    return timeBandWords(time.error_band) + ": " + from_to;
}

std::string predictionText(const Scenario& scenario, const Prediction& prediction,
                           const PredictionReportOptions& options)
{
    std::string text = (scenario.name.empty() ? "Prediction" : scenario.name) + "\n";
    text += headline(scenario, prediction);
    text += '\n' + timeHeading(scenario, prediction) + '\n' + timeTable(prediction.time);
    text += linksText(scenario, prediction);
    if (scenario.parallel.pipeline > 1 && scenario.time_model == TimeModel::detailed)
        text +=
            "\nThe pipeline, by stage: at work, and idle before its first backward pass (fill), after its "
            "last forward pass (drain), while a neighbour is not ready, while a message is on its way\n"
            + stageTable(prediction.stages);
    if (scenario.time_model == TimeModel::detailed)
        text += operatorsText(scenario);
    text += "\nMemory of one rank, by stage\n" + memoryTable(prediction.memory);
    const RankLayout layout{scenario.parallel};
    const RankParts parts{scenario};
    if (options.ranks.mode == RankChoice::Mode::classes)
        text += unevenText(parts) + stagesText(prediction.stages);
    else if (const auto ranks = chosenRanks(options.ranks, layout, parts))
        text += ranksText(prediction, layout, parts, ranks.value());
    if (options.matrix)
        text += matrixText(TrafficMatrix{scenario, prediction});
    if (options.timeline)
        text += timelineText(predictTimeline(scenario, prediction));
    for (const std::string& warning : prediction.warnings)
        text += (warning == prediction.warnings.front() ? "\n" : "") + std::string{"note: "} + warning + "\n";
    return text;
}

} // namespace shardscope
