#include "core/import/chrome/xla_devices.h"

#include "core/import/chrome/xla_operations.h"
#include "core/trace/step_mark.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace shardscope
{

namespace
{

// What a row of a device shows, by its name in tsl/profiler/utils/xplane_schema.cc.
enum class Row { operations, in_flight, stream, steps, other };

Row rowOf(std::string_view thread)
{
    if (thread == "XLA Ops")
        return Row::operations;
    if (thread == "Async XLA Ops")
        return Row::in_flight;
    if (thread == "Steps")
        return Row::steps;
    return thread.starts_with("Stream #") ? Row::stream : Row::other;
}

// A device by the name of its process: "/device:TPU:3", or a part of it, "/device:TPU:3 SparseCore 0".
std::optional<std::pair<std::string, std::int64_t>> deviceOf(std::string_view process)
{
    for (const std::string_view sort : {"TPU", "GPU"}) {
        const std::string begin = "/device:" + std::string(sort) + ":";
        if (!process.starts_with(begin))
            continue;
        const char* const digits = process.data() + begin.size();
        const char* const limit = process.data() + process.size();
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(digits, limit, number);
        if (error == std::errc{} && (end == limit || *end == ' '))
            return std::pair{std::string(sort), number};
    }
    return std::nullopt;
}

// "5" and "train 5".
std::optional<std::string_view> stepNumber(std::string_view name)
{
    const std::size_t before = name.find_last_not_of("0123456789");
    const std::string_view digits = before == std::string_view::npos ? name : name.substr(before + 1);
    return digits.empty() ? std::nullopt : std::optional(digits);
}

// The events of one device on their way into a store of their own.
class DeviceStore
{
public:
    DeviceStore(const TraceStore& from, std::vector<const Track*> tracks)
        : m_from(from), m_tracks(std::move(tracks))
    {
        for (const Track* const track : m_tracks) {
            const Row row = rowOfTrack(*track);
            m_has_streams = m_has_streams || row == Row::stream;
            m_has_in_flight = m_has_in_flight || (row == Row::in_flight && hasCollective(*track));
        }
    }

    std::shared_ptr<const TraceStore> finish()
    {
        for (const Track* const track : m_tracks)
            addTrack(*track);
        for (const Counter& counter : m_from.counters())
            addCounter(counter);
        return m_builder.finish();
    }

private:
    struct Start {
        EventIndex event{};
        XlaOperation operation;
    };

    static Row rowOfTrack(const Track& track)
    {
        return deviceOf(track.process_name) ? rowOf(track.thread_name) : Row::other;
    }

    template<class Visit>
    static void eachEvent(const Track& track, const Visit& visit)
    {
        const auto first = static_cast<std::uint32_t>(track.first);
        for (std::uint32_t i = first; i < first + track.count; ++i)
            visit(EventIndex{i});
    }

    bool hasCollective(const Track& track) const
    {
        bool has = false;
        eachEvent(track, [&](EventIndex event) { has = has || !operationOf(event).collective.empty(); });
        return has;
    }

    XlaOperation operationOf(EventIndex event) const
    {
        return xlaOperationOf(m_from.name(event), m_from.category(event));
    }

    void addTrack(const Track& track)
    {
        const Row row = rowOfTrack(track);
        Track copy = track;
        copy.is_gpu = row == Row::operations || row == Row::in_flight || row == Row::stream;
        const TrackIndex index = m_builder.addTrack(copy);
        switch (row) {
        case Row::operations:
            return m_has_streams ? addAs("xla_op", track, index) : addOperations(track, index);
        case Row::in_flight:
            return addInFlight(track, index);
        case Row::stream:
            return addStream(track, index);
        case Row::steps:
            return addSteps(track, index);
        case Row::other:
            return addAs({}, track, index);
        }
    }

    EventIndex add(EventIndex event, TrackIndex track, std::string_view category)
    {
        return m_builder.addEvent(track, m_from.start(event), m_from.duration(event),
                                  m_builder.intern(m_from.name(event)),
                                  m_builder.intern(category.empty() ? m_from.category(event) : category),
                                  m_from.sourceOffset(event));
    }

    void addAs(std::string_view category, const Track& track, TrackIndex index)
    {
        eachEvent(track, [&](EventIndex event) { add(event, index, category); });
    }

    void addCollective(EventIndex added, const XlaOperation& operation)
    {
        CollectiveCall call;
        call.event = added;
        call.name = m_builder.intern(operation.collective);
        m_builder.addCollective(call);
    }

    // Starts and dones are drawn, but what counts is the time between them.
    void addOperations(const Track& track, TrackIndex index)
    {
        std::map<std::string_view, std::deque<Start>> open; // by collective
        Track beside = track;
        beside.tid += " in flight";
        beside.thread_name = "collectives in flight";
        beside.is_gpu = true;
        std::optional<TrackIndex> in_flight;
        eachEvent(track, [&](EventIndex event) {
            const XlaOperation operation = operationOf(event);
            const bool is_part = operation.part != XlaOperation::Part::whole;
            if (operation.is_container || (is_part && (m_has_in_flight || operation.collective.empty()))) {
                add(event, index, "xla_op");
            } else if (operation.collective.empty()) {
                add(event, index, operation.is_copy ? "gpu_memcpy" : "kernel");
            } else if (operation.part == XlaOperation::Part::start) {
                open[operation.collective].push_back({event, operation});
                add(event, index, "xla_op");
            } else if (operation.part == XlaOperation::Part::done && !open[operation.collective].empty()) {
                add(event, index, "xla_op");
                if (!in_flight)
                    in_flight = m_builder.addTrack(beside);
                join(takeStart(open[operation.collective], operation), event, *in_flight);
            } else {
                addCollective(add(event, index, "kernel"), operation);
            }
        });
        for (const auto& [name, starts] : open) { // cut off at the end
            for (const Start& start : starts)
                addCollective(add(start.event, index, "kernel"), start.operation);
        }
    }

    // The start with the same number, else the oldest.
    static Start takeStart(std::deque<Start>& open, const XlaOperation& done)
    {
        auto found = std::ranges::find_if(
            open, [&](const Start& start) { return start.operation.instance == done.instance; });
        if (found == open.end())
            found = open.begin();
        const Start start = *found;
        open.erase(found);
        return start;
    }

    void join(const Start& start, EventIndex done, TrackIndex track)
    {
        const TraceTime begin = m_from.start(start.event);
        const EventIndex added = m_builder.addEvent(
            track, begin, m_from.end(done) - begin, m_builder.intern(m_from.name(start.event)),
            m_builder.intern("kernel"), m_from.sourceOffset(start.event));
        addCollective(added, start.operation);
    }

    void addInFlight(const Track& track, TrackIndex index)
    {
        eachEvent(track, [&](EventIndex event) {
            const XlaOperation operation = operationOf(event);
            if (!operation.collective.empty())
                addCollective(add(event, index, "kernel"), operation);
            else
                add(event, index, operation.is_copy ? "gpu_memcpy" : "xla_op");
        });
    }

    void addStream(const Track& track, TrackIndex index)
    {
        eachEvent(track, [&](EventIndex event) {
            const std::string_view name = m_from.name(event);
            const bool is_copy = name.starts_with("Memcpy") || name.starts_with("memcpy");
            const bool is_set = name.starts_with("Memset") || name.starts_with("memset");
            add(event, index, is_copy ? "gpu_memcpy" : is_set ? "gpu_memset" : "kernel");
        });
    }

    // Under the name that steps of PyTorch's profiler have.
    void addSteps(const Track& track, TrackIndex index)
    {
        eachEvent(track, [&](EventIndex event) {
            const auto number = stepNumber(m_from.name(event));
            if (!number)
                add(event, index, "user_annotation");
            else
                m_builder.addEvent(index, m_from.start(event), m_from.duration(event),
                                   std::string(step_mark).append(*number), "user_annotation");
        });
    }

    void addCounter(const Counter& counter)
    {
        const bool is_own = std::ranges::any_of(
            m_tracks, [&](const Track* const track) { return track->pid == counter.pid; });
        if (!is_own)
            return;
        const std::size_t added = m_builder.addCounter(counter.pid, counter.name, counter.is_bytes);
        for (std::size_t i = 0; i < counter.times.size(); ++i)
            m_builder.addSample(added, counter.times[i], counter.values[i]);
    }

    const TraceStore& m_from;
    std::vector<const Track*> m_tracks;
    TraceBuilder m_builder;
    bool m_has_streams = false;
    bool m_has_in_flight = false;
};

} // namespace

void takeApartXlaDevices(TraceFile& file, std::vector<TraceFile>& further)
{
    const std::shared_ptr<const TraceStore> store = file.store;
    std::map<std::pair<std::string, std::int64_t>, std::vector<const Track*>> devices;
    bool has_rows = false;
    for (const Track& track : store->tracks()) {
        if (const auto device = deviceOf(track.process_name)) {
            devices[*device].push_back(&track);
            has_rows = has_rows || rowOf(track.thread_name) != Row::other;
        }
    }
    if (!has_rows)
        return;
    for (const Track& track : store->tracks()) {
        if (!deviceOf(track.process_name))
            devices.begin()->second.push_back(&track);
    }
    const TraceFile whole = file;
    std::int64_t order = 0;
    for (auto& [device, tracks] : devices) {
        TraceFile& rank = order == 0 ? file : further.emplace_back(whole);
        rank.store = DeviceStore(*store, std::move(tracks)).finish();
        rank.devices = 1;
        if (devices.size() == 1)
            return;
        rank.path = whole.path + "/" + device.first + ":" + std::to_string(device.second);
        rank.rank = order;
        rank.rank_is_known = false;
        rank.rank_guess = RankGuess::order_in_file;
        if (order++ > 0)
            rank.flows = rank.bytes_uncompressed = 0; // told with the first
    }
}

} // namespace shardscope
