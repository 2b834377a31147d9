#include "core/trace/trace_store.h"

#include <algorithm>
#include <cassert>

namespace shardscope
{

TrackIndex TraceStore::track(EventIndex event) const
{
    assert(row(event) < size());
    const auto after = std::ranges::upper_bound(m_tracks, event, {}, &Track::first);
    assert(after != m_tracks.begin());
    return TrackIndex{static_cast<std::uint32_t>(after - m_tracks.begin() - 1)};
}

const CollectiveCall* TraceStore::collective(EventIndex event) const
{
    const auto found = std::ranges::lower_bound(m_collectives, event, {}, &CollectiveCall::event);
    return found != m_collectives.end() && found->event == event ? &*found : nullptr;
}

std::optional<EventIndex> TraceStore::launchOf(EventIndex gpu_event) const
{
    const auto found = std::ranges::lower_bound(m_launches, gpu_event, {}, &GpuLaunch::gpu);
    if (found == m_launches.end() || found->gpu != gpu_event)
        return std::nullopt;
    return found->call;
}

} // namespace shardscope
