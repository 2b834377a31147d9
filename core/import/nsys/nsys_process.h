#pragma once

#include "core/import/chrome/collective_links.h"
#include "core/import/nsys/nsys_payloads.h"
#include "core/import/nsys/nsys_tracks.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace shardscope
{

// The texts of an export by their ids.
using NsysTexts = std::unordered_map<std::int64_t, std::string>;

// When something ran.
struct NsysSpan {
    TraceTime start = 0;
    TraceTime duration = 0;
};

// One process of an export of Nsight Systems, which is one rank of the run.
class NsysProcess
{
public:
    // `id` is a global id without its thread.
    NsysProcess(std::int64_t id, const SqliteDatabase& database, const NsysTexts& texts);

    NameId intern(std::string_view text) { return m_builder.intern(text); }
    NameId name(std::int64_t text_id); // no_name: there is no such text
    EventIndex add(TrackIndex track, const NsysSpan& span, NameId name, std::string_view category)
    {
        return m_builder.addEvent(track, span.start, span.duration, name, m_builder.intern(category));
    }
    NsysTracks& tracks() { return m_tracks; }
    CollectiveLinks& links() { return m_links; }
    // A call's number as no other process of the store has it. Exports whose kernels tell no process have one
    // process, whose calls tell it.
    std::int64_t ownCall(std::int64_t global_id, std::int64_t correlation) const;
    void addMemoryMove(const MemoryMove& move) { m_builder.addMemoryMove(move); }
    bool isOfNccl(NameId name) const { return m_builder.text(name).starts_with("nccl"); }
    // A range of NCCL's domain ("ncclAllReduce") and what its payload tells.
    void takeNcclRange(NameId name, const NcclPayload& payload, const NsysSpan& span, TrackIndex track);

    // Identifies it: system and process.
    std::int64_t id() const { return m_id; }
    std::int64_t firstDevice() const { return m_tracks.firstDevice(); }
    // What the largest of the communicators says that it made; -1 and 0 where none was made.
    std::int64_t rank() const { return m_rank; }
    std::int64_t worldSize() const { return m_world_size; }

    // Puts all that was added into a file; it is spent afterwards.
    void finish(TraceFile& file);

private:
    void joinCommunicator(const NcclPayload& payload, TraceTime when);

    std::int64_t m_id;
    TraceBuilder m_builder;
    NsysTracks m_tracks;
    // Where a thread begins a group of calls, or ends one.
    struct GroupMark {
        TrackIndex track{};
        TraceTime start = 0;
        TraceTime end = 0;
        bool is_start = false;
    };
    void closeGroups();

    CollectiveLinks m_links;
    std::vector<GroupMark> m_groups;
    const NsysTexts& m_texts;
    std::unordered_map<std::int64_t, NameId> m_names;
    std::unordered_map<NameId, std::int64_t> m_communicators; // and how many ranks they have
    TraceTime m_joined = 0;                                   // when it learned its rank
    std::int64_t m_rank = -1;
    std::int64_t m_world_size = 0;
};

} // namespace shardscope
