#include "core/import/nsys/nsys_tracks.h"

#include "core/import/json/json_members.h"

#include <array>
#include <string_view>

namespace shardscope
{

namespace
{

std::int64_t threadOf(std::int64_t global_id)
{
    return global_id & 0xffffff;
}

// Ids and texts that a question answers; none where the export has no such table.
std::map<std::int64_t, std::string> namesIn(const SqliteDatabase& database, const std::string& question)
{
    std::map<std::int64_t, std::string> names;
    database.read(question, [&](const SqliteRow& row) {
        const std::string text(row.text(1).value_or(""));
        if (const auto id = row.integer(0))
            names[*id] = repairedUtf8(text).value_or(text);
        return true;
    });
    return names;
}

} // namespace

std::int64_t nsysProcessOf(std::int64_t global_id)
{
    return (global_id >> 24) & 0xffffff;
}

std::int64_t nsysSystemProcessOf(std::int64_t global_id)
{
    return global_id >> 24;
}

std::int64_t nsysSystemOf(std::int64_t global_id)
{
    return (global_id >> 48) & 0xffff;
}

// ENUM_CUDA_MEMCPY_OPER, in the words of PyTorch's profiler.
std::string nsysCopyName(std::int64_t kind)
{
    constexpr std::array<std::string_view, 14> names{"unknown",
                                                     "HtoD",
                                                     "DtoH",
                                                     "HtoA",
                                                     "AtoH",
                                                     "AtoA",
                                                     "AtoD",
                                                     "DtoA",
                                                     "DtoD",
                                                     "HtoH",
                                                     "PtoP",
                                                     "HtoD (unified memory)",
                                                     "DtoH (unified memory)",
                                                     "DtoD (unified memory)"};
    const bool is_known = kind >= 0 && kind < static_cast<std::int64_t>(names.size());
    return "Memcpy " + std::string(names[is_known ? static_cast<std::size_t>(kind) : 0]);
}

// ENUM_CUPTI_SYNC_TYPE, in the same words.
std::string_view nsysWaitName(std::int64_t type)
{
    constexpr std::array<std::string_view, 5> names{"Synchronization", "Event Sync", "Stream Wait Event",
                                                    "Stream Sync", "Context Sync"};
    const bool is_known = type >= 0 && type < static_cast<std::int64_t>(names.size());
    return names[is_known ? static_cast<std::size_t>(type) : 0];
}

NsysTracks::NsysTracks(const SqliteDatabase& database, TraceBuilder& builder)
    : m_builder(builder),
      m_thread_names(namesIn(
          database, "SELECT t.globalTid, s.value FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId")),
      m_process_names(namesIn(database, "SELECT pid, name FROM PROCESSES")),
      m_device_names(namesIn(database, "SELECT id, name FROM TARGET_INFO_GPU"))
{
}

TrackIndex NsysTracks::ofStream(std::int64_t device, std::int64_t stream)
{
    m_devices.insert(device);
    const auto [track, is_new] = m_streams.try_emplace({device, stream});
    if (is_new)
        track->second = m_builder.addTrack(std::to_string(device),
                                           stream < 0 ? "synchronization" : std::to_string(stream), true);
    return track->second;
}

TrackIndex NsysTracks::ofThread(std::int64_t global_id)
{
    const auto [track, is_new] = m_threads.try_emplace(global_id);
    if (is_new)
        track->second = m_builder.addTrack("process " + std::to_string(nsysProcessOf(global_id)),
                                           std::to_string(threadOf(global_id)));
    return track->second;
}

void NsysTracks::nameAll()
{
    for (const auto& [key, index] : m_streams) {
        Track& track = m_builder.track(index);
        const std::string& device = m_device_names[key.first];
        track.process_name = "GPU " + std::to_string(key.first) + (device.empty() ? "" : " (" + device + ")");
        track.process_order = key.first;
        track.thread_name = key.second < 0 ? "" : "stream " + std::to_string(key.second);
    }
    for (const auto& [global_id, index] : m_threads) {
        Track& track = m_builder.track(index);
        track.process_order = -1; // above the GPUs, as in PyTorch's traces
        track.process_name = m_process_names[nsysProcessOf(global_id)];
        track.thread_name = m_thread_names[global_id];
    }
}

} // namespace shardscope
