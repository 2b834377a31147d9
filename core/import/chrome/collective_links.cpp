#include "core/import/chrome/collective_links.h"

#include "core/import/chrome/collective_arguments.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace shardscope
{

namespace
{

// Calls by thread and start.
class Calls
{
public:
    explicit Calls(std::vector<CommunicationRow> rows) : m_rows(std::move(rows))
    {
        std::ranges::stable_sort(m_rows, {}, keyOf);
    }

    // The innermost call on the thread that is running at that time; null where there is none.
    CommunicationRow* running(TrackIndex track, TraceTime time)
    {
        constexpr int deepest = 16; // calls within calls
        // Most who ask do so in the order of time: the place behind the last answer is tried first.
        const std::tuple asked(track, time);
        const auto isBehind = [&](std::size_t row) {
            return row == m_rows.size() || keyOf(m_rows[row]) > asked;
        };
        if (m_hint < m_rows.size() && !isBehind(m_hint))
            ++m_hint;
        if (!isBehind(m_hint) || (m_hint > 0 && isBehind(m_hint - 1)))
            m_hint =
                static_cast<std::size_t>(std::ranges::upper_bound(m_rows, asked, {}, keyOf) - m_rows.begin());
        auto at = m_rows.begin() + static_cast<std::ptrdiff_t>(m_hint);
        for (int i = 0; i < deepest && at != m_rows.begin(); ++i) {
            --at;
            if (at->track != track)
                return nullptr;
            if (at->end >= time)
                return &*at;
        }
        return nullptr;
    }

    std::vector<CommunicationRow>& rows() { return m_rows; }

private:
    static std::tuple<TrackIndex, TraceTime> keyOf(const CommunicationRow& row)
    {
        return {row.track, row.start};
    }

    std::vector<CommunicationRow> m_rows;
    std::size_t m_hint = 0;
};

// Fills what the call leaves open from the annotation that lies within it.
void complete(CommunicationRow& call, const CommunicationRow& annotation, const TraceBuilder& builder)
{
    CollectiveCall& to = call.call;
    const CollectiveCall& from = annotation.call;
    if (to.name == no_name)
        to.name = from.name;
    const int width = elementBytes(builder.text(from.dtype));
    if (to.in_bytes < 0 && call.elements >= 0 && width > 0
        && !__builtin_mul_overflow(call.elements, width, &to.in_bytes)) {
        to.dtype = from.dtype;
        to.sizes_from = SizesFrom::record_param_comms;
    } else if (to.in_bytes < 0 && from.in_bytes >= 0) {
        to.dtype = from.dtype;
        to.in_bytes = from.in_bytes;
        to.sizes_from = SizesFrom::annotation;
    }
}

// The calls, each completed; annotations without a call stand for themselves.
Calls gather(std::vector<CommunicationRow> rows, const TraceBuilder& builder)
{
    const auto annotations = std::stable_partition(
        rows.begin(), rows.end(), [](const CommunicationRow& row) { return !row.is_annotation; });
    const std::vector<CommunicationRow> inner(annotations, rows.end());
    rows.erase(annotations, rows.end());
    Calls calls(std::move(rows));
    std::vector<CommunicationRow> alone;
    for (const CommunicationRow& annotation : inner) {
        CommunicationRow* const call = calls.running(annotation.track, annotation.start);
        if (call != nullptr && call->end >= annotation.end)
            complete(*call, annotation, builder);
        else
            alone.push_back(annotation);
    }
    if (alone.empty())
        return calls;
    alone.insert(alone.end(), calls.rows().begin(), calls.rows().end());
    return Calls(std::move(alone));
}

} // namespace

void linkCollectives(CollectiveLinks links, TraceBuilder& builder)
{
    if (links.communications.empty() || links.launched.empty())
        return;
    Calls calls = gather(std::move(links.communications), builder);
    std::unordered_map<std::int64_t, const CollectiveCall*> by_correlation;
    for (const LaunchRow& launch : links.launches) {
        if (const CommunicationRow* const call = calls.running(launch.track, launch.time))
            by_correlation.emplace(launch.correlation, &call->call);
    }
    std::unordered_map<std::int64_t, const CollectiveCall*> by_external_id;
    for (const CommunicationRow& row : calls.rows()) {
        if (row.external_id >= 0)
            by_external_id.emplace(row.external_id, &row.call);
    }
    for (const LaunchedRow& kernel : links.launched) {
        if (!kernel.asks_for_sizes)
            continue;
        const auto launched = by_correlation.find(kernel.correlation);
        const CollectiveCall* from = launched != by_correlation.end() ? launched->second : nullptr;
        // Torch up to 2.2 writes the correlation into "External id", where it means nothing.
        if (from == nullptr && kernel.external_id != kernel.correlation) {
            const auto called = by_external_id.find(kernel.external_id);
            from = called != by_external_id.end() ? called->second : nullptr;
        }
        if (from == nullptr)
            continue;
        CollectiveCall call = *from;
        call.event = kernel.event;
        call.is_of_launch = true;
        builder.addCollective(call);
    }
}

} // namespace shardscope
