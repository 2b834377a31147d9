#pragma once

#include "core/import/nsys/sqlite_database.h"
#include "core/trace/trace_builder.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace shardscope
{

// The process that a global id of Nsight Systems names; it holds hardware, virtual machine, process and
// thread.
std::int64_t nsysProcessOf(std::int64_t global_id);

// The same with the system and hardware that it ran on, which a report of several hosts needs.
std::int64_t nsysSystemProcessOf(std::int64_t global_id);

// The hardware and virtual machine that it ran on, as one number.
std::int64_t nsysSystemOf(std::int64_t global_id);

// What the timeline calls a copy and a wait of an export's own numbers.
std::string nsysCopyName(std::int64_t kind);
std::string_view nsysWaitName(std::int64_t type);

// The tracks of an export of Nsight Systems: streams of GPUs and threads of processes, with the names that
// the export has for them.
class NsysTracks
{
public:
    NsysTracks(const SqliteDatabase& database, TraceBuilder& builder);

    TrackIndex ofStream(std::int64_t device, std::int64_t stream); // stream -1: waits of the whole GPU
    TrackIndex ofThread(std::int64_t global_id);
    // Names and orders those that were asked for.
    void nameAll();
    std::int64_t devices() const { return static_cast<std::int64_t>(m_devices.size()); }
    std::int64_t firstDevice() const { return m_devices.empty() ? -1 : *m_devices.begin(); }

private:
    TraceBuilder& m_builder;
    std::map<std::pair<std::int64_t, std::int64_t>, TrackIndex> m_streams;
    std::map<std::int64_t, TrackIndex> m_threads;
    std::map<std::int64_t, std::string> m_thread_names;
    std::map<std::int64_t, std::string> m_process_names;
    std::map<std::int64_t, std::string> m_device_names;
    std::set<std::int64_t> m_devices;
};

} // namespace shardscope
