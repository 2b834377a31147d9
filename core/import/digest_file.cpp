// Digests: our own small summaries of traces. The figures within belong to core/analysis and are passed on as
// bytes.
#include "core/import/digest_file.h"

#include "core/base/protobuf_fields.h"
#include "core/import/digest_columns.h"
#include "core/import/streams/byte_stream.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <zstd.h>

#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::string_view magic = "shardscope digest";
constexpr std::size_t largest_digest = std::size_t{1} << 30;

std::string compressed(const std::string& bytes)
{
    std::string result(ZSTD_compressBound(bytes.size()), '\0');
    constexpr int level = 3;
    const std::size_t size = ZSTD_compress(result.data(), result.size(), bytes.data(), bytes.size(), level);
    if (ZSTD_isError(size) != 0)
        throw std::bad_alloc(); // the only way to fail with a buffer of the bound's size
    result.resize(size);
    return result;
}

} // namespace

// The fields of docs/digest.proto.

void fields(auto& codec, Like<ImportWarning> auto& warning)
{
    codec(1, warning.what);
    codec(2, warning.count);
    codec(3, warning.positions);
}

void fields(auto& codec, Like<ProcessGroup> auto& group)
{
    codec(1, group.name);
    codec(2, group.description);
    codec(3, group.ranks);
    codec(4, group.size);
    codec(5, group.last_called);
    codec(6, group.last_completed);
}

void fields(auto& codec, Like<SizedCall> auto& call)
{
    codec(1, call.name);
    codec(2, call.dtype);
    codec(3, call.in_bytes);
    codec(4, call.out_bytes);
    codec(5, call.count);
    codec(6, call.time_s);
    codec(7, call.group);
    codec(8, call.group_description);
    codec(9, call.group_size);
    codec(10, call.peer);
    codec(11, call.state);
    codec(12, call.in_splits);
    codec(13, call.sequence);
}

void fields(auto& codec, Like<TimerRecord> auto& timer)
{
    codec(1, timer.name);
    codec(2, timer.values_s);
}

void fields(auto& codec, Like<BandwidthPoint> auto& point)
{
    codec(1, point.name);
    codec(2, point.dtype);
    codec(3, point.bytes);
    codec(4, point.time_s);
    codec(5, point.algbw_GBps);
    codec(6, point.busbw_GBps);
}

void fields(auto& codec, Like<Connection> auto& connection)
{
    codec(1, connection.from);
    codec(2, connection.to);
    codec(3, connection.transport);
    codec(4, connection.channels);
}

void fields(auto& codec, Like<ScheduleSpan> auto& span)
{
    codec(1, span.is_forward);
    codec(2, span.iteration);
    codec(3, span.start_s);
    codec(4, span.end_s);
}

void fields(auto& codec, Like<MemoryRecord> auto& record)
{
    codec(1, record.rank);
    codec(2, record.allocated_bytes);
    codec(3, record.reserved_bytes);
}

void fields(auto& codec, Like<RunArgument> auto& argument)
{
    codec(1, argument.name);
    codec(2, argument.value);
}

void fields(auto& codec, Like<PlaceParameters> auto& place)
{
    codec(1, place.tensor_rank);
    codec(2, place.stage);
    codec(3, place.parameters);
}

void fields(auto& codec, Like<TraceFile> auto& file)
{
    codec(1, file.rank);
    codec(2, file.rank_is_known);
    codec(3, file.world_size);
    codec(4, file.rejection);
    codec(5, file.slices);
    codec(6, file.tracks);
    codec(7, file.flows);
    codec(8, file.devices);
    codec(9, file.bytes_uncompressed);
    codec(10, file.warnings);
    codec(11, file.notes);
    codec(12, file.groups);
    codec(13, file.calls);
    codec(14, file.timers);
    codec(15, file.points);
    codec(16, file.connections);
    codec(17, file.schedule);
    codec(18, file.rank_guess);
    codec(19, file.memory);
    codec(20, file.arguments);
    codec(21, file.parameters);
}

void fields(auto& codec, Like<DigestedCall> auto& call)
{
    codec(1, call.event);
    codec(2, call.exposed_ns);
    codec(3, call.step_exposed_ns);
}

void fields(auto& codec, Like<TraceDigest> auto& digest)
{
    codec(1, digest.source_path);
    codec(2, digest.source_format);
    codec(3, digest.source_bytes);
    codec(4, digest.source_modified_ns);
    codec(5, digest.rules);
    codec(6, digest.calls);
    codec(7, digest.figures);
}

