#include "widgets/plots/trace_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace shardscope
{

namespace
{

constexpr std::size_t block_factor = 16;
constexpr int finest_bins = 65'536;
constexpr std::size_t bin_factor = 4;
constexpr std::size_t coarsest_bins = 1'024;
constexpr std::size_t fewest_for_bins = 4'096; // events; fewer are walked
constexpr std::size_t walked_per_column =
    4; // events on screen for each pixel that are walked rather than binned

// The paint of most of what is added, and the sum.
class Dominance
{
public:
    void add(LanePaint paint, double amount)
    {
        const auto index = static_cast<std::size_t>(paint);
        m_amount[index] += amount;
        if (m_amount[index] > m_amount[static_cast<std::size_t>(m_most)] || paint == m_most)
            m_most = paint;
        m_total += amount;
    }
    LanePaint paint() const { return m_most; }
    double total() const { return m_total; }

private:
    std::array<double, lane_paint_count> m_amount{};
    LanePaint m_most = LanePaint::other;
    double m_total = 0.0;
};

} // namespace

EventPaints::EventPaints(const TraceStore& store, const std::function<LanePaint(EventIndex)>& paint_of)
{
    m_marks.assign(store.size(), 0);
    for (const Track& track : store.tracks()) {
        std::array<TraceTime, lane_paint_count> covered_until;
        covered_until.fill(std::numeric_limits<TraceTime>::min());
        const auto first = static_cast<std::uint32_t>(track.first);
        for (std::uint32_t row = first; row < first + track.count; ++row) {
            const LanePaint paint = paint_of(EventIndex{row});
            const LanePaint family = isCompute(paint) ? LanePaint::compute : paint;
            TraceTime& covered = covered_until[static_cast<std::size_t>(family)];
            const TraceTime end = store.end(EventIndex{row});
            m_marks[row] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(paint)
                                                     | (end <= covered ? nested_mark : 0));
            covered = std::max(covered, end);
        }
    }
}

std::vector<TraceRow> TraceRow::rowsOf(const TraceStore& store, const EventPaints& paints, const Track& track)
{
    std::vector<TraceRow> rows;
    rows.reserve(track.depths);
    for (int depth = 0; depth < track.depths; ++depth)
        rows.push_back(TraceRow{store, paints});
    const auto first = static_cast<std::uint32_t>(track.first);
    for (std::uint32_t row = first; row < first + track.count && rows.size() > 1; ++row)
        rows[store.depth(EventIndex{row})].m_events.push_back(row);
    for (TraceRow& row : rows) {
        row.m_first = first;
        row.m_count = rows.size() > 1 ? row.m_events.size() : track.count;
    }
    for (TraceRow& row : rows)
        row.index();
    return rows;
}

std::optional<std::uint32_t> TraceRow::indexOf(EventIndex event) const
{
    const auto row = static_cast<std::uint32_t>(event);
    if (m_events.empty())
        return row >= m_first && row - m_first < m_count ? std::optional{row - m_first} : std::nullopt;
    const auto found = std::ranges::lower_bound(m_events, row);
    if (found == m_events.end() || *found != row)
        return std::nullopt;
    return static_cast<std::uint32_t>(found - m_events.begin());
}

void TraceRow::index()
{
    if (m_count < fewest_for_bins)
        return;
    buildBlocks();
    buildBins();
}

void TraceRow::buildBlocks()
{
    std::vector<Block> finest(m_count / block_factor);
    for (std::size_t block = 0; block < finest.size(); ++block) {
        Dominance most;
        for (std::size_t i = block * block_factor; i < (block + 1) * block_factor; ++i)
            most.add(m_paints->paint(eventRow(i)), static_cast<double>(end(i) - start(i)));
        finest[block] = {static_cast<TraceTime>(most.total()), most.paint()};
    }
    m_blocks.push_back(std::move(finest));
    while (m_blocks.back().size() >= block_factor * block_factor) {
        const std::vector<Block>& fine = m_blocks.back();
        std::vector<Block> coarse(fine.size() / block_factor);
        for (std::size_t block = 0; block < coarse.size(); ++block) {
            Dominance most;
            for (std::size_t i = block * block_factor; i < (block + 1) * block_factor; ++i)
                most.add(fine[i].paint, static_cast<double>(fine[i].busy_ns));
            coarse[block] = {static_cast<TraceTime>(most.total()), most.paint()};
        }
        m_blocks.push_back(std::move(coarse));
    }
}

