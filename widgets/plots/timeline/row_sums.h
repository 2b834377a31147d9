#pragma once

#include "widgets/plots/timeline/row_events.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardscope
{

// Durations of events of one paint, and of one name where names are asked for.
struct EventSum {
    NameId name{};
    LanePaint paint = LanePaint::other;
    bool counts = true; // as EventPaints has it
    std::uint32_t count = 0;
    TraceTime sum_ns = 0;
    TraceTime min_ns = 0;
    TraceTime max_ns = 0;
};

// Durations of a row's events summed up by blocks of 4,096 of them, so that a table of a long stretch of time
// costs its blocks and not its events. A block whose events have more than 100 names is summed up by paint
// alone. At most one byte an event.
class RowSums
{
public:
    static constexpr std::size_t in_block = 4'096; // events

    RowSums() = default;
    explicit RowSums(const RowEvents& events);

    // Whether the block's sums are there, each of one name if that matters. The last events of a row, too few
    // for a block, have none.
    bool has(std::size_t block, bool by_name) const
    {
        return block < m_blocks.size() && (m_blocks[block].is_by_name || !by_name);
    }
    std::span<const EventSum> of(std::size_t block) const
    {
        return {m_sums.data() + m_blocks[block].first, m_blocks[block].count};
    }
    std::size_t bytes() const { return m_sums.size() * sizeof(EventSum) + m_blocks.size() * sizeof(Block); }

private:
    struct Block {
        std::size_t first = 0; // of m_sums
        std::uint32_t count = 0;
        bool is_by_name = false;
    };

    std::vector<Block> m_blocks;
    std::vector<EventSum> m_sums;
};

} // namespace shardscope
