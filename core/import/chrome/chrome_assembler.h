#pragma once

#include "core/import/chrome/chrome_rows.h"
#include "core/import/chrome/chrome_tables.h"
#include "core/import/chrome/collective_links.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardscope
{

// Puts the rows of all pieces together into one store, in the order of the file, so that the outcome does not
// depend on which thread parsed which piece.
class ChromeAssembler
{
public:
    // base: nanoseconds since 1970 that the file's times count from.
    explicit ChromeAssembler(TraceTime base) : m_base(base) {}

    void add(ChromeRows rows);
    // Which of a worker's tracks turned out to be a GPU's.
    void markGpus(std::size_t worker, const ChromeTables& tables);
    std::shared_ptr<const TraceStore> finish(std::size_t threads);

    const WarningLog& warnings() const { return m_warnings; }
    std::int64_t flows() const { return m_flows; }
    std::int64_t records() const { return m_records; }
    bool hasKinetoCategories() const { return m_has_kineto_categories; }
    bool hasWorkOfMtia() const { return m_has_work_of_mtia; }

private:
    // How the names and tracks of one thread's tables are called in the store.
    struct Renaming {
        std::vector<NameId> names;
        std::vector<TrackIndex> tracks;
    };
    struct Process {
        std::string name;
        std::string labels;
        std::int64_t order = 0;
        bool has_order = false;
    };
    struct Thread {
        std::string name;
        std::int64_t order = 0;
    };

    void learn(const ChromeRows& rows);
    NameId rename(NameId name) const { return m_renaming->names[static_cast<std::size_t>(name)]; }
    TrackIndex rename(TrackIndex track) const { return m_renaming->tracks[static_cast<std::size_t>(track)]; }
    void rename(CollectiveCall& call);
    bool shift(TraceTime& time, std::int64_t offset);
    void dropBeyondRange(ChromeRows& rows);
    void dropBeyondNumbers(ChromeRows& rows);
    void addEvents(ChromeRows& rows);
    void addLinks(ChromeRows& rows, EventIndex first);
    void addEdges(std::vector<SliceEdge>& from, std::vector<SliceEdge>& to);
    void addMetadata(ChromeRows& rows);
    void addSamples(const ChromeRows& rows);
    void nameTracks();

    TraceTime m_base;
    TraceBuilder m_builder;
    std::vector<Renaming> m_renamings;                    // by worker
    Renaming* m_renaming = nullptr;                       // of the rows at hand
    std::unordered_map<std::string, TrackIndex> m_tracks; // by pid, \0, tid
    std::map<std::string, Process, std::less<>> m_processes;
    std::map<std::pair<std::string, std::string>, Thread> m_threads;
    std::vector<SliceEdge> m_edges;
    std::vector<SliceEdge> m_async_edges;
    CollectiveLinks m_links;
    std::set<std::string, std::less<>> m_broken_names;
    WarningLog m_warnings;
    std::int64_t m_flows = 0;
    std::int64_t m_records = 0;
    bool m_has_kineto_categories = false;
    bool m_has_work_of_mtia = false;
};

} // namespace shardscope
