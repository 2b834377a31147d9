#include "widgets/plots/timeline/row_sums.h"

#include <array>

namespace shardscope
{

namespace
{

constexpr std::size_t most_sums = 100;                            // of a block, by name
static_assert(most_sums * sizeof(EventSum) <= RowSums::in_block); // a byte an event

// The sums of a block while they are added up: open addressing by name, paint and whether it counts.
class BlockSums
{
public:
    // False: these events have too many names.
    bool add(const RowEvents& events, std::size_t first, bool by_name)
    {
        m_slots.fill(0);
        m_sums.clear();
        for (std::size_t i = first; i < first + RowSums::in_block; ++i) {
            const std::size_t row = events.row(i);
            const TraceTime duration = events.store.durations()[row];
            EventSum& sum = sumOf(by_name ? events.store.nameIds()[row] : NameId{}, events.paints.paint(row),
                                  events.paints.counts(row));
            sum.min_ns = sum.count == 0 ? duration : std::min(sum.min_ns, duration);
            sum.max_ns = std::max(sum.max_ns, duration);
            sum.sum_ns += duration;
            ++sum.count;
            if (by_name && m_sums.size() > most_sums)
                return false;
        }
        return true;
    }
    const std::vector<EventSum>& sums() const { return m_sums; }

private:
    static constexpr std::size_t slot_bits = 9;
    static_assert(most_sums < 1U << (slot_bits - 1) && 2 * lane_paint_count < 1U << (slot_bits - 1));

    EventSum& sumOf(NameId name, LanePaint paint, bool counts)
    {
        const std::uint32_t key =
            static_cast<std::uint32_t>(name) << 6 | static_cast<std::uint32_t>(paint) << 1 | (counts ? 1 : 0);
        std::size_t slot = key * 0x9E37'79B1U >> (32 - slot_bits); // Fibonacci hashing
        for (; m_slots[slot] != 0; slot = (slot + 1) % m_slots.size()) {
            EventSum& known = m_sums[m_slots[slot] - 1U];
            if (known.name == name && known.paint == paint && known.counts == counts)
                return known;
        }
        m_sums.push_back({.name = name, .paint = paint, .counts = counts});
        m_slots[slot] = static_cast<std::uint16_t>(m_sums.size());
        return m_sums.back();
    }

    std::array<std::uint16_t, std::size_t{1} << slot_bits> m_slots{}; // one more than the place in m_sums
    std::vector<EventSum> m_sums;
};

} // namespace

RowSums::RowSums(const RowEvents& events)
{
    BlockSums block;
    for (std::size_t first = 0; first + in_block <= events.count; first += in_block) {
        const bool is_by_name = block.add(events, first, true);
        if (!is_by_name)
            block.add(events, first, false);
        m_blocks.push_back({m_sums.size(), static_cast<std::uint32_t>(block.sums().size()), is_by_name});
        m_sums.insert(m_sums.end(), block.sums().begin(), block.sums().end());
    }
    m_sums.shrink_to_fit();
}

} // namespace shardscope
