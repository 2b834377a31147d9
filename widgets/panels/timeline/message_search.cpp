#include "widgets/panels/timeline/message_search.h"

#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/timeline/timeline_strips.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr TraceTime slices = 512; // of the iteration: bars far behind the first hit are not looked at
constexpr std::size_t most_bars = 200'000; // a step further would be felt

class MessageSearch
{
public:
    MessageSearch(const TimelineScene& scene, std::size_t stage, const Message& message)
        : m_scene{scene}, m_stage{stage}, m_message{message}
    {
    }

    // Among the bars that begin within a stretch of time.
    std::optional<TimelineSpot> firstIn(const TimeRange& range)
    {
        std::optional<TimelineSpot> first;
        TraceTime first_start = 0;
        const std::vector<PredictedRow>& rows = m_scene.predicted->stages[m_stage];
        for (std::size_t row = 0; row < rows.size(); ++row)
            rows[row].forEachBar(range, true, [&](std::uint32_t bar) {
                const TraceTime start = rows[row].bar(bar).start_ns;
                const TimelineSpot spot{TimelineSection::predicted, m_stage, 0, row, bar};
                if (start < range.start_ns || start >= range.end_ns() || ++m_seen > most_bars)
                    return;
                if ((!first || start < first_start) && standsFor(m_scene, spot, m_message)) {
                    first = spot;
                    first_start = start;
                }
            });
        return first;
    }

    bool isTired() const { return m_seen > most_bars; }

private:
    const TimelineScene& m_scene;
    std::size_t m_stage;
    const Message& m_message;
    std::size_t m_seen = 0;
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
    MessageSearch search{scene, stage, messages.message};
    const auto search_in = [&](TraceTime from, TraceTime to) -> std::optional<TimelineSpot> {
        for (TraceTime start = from; start < to && !search.isTired(); start += length)
            if (const auto spot = search.firstIn({start, std::min(length, to - start)}))
                return spot;
        return std::nullopt;
    };
    const TraceTime from = is_on_the_way ? spotRange(scene, *chosen).start_ns + 1 : 0;
    const std::optional<TimelineSpot> behind = search_in(from, whole);
    return behind ? behind : search_in(0, from);
}

PredictedMessages otherEndOf(PredictedMessages messages, int stages)
{
    const bool sends = messages.message.op == Op::send;
    messages.message.op = sends ? Op::recv : Op::send;
    const bool is_next = sends == (messages.message.phase != Phase::backward); // gradients go back
    messages.stage = (messages.stage + (is_next ? 1 : stages - 1)) % std::max(1, stages);
    return messages;
}

} // namespace shardscope
