#include "core/import/nsys/nsys_processes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace shardscope
{

NsysProcesses::NsysProcesses(const SqliteDatabase& database, const NsysTexts& texts)
    : m_database(database), m_texts(texts)
{
}

NsysProcess& NsysProcesses::add(std::int64_t global_id)
{
    const std::int64_t id = nsysSystemProcessOf(global_id);
    NsysProcess*& process = m_by_id[id];
    if (process == nullptr) {
        m_processes.push_back(std::make_unique<NsysProcess>(id, m_database, m_texts));
        process = m_processes.back().get();
    }
    return *process;
}

NsysProcess& NsysProcesses::of(std::optional<std::int64_t> global_id)
{
    const std::int64_t id = nsysSystemProcessOf(global_id.value_or(0));
    if (const auto process = m_by_id.find(id); process != m_by_id.end())
        return *process->second;
    if (m_processes.empty())
        return add(global_id.value_or(0));
    if (global_id)
        m_others.insert(id);
    return *m_processes.front();
}

void NsysProcesses::sort()
{
    std::ranges::sort(m_processes, {}, [](const std::unique_ptr<NsysProcess>& process) {
        return std::pair(process->firstDevice(), process->id());
    });
}

// Whether NCCL has told the rank of every process, and each another one.
bool NsysProcesses::areRanksTold() const
{
    std::set<std::int64_t> ranks;
    for (const auto& process : m_processes)
        ranks.insert(process->rank());
    return ranks.size() == m_processes.size() && !ranks.contains(-1);
}

// Processes of several systems may have the same number.
std::string NsysProcesses::nameOf(const NsysProcess& process) const
{
    const std::int64_t number = nsysProcessOf(process.id() << 24);
    const auto alike = std::ranges::count_if(m_processes, [&](const std::unique_ptr<NsysProcess>& other) {
        return nsysProcessOf(other->id() << 24) == number;
    });
    const std::string name = "process " + std::to_string(number);
    return alike == 1 ? name : name + " of system " + std::to_string(nsysSystemOf(process.id() << 24));
}

void NsysProcesses::finish(TraceFile& file, std::vector<TraceFile>& further)
{
    if (m_processes.empty())
        add(0);
    const bool are_told = areRanksTold();
    const std::string path = file.path;
    const std::string format = file.format;
    if (m_processes.size() > 1 && !m_others.empty())
        file.notes.push_back(std::to_string(m_others.size())
                             + " processes without kernels stand with this rank");
    for (std::size_t i = 0; i < m_processes.size(); ++i) {
        TraceFile& of_process = i == 0 ? file : further.emplace_back();
        NsysProcess& process = *m_processes[i];
        of_process.format = format;
        process.finish(of_process);
        if (are_told) {
            of_process.rank = process.rank();
            of_process.rank_is_known = true;
            of_process.world_size = process.worldSize();
        }
        if (m_processes.size() == 1)
            return;
        of_process.path = path + "/" + nameOf(process);
        if (!are_told) {
            of_process.rank = static_cast<std::int64_t>(i);
            of_process.rank_guess = RankGuess::order_in_file;
        }
    }
}

} // namespace shardscope
