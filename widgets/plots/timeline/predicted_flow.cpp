#include "widgets/plots/timeline/predicted_flow.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// A pass of a micro-batch over a stage, and the spans around it that send its result or receive its input.
struct Pass {
    std::uint32_t work = 0; // rows of the timeline's spans
    std::optional<std::uint32_t> receive;
    std::vector<std::uint32_t> sends;
    double start_s = 0.0;
};

// The passes of one micro-batch in one direction, in the order of time: that is the order of the stages on
// its way, whatever the schedule, as each waits for the one before.
class MicroBatchWay
{
public:
    MicroBatchWay(const PredictedTimeline& timeline, const TimelineSpan& like)
        : m_timeline{timeline}, m_like{like}
    {
        for (std::uint32_t first = 0; first < timeline.spans.size();)
            first = addStage(first);
        std::ranges::stable_sort(m_passes, {}, &Pass::start_s);
    }

    const std::vector<Pass>& passes() const { return m_passes; }

private:
    bool isWork(const TimelineSpan& span) const
    {
        return span.activity == (m_like.phase == Phase::forward ? Activity::forward : Activity::backward)
               && isOfWay(span);
    }
    bool isOfWay(const TimelineSpan& span) const
    {
        return span.micro_batch == m_like.micro_batch && span.reversed == m_like.reversed
               && span.phase == m_like.phase;
    }
    static bool isMessage(const TimelineSpan& span)
    {
        return span.activity == Activity::communication && span.kind == Kind::pp;
    }

    // What stands between two passes: a message before a pass, with nothing of its way since the last one's
    // messages, is received; the others are sent. Returns where the next stage begins.
    std::uint32_t addStage(std::uint32_t first)
    {
        const int stage = m_timeline.spans[first].stage;
        std::optional<std::uint32_t> waiting; // a message whose pass comes next
        bool has_pass = false;                // that may still send
        std::uint32_t i = first;
        for (; i < m_timeline.spans.size() && m_timeline.spans[i].stage == stage; ++i) {
            const TimelineSpan& span = m_timeline.spans[i];
            if (isWork(span)) {
                m_passes.push_back({i, std::exchange(waiting, std::nullopt), {}, span.start_s});
                has_pass = true;
            } else if (isMessage(span) && isOfWay(span) && has_pass) {
                m_passes.back().sends.push_back(i);
            } else if (isMessage(span) && isOfWay(span)) {
                waiting = i;
            } else if (!isOfWay(span)) {
                has_pass = false;
            }
        }
        return i;
    }

    const PredictedTimeline& m_timeline;
    const TimelineSpan& m_like;
    std::vector<Pass> m_passes;
};

TimelineFlow flowBetween(const TimelineSpot& sender, const TimelineSpot& receiver)
{
    TimelineFlow flow;
    flow.members = {sender, receiver};
    flow.message = std::pair{sender, receiver};
    flow.stops = flow.members;
    return flow;
}

// Of a message that its sender does not wait for: the last pass of its stage before it.
std::optional<std::size_t> passBefore(const PredictedTimeline& timeline, const std::vector<Pass>& passes,
                                      const TimelineSpan& send)
{
    std::optional<std::size_t> sender;
    for (std::size_t i = 0; i < passes.size(); ++i)
        if (timeline.spans[passes[i].work].stage == send.stage && passes[i].start_s < send.start_s)
            sender = i;
    return sender;
}

} // namespace

TimelineFlow flowOf(const PredictedLanes& lanes, const TimelineSpot& spot)
{
    TimelineFlow flow;
    const LaneSpan bar = lanes.stages[spot.rank][spot.row].bar(spot.span);
    const TimelineSpan& own = shownBar(lanes, spot).span;
    if (own.activity != Activity::communication || own.kind != Kind::pp || own.micro_batch < 0)
        return flow;
    const MicroBatchWay way{lanes.timeline, own};
    const std::vector<Pass>& passes = way.passes();
    if (lanes.shown[spot.row] == StageRow::sends) {
        const std::optional<std::size_t> from = passBefore(lanes.timeline, passes, own);
        const auto receiver = from && *from + 1 < passes.size() ? spotOf(lanes, passes[*from + 1].work)
                                                                : std::optional<TimelineSpot>{};
        return receiver ? flowBetween(spot, *receiver) : flow;
    }
    for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
        const Pass& from = passes[i];
        const Pass& to = passes[i + 1];
        const bool is_sent_here = std::ranges::find(from.sends, bar.source) != from.sends.end();
        if (!is_sent_here && to.receive != bar.source)
            continue;
        const auto sender = spotOf(lanes, is_sent_here         ? bar.source
                                          : from.sends.empty() ? from.work
                                                               : from.sends.back());
        const auto receiver = spotOf(lanes, to.receive.value_or(to.work));
        if (!sender || !receiver)
            return flow;
        return flowBetween(*sender, *receiver);
    }
    return flow;
}

} // namespace shardscope