void fields(auto& codec, Like<Track> auto& track)
{
    codec(1, track.pid);
    codec(2, track.tid);
    codec(3, track.process_name);
    codec(4, track.thread_name);
    codec(5, track.process_order);
    codec(6, track.thread_order);
    codec(7, track.is_gpu);
    codec(8, track.count);
}

void fields(auto& codec, Like<CollectiveCall> auto& call)
{
    codec(1, call.event);
    codec(2, call.name);
    codec(3, call.dtype);
    codec(4, call.in_bytes);
    codec(5, call.out_bytes);
    codec(6, call.group_size);
    codec(7, call.group);
    codec(8, call.group_description);
    codec(9, call.group_ranks);
    codec(10, call.source_rank);
    codec(11, call.destination_rank);
    codec(12, call.sequence);
    codec(13, call.sizes_from);
    codec(14, call.is_of_launch);
    codec(15, call.in_splits);
}

void fields(auto& codec, Like<GpuLaunch> auto& launch)
{
    codec(1, launch.gpu);
    codec(2, launch.call);
}

void fields(auto& codec, Like<Counter> auto& counter)
{
    codec(1, counter.pid);
    codec(2, counter.name);
    codec(3, counter.is_bytes);
    codec(4, counter.times);
    codec(5, counter.values);
}

void fields(auto& codec, Like<EventColumns> auto& events)
{
    codec(1, events.names);
    codec(2, events.tracks);
    codec(3, events.starts);
    codec(4, events.durations);
    codec(5, events.name_rows);
    codec(6, events.category_rows);
    codec(7, events.collectives);
    codec(8, events.launches);
    codec(9, events.counters);
}

std::string encodeDigest(const TraceFile& file)
{
    ProtoFieldWriter message;
    message(1, magic);
    message(2, digest_version);
    message(3, file.digest ? *file.digest : TraceDigest{});
    message(4, file);
    message(5, file.store ? columnsOf(*file.store) : EventColumns{});
    return compressed(message.bytes());
}

Result<bool> decodeDigest(std::string_view message, TraceFile& file)
{
    const Error damaged{"this digest is damaged: make it again from the trace"};
    ProtoFieldReader reader(message);
    std::string word;
    int version = 0;
    reader(1, word);
    reader(2, version);
    if (word != magic || version < 1)
        return damaged;
    if (version > digest_version)
        return Error{"a newer version of Shardscope has written this digest: make it again with this one, or "
                     "open the trace itself"};
    auto digest = std::make_shared<TraceDigest>();
    EventColumns columns;
    reader(3, *digest);
    reader(4, file);
    reader(5, columns);
    if (reader.isDamaged())
        return damaged;
    file.store = storeOf(columns);
    if (!file.store)
        return damaged;
    std::erase_if(digest->calls, [&](const DigestedCall& call) {
        return static_cast<std::size_t>(call.event) >= file.store->size();
    });
    digest->version = version;
    if (version < digest_version)
        file.notes.push_back("an earlier version of Shardscope has made this digest, without all that is "
                             "kept today (counters, splits of all_to_all calls, marks of steps of old "
                             "profilers, what did not complete in a flight recorder's dump, memory that logs "
                             "tell of, arguments of a run): make it again from the trace to see it");
    file.digest = std::move(digest);
    return true;
}

bool looksLikeDigest(std::string_view head)
{
    return head.size() > 2 && head.starts_with('\x0a') && head.substr(2).starts_with(magic);
}

std::optional<Rejection> readDigest(ReadJob& job, TraceFile& file)
{
    const auto message = readWhole(job.stream, largest_digest);
    if (!message)
        return Rejection{"this digest is larger than 1 GiB, which none is"};
    const Result<bool> decoded = decodeDigest(*message, file);
    if (!decoded)
        return Rejection{decoded.error().sentence};
    for (const ImportWarning& warning : file.warnings) {
        if (!warning.what.empty() && warning.count > 0)
            job.warnings.add(warning);
    }
    if (!file.rejection.empty())
        return Rejection{std::exchange(file.rejection, {})};
    return std::nullopt;
}

Result<TraceFile> readDigestFile(const std::filesystem::path& path)
{
    Result<std::unique_ptr<ByteStream>> opened = openFile(path);
    if (!opened)
        return opened.error();
    const auto stream = inflateIfCompressed(std::move(opened).value());
    const auto message = readWhole(*stream, largest_digest);
    TraceFile file;
    file.format = "digest";
    if (!message || !stream->damage().empty())
        return Error{"this digest is damaged: make it again from the trace"};
    const Result<bool> decoded = decodeDigest(*message, file);
    if (!decoded)
        return decoded.error();
    return file;
}

} // namespace shardscope
