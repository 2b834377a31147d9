#include "core/import/chrome/collective_links.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

// The launch of each correlation: a table where the numbers lie close, as the profiler gives them, else a
// sorted list. Of several with one number the first holds.
class LaunchTable
{
public:
    explicit LaunchTable(const std::vector<LaunchRow>& launches)
    {
        const auto [least, most] = std::ranges::minmax(launches, {}, &LaunchRow::correlation);
        m_least = least.correlation;
        std::int64_t range = 0;
        if (!__builtin_sub_overflow(most.correlation, m_least, &range)
            && static_cast<std::size_t>(range) / most_gaps <= launches.size()) {
            m_table.assign(static_cast<std::size_t>(range) + 1, nothing);
            for (const LaunchRow& launch : launches)
                if (EventIndex& entry = m_table[static_cast<std::size_t>(launch.correlation - m_least)];
                    entry == nothing)
                    entry = launch.event;
            return;
        }
        for (const LaunchRow& launch : launches)
            m_sorted.emplace_back(launch.correlation, launch.event);
        std::ranges::stable_sort(m_sorted, {}, &Entry::first);
    }

    // nothing: no launch has it.
    EventIndex find(std::int64_t correlation) const
    {
        if (!m_table.empty()) {
            const bool is_in =
                correlation >= m_least && correlation - m_least < static_cast<std::int64_t>(m_table.size());
            return is_in ? m_table[static_cast<std::size_t>(correlation - m_least)] : nothing;
        }
        const auto found = std::ranges::lower_bound(m_sorted, correlation, {}, &Entry::first);
        return found != m_sorted.end() && found->first == correlation ? found->second : nothing;
    }

    static constexpr EventIndex nothing{0xffffffffU};

private:
    using Entry = std::pair<std::int64_t, EventIndex>;
    static constexpr std::size_t most_gaps = 16; // unused numbers to a launch

    std::int64_t m_least = 0;
    std::vector<EventIndex> m_table;
    std::vector<Entry> m_sorted;
};

} // namespace

void linkLaunches(const CollectiveLinks& links, TraceBuilder& builder)
{
    if (links.launches.empty() || links.launched.empty())
        return;
    const LaunchTable launches{links.launches};
    for (const LaunchedRow& launched : links.launched)
        if (const EventIndex call = launches.find(launched.correlation); call != LaunchTable::nothing)
            builder.addLaunch({launched.event, call});
}

} // namespace shardscope
