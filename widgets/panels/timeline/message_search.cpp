#include "widgets/panels/timeline/message_search.h"

#include "widgets/panels/timeline/bar_messages.h"
#include "widgets/plots/timeline/timeline_strips.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr TraceTime slices = 512; // of the iteration: bars far behind the first hit are not looked at

bool isOf(const PassPart& part, const Message& message)
{
    return part.is_message && part.kind == message.kind && part.op == message.op
           && part.phase == message.phase && part.what == message.what
           && part.message_bytes == message.message_bytes;
}

class MessageSearch
{
public:
    MessageSearch(const TimelineScene& scene, const PredictedMessages& messages)
        : m_scene{scene},
          m_stage{static_cast<std::size_t>(messages.stage)},
          m_message{messages.message},
          m_rows{scene.predicted->stages[m_stage]}
    {
        for (const PassParts& pass : scene.predicted->timeline.passes)
            m_is_in_pass.push_back(std::ranges::any_of(scene.predicted->shown, [&](StageRow row) {
                return std::ranges::any_of(partsIn(pass, row),
                                           [&](const PassPart& part) { return isOf(part, m_message); });
            }));
    }

    // Among the bars that begin within a stretch of time.
    std::optional<TimelineSpot> firstIn(const TimeRange& range)
    {
        m_first.reset();
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            m_rows[row].forEachBar(range, false, [&](std::uint32_t bar) {
                const int pass = m_rows[row].pass(bar);
                const LaneSpan place = m_rows[row].bar(bar);
                if (pass < 0)
                    consider(row, bar, range);
                else if (m_is_in_pass[static_cast<std::size_t>(pass)])
                    m_rows[row].forEachBar({place.start_ns, place.duration_ns}, true,
                                           [&](std::uint32_t part) { consider(row, part, range); });
            });
        return m_first;
    }

private:
    void consider(std::size_t row, std::uint32_t bar, const TimeRange& range)
    {
        const TraceTime start = m_rows[row].bar(bar).start_ns;
        const TimelineSpot spot{TimelineSection::predicted, m_stage, 0, row, bar};
        if (start < range.start_ns || start >= range.end_ns() || (m_first && start >= m_first_start)
            || !standsFor(m_scene, spot, m_message))
            return;
        m_first = spot;
        m_first_start = start;
    }

    const TimelineScene& m_scene;
    std::size_t m_stage;
    const Message& m_message;
    const std::vector<PredictedRow>& m_rows;
    std::vector<bool> m_is_in_pass; // of each pass of the timeline: other passes are not looked into
    std::optional<TimelineSpot> m_first;
    TraceTime m_first_start = 0;
};

} // namespace

std::optional<TimelineSpot> nextMessage(const TimelineScene& scene, const PredictedMessages& messages,
                                        const std::optional<TimelineSpot>& chosen)
{
    const auto stage = static_cast<std::size_t>(messages.stage);
    if (!scene.predicted || stage >= scene.predicted->stages.size())
        return std::nullopt;
    const bool is_on_the_way = chosen && chosen->section == TimelineSection::predicted
                               && chosen->rank == stage && standsFor(scene, *chosen, messages.message);
    const TraceTime whole = wholePredicted(scene).length_ns;
    const TraceTime length = std::max<TraceTime>(1, whole / slices);
    MessageSearch search{scene, messages};
    const auto search_in = [&](TraceTime from, TraceTime to) -> std::optional<TimelineSpot> {
        for (TraceTime start = from; start < to; start += length)
            if (const auto spot = search.firstIn({start, std::min(length, to - start)}))
                return spot;
        return std::nullopt;
    };
    const TraceTime from = is_on_the_way ? spotRange(scene, *chosen).start_ns + 1 : 0;
    const std::optional<TimelineSpot> behind = search_in(from, whole);
    return behind ? behind : search_in(0, from);
}

std::optional<PredictedMessages> otherEndOf(PredictedMessages messages, int stages)
{
    Message& message = messages.message;
    const bool between_stages = message.part == ModelPart::pipeline;
    if (!between_stages && !isPointToPoint(message.op))
        return std::nullopt;
    if (message.op == Op::all_gather) {
        message.kind = Kind::pp;
        message.message_bytes /= message.group_size;
    }
    const bool sends = message.op == Op::send;
    message.op = sends ? Op::recv : Op::send;
    if (!between_stages)
        return messages;
    const bool is_next = sends == (message.phase != Phase::backward); // gradients go back
    messages.stage = (messages.stage + (is_next ? 1 : stages - 1)) % std::max(1, stages);
    return messages;
}

} // namespace shardscope