void TraceRow::buildBins()
{
    m_bin_range = {start(0), std::max<TraceTime>(finest_bins, end(m_count - 1) - start(0))};
    std::vector<LaneBar> bars;
    BarWriter writer{m_bin_range, finest_bins, bars};
    walk(0, m_count, writer);
    writer.finish();
    std::vector<Bin> finest(finest_bins);
    for (const LaneBar& bar : bars)
        std::fill(finest.begin() + bar.left, finest.begin() + bar.right, Bin{bar.paint, bar.fill});
    m_bins.push_back(std::move(finest));
    while (m_bins.back().size() > coarsest_bins) {
        const std::vector<Bin>& fine = m_bins.back();
        std::vector<Bin> coarse(fine.size() / bin_factor);
        for (std::size_t bin = 0; bin < coarse.size(); ++bin) {
            Dominance most;
            for (std::size_t i = bin * bin_factor; i < (bin + 1) * bin_factor; ++i)
                most.add(fine[i].paint, fine[i].fill);
            coarse[bin] = {most.paint(), static_cast<std::uint8_t>(std::ceil(most.total() / bin_factor))};
        }
        m_bins.push_back(std::move(coarse));
    }
    const TraceTime bin_ns = m_bin_range.length_ns / finest_bins;
    for (std::size_t i = 0; i < m_count; ++i)
        if (end(i) - start(i) > 2 * bin_ns)
            m_long.push_back(static_cast<std::uint32_t>(i));
}

