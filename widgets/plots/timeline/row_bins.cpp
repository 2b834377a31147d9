#include "widgets/plots/timeline/row_bins.h"

#include "widgets/plots/timeline/bin_pyramid.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace shardscope
{

namespace
{

constexpr std::size_t most_in_stretch = 4'096;
constexpr int coarse_levels = 9;          // up to 256 bins; each stretch has them
constexpr double narrowest_sampled = 4.0; // columns; of what is not as wide the bins are added one by one
constexpr int narrow_level = 3;           // that of these bins
constexpr double long_from = PictureWriter::narrowest_bar; // finest bins
constexpr std::size_t fetched_ahead = 64;                  // events that are drawn one by one
constexpr std::size_t fetched_together = 8;                // of them, from a line of memory

// What a column has whose halves have these shares of a bin.
LaneColumns::Part partOfHalves(int a, int b)
{
    constexpr int factor = 514; // makes 256 wholes of two full ones
    static_assert((2 * BinPyramid::full * factor + 128) >> 8 == LaneColumns::whole);
    return static_cast<LaneColumns::Part>(((a + b) * factor + 128) >> 8);
}

// Asks for memory some time before it is needed.
void fetch(const RowEvents& events, std::size_t i)
{
    const std::size_t row = events.row(i);
    __builtin_prefetch(&events.store.starts()[row]);
    __builtin_prefetch(&events.store.durations()[row]);
}

// This is where the time of a frame goes when events are two or three columns wide, tens of thousands of
// them. So those that are wholly on screen are asked nothing that only those at its edges have to be asked.
template<typename RowOf>
void drawRows(const RowEvents& events, const RowOf& row_of, std::size_t first, std::size_t last,
              const TimeRange& range, PictureWriter& writer)
{
    const auto addCut = [&](std::size_t i) {
        writer.add(events.start(i), events.end(i), events.paint(i), static_cast<std::uint32_t>(i));
    };
    std::size_t i = events.firstAlive(range.start_ns, first, last);
    if (i < last && events.start(i) < range.start_ns)
        addCut(i++);
    const PartPlaces places = writer.places(); // a copy, for registers
    const TraceTime end_ns = range.end_ns();
    const TraceTime* const starts = events.store.starts().data();
    const TraceTime* const durations = events.store.durations().data();
    for (; i < last && places.countNanoseconds(); ++i) {
        const std::size_t row = row_of(i);
        const TraceTime start = starts[row];
        const TraceTime end = start + durations[row];
        if (end >= end_ns)
            break;
        if (i % fetched_together == 0 && i + fetched_ahead < last)
            fetch(events, i + fetched_ahead);
        const int left = places.ofNanosecond(start);
        writer.addParts(left, std::max(left + 1, places.ofNanosecond(end)), events.paints.paint(row),
                        static_cast<std::uint32_t>(i));
    }
    for (; i < last && events.start(i) < end_ns; ++i)
        addCut(i);
}

} // namespace

RowBins::RowBins(const RowEvents& events) : m_stretches{stretchesOf(events)}
{
    PaintSet paints;
    for (std::size_t i = 0; i < events.count; ++i)
        paints.insert(events.paint(i));
    paints.forEach([this](LanePaint paint) { m_paints.push_back(paint); });
    std::size_t bins = m_stretches.size() * ((1U << coarse_levels) - 1);
    for (Stretch& stretch : m_stretches) {
        stretch.levels = levelsOf(stretch.count);
        stretch.fine_bins = bins;
        bins += (std::size_t{2} << stretch.levels) - (std::size_t{1} << coarse_levels);
    }
    m_bins_of_paint = bins;
    m_bins.resize(m_paints.size() * bins);
    for (std::size_t index = 0; index < m_stretches.size(); ++index) {
        fillBins(events, index);
        listLong(events, m_stretches[index]);
    }
    m_long.shrink_to_fit();
}

std::size_t RowBins::placeOfBins(std::size_t stretch, int level) const
{
    const std::size_t bins = std::size_t{1} << level;
    if (level < coarse_levels)
        return m_stretches.size() * (bins - 1) + stretch * bins;
    return m_stretches[stretch].fine_bins + bins - (std::size_t{1} << coarse_levels);
}

// A stretch ends when it is full, and at a pause as long as it: bins of one width would be too coarse for
// what comes next. One that began before such a pause ends as soon as it may.
std::vector<RowBins::Stretch> RowBins::stretchesOf(const RowEvents& events)
{
    std::vector<Stretch> stretches;
    Stretch stretch;
    TraceTime longest_pause = 0;
    for (std::size_t i = 0; i < events.count; ++i) {
        const TraceTime start = events.start(i);
        const TraceTime pause = start - stretch.end_ns();
        const bool may_end = stretch.count >= fewest_events;
        const bool ends = stretch.count == most_in_stretch
                          || (may_end && std::max(pause, 2 * longest_pause) > stretch.length_ns);
        if (ends)
            stretches.push_back(stretch);
        if (ends || i == 0) {
            stretch = {start, 1, static_cast<std::uint32_t>(i)};
            longest_pause = 0;
        } else {
            longest_pause = std::max(longest_pause, pause);
        }
        ++stretch.count;
        stretch.length_ns = std::max(stretch.length_ns, start + events.duration(i) - stretch.start_ns);
    }
    if (stretch.count > 0)
        stretches.push_back(stretch);
    return stretches;
}

// So many that there are two to four events for each finest bin.
int RowBins::levelsOf(std::uint32_t events)
{
    return std::max(coarse_levels - 1, static_cast<int>(std::bit_width(events / 2)) - 1);
}

void RowBins::fillBins(const RowEvents& events, std::size_t index)
{
    const Stretch& stretch = m_stretches[index];
    const std::size_t bins = std::size_t{1} << stretch.levels;
    const double parts_per_ns =
        static_cast<double>(bins * LaneColumns::whole) / static_cast<double>(stretch.length_ns);
    const int most = static_cast<int>(bins) * LaneColumns::whole;
    LaneColumns line{bins};
    for (std::size_t i = stretch.first; i < stretch.first + stretch.count; ++i) {
        const std::size_t row = events.row(i);
        const TraceTime start = events.store.starts()[row] - stretch.start_ns;
        const TraceTime end = start + events.store.durations()[row];
        const int left = std::min(most - 1, static_cast<int>(static_cast<double>(start) * parts_per_ns));
        const int right =
            std::clamp(static_cast<int>(static_cast<double>(end) * parts_per_ns), left + 1, most);
        line.cover(left, right, events.paints.paint(row));
    }
    BinPyramid pyramid;
    for (std::size_t paint = 0; paint < m_paints.size(); ++paint) {
        BinPyramid::Levels levels{};
        for (int level = 0; level <= stretch.levels; ++level)
            levels[static_cast<std::size_t>(level)] =
                m_bins.data() + paint * m_bins_of_paint + placeOfBins(index, level);
        pyramid.fill(line.planeOf(m_paints[paint]), levels);
    }
}

void RowBins::listLong(const RowEvents& events, Stretch& stretch)
{
    constexpr int eighths = 8;
    constexpr double most = std::numeric_limits<std::uint16_t>::max();
    const double per_ns =
        eighths * static_cast<double>(1U << stretch.levels) / static_cast<double>(stretch.length_ns);
    const auto shortest = static_cast<TraceTime>(long_from * eighths / per_ns);
    std::vector<LongEvent> found;
    std::array<std::uint32_t, 16> count{};
    for (std::uint32_t place = 0; place < stretch.count; ++place) {
        const std::size_t row = events.row(stretch.first + place);
        const TraceTime duration = events.store.durations()[row];
        if (duration < shortest)
            continue;
        const TraceTime start = events.store.starts()[row] - stretch.start_ns;
        found.push_back({static_cast<std::uint16_t>(place),
                         static_cast<std::uint16_t>(std::min(most, static_cast<double>(start) * per_ns)),
                         static_cast<std::uint16_t>(
                             std::clamp(static_cast<double>(duration) * per_ns, long_from * eighths, most)),
                         events.paints.paint(row)});
        ++count[static_cast<std::size_t>(found.back().halvings())];
    }
    stretch.first_long = m_long.size();
    stretch.long_count = static_cast<std::uint32_t>(found.size());
    m_long.resize(m_long.size() + found.size());
    std::array<std::size_t, 16> next{};
    for (std::size_t halvings = count.size() - 1, at = stretch.first_long; halvings > 0; --halvings) {
        next[halvings] = at;
        at += count[halvings];
    }
    for (const LongEvent& one : found)
        m_long[next[static_cast<std::size_t>(one.halvings())]++] = one;
}

void RowBins::draw(const RowEvents& events, const TimeRange& range, PictureWriter& writer) const
{
    const auto first = std::ranges::partition_point(
        m_stretches, [&](const Stretch& one) { return one.end_ns() <= range.start_ns; });
    for (auto index = static_cast<std::size_t>(first - m_stretches.begin());
         index < m_stretches.size() && m_stretches[index].start_ns < range.end_ns(); ++index) {
        const Stretch& stretch = m_stretches[index];
        const double wide = static_cast<double>(stretch.length_ns) * writer.columnsPerNs();
        if (wide > static_cast<double>(1U << stretch.levels)) {
            drawEvents(events, stretch.first, stretch.first + stretch.count, range, writer);
            continue;
        }
        const std::span<const LongEvent> bars = barsOf(stretch, wide);
        if (wide < narrowest_sampled)
            addBins(index, wide < 1.0 ? 0 : narrow_level, writer);
        else
            drawBins(index, writer);
        drawBars(stretch, bars, writer);
    }
}

// Each with the shares that it has in the columns it lies in.
void RowBins::addBins(std::size_t index, int level, PictureWriter& writer) const
{
    const Stretch& stretch = m_stretches[index];
    const auto bins = std::size_t{1} << level;
    const double left = writer.place(stretch.start_ns);
    const double wide =
        static_cast<double>(stretch.length_ns) * writer.columnsPerNs() / static_cast<double>(bins);
    for (std::size_t paint = 0; paint < m_paints.size(); ++paint) {
        const std::uint8_t* const shares = binsOf(paint, index, level);
        for (std::size_t bin = 0; bin < bins; ++bin)
            if (shares[bin] != 0)
                writer.addShare(left + static_cast<double>(bin) * wide,
                                left + static_cast<double>(bin + 1) * wide, m_paints[paint],
                                static_cast<double>(shares[bin]) / BinPyramid::full);
    }
}

// The halves of columns [first, end) that a stretch fills, and the bin in the middle of each, so that every
// bin shows.
struct RowBins::HalfColumns {
    double left = 0.0; // of the stretch, in columns
    double bins_per_column = 0.0;
    std::size_t last_bin = 0;
    int first = 0;
    int end = 0;

    std::uint64_t binAt(double place) const // in 2^32ths of a bin
    {
        return static_cast<std::uint64_t>(std::max(0.0, (place - left) * bins_per_column) * 0x1p32);
    }
    std::size_t binOf(int half) const
    {
        return std::min<std::uint64_t>(last_bin, binAt((half + 0.5) / 2.0) >> 32);
    }
};

// From the level whose bins are as wide as a column or up to half as wide.
void RowBins::drawBins(std::size_t index, PictureWriter& writer) const
{
    const Stretch& stretch = m_stretches[index];
    const double left = writer.place(stretch.start_ns);
    const double wide = static_cast<double>(stretch.length_ns) * writer.columnsPerNs();
    const auto level = std::bit_width(static_cast<unsigned>(std::ceil(wide)) - 1);
    const std::size_t bins = std::size_t{1} << level;
    const auto firstHalf = [&](double place) {
        return static_cast<int>(std::ceil(std::clamp(2.0 * place - 0.5, 0.0, 2.0 * writer.width())));
    };
    const HalfColumns halves{left, static_cast<double>(bins) / wide, bins - 1, firstHalf(left),
                             firstHalf(left + wide)};
    for (std::size_t paint = 0; paint < m_paints.size(); ++paint)
        drawHalves(halves, binsOf(paint, index, level), m_paints[paint], writer);
}

void RowBins::drawHalves(const HalfColumns& halves, const std::uint8_t* bins, LanePaint paint,
                         PictureWriter& writer)
{
    // What is not a column of its own goes with what the stretches beside it add.
    const int whole_from = std::min(halves.end, 2 * (halves.first / 2 + 1));
    const int whole_to = std::max(whole_from, (halves.end - 1) / 2 * 2);
    const auto addHalf = [&](int half) {
        if (const int share = bins[halves.binOf(half)]; share != 0)
            writer.addShare(half / 2.0, (half + 1) / 2.0, paint,
                            static_cast<double>(share) / BinPyramid::full);
    };
    for (int half = halves.first; half < whole_from; ++half)
        addHalf(half);
    const std::uint64_t step = halves.binAt(halves.left + 1.0);
    std::uint64_t bin = halves.binAt(whole_from / 2 + 0.25);
    const std::span<LaneColumns::Part> parts = writer.columns().planeOf(paint);
    for (int half = whole_from; half < whole_to; half += 2, bin += step)
        parts[static_cast<std::size_t>(half / 2)] =
            partOfHalves(bins[bin >> 32], bins[(bin + step / 2) >> 32]);
    for (int half = whole_to; half < halves.end; ++half)
        addHalf(half);
}

// Those that may be bars where the stretch is so many columns wide.
std::span<const RowBins::LongEvent> RowBins::barsOf(const Stretch& stretch, double wide) const
{
    if (wide < PictureWriter::narrowest_bar)
        return {};
    const double narrowest =
        PictureWriter::narrowest_bar * static_cast<double>(1U << stretch.levels) / wide; // bins
    const int halvings = std::bit_width(static_cast<unsigned>(narrowest)) - 1;
    const std::span all{m_long.data() + stretch.first_long, stretch.long_count};
    const auto end =
        std::ranges::partition_point(all, [&](const LongEvent& one) { return one.halvings() >= halvings; });
    return all.first(static_cast<std::size_t>(end - all.begin()));
}

// Over the bins, so that they can be told apart and get their labels.
void RowBins::drawBars(const Stretch& stretch, std::span<const LongEvent> bars, PictureWriter& writer)
{
    const double left = writer.place(stretch.start_ns);
    const double columns = static_cast<double>(stretch.length_ns) * writer.columnsPerNs()
                           / static_cast<double>(8U << stretch.levels); // of an eighth of a bin
    const auto forEach = [&](const auto& draw) {
        for (const LongEvent& bar : bars)
            if (bar.length * columns >= PictureWriter::narrowest_bar)
                draw(bar, left + bar.start * columns, left + (bar.start + bar.length) * columns);
    };
    forEach([&](const LongEvent&, double from, double to) { writer.cutEdges(from, to); });
    forEach([&](const LongEvent& bar, double from, double to) {
        writer.addBarOver(from, to, bar.paint, stretch.first + bar.place);
    });
}

std::size_t RowBins::bytes() const
{
    return m_stretches.capacity() * sizeof(Stretch) + m_bins.capacity()
           + m_long.capacity() * sizeof(LongEvent);
}

void drawEvents(const RowEvents& events, std::size_t first, std::size_t last, const TimeRange& range,
                PictureWriter& writer)
{
    if (events.rows.empty())
        drawRows(
            events, [first_row = events.first_row](std::size_t i) { return first_row + i; }, first, last,
            range, writer);
    else
        drawRows(
            events, [rows = events.rows.data()](std::size_t i) { return rows[i]; }, first, last, range,
            writer);
}

} // namespace shardscope
