#include "widgets/plots/timeline/range_table.h"

#include "widgets/session/shown_text.h"

#include "core/analysis/classification/kernel_class.h"

#include <algorithm>
#include <array>
#include <map>

namespace shardscope
{

namespace
{

class Sum
{
public:
    void add(const EventSum& events)
    {
        m_min_ns = isEmpty() ? events.min_ns : std::min(m_min_ns, events.min_ns);
        m_max_ns = std::max(m_max_ns, events.max_ns);
        m_count += events.count;
        const auto known = std::ranges::find(m_parts, events.paint, &Part::paint);
        if (known != m_parts.end())
            known->sum_ns += events.sum_ns;
        else
            m_parts.push_back({events.paint, events.sum_ns});
    }
    void add(const Sum& other)
    {
        m_min_ns = isEmpty() ? other.m_min_ns : std::min(m_min_ns, other.m_min_ns);
        m_max_ns = std::max(m_max_ns, other.m_max_ns);
        m_count += other.m_count;
        m_parts.insert(m_parts.end(), other.m_parts.begin(), other.m_parts.end());
    }
    bool isEmpty() const { return m_count == 0; }
    RangeRow row(QString name) const
    {
        PaintDurations of_paint{};
        TraceTime sum_ns = 0;
        for (const Part& part : m_parts) {
            of_paint[static_cast<std::size_t>(part.paint)] += part.sum_ns;
            sum_ns += part.sum_ns;
        }
        const auto most = std::ranges::max_element(of_paint) - of_paint.begin();
        return {std::move(name), static_cast<LanePaint>(most), m_count, sum_ns, m_min_ns, m_max_ns};
    }

private:
    struct Part {
        LanePaint paint = LanePaint::other;
        TraceTime sum_ns = 0;
    };

    std::int64_t m_count = 0;
    TraceTime m_min_ns = 0;
    TraceTime m_max_ns = 0;
    std::vector<Part> m_parts; // rarely more than one
};

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
            row.forEachSum(rank.ownTime(range), false, [&](const EventSum& sum) {
                if (sum.counts)
                    sums[static_cast<std::size_t>(sum.paint)].add(sum);
            });
        });
    std::vector<RangeRow> rows;
    for (std::size_t paint = 0; paint < sums.size(); ++paint)
        if (const auto its = static_cast<LanePaint>(paint); isSummedUp(its) && !sums[paint].isEmpty())
            rows.push_back(sums[paint].row(nameOf(its)));
    return rows;
}

std::vector<RangeRow> byName(const MeasuredLanes& lanes, const TimeRange& range)
{
    std::map<std::string_view, Sum> all;
    for (const MeasuredRank& rank : lanes.ranks) {
        std::vector<Sum> sums(rank.store->names().size());
        forEachRow(rank, [&](const TraceRow& row) {
            row.forEachSum(rank.ownTime(range), true, [&](const EventSum& sum) {
                if (sum.counts)
                    sums[static_cast<std::size_t>(sum.name)].add(sum);
            });
        });
        for (std::size_t id = 0; id < sums.size(); ++id)
            if (!sums[id].isEmpty())
                all[rank.store->names().text(NameId{static_cast<std::uint32_t>(id)})].add(sums[id]);
    }
    std::vector<RangeRow> rows;
    for (const auto& [name, sum] : all)
        rows.push_back(sum.row(toQString(name)));
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
            track.rows.front().forEachSum(rank.ownTime(range), false,
                                          [&](const EventSum& events) { sum.add(events); });
            if (!sum.isEmpty())
                rows.push_back(sum.row(rank.name + QStringLiteral(", ") + track.name));
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
        return toQString(word(*kind));
    switch (paint) {
    case LanePaint::compute:
        return toQString(word(KernelClass::other));
    case LanePaint::matrix:
        return toQString(word(KernelClass::matrix));
    case LanePaint::attention:
        return toQString(word(KernelClass::attention));
    case LanePaint::reduction:
        return toQString(word(KernelClass::reduction));
    case LanePaint::elementwise:
        return toQString(word(KernelClass::elementwise));
    case LanePaint::memory:
        return QStringLiteral("memory");
    case LanePaint::bubble:
        return QStringLiteral("bubble");
    case LanePaint::forward:
        return QStringLiteral("forward");
    case LanePaint::backward:
        return QStringLiteral("backward");
    case LanePaint::forward_of_even_chunk:
        return QStringLiteral("forward, even chunks");
    case LanePaint::backward_of_even_chunk:
        return QStringLiteral("backward, even chunks");
    case LanePaint::weight_gradient:
        return QStringLiteral("weight gradient");
    case LanePaint::optimizer:
        return QStringLiteral("optimizer");
    case LanePaint::cpu:
        return QStringLiteral("processor");
    case LanePaint::runtime:
        return QStringLiteral("runtime");
    case LanePaint::annotation:
        return QStringLiteral("annotation");
    default:
        return QStringLiteral("other");
    }
}

bool isSummedUp(LanePaint paint)
{
    return isWork(paint) || paint == LanePaint::bubble;
}

} // namespace shardscope
