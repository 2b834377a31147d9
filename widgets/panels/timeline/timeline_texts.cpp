#include "widgets/panels/timeline/timeline_texts.h"

#include "widgets/panels/timeline/bar_messages.h"
#include "widgets/session/content.h"
#include "widgets/session/shown_text.h"

#include "core/prediction/timeline/span_calls.h"

#include <algorithm>
#include <array>
#include <map>

namespace shardscope
{

namespace
{

constexpr std::size_t most_rows = 1'000'000;
constexpr std::array<const char*, 5> activity_names{"forward", "backward", "weight gradient", "communication",
                                                    "bubble"};

LaneSpan placeAt(const TimelineScene& scene, const TimelineSpot& spot)
{
    return scene.predicted->stages[spot.rank][spot.row].bar(spot.span);
}

EventIndex eventAt(const MeasuredRank& rank, const TimelineSpot& spot)
{
    return rank.tracks[spot.track].rows[spot.row].event(spot.span);
}

QString bubbleText(IdleCause cause)
{
    switch (cause) {
    case IdleCause::fill:
        return QStringLiteral("before this stage's first backward pass");
    case IdleCause::drain:
        return QStringLiteral("after this stage's last forward pass");
    case IdleCause::imbalance:
        return QStringLiteral("a neighbour is not ready");
    case IdleCause::step:
        return QStringLiteral("another stage is at its step");
    case IdleCause::message:
        break;
    }
    return QStringLiteral("a message is on its way");
}

QString nameOf(const TimelineSpan& span)
{
    if (span.isOptimizer())
        return QStringLiteral("optimizer");
    if (span.activity == Activity::bubble)
        return QStringLiteral("bubble (%1)").arg(bubbleText(span.cause));
    return span.activity == Activity::communication
               ? toQString(word(span.kind))
               : QString::fromLatin1(activity_names[static_cast<std::size_t>(span.activity)]);
}

QString nameOf(const PassPart& part)
{
    const QString of = part.layer < 0 ? QString{} : QStringLiteral(" of layer %1").arg(part.layer);
    const QString what = part.is_message
                             ? toQString(word(part.kind)) + QLatin1Char{' '} + toQString(word(part.op))
                             : toQString(part.what);
    return what + of + (part.phase == Phase::recompute ? QStringLiteral(", again") : QString{});
}

// A bar in parts: what it is, and lines about it. Tooltip and status bar join them in their own way.
struct BarFacts {
    QString title;
    QStringList lines;
};

// As the message table has it: "gradient norm".
QString contentName(std::string_view what)
{
    return toQString(what).replace('_', ' ');
}

QString callsText(double calls, std::int64_t bytes)
{
    return QStringLiteral("%1 × %2").arg(calls, 0, 'g', 3).arg(bytesText(static_cast<double>(bytes)));
}

void addMessageLines(const PassPart& part, BarFacts& facts)
{
    facts.lines << QStringLiteral("%1 of %2 among %3 ranks")
                       .arg(toQString(word(part.op)), contentName(part.what))
                       .arg(part.group_size);
    facts.lines << callsText(part.calls, part.message_bytes);
    if (part.is_rest)
        facts.lines << QStringLiteral("what of it hides behind the computing");
}

// What the replicas of a stage send: "all_gather of parameters", "reduce_scatter of gradients".
QStringList replicaSorts(const TimelineScene& scene, const TimelineSpan& span)
{
    QStringList sorts;
    const std::vector<StagePrediction>& stages = scene.predicted->source->prediction.stages;
    const StagePrediction& stage = stages.at(static_cast<std::size_t>(span.stage));
    for (const Message* message : replicaMessages(scene.predicted->timeline, stage, span))
        sorts << toQString(word(message->op)) + QStringLiteral(" of ") + contentName(message->what);
    sorts.removeDuplicates();
    return sorts;
}

QString bucketText(const Prediction& prediction, const TimelineSpan& span)
{
    const std::vector<GradientBucket>& buckets =
        prediction.stages.at(static_cast<std::size_t>(span.stage)).buckets;
    return QStringLiteral("bucket %1 of %2, ready when backward is through with %3 of the layers")
        .arg(span.bucket + 1)
        .arg(buckets.size())
        .arg(percentText(buckets.at(static_cast<std::size_t>(span.bucket)).ready));
}

void addMessageLines(const TimelineScene& scene, const TimelineSpot& spot, const TimelineSpan& span,
                     BarFacts& facts)
{
    const std::vector<const Message*> messages = messagesAt(scene, spot);
    QStringList what;
    for (const Message* message : messages)
        if (const QString one = contentName(message->what);
            message->op == messages.front()->op && !what.contains(one))
            what << one;
    if (span.all_count > 0)
        facts.lines << replicaSorts(scene, span).join(QStringLiteral(", "));
    else if (!messages.empty())
        facts.lines << QStringLiteral("%1 of %2 among %3 ranks")
                           .arg(toQString(word(messages.front()->op)), what.join(QStringLiteral(", ")))
                           .arg(messages.front()->group_size);
    if (span.all_count > 0)
        facts.lines << QStringLiteral("%1 calls, %2 in all; the largest: %3")
                           .arg(groupedText(span.all_count), bytesText(static_cast<double>(span.all_bytes)),
                                callsText(static_cast<double>(span.count), span.message_bytes));
    else if (span.message_bytes > 0)
        facts.lines << callsText(static_cast<double>(span.count), span.message_bytes);
    else if (isOfReplicasStep(span))
        facts.lines << QStringLiteral("what remains of the time of messages that have bars of their own");
    if (span.bucket >= 0)
        facts.lines << bucketText(scene.predicted->source->prediction, span);
}

// What a pass spends on what, from afar.
void addPassLines(const PassParts& pass, StageRow row, BarFacts& facts)
{
    std::map<Kind, double> messages;
    double computing_s = 0.0;
    for (const PassPart& part : partsIn(pass, row))
        (part.is_message ? messages[part.kind] : computing_s) += part.duration_s;
    QStringList shares;
    if (row == StageRow::computing && !messages.empty())
        shares << secondsText(computing_s) + QStringLiteral(" of it computing");
    for (const auto& [kind, seconds] : messages)
        shares << secondsText(seconds) + QLatin1Char(' ') + toQString(word(kind));
    if (!shares.empty())
        facts.lines << shares.join(QStringLiteral(", "));
}

BarFacts predictedFacts(const TimelineScene& scene, const TimelineSpot& spot)
{
    const auto& [span, part] = shownBar(*scene.predicted, spot);
    const LaneSpan place = placeAt(scene, spot);
    const StageRow row = scene.predicted->shown[spot.row];
    const bool is_pass = part == nullptr && span.pass >= 0;
    const QString of_pass =
        is_pass && row != StageRow::computing ? QStringLiteral("messages of ") : QString{};
    BarFacts facts;
    facts.title = QStringLiteral("Predicted, stage %1: %2%3")
                      .arg(span.stage)
                      .arg(of_pass, part != nullptr ? nameOf(*part) : nameOf(span));
    const std::int64_t chunks = scene.predicted->source->scenario.parallel.virtual_stages;
    const QString chunk = QStringLiteral(", chunk %1 of %2").arg(span.chunk + 1).arg(chunks);
    const bool is_forward = span.phase == Phase::forward;
    if (span.micro_batch >= 0)
        facts.lines << QStringLiteral("micro-batch %1%2, %3 pass")
                           .arg(span.micro_batch + 1)
                           .arg(chunks > 1 ? chunk : QString{}, is_forward ? "forward" : "backward");
    facts.lines << QStringLiteral("from %1, for %2")
                       .arg(nanosecondsText(place.start_ns), nanosecondsText(place.duration_ns));
    if (part != nullptr && part->is_message)
        addMessageLines(*part, facts);
    else if (part == nullptr)
        addMessageLines(scene, spot, span, facts);
    if (is_pass)
        addPassLines(scene.predicted->timeline.passes[static_cast<std::size_t>(span.pass)], row, facts);
    if (isHidden(row))
        facts.lines << QStringLiteral("behind other work: it takes no time of its own");
    return facts;
}

BarFacts measuredFacts(const TimelineScene& scene, const TimelineSpot& spot)
{
    const MeasuredRank& rank = scene.measured->ranks[spot.rank];
    const EventIndex event = eventAt(rank, spot);
    BarFacts facts;
    facts.title = toQString(rank.store->name(event));
    facts.lines << rank.name + QStringLiteral(", ") + rank.tracks[spot.track].name;
    facts.lines << QStringLiteral("from %1, for %2")
                       .arg(nanosecondsText(rank.start(event) - scene.measured->origin_ns),
                            nanosecondsText(rank.store->duration(event)));
    if (const MeasuredCall* call = callAt(scene, spot)) {
        const QString size = call->message_bytes < 0 ? QStringLiteral("unknown size")
                                                     : bytesText(static_cast<double>(call->message_bytes));
        QString what =
            QStringLiteral("%1 %2 of %3").arg(toQString(word(call->kind)), toQString(word(call->op)), size);
        if (call->group_size > 0)
            what += QStringLiteral(" among %1 ranks").arg(call->group_size);
        facts.lines << what;
        if (call->exposed_ns > 0)
            facts.lines << QStringLiteral("exposed for %1").arg(nanosecondsText(call->exposed_ns));
        if (call->wait_ns > 0)
            facts.lines << QStringLiteral("waits %1 for other ranks, then transfers for %2")
                               .arg(nanosecondsText(call->wait_ns),
                                    nanosecondsText(rank.store->duration(event) - call->wait_ns));
        const CollectiveCall* told = rank.store->collective(event);
        const std::string_view group =
            told ? rank.store->names().text(told->group_description) : std::string_view{};
        if (!group.empty())
            facts.lines << QStringLiteral("group %1").arg(toQString(group));
    }
    return facts;
}

BarFacts factsOf(const TimelineScene& scene, const TimelineSpot& spot)
{
    return spot.section == TimelineSection::predicted ? predictedFacts(scene, spot)
                                                      : measuredFacts(scene, spot);
}

QStringList predictedRow(const TimelineScene& scene, const TimelineSpot& spot)
{
    const auto& [span, part] = shownBar(*scene.predicted, spot);
    const LaneSpan place = placeAt(scene, spot);
    const bool sends = part != nullptr ? part->is_message : span.activity == Activity::communication;
    const Kind kind = part != nullptr ? part->kind : span.kind;
    const std::int64_t bytes = part != nullptr ? part->message_bytes : span.message_bytes;
    const double calls = part != nullptr ? part->calls : static_cast<double>(span.count);
    constexpr std::array tracks{"computing", "messages", "behind", "sends", "replicas"}; // as StageRow
    static_assert(tracks.size() == stage_row_count);
    return {QStringLiteral("predicted"),
            QStringLiteral("stage %1").arg(spot.rank),
            QLatin1String{tracks[static_cast<std::size_t>(scene.predicted->shown[spot.row])]},
            part != nullptr ? nameOf(*part) : nameOf(span),
            span.micro_batch < 0 ? QString{} : QString::number(span.micro_batch + 1),
            sends ? toQString(word(kind)) : QString{},
            QString::number(place.start_ns),
            QString::number(place.duration_ns),
            sends ? QString::number(bytes) : QString{},
            sends ? QString::number(calls) : QString{}};
}

// Passes in parts unless these are very many.
void addPredictedRows(const TimelineScene& scene, const TimeRange& axis, TableRows& table)
{
    constexpr std::size_t most_parts = 100'000;
    const TimeRange range = inSection(scene, TimelineSection::predicted, axis);
    std::size_t parts = 0;
    for (const std::vector<PredictedRow>& rows : scene.predicted->stages)
        for (const PredictedRow& row : rows)
            parts += row.partCount(range);
    for (std::size_t stage = 0; stage < scene.predicted->stages.size(); ++stage)
        for (std::size_t row = 0; row < scene.predicted->shown.size(); ++row)
            scene.predicted->stages[stage][row].forEachBar(
                range, parts <= most_parts, [&](std::uint32_t bar) {
                    table.push_back(predictedRow(scene, {TimelineSection::predicted, stage, 0, row, bar}));
                });
}

QStringList measuredRow(const TimelineScene& scene, const TimelineSpot& spot)
{
    const MeasuredRank& rank = scene.measured->ranks[spot.rank];
    const EventIndex event = eventAt(rank, spot);
    const MeasuredCall* call = callAt(scene, spot);
    return {QStringLiteral("measured"),
            rank.name,
            rank.tracks[spot.track].name,
            toQString(rank.store->name(event)),
            {},
            call ? toQString(word(call->kind)) : QString{},
            QString::number(rank.start(event) - scene.measured->origin_ns),
            QString::number(rank.store->duration(event)),
            call && call->message_bytes >= 0 ? QString::number(call->message_bytes) : QString{},
            call ? QStringLiteral("1") : QString{}};
}

void addMeasuredRows(const TimelineScene& scene, const TimeRange& axis, TableRows& table)
{
    const TimeRange range = inSection(scene, TimelineSection::measured, axis);
    std::size_t left_out = 0;
    for (std::size_t r = 0; r < scene.measured->ranks.size(); ++r) {
        const MeasuredRank& rank = scene.measured->ranks[r];
        for (std::size_t t = 0; t < rank.tracks.size(); ++t) {
            if (!rank.tracks[t].is_of_interest)
                continue;
            for (std::size_t row = 0; row < rank.tracks[t].rows.size(); ++row) {
                const auto [first, last] = rank.tracks[t].rows[row].visible(rank.ownTime(range));
                const std::size_t room = most_rows - std::min(most_rows, table.size());
                const std::size_t end = std::min(last, first + room);
                for (std::size_t i = first; i < end; ++i)
                    table.push_back(measuredRow(
                        scene, {TimelineSection::measured, r, t, row, static_cast<std::uint32_t>(i)}));
                left_out += last - end;
            }
        }
    }
    if (left_out == 0)
        return;
    QStringList last{10, QString{}};
    last[0] = QStringLiteral("left out");
    last[3] = QStringLiteral("%1 more events: zoom in to have them").arg(left_out);
    table.push_back(std::move(last));
}

} // namespace

QString barLabel(const TimelineScene& scene, const TimelineSpot& spot)
{
    if (spot.section == TimelineSection::measured) {
        const MeasuredRank& rank = scene.measured->ranks[spot.rank];
        const EventIndex event = eventAt(rank, spot);
        const QString name = toQString(rank.store->name(event));
        // As of predicted passes: the colour tells the direction.
        return isPass(rank.paints->paint(static_cast<std::size_t>(event)))
                   ? name.section(QLatin1Char{' '}, -1)
                   : name;
    }
    const auto& [span, part] = shownBar(*scene.predicted, spot);
    if (part != nullptr)
        return toQString(part->is_message ? word(part->op) : part->what);
    if (span.activity == Activity::communication)
        return toQString(word(span.kind));
    return span.micro_batch < 0 ? QString{} : QString::number(span.micro_batch + 1);
}

QString barTip(const TimelineScene& scene, const TimelineSpot& spot)
{
    const BarFacts facts = factsOf(scene, spot);
    QString tip = QStringLiteral("<b>%1</b>").arg(facts.title.toHtmlEscaped());
    // Qt would fold lines between a number and its unit; names of kernels may be too long for one.
    constexpr qsizetype longest = 90;
    for (const QString& line : facts.lines)
        tip += (line.size() > longest ? QStringLiteral("<div>%1</div>")
                                      : QStringLiteral("<div style=\"white-space: nowrap\">%1</div>"))
                   .arg(line.toHtmlEscaped());
    return tip;
}

QString barSentence(const TimelineScene& scene, const TimelineSpot& spot)
{
    const BarFacts facts = factsOf(scene, spot);
    return facts.title + QStringLiteral(": ") + facts.lines.join(QStringLiteral(", "));
}

TableRows timelineTable(const TimelineScene& scene, const TimeRange& axis)
{
    TableRows table{{"section", "lane", "track", "name", "micro_batch", "kind", "start_ns", "duration_ns",
                     "message_bytes", "count"}};
    if (scene.predicted)
        addPredictedRows(scene, axis, table);
    if (scene.measured)
        addMeasuredRows(scene, axis, table);
    return table;
}

} // namespace shardscope
