#include "widgets/plots/predicted_flow.h"

#include <algorithm>
#include <tuple>

namespace shardscope
{

namespace
{

// A pass of a micro-batch over a stage, and the spans around it that send its result or receive its input.
struct Pass {
    TimelineSpot work;
    std::optional<TimelineSpot> receive;
    std::vector<TimelineSpot> sends;
    double start_s = 0.0;
};

// The passes of one micro-batch in one direction, in the order of time: that is the order of the stages on
// its way, whatever the schedule, as each waits for the one before.
class MicroBatchWay
{
public:
    MicroBatchWay(const PredictedLanes& lanes, const TimelineSpan& like) : m_lanes(lanes), m_like(like)
    {
        for (std::size_t stage = 0; stage < lanes.stages.size(); ++stage)
            addStage(stage);
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
    // messages, is received; the others are sent.
    void addStage(std::size_t stage)
    {
        std::optional<TimelineSpot> waiting; // a message whose pass comes next
        bool has_pass = false;               // that may still send
        for (std::uint32_t i = 0; i < m_lanes.stages[stage].size(); ++i) {
            const TimelineSpan& span = m_lanes.timeline.spans[m_lanes.stages[stage][i].source];
            const TimelineSpot spot{TimelineSection::predicted, stage, 0, 0, i};
            if (isWork(span)) {
                m_passes.push_back({spot, std::exchange(waiting, std::nullopt), {}, span.start_s});
                has_pass = true;
            } else if (isMessage(span) && isOfWay(span) && has_pass) {
                m_passes.back().sends.push_back(spot);
            } else if (isMessage(span) && isOfWay(span)) {
                waiting = spot;
            } else if (!isOfWay(span)) {
                has_pass = false;
            }
        }
    }

    const PredictedLanes& m_lanes;
    const TimelineSpan& m_like;
    std::vector<Pass> m_passes;
};

} // namespace

TimelineFlow flowOf(const PredictedLanes& lanes, const TimelineSpot& spot)
{
    TimelineFlow flow;
    const TimelineSpan& own = lanes.timeline.spans[lanes.stages[spot.rank][spot.span].source];
    if (own.activity != Activity::communication || own.kind != Kind::pp || own.micro_batch < 0)
        return flow;
    const MicroBatchWay way{lanes, own};
    const std::vector<Pass>& passes = way.passes();
    for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
        const Pass& from = passes[i];
        const Pass& to = passes[i + 1];
        const bool is_sent_here = std::ranges::find(from.sends, spot) != from.sends.end();
        if (!is_sent_here && to.receive != spot)
            continue;
        const TimelineSpot sender = is_sent_here ? spot : from.sends.empty() ? from.work : from.sends.back();
        const TimelineSpot receiver = to.receive.value_or(to.work);
        flow.members = {sender, receiver};
        flow.message = std::pair{sender, receiver};
        flow.stops = flow.members;
        return flow;
    }
    return flow;
}

} // namespace shardscope