std::pair<std::size_t, std::size_t> TraceRow::visible(const TimeRange& range) const
{
    const auto bound = [this](TraceTime time) {
        std::size_t low = 0;
        for (std::size_t high = m_count; low < high;) {
            const std::size_t middle = low + (high - low) / 2;
            if (start(middle) < time)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    };
    std::size_t first = bound(range.start_ns);
    if (first > 0 && end(first - 1) > range.start_ns)
        --first;
    return {first, std::max(first, bound(range.end_ns()))};
}

void TraceRow::appendBars(const TimeRange& range, int width, std::vector<LaneBar>& bars) const
{
    const auto [first, last] = visible(range);
    const bool bins_are_fine_enough = !m_bins.empty()
                                      && static_cast<double>(range.length_ns) / width
                                             >= static_cast<double>(m_bin_range.length_ns) / finest_bins;
    if (bins_are_fine_enough && last - first > walked_per_column * static_cast<std::size_t>(width)) {
        drawBins(range, width, bars);
        drawLong(range, width, bars);
        return;
    }
    BarWriter writer{range, width, bars};
    walk(first, last, writer);
    writer.finish();
}

// How many events from i on, a whole block, lie in one column; 0: none.
std::size_t TraceRow::skip(std::size_t i, std::size_t last, TraceTime column_end) const
{
    std::size_t skipped = 0;
    std::size_t size = block_factor;
    for (std::size_t level = 0; level < m_blocks.size(); ++level, size *= block_factor) {
        if (i % size != 0 || i + size > last || end(i + size - 1) > column_end)
            break;
        skipped = size;
    }
    return skipped;
}

void TraceRow::walk(std::size_t first, std::size_t last, BarWriter& writer) const
{
    if (m_events.empty())
        walkRows(first, last, writer, [this](std::size_t i) { return m_first + i; });
    else
        walkRows(first, last, writer, [this](std::size_t i) { return std::size_t{m_events[i]}; });
}

template<class RowOf>
void TraceRow::walkRows(std::size_t first, std::size_t last, BarWriter& writer, const RowOf& row_of) const
{
    const std::span<const TraceTime> starts = m_store->starts();
    const std::span<const TraceTime> durations = m_store->durations();
    for (std::size_t i = first; i < last;) {
        const std::size_t event_row = row_of(i);
        const TraceTime begin = starts[event_row];
        if (i % block_factor == 0 && !m_blocks.empty()) {
            if (const std::size_t skipped = skip(i, last, writer.columnEnd(begin)); skipped > 0) {
                std::size_t level = 0;
                for (std::size_t size = block_factor; size < skipped; size *= block_factor)
                    ++level;
                const Block& block = m_blocks[level][i / skipped];
                writer.addBusy(begin, block.busy_ns, block.paint);
                i += skipped;
                continue;
            }
        }
        writer.add(begin, begin + durations[event_row], m_paints->paint(event_row),
                   static_cast<std::uint32_t>(i));
        ++i;
    }
}

void TraceRow::drawBins(const TimeRange& range, int width, std::vector<LaneBar>& bars) const
{
    const double ns_per_column = static_cast<double>(range.length_ns) / width;
    double bin_ns = static_cast<double>(m_bin_range.length_ns) / finest_bins;
    std::size_t level = 0;
    for (; level + 1 < m_bins.size() && bin_ns * bin_factor <= ns_per_column; ++level)
        bin_ns *= bin_factor;
    const std::vector<Bin>& bins = m_bins[level];
    const auto share = static_cast<float>(bin_ns / ns_per_column / 255.0);
    const double first = static_cast<double>(range.start_ns - m_bin_range.start_ns) / bin_ns;
    const double columns_per_bin = bin_ns / ns_per_column;
    const auto from = static_cast<std::size_t>(std::max(0.0, std::floor(first)));
    const auto to =
        std::min(bins.size(), static_cast<std::size_t>(std::max(0.0, first + width / columns_per_bin + 1.0)));
    BarWriter writer{range, width, bars};
    for (std::size_t bin = from; bin < to; ++bin)
        if (bins[bin].fill > 0)
            writer.addShare(
                static_cast<int>(std::floor((static_cast<double>(bin) + 0.5 - first) * columns_per_bin)),
                share * static_cast<float>(bins[bin].fill), bins[bin].paint);
    writer.finish();
}

// Spans that are wide on screen, over the bins, so that they can be told apart and get their labels.
void TraceRow::drawLong(const TimeRange& range, int width, std::vector<LaneBar>& bars) const
{
    const TraceTime narrowest = std::max<TraceTime>(1, 2 * range.length_ns / width);
    const auto begin = std::partition_point(m_long.begin(), m_long.end(),
                                            [&](std::uint32_t i) { return end(i) <= range.start_ns; });
    BarWriter writer{range, width, bars};
    for (auto i = begin; i != m_long.end() && start(*i) < range.end_ns(); ++i)
        if (end(*i) - start(*i) >= narrowest)
            writer.add(start(*i), end(*i), m_paints->paint(eventRow(*i)), *i);
    writer.finish();
}

std::uint32_t TraceRow::spanAt(const TimeRange& range, int width, int column) const
{
    const TraceTime from = timeOfColumn(column, range, width);
    const TraceTime to = std::max(timeOfColumn(column + 1, range, width), from + 1);
    const auto [first, last] = visible({from, to - from});
    std::uint32_t found = no_span;
    TraceTime most = -1;
    for (std::size_t i = first; i < last; ++i) {
        const TraceTime inside = std::min(end(i), to) - std::max(start(i), from);
        if (inside > most) {
            most = inside;
            found = static_cast<std::uint32_t>(i);
        }
    }
    return found;
}

void TraceRow::addDurations(const TimeRange& range, PaintDurations& durations) const
{
    const auto [first, last] = visible(range);
    for (std::size_t i = first; i < last; ++i) {
        const std::uint32_t row = eventRow(i);
        if (m_paints->counts(row))
            durations[static_cast<std::size_t>(m_paints->paint(row))] +=
                std::min(end(i), range.end_ns()) - std::max(start(i), range.start_ns);
    }
}

} // namespace shardscope
