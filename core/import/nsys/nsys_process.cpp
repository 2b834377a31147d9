#include "core/import/nsys/nsys_process.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::string_view prefix = "nccl";

// A communicator's number as NCCL's own logs write it.
std::string communicatorName(std::uint64_t number)
{
    std::array<char, 16> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return "0x" + std::string(digits.data(), error == std::errc{} ? end : digits.data());
}

} // namespace

NsysProcess::NsysProcess(std::int64_t id, const SqliteDatabase& database, const NsysTexts& texts)
    : m_id(id), m_tracks(database, m_builder), m_texts(texts)
{
}

std::int64_t NsysProcess::ownCall(std::int64_t global_id, std::int64_t correlation) const
{
    const std::int64_t call = correlation & 0xffffffff;
    return m_id == 0 ? call : nsysProcessOf(global_id) << 32 | call;
}

NameId NsysProcess::name(std::int64_t text_id)
{
    const auto [entry, is_new] = m_names.try_emplace(text_id, no_name);
    if (const auto text = is_new ? m_texts.find(text_id) : m_texts.end(); text != m_texts.end())
        entry->second = m_builder.intern(text->second);
    return entry->second;
}

// Of several communicators the largest one tells the rank in the run, of equals the first.
void NsysProcess::joinCommunicator(const NcclPayload& payload, TraceTime when)
{
    if (!payload.rank || !payload.ranks || *payload.rank >= *payload.ranks)
        return;
    if (payload.communicator)
        m_communicators[m_builder.intern(communicatorName(*payload.communicator))] = *payload.ranks;
    if (*payload.ranks > m_world_size || (*payload.ranks == m_world_size && when < m_joined)) {
        m_joined = when;
        m_world_size = *payload.ranks;
        m_rank = *payload.rank;
    }
}

// Message sizes are those of the rank's part.
void NsysProcess::takeNcclRange(NameId name, const NcclPayload& payload, const NsysSpan& span,
                                TrackIndex track)
{
    constexpr std::array<std::string_view, 12> calls{"AllReduce", "AllGather", "ReduceScatter", "Reduce",
                                                     "Broadcast", "Bcast",     "AlltoAll",      "AllToAll",
                                                     "Send",      "Recv",      "Gather",        "Scatter"};
    const std::string_view text = m_builder.text(name);
    if (!text.starts_with(prefix))
        return;
    const std::string_view call = text.substr(prefix.size());
    if (call.starts_with("CommInit") || call.starts_with("CommSplit"))
        return joinCommunicator(payload, span.start);
    if (call == "GroupStart" || call == "GroupEnd")
        m_groups.push_back({track, span.start, span.start + span.duration, call == "GroupStart"});
    if (std::ranges::find(calls, call) == calls.end())
        return;
    CommunicationRow row;
    row.start = span.start;
    row.end = span.start + span.duration;
    row.track = track;
    row.call.name = m_builder.intern(call);
    if (payload.communicator)
        row.call.group = m_builder.intern(communicatorName(*payload.communicator));
    // Of an all-to-all it is one peer's part, and of how many is not told.
    const bool is_told = payload.message_bytes && call != "AlltoAll" && call != "AllToAll";
    if (is_told) {
        const bool is_part_of_input = call == "ReduceScatter" || call == "Scatter";
        (is_part_of_input ? row.call.out_bytes : row.call.in_bytes) = *payload.message_bytes;
        row.call.sizes_from = SizesFrom::annotation;
    }
    if (payload.peer && (call == "Send" || call == "Recv"))
        (call == "Send" ? row.call.destination_rank : row.call.source_rank) =
            static_cast<std::int32_t>(*payload.peer);
    m_links.communications.push_back(row);
}

// NCCL launches what stands between a group's start and its end at the end. A call that is alone in its group
// is the one that is launched then; of several nothing tells which.
void NsysProcess::closeGroups()
{
    std::ranges::sort(m_groups, {}, [](const GroupMark& mark) { return std::pair{mark.track, mark.start}; });
    std::vector<CommunicationRow*> rows;
    for (CommunicationRow& row : m_links.communications)
        rows.push_back(&row);
    const auto place = [](const CommunicationRow* row) { return std::pair{row->track, row->start}; };
    std::ranges::sort(rows, {}, place);
    int depth = 0;
    const GroupMark* begin = nullptr;
    for (const GroupMark& mark : m_groups) {
        if (begin == nullptr || begin->track != mark.track)
            depth = 0;
        if (mark.is_start && depth++ == 0)
            begin = &mark;
        if (mark.is_start || depth == 0 || --depth > 0)
            continue;
        const auto first = std::ranges::lower_bound(rows, std::pair{mark.track, begin->start}, {}, place);
        const auto last =
            std::ranges::lower_bound(first, rows.end(), std::pair{mark.track, mark.start}, {}, place);
        if (last - first == 1)
            (*first)->end = std::max((*first)->end, mark.end);
    }
}

void NsysProcess::finish(TraceFile& file)
{
    for (CommunicationRow& row : m_links.communications) {
        if (const auto ranks = m_communicators.find(row.call.group); ranks != m_communicators.end())
            row.call.group_size = static_cast<std::int32_t>(ranks->second);
    }
    closeGroups();
    linkLaunches(m_links, m_builder);
    linkCollectives(std::move(m_links), m_builder);
    m_tracks.nameAll();
    file.devices = m_tracks.devices();
    file.store = m_builder.finish();
}

} // namespace shardscope
