#include "widgets/panels/timeline/timeline_flow_text.h"

#include "widgets/session/shown_text.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::size_t most_launched = 20;
constexpr std::size_t most_members_told = 64;

QString timeText(TraceTime nanoseconds)
{
    return nanosecondsText(nanoseconds);
}

QString linkTo(const TimelineFlow& flow, const TimelineSpot& spot, const QString& text)
{
    const auto stop = std::ranges::find(flow.stops, spot);
    return stop == flow.stops.end() ? text.toHtmlEscaped()
                                    : QStringLiteral("<a href=\"%1\">%2</a>")
                                          .arg(stop - flow.stops.begin())
                                          .arg(text.toHtmlEscaped());
}

QString eventName(const MeasuredLanes& lanes, const TimelineSpot& spot)
{
    return toQString(lanes.ranks[spot.rank].store->name(eventOf(lanes, spot)));
}

QString launchText(const MeasuredLanes& lanes, const TimelineSpot& spot, const TimelineFlow& flow)
{
    return QStringLiteral("<p>Launched by %1 on %2<br>launch delay %3, from the end of the call</p>")
        .arg(linkTo(flow, *flow.launch, eventName(lanes, *flow.launch)),
             lanes.ranks[spot.rank].tracks[flow.launch->track].name.toHtmlEscaped(),
             timeText(launchDelay(lanes, *flow.launch, spot)));
}

QString launchedText(const MeasuredLanes& lanes, const TimelineSpot& spot, const TimelineFlow& flow)
{
    QString text = QStringLiteral("<p>Launches");
    for (std::size_t i = 0; i < std::min(most_launched, flow.launched.size()); ++i)
        text += QStringLiteral("<br>%1, launch delay %2")
                    .arg(linkTo(flow, flow.launched[i], eventName(lanes, flow.launched[i])),
                         timeText(launchDelay(lanes, spot, flow.launched[i])));
    if (flow.launched.size() > most_launched)
        text += QStringLiteral("<br>and %1 more").arg(flow.launched.size() - most_launched);
    return text + QStringLiteral("</p>");
}

QString timeCell(TraceTime nanoseconds)
{
    return QStringLiteral("<td align=\"right\">&nbsp;&nbsp;%1</td>").arg(timeText(nanoseconds));
}

// Who came when, and how long each waited before the transfer.
QString membersText(const MeasuredLanes& lanes, const TimelineFlow& flow)
{
    const auto start = [&](const TimelineSpot& spot) {
        return lanes.ranks[spot.rank].start(eventOf(lanes, spot));
    };
    const TimelineSpot first = *std::ranges::min_element(flow.members, {}, start);
    const TimelineSpot last = *std::ranges::max_element(flow.members, {}, start);
    const MeasuredCall* of_last = callOf(lanes, last);
    const TraceTime transfer = lanes.ranks[last.rank].store->duration(eventOf(lanes, last))
                               - std::max<TraceTime>(0, of_last->wait_ns);
    QString text =
        QStringLiteral(
            "<p>%1 of its ranks were read; %2 starts last by %5, %3 after %4. The "
            "transfer takes %6, the shortest of their calls; what is longer is waiting.</p><table><tr>"
            "<td></td><td align=\"right\">&nbsp;&nbsp;starts</td>"
            "<td align=\"right\">&nbsp;&nbsp;waits</td></tr>")
            .arg(flow.members.size())
            .arg(linkTo(flow, last, lanes.ranks[last.rank].name), timeText(start(last) - start(first)),
                 lanes.ranks[first.rank].name.toHtmlEscaped(),
                 lanes.has_one_clock ? QStringLiteral("the clock they share")
                                     : QStringLiteral("the files' clocks"),
                 timeText(transfer));
    for (std::size_t i = 0; i < std::min(most_members_told, flow.members.size()); ++i) {
        const TimelineSpot& member = flow.members[i];
        const MeasuredCall* call = callOf(lanes, member);
        text += QStringLiteral("<tr><td>%1</td>").arg(linkTo(flow, member, lanes.ranks[member.rank].name))
                + timeCell(start(member) - start(first)) + timeCell(std::max<TraceTime>(0, call->wait_ns))
                + QStringLiteral("</tr>");
    }
    text += QStringLiteral("</table>");
    if (flow.members.size() > most_members_told)
        text += QStringLiteral("<p>and %1 more ranks</p>").arg(flow.members.size() - most_members_told);
    return text;
}

// A predicted message between two stages.
QString messageText(const TimelineFlow& flow)
{
    const auto stage = [&](const TimelineSpot& spot) {
        return linkTo(flow, spot, QStringLiteral("stage %1").arg(spot.rank));
    };
    return QStringLiteral("<p>From %1 to %2</p>")
        .arg(stage(flow.message->first), stage(flow.message->second));
}

} // namespace

QString flowHtml(const TimelineScene& scene, const TimelineSpot& spot, const TimelineFlow& flow)
{
    if (spot.section == TimelineSection::predicted)
        return flow.message ? messageText(flow) : QString{};
    if (!scene.measured)
        return {};
    const MeasuredLanes& lanes = *scene.measured;
    QString text;
    if (flow.launch)
        text += launchText(lanes, spot, flow);
    if (!flow.launched.empty())
        text += launchedText(lanes, spot, flow);
    if (flow.members.size() > 1)
        text += membersText(lanes, flow);
    else if (callOf(lanes, spot) && lanes.ranks.size() > 1)
        text +=
            QStringLiteral("<p>Not matched with a call of another rank: how long it waits is not known.</p>");
    return text;
}

} // namespace shardscope
