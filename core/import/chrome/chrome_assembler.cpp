#include "core/import/chrome/chrome_assembler.h"

#include "core/import/chrome/rank_processes.h"
#include "core/import/chrome/slice_pairing.h"

#include <algorithm>
#include <limits>

namespace shardscope
{

namespace
{

constexpr std::int64_t gpu_process_order = 5000000; // as PyTorch's profiler orders them

} // namespace

void ChromeAssembler::add(ChromeRows rows)
{
    if (m_renamings.size() <= rows.worker)
        m_renamings.resize(rows.worker + 1);
    m_renaming = &m_renamings[rows.worker];
    learn(rows);

    dropBeyondRange(rows);
    dropBeyondNumbers(rows);
    addEvents(rows);
    addEdges(rows.edges, m_edges);
    addEdges(rows.async_edges, m_async_edges);
    addMetadata(rows);
    addSamples(rows);
    m_warnings.add(rows.warnings);
    m_flows += rows.flows;
    m_records += rows.records;
    m_has_kineto_categories = m_has_kineto_categories || rows.has_kineto_categories;
    m_has_work_of_mtia = m_has_work_of_mtia || rows.has_work_of_mtia;
}

std::shared_ptr<const TraceStore> ChromeAssembler::finish(std::size_t threads)
{
    // Which worker meets a name first is chance, so this is told last.
    m_warnings.add("name that is not UTF-8", -1, static_cast<std::int64_t>(m_broken_names.size()));
    pairThreadSlices(std::move(m_edges), m_builder, m_warnings);
    pairAsyncSlices(std::move(m_async_edges), m_builder, m_warnings);
    nameTracks();
    for (CollectiveLinks& links : linksOfRanks(std::move(m_links), m_builder)) {
        linkLaunches(links, m_builder);
        linkCollectives(std::move(links), m_builder);
    }
    return m_builder.finish(threads);
}

// Names and tracks that the worker has met for the first time.
void ChromeAssembler::learn(const ChromeRows& rows)
{
    for (const std::string_view text : rows.new_names) {
        const auto repaired = repairedUtf8(text);
        if (repaired)
            m_broken_names.emplace(text);
        m_renaming->names.push_back(m_builder.intern(repaired ? *repaired : text));
    }
    for (const TrackKey& key : rows.new_tracks) {
        const auto [found, is_new] = m_tracks.try_emplace(key.pid + '\0' + key.tid);
        if (is_new)
            found->second = m_builder.addTrack(repairedUtf8(key.pid).value_or(key.pid),
                                               repairedUtf8(key.tid).value_or(key.tid));
        m_renaming->tracks.push_back(found->second);
    }
}

void ChromeAssembler::markGpus(std::size_t worker, const ChromeTables& tables)
{
    for (std::size_t row = 0; worker < m_renamings.size() && row < m_renamings[worker].tracks.size(); ++row) {
        Track& track = m_builder.track(m_renamings[worker].tracks[row]);
        track.is_gpu = track.is_gpu || tables.tracks()[row].is_gpu;
    }
}

void ChromeAssembler::rename(CollectiveCall& call)
{
    call.name = rename(call.name);
    call.dtype = rename(call.dtype);
    call.group = rename(call.group);
    call.group_description = rename(call.group_description);
    call.group_ranks = rename(call.group_ranks);
    call.in_splits = rename(call.in_splits);
}

// Counts a time from 1970. False, and counted, where 64 bits do not hold it.
bool ChromeAssembler::shift(TraceTime& time, std::int64_t offset)
{
    if (!__builtin_add_overflow(time, m_base, &time))
        return true;
    m_warnings.add("time beyond what 64 bits of nanoseconds hold", offset);
    return false;
}

// Takes out the events that the base would move beyond the range of time. Hardly ever is there one.
void ChromeAssembler::dropBeyondRange(ChromeRows& rows)
{
    constexpr TraceTime most = std::numeric_limits<TraceTime>::max();
    const auto is_beyond = [&](const TraceEvent& event) {
        return m_base > 0 && event.start > 0 && event.start > most - event.duration - m_base;
    };
    if (m_base <= 0 || rows.last_end <= most - m_base)
        return;
    constexpr std::uint32_t gone = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> places;
    std::vector<TraceEvent> kept;
    for (const TraceEvent& event : rows.events) {
        places.push_back(is_beyond(event) ? gone : static_cast<std::uint32_t>(kept.size()));
        if (is_beyond(event))
            m_warnings.add("time beyond what 64 bits of nanoseconds hold", event.source_offset);
        else
            kept.push_back(event);
    }
    const auto move = [&](auto& row) {
        row.event = EventIndex{places[static_cast<std::size_t>(row.event)]};
        return row.event == EventIndex{gone};
    };
    std::erase_if(rows.calls, move);
    std::erase_if(rows.launched, move);
    std::erase_if(rows.launches, move);
    std::erase_if(rows.memory_moves, move);
    rows.events = std::move(kept);
}

// Takes out the events of a piece that a store has no numbers left for. Edges become events in the end.
void ChromeAssembler::dropBeyondNumbers(ChromeRows& rows)
{
    const std::size_t edges = rows.edges.size() + rows.async_edges.size();
    const std::size_t before = m_builder.size() + m_edges.size() + m_async_edges.size();
    if (before + edges + rows.events.size() <= TraceBuilder::most_events)
        return;
    m_warnings.add("event beyond the 4,294,967,295 that are kept of one file", -1,
                   static_cast<std::int64_t>(rows.events.size() + edges));
    rows.events.clear();
    rows.edges.clear();
    rows.async_edges.clear();
    rows.calls.clear();
    rows.launched.clear();
    rows.launches.clear();
    rows.memory_moves.clear();
}

void ChromeAssembler::addSamples(const ChromeRows& rows)
{
    const auto text = [this](NameId name) { return m_builder.text(rename(name)); };
    for (const CounterRow& sample : rows.samples) {
        TraceTime time = sample.time;
        if (shift(time, -1))
            m_builder.addSample(
                m_builder.addCounter(text(sample.pid), text(sample.name), sample.is_bytes, sample.is_change),
                time, sample.value);
    }
}

void ChromeAssembler::addEvents(ChromeRows& rows)
{
    for (TraceEvent& event : rows.events) {
        event.start += m_base;
        event.name = rename(event.name);
        event.category = rename(event.category);
        event.track = rename(event.track);
    }
    const EventIndex first = m_builder.addBlock(std::move(rows.events));
    for (CollectiveCall& call : rows.calls) {
        rename(call);
        call.event = EventIndex{static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(call.event)};
        m_builder.addCollective(call);
    }
    addLinks(rows, first);
}

void ChromeAssembler::addLinks(ChromeRows& rows, EventIndex first)
{
    const auto placed = [first](EventIndex event) {
        return EventIndex{static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(event)};
    };
    for (LaunchedRow& launched : rows.launched) {
        launched.event = placed(launched.event);
        m_links.launched.push_back(launched);
    }
    for (MemoryMove& move : rows.memory_moves) {
        move.event = placed(move.event);
        m_builder.addMemoryMove(move);
    }
    for (LaunchRow& launch : rows.launches) {
        launch.event = placed(launch.event);
        launch.track = rename(launch.track);
        m_links.launches.push_back(launch);
    }
    for (CommunicationRow& row : rows.communications) {
        row.track = rename(row.track);
        rename(row.call);
        m_links.communications.push_back(row);
    }
}

void ChromeAssembler::addEdges(std::vector<SliceEdge>& from, std::vector<SliceEdge>& to)
{
    for (SliceEdge& edge : from) {
        if (!shift(edge.time, edge.offset))
            continue;
        edge.name = rename(edge.name);
        edge.category = rename(edge.category);
        edge.id = rename(edge.id);
        edge.track = rename(edge.track);
        to.push_back(edge);
    }
    std::vector<SliceEdge>().swap(from);
}

void ChromeAssembler::addMetadata(ChromeRows& rows)
{
    using What = MetadataRow::What;
    for (MetadataRow& row : rows.metadata) {
        std::string text = repairedUtf8(row.text).value_or(row.text);
        if (row.what == What::thread_name || row.what == What::thread_order) {
            Thread& thread = m_threads[{row.pid, row.tid}];
            if (row.what == What::thread_name)
                thread.name = std::move(text);
            else
                thread.order = row.order;
            continue;
        }
        Process& process = m_processes[row.pid];
        process.has_order = process.has_order || row.what == What::process_order;
        if (row.what == What::process_order)
            process.order = row.order;
        else
            (row.what == What::process_name ? process.name : process.labels) = std::move(text);
    }
}

// Names and orders tracks by the metadata, which may come before or after the events.
void ChromeAssembler::nameTracks()
{
    for (const auto& [key, index] : m_tracks) {
        const std::size_t split = key.find('\0');
        const std::string pid = key.substr(0, split);
        Track& track = m_builder.track(index);
        const auto process = m_processes.find(pid);
        const bool has_order = process != m_processes.end() && process->second.has_order;
        if (process != m_processes.end()) {
            const Process& named = process->second;
            const bool by_label = track.is_gpu && !named.labels.empty(); // "GPU 0" rather than "python"
            track.process_name = !by_label                   ? named.name
                                 : rankOfProcess(named.name) ? named.name + ": " + named.labels
                                                             : named.labels;
        }
        track.process_order = has_order ? process->second.order : track.is_gpu ? gpu_process_order : 0;
        const auto thread = m_threads.find({pid, key.substr(split + 1)});
        if (thread != m_threads.end()) {
            track.thread_name = thread->second.name;
            track.thread_order = thread->second.order;
        }
    }
}

} // namespace shardscope
