#include "widgets/plots/range_table.h"

#include <algorithm>
#include <array>
#include <map>

namespace shardscope
{

namespace
{

struct Sum {
    std::int64_t count = 0;
    TraceTime sum_ns = 0;
    TraceTime min_ns = 0;
    TraceTime max_ns = 0;
    LanePaint paint = LanePaint::other;

    void add(TraceTime duration, LanePaint its)
    {
        min_ns = count == 0 ? duration : std::min(min_ns, duration);
        max_ns = std::max(max_ns, duration);
        sum_ns += duration;
        ++count;
        paint = its;
    }
    void add(const Sum& other)
    {
        if (other.count == 0)
            return;
        min_ns = count == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
        max_ns = std::max(max_ns, other.max_ns);
        if (other.sum_ns >= sum_ns)
            paint = other.paint;
        sum_ns += other.sum_ns;
        count += other.count;
    }
};

// Calls visit(event, nanoseconds inside the range).
template<class Visitor>
void forEachEvent(const MeasuredRank& rank, const TraceRow& row, const TimeRange& range, Visitor visit)
{
    const TraceStore& store = *rank.store;
    const auto [first, last] = row.visible(range);
    for (std::size_t i = first; i < last; ++i) {
        const EventIndex event = row.event(i);
        const TraceTime start = std::max(store.start(event), range.start_ns);
        visit(event, std::min(store.end(event), range.end_ns()) - start);
    }
}

RangeRow rowOf(QString name, const Sum& sum)
{
    return {std::move(name), sum.paint, sum.count, sum.sum_ns, sum.min_ns, sum.max_ns};
}

template<class Visitor>
void forEachRow(const MeasuredRank& rank, Visitor visit)
{
    for (const MeasuredTrack& track : rank.tracks)
        if (track.is_of_interest)
            for (const TraceRow& row : track.rows)
                visit(row);
}

std::vector<RangeRow> byKind(const MeasuredLanes& lanes, const TimeRange& range)
{
    std::array<Sum, lane_paint_count> sums{};
    for (const MeasuredRank& rank : lanes.ranks)
        forEachRow(rank, [&](const TraceRow& row) {
            forEachEvent(rank, row, range, [&](EventIndex event, TraceTime duration) {
                const auto index = static_cast<std::size_t>(event);
                if (rank.paints->counts(index))
                    sums[static_cast<std::size_t>(rank.paints->paint(index))].add(duration,
                                                                                  rank.paints->paint(index));
            });
        });
    std::vector<RangeRow> rows;
    for (std::size_t paint = 0; paint < sums.size(); ++paint)
        if (const QString name = nameOf(static_cast<LanePaint>(paint));
            sums[paint].count > 0 && !name.isEmpty())
            rows.push_back(rowOf(name, sums[paint]));
    return rows;
}

std::vector<RangeRow> byName(const MeasuredLanes& lanes, const TimeRange& range)
{
    std::map<std::string_view, Sum> all;
    for (const MeasuredRank& rank : lanes.ranks) {
        std::vector<Sum> sums(rank.store->names().size());
        forEachRow(rank, [&](const TraceRow& row) {
            forEachEvent(rank, row, range, [&](EventIndex event, TraceTime duration) {
                const auto index = static_cast<std::size_t>(event);
                if (rank.paints->counts(index))
                    sums[static_cast<std::size_t>(rank.store->nameId(event))].add(duration,
                                                                                  rank.paints->paint(index));
            });
        });
        for (std::size_t id = 0; id < sums.size(); ++id)
            if (sums[id].count > 0)
                all[rank.store->names().text(NameId{static_cast<std::uint32_t>(id)})].add(sums[id]);
    }
    std::vector<RangeRow> rows;
    for (const auto& [name, sum] : all)
        rows.push_back(rowOf(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), sum));
    return rows;
}

std::vector<RangeRow> byStream(const MeasuredLanes& lanes, const TimeRange& range)
{
    std::vector<RangeRow> rows;
    for (const MeasuredRank& rank : lanes.ranks)
        for (const MeasuredTrack& track : rank.tracks) {
            if (!track.is_of_interest || track.rows.empty())
                continue;
            // The outermost row holds the others.
            Sum sum;
            forEachEvent(rank, track.rows.front(), range, [&](EventIndex event, TraceTime duration) {
                sum.add(duration, rank.paints->paint(static_cast<std::size_t>(event)));
            });
            if (sum.count > 0)
                rows.push_back(rowOf(rank.name + QStringLiteral(", ") + track.name, sum));
        }
    return rows;
}

} // namespace

std::vector<RangeRow> rangeTable(const MeasuredLanes& lanes, const TimeRange& axis, RangeGrouping grouping)
{
    const TimeRange range{axis.start_ns + lanes.origin_ns, axis.length_ns};
    std::vector<RangeRow> rows = grouping == RangeGrouping::kind   ? byKind(lanes, range)
                                 : grouping == RangeGrouping::name ? byName(lanes, range)
                                                                   : byStream(lanes, range);
    std::ranges::stable_sort(rows, std::ranges::greater{}, &RangeRow::sum_ns);
    return rows;
}

QString nameOf(LanePaint paint)
{
    if (const std::optional<Kind> kind = kindOf(paint))
        return QString::fromUtf8(word(*kind).data(), static_cast<qsizetype>(word(*kind).size()));
    switch (paint) {
    case LanePaint::compute:
        return QStringLiteral("other compute");
    case LanePaint::matrix:
        return QStringLiteral("matrix");
    case LanePaint::attention:
        return QStringLiteral("attention");
    case LanePaint::reduction:
        return QStringLiteral("norm, reduction");
    case LanePaint::elementwise:
        return QStringLiteral("elementwise");
    case LanePaint::memory:
        return QStringLiteral("memory");
    case LanePaint::bubble:
        return QStringLiteral("bubble");
    default:
        return {};
    }
}

} // namespace shardscope
