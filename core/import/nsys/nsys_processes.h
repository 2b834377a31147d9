#pragma once

#include "core/import/nsys/nsys_process.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardscope
{

// The processes of an export of Nsight Systems: each one that ran kernels is a rank.
class NsysProcesses
{
public:
    // Both must outlive it.
    NsysProcesses(const SqliteDatabase& database, const NsysTexts& texts);

    // The process that a kernel tells.
    NsysProcess& add(std::int64_t global_id);
    // Launchers and the like, which ran no kernels, stand with the first process that did.
    NsysProcess& of(std::optional<std::int64_t> global_id);
    // By GPU, as ranks usually are.
    void sort();
    // Puts the first one into the file and the others into further ones, each with its rank. The file's notes
    // hold for all.
    void finish(TraceFile& file, std::vector<TraceFile>& further);

private:
    bool areRanksTold() const;
    std::string nameOf(const NsysProcess& process) const;

    const SqliteDatabase& m_database;
    const NsysTexts& m_texts;
    std::vector<std::unique_ptr<NsysProcess>> m_processes;
    std::unordered_map<std::int64_t, NsysProcess*> m_by_id;
    std::set<std::int64_t> m_others; // processes without kernels
};

} // namespace shardscope
