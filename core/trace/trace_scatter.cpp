// The part of the builder that moves the events from the order in which they came to their tracks' ranges.
#include "core/base/side_by_side.h"
#include "core/trace/trace_builder.h"

namespace shardscope
{

namespace
{

std::uint32_t countEvents(std::span<const std::vector<TraceEvent>> blocks)
{
    std::size_t count = 0;
    for (const std::vector<TraceEvent>& block : blocks)
        count += block.size();
    return static_cast<std::uint32_t>(count);
}

} // namespace

// Threads take shares of the blocks: each counts what its share has of every track, so that the next one
// knows where its own events go. Blocks are freed as they empty.
void TraceBuilder::scatter(TraceStore& store, std::size_t threads)
{
    m_slots.resize(hasReferences() ? m_size : 0);
    store.m_start.resize(m_size);
    store.m_duration.resize(m_size);
    store.m_name.resize(m_size);
    store.m_category.resize(m_size);
    store.m_depth.resize(m_size);
    store.m_offset.resize(m_has_offsets ? m_size : 0);

    const std::vector<std::size_t> borders = shareBlocks(threads);
    const std::size_t shares = borders.size() - 1;
    const auto blocksOf = [&](std::size_t share) {
        return std::span(m_blocks).subspan(borders[share], borders[share + 1] - borders[share]);
    };
    std::vector<std::vector<std::uint32_t>> next(shares, std::vector<std::uint32_t>(store.m_tracks.size()));
    if (shares > 1) { // at first what each share has
        runSideBySide(shares, [&](std::size_t share) {
            for (const std::vector<TraceEvent>& block : blocksOf(share)) {
                for (const TraceEvent& event : block)
                    ++next[share][m_places[static_cast<std::size_t>(event.track)]];
            }
        });
    }
    std::vector<std::uint32_t> indices(shares);
    for (std::size_t share = 1; share < shares; ++share)
        indices[share] = indices[share - 1] + countEvents(blocksOf(share - 1));
    for (std::size_t track = 0; track < store.m_tracks.size(); ++track) {
        auto first = static_cast<std::uint32_t>(store.m_tracks[track].first);
        for (std::vector<std::uint32_t>& places : next)
            first += std::exchange(places[track], first);
    }
    runSideBySide(shares, [&](std::size_t share) {
        scatterShare(store, blocksOf(share), indices[share], next[share]);
    });
}

// The first block of each share, of about as many events each, and the end.
std::vector<std::size_t> TraceBuilder::shareBlocks(std::size_t shares) const
{
    std::vector<std::size_t> borders{0};
    std::size_t events = 0;
    for (std::size_t block = 0; block < m_blocks.size(); ++block) {
        if (events > 0 && events * shares >= m_size * borders.size())
            borders.push_back(block);
        events += m_blocks[block].size();
    }
    borders.push_back(m_blocks.size());
    return borders;
}

// `next`: where the next event of each track goes; `index`: of the first event.
void TraceBuilder::scatterShare(TraceStore& store, std::span<std::vector<TraceEvent>> blocks,
                                std::uint32_t index, std::vector<std::uint32_t>& next)
{
    for (std::vector<TraceEvent>& block : blocks) {
        for (const TraceEvent& event : block) {
            const std::uint32_t slot = next[m_places[static_cast<std::size_t>(event.track)]]++;
            store.m_start[slot] = event.start;
            store.m_duration[slot] = event.duration;
            store.m_name[slot] = event.name;
            store.m_category[slot] = event.category;
            if (m_has_offsets)
                store.m_offset[slot] = event.source_offset;
            if (!m_slots.empty())
                m_slots[index] = slot;
            ++index;
        }
        std::vector<TraceEvent>().swap(block);
    }
}

} // namespace shardscope
