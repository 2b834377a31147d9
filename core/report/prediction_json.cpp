#include "core/report/prediction_report.h"

#include "core/base/json_writer.h"
#include "core/prediction/time/operator_costs.h"
#include "core/prediction/timeline/timeline.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "core/report/link_report.h"
#include "core/report/memory_advice_text.h"
#include "core/report/message_totals.h"
#include "core/scenario/scenario_json.h"

#include <cmath>
#include <cstddef>
#include <optional>

namespace shardscope
{

namespace
{

// Shares of a buffer on a ring need not be whole bytes; what is reported is.
std::int64_t wholeBytes(double bytes)
{
    return std::llround(bytes);
}

void writeMemory(const Scenario& scenario, const Prediction& prediction, JsonWriter& json)
{
    const MemoryPrediction& memory = prediction.memory;
    json.key("memory");
    json.beginObject();
    json.member("peak_bytes", memory.peak_bytes);
    json.member("device_bytes", memory.device_bytes);
    json.member("capacity_bytes", memory.capacity_bytes);
    json.member("fits", memory.fits);
    if (!memory.fits)
        json.member("advice", memoryAdviceText(scenario, prediction));
    json.member("host_transfer_s", memory.host_transfer_s);
    json.key("stages");
    json.beginArray();
    for (const StageMemory& stage : memory.stages) {
        json.beginObject(JsonWriter::Layout::line);
        json.member("stage", stage.stage);
        json.member("weights_bytes", stage.weights_bytes);
        json.member("gradients_bytes", stage.gradients_bytes);
        json.member("optimizer_bytes", stage.optimizer_bytes);
        json.member("activations_bytes", stage.activations_bytes);
        json.member("temporaries_bytes", stage.temporaries_bytes);
        json.member("buffers_bytes", stage.buffers_bytes);
        json.member("cached_bytes", stage.cached_bytes);
        json.member("context_bytes", stage.context_bytes);
        json.member("total_bytes", stage.total_bytes);
        json.member("host_bytes", stage.host_bytes);
        json.member("host_traffic_bytes", stage.host_traffic_bytes);
        json.endObject();
    }
    json.endArray();
    json.endObject();
}

// How each stage spends the pipeline's duration; of what it is idle, the causes.
void writeStageUse(const std::vector<StagePrediction>& stages, JsonWriter& json)
{
    json.key("stages");
    json.beginArray();
    for (const StagePrediction& stage : stages) {
        json.beginObject(JsonWriter::Layout::line);
        json.member("stage", stage.stage);
        json.member("forward_s", stage.use.forward_s);
        json.member("backward_s", stage.use.backward_s);
        json.member("fill_s", stage.use.fill_s);
        json.member("drain_s", stage.use.drain_s);
        json.member("imbalance_s", stage.use.imbalance_s);
        json.member("message_s", stage.use.message_s);
        json.endObject();
    }
    json.endArray();
}

void writeTime(const Prediction& prediction, JsonWriter& json)
{
    const TimePrediction& time = prediction.time;
    json.key("time");
    json.beginObject();
    json.member("iteration_s", time.iteration_s);
    json.member("compute_s", time.compute_s);
    json.member("tp_s", time.tp_s);
    json.member("cp_s", time.cp_s);
    json.member("ep_s", time.ep_s);
    json.member("pp_s", time.pp_s);
    json.member("dp_s", time.dp_s);
    json.member("emb_s", time.emb_s);
    json.member("mp_s", time.mp_s);
    json.member("bubble_s", time.bubble_s);
    json.member("exposed_communication_s", time.exposed_communication_s);
    json.member("hidden_communication_s", time.hidden_communication_s);
    json.member("step_s", time.step_s);
    json.member("communication_ratio", time.communication_ratio);
    json.member("bubble_ratio", time.bubble_ratio);
    json.member("tokens_per_s", time.tokens_per_s);
    json.member("mfu", time.mfu);
    json.member("hfu", time.hfu);
    json.member("kernel_share", time.kernel_share);
    json.member("transformer_share", time.transformer_share);
    json.member("mu", time.mu);
    json.key("error_band");
    writeBand(time.error_band, json);
    json.member("slowest_stage", time.slowest_stage < 0 ? std::nullopt : std::optional{time.slowest_stage});
    writeStageUse(prediction.stages, json);
    json.endObject();
}

void writeOperators(const std::vector<OperatorCost>& operators, std::string_view layer, JsonWriter& json)
{
    for (const OperatorCost& cost : operators) {
        json.beginObject(JsonWriter::Layout::line);
        json.member("layer", layer);
        json.member("what", cost.what);
        json.member("m", cost.shape.m);
        json.member("n", cost.shape.n);
        json.member("k", cost.shape.k);
        json.member("count", cost.count);
        json.member("forward_s", cost.forward_s);
        json.member("backward_s", cost.backward_s);
        json.member("forward_flops", cost.forward_flops);
        json.endObject();
    }
}

// Layers with attention are named for what follows it, others by their blocks.
std::string_view jsonName(LayerForm form)
{
    switch (form) {
    case LayerForm::attention_mlp:
        return "dense";
    case LayerForm::attention_experts:
        return "experts";
    case LayerForm::recurrence_mlp:
        return "recurrence_dense";
    case LayerForm::recurrence_experts:
        return "recurrence_experts";
    case LayerForm::attention:
        return "attention_alone";
    case LayerForm::recurrence:
        return "recurrence_alone";
    case LayerForm::mlp:
        return "dense_alone";
    case LayerForm::experts:
        break;
    }
    return "experts_alone";
}

// Of one layer, one micro-batch on one GPU; m, n, k are 0 where it is no product of matrices.
void writeOperators(const Scenario& scenario, JsonWriter& json)
{
    json.key("operators");
    json.beginArray();
    if (scenario.time_model == TimeModel::detailed) {
        const OperatorCosts costs = operatorCosts(scenario);
        for (const OperatorCosts::Layer& layer : costs.layers)
            writeOperators(layer.operators, jsonName(layer.form), json);
        writeOperators(costs.mtp_module, "mtp", json);
    }
    json.endArray();
}

void writeSummary(const Scenario& scenario, const Prediction& prediction, JsonWriter& json)
{
    json.member("world_size", prediction.world_size);
    json.member("micro_batches", prediction.micro_batches);
    json.key("warnings");
    json.beginArray();
    for (const std::string& warning : prediction.warnings)
        json.value(warning);
    json.endArray();
    json.key("parameters");
    json.beginObject(JsonWriter::Layout::line);
    json.member("total", prediction.parameters.total);
    json.member("active", prediction.parameters.active);
    json.member("per_rank_max", prediction.parameters.per_rank_max);
    json.endObject();
    json.key("flops");
    json.beginObject(JsonWriter::Layout::line);
    json.member("model", prediction.flops.model);
    json.member("hardware", prediction.flops.hardware);
    json.endObject();
    writeMemory(scenario, prediction, json);
    writeTime(prediction, json);
    writeOperators(scenario, json);
    writeLinks(scenario, prediction, json);
}

// {"tp": {"all_reduce": {"count": 680, ...}, ...}, ...}
void writeTotals(const std::vector<Message>& messages, JsonWriter& json)
{
    json.key("totals");
    json.beginObject();
    Kind open = Kind::unknown;
    for (const MessageTotal& total : messageTotals(messages)) {
        if (total.kind != open) {
            if (open != Kind::unknown)
                json.endObject();
            json.key(word(total.kind));
            json.beginObject();
            open = total.kind;
        }
        json.key(word(total.op));
        json.beginObject(JsonWriter::Layout::line);
        json.member("count", total.count);
        json.member("bytes", total.bytes);
        json.member("wire_bytes", wholeBytes(total.wire_bytes));
        json.endObject();
    }
    if (open != Kind::unknown)
        json.endObject();
    json.endObject();
}

void writeMessage(const Message& message, JsonWriter& json)
{
    json.beginObject(JsonWriter::Layout::line);
    json.member("kind", word(message.kind));
    json.member("op", word(message.op));
    json.member("phase", word(message.phase));
    json.member("what", message.what);
    json.member("dtype", word(message.dtype));
    json.member("group_size", message.group_size);
    json.member("message_bytes", message.message_bytes);
    json.member("count", message.count);
    json.member("total_bytes", message.total_bytes);
    json.member("wire_bytes", wholeBytes(message.wire_bytes));
    json.endObject();
}

// What all ranks that play the same part in a stage have in common.
void writePart(const StagePrediction& stage, const std::vector<Message>& messages, JsonWriter& json)
{
    json.key("layers");
    json.beginArray(JsonWriter::Layout::line);
    for (const int layer : stage.layers)
        json.value(layer);
    json.endArray();
    json.member("parameters", stage.parameters);
    writeTotals(messages, json);
    json.key("messages");
    json.beginArray();
    for (const Message& message : messages)
        writeMessage(message, json);
    json.endArray();
}

// Ranks differ in their places; what follows from their part is written once and repeated.
void writeRanks(const Prediction& prediction, const RankLayout& layout, const RankParts& parts,
                const std::vector<std::int64_t>& ranks, JsonWriter& json)
{
    std::vector<std::string> of_part(parts.size());
    json.key("ranks");
    json.beginArray();
    for (const std::int64_t rank : ranks) {
        const RankCoordinates place = layout.coordinates(rank);
        const std::size_t part = parts.part(place);
        json.beginObject();
        json.member("rank", rank);
        json.member("tp", place.tp);
        json.member("cp", place.cp);
        json.member("dp", place.dp);
        json.member("pp", place.pp);
        json.member("ep", place.ep);
        if (of_part[part].empty()) {
            const std::size_t start = json.text().size();
            writePart(prediction.stages[static_cast<std::size_t>(place.pp)], parts.messages(prediction, part),
                      json);
            of_part[part] = json.text().substr(start);
        } else {
            json.repeat(of_part[part]);
        }
        json.endObject();
    }
    json.endArray();
}

void writeMatrix(const TrafficMatrix& matrix, JsonWriter& json)
{
    json.key("matrix");
    json.beginObject();
    for (const Kind kind : matrix.kinds()) {
        json.key(word(kind));
        json.beginArray(JsonWriter::Layout::line);
        for (const TrafficCell& cell : matrix.cells(kind)) {
            json.beginArray();
            json.value(cell.sender);
            json.value(cell.receiver);
            json.value(wholeBytes(cell.bytes));
            json.endArray();
        }
        json.endArray();
    }
    json.endObject();
}

std::string_view word(Activity activity)
{
    switch (activity) {
    case Activity::forward:
        return "forward";
    case Activity::backward:
        return "backward";
    case Activity::weight_gradient:
        return "weight_gradient";
    case Activity::communication:
        return "communication";
    case Activity::bubble:
        break;
    }
    return "bubble";
}

// Communication has kind, phase and size as well; micro_batch is left out where a span belongs to none.
void writeTimeline(const PredictedTimeline& timeline, JsonWriter& json)
{
    json.key("timeline");
    json.beginObject();
    json.member("stages", timeline.stages);
    json.member("iteration_s", timeline.iteration_s);
    json.key("spans");
    json.beginArray();
    for (const TimelineSpan& span : timeline.spans) {
        json.beginObject(JsonWriter::Layout::line);
        json.member("stage", span.stage);
        json.member("activity", span.isOptimizer() ? "optimizer" : word(span.activity));
        json.member("start_s", span.start_s);
        json.member("duration_s", span.duration_s);
        if (span.micro_batch >= 0)
            json.member("micro_batch", span.micro_batch);
        if (span.activity == Activity::communication) {
            json.member("kind", word(span.kind));
            json.member("phase", word(span.phase));
            json.member("message_bytes", span.message_bytes);
            json.member("count", span.count);
        }
        json.endObject();
    }
    json.endArray();
    json.endObject();
}

} // namespace

void writeBand(const std::array<double, 2>& band, JsonWriter& json)
{
    json.beginArray(JsonWriter::Layout::line);
    json.value(band[0]);
    json.value(band[1]);
    json.endArray();
}

std::string predictionJson(const Scenario& scenario, const Prediction& prediction,
                           const PredictionReportOptions& options)
{
    JsonWriter json{options.indent};
    json.beginObject();
    json.member("shardscope", 1);
    json.key("scenario");
    writeScenario(scenario, json);
    writeSummary(scenario, prediction, json);
    const RankLayout layout{scenario.parallel};
    const RankParts parts{scenario};
    if (const auto ranks = chosenRanks(options.ranks, layout, parts))
        writeRanks(prediction, layout, parts, ranks.value(), json);
    if (options.matrix)
        writeMatrix(TrafficMatrix{scenario, prediction}, json);
    if (options.timeline)
        writeTimeline(predictTimeline(scenario, prediction), json);
    json.endObject();
    return json.take();
}

} // namespace shardscope
