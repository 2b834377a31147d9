#include "core/import/digest_columns.h"

#include "core/trace/trace_builder.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

// Differences wrap around, as every time must survive.
std::int64_t difference(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::int64_t sum(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

class ColumnsReader
{
public:
    explicit ColumnsReader(const EventColumns& columns) : m_columns(columns)
    {
        for (const std::string& name : columns.names)
            m_names.push_back(m_builder.intern(name));
    }

    // Nothing: the columns do not fit each other.
    std::shared_ptr<const TraceStore> store()
    {
        const std::size_t size = m_columns.starts.size();
        if (m_columns.durations.size() != size || m_columns.name_rows.size() != size
            || m_columns.category_rows.size() != size)
            return nullptr;
        for (const Track& track : m_columns.tracks) {
            const TrackIndex index = m_builder.addTrack(track);
            for (std::uint32_t i = 0; i < track.count; ++i) {
                if (!addEvent(index))
                    return nullptr;
            }
        }
        if (m_builder.size() != size || !addReferences() || !addCounters())
            return nullptr;
        return m_builder.finish();
    }

private:
    bool addEvent(TrackIndex track)
    {
        const std::size_t row = m_builder.size();
        if (row >= m_columns.starts.size())
            return false;
        m_start = sum(m_start, m_columns.starts[row]);
        const TraceTime duration = m_columns.durations[row];
        const auto name = nameAt(m_columns.name_rows[row]);
        const auto category = nameAt(m_columns.category_rows[row]);
        if (duration < 0 || m_start > std::numeric_limits<TraceTime>::max() - duration || !name || !category)
            return false;
        m_builder.addEvent(track, m_start, duration, *name, *category);
        return true;
    }

    bool addReferences()
    {
        for (CollectiveCall call : m_columns.collectives) {
            for (NameId* id : {&call.name, &call.dtype, &call.group, &call.group_description,
                               &call.group_ranks, &call.in_splits}) {
                const auto name = nameAt(static_cast<std::uint32_t>(*id));
                if (!name)
                    return false;
                *id = *name;
            }
            if (!isEvent(call.event) || call.sizes_from > SizesFrom::annotation)
                return false;
            m_builder.addCollective(call);
        }
        for (const GpuLaunch& launch : m_columns.launches) {
            if (!isEvent(launch.gpu) || !isEvent(launch.call))
                return false;
            m_builder.addLaunch(launch);
        }
        return true;
    }

    bool addCounters()
    {
        for (const Counter& counter : m_columns.counters) {
            if (counter.times.size() != counter.values.size())
                return false;
            const std::size_t row = m_builder.addCounter(counter.pid, counter.name, counter.is_bytes);
            TraceTime time = 0;
            for (std::size_t i = 0; i < counter.times.size(); ++i) {
                time = sum(time, counter.times[i]);
                if (!std::isfinite(counter.values[i]))
                    return false;
                m_builder.addSample(row, time, counter.values[i]);
            }
        }
        return true;
    }

    std::optional<NameId> nameAt(std::uint32_t row) const
    {
        return row < m_names.size() ? std::optional(m_names[row]) : std::nullopt;
    }

    bool isEvent(EventIndex event) const { return static_cast<std::size_t>(event) < m_builder.size(); }

    const EventColumns& m_columns;
    TraceBuilder m_builder;
    std::vector<NameId> m_names;
    TraceTime m_start = 0;
};

} // namespace

EventColumns columnsOf(const TraceStore& store)
{
    EventColumns columns;
    for (std::uint32_t name = 0; name < store.names().size(); ++name)
        columns.names.emplace_back(store.names().text(NameId{name}));
    columns.tracks = store.tracks();
    TraceTime before = 0;
    for (std::size_t i = 0; i < store.size(); ++i) {
        columns.starts.push_back(difference(store.starts()[i], before));
        before = store.starts()[i];
        columns.durations.push_back(store.durations()[i]);
        columns.name_rows.push_back(static_cast<std::uint32_t>(store.nameIds()[i]));
        columns.category_rows.push_back(static_cast<std::uint32_t>(store.categoryIds()[i]));
    }
    columns.collectives = store.collectives();
    columns.launches = store.launches();
    for (Counter counter : store.counters()) {
        TraceTime earlier = 0;
        for (TraceTime& time : counter.times) {
            const TraceTime at = time;
            time = difference(at, earlier);
            earlier = at;
        }
        columns.counters.push_back(std::move(counter));
    }
    return columns;
}

std::shared_ptr<const TraceStore> storeOf(const EventColumns& columns)
{
    return ColumnsReader(columns).store();
}

} // namespace shardscope
