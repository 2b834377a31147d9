#pragma once

#include "core/trace/trace_set.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Where the ranks of a run of nccl-tests are, as its head lists them. Of a run whose ranks are split into
// groups, each of which works by itself, the group of the first rank counts.
class NcclTestsRanks
{
public:
    void clear() { *this = {}; }
    void add(std::string_view host, std::int64_t group);
    int count() const { return static_cast<int>(m_hosts.size()); }
    int mostOnAHost() const;

private:
    std::vector<std::string> m_hosts;
    std::int64_t m_group = 0;
};

// The operations whose programs a line of text or a file's name has, each once: "alltoall" of
// "16n_alltoall_perf.log".
std::vector<std::string> operationsOfPrograms(std::string_view text);

// What a row of nccl-tests or rccl-tests says of its time.
struct NcclTestsFigures {
    double time_s = 0.0;
    double algbw_GBps = 0.0;
    double busbw_GBps = 0.0;
    bool is_cpu_time =
        false;             // the time that calls take to return; the bandwidths are of the GPU's all the same
    bool is_wrong = false; // some results were
};

// Gathers rows of nccl-tests, in whatever form they are written, and what is odd about them.
class NcclTestsRows
{
public:
    // `point` without its figures.
    void add(BandwidthPoint point, const NcclTestsFigures& figures);
    void addUnread() { ++m_unread; }
    // What tables leave open the file's name tells, with a note. False where there was not one row.
    bool fill(TraceFile& file) const;

private:
    std::vector<BandwidthPoint> m_points;
    std::int64_t m_unread = 0;  // rows of a size without its figures
    std::int64_t m_wrong = 0;   // rows whose results were not right
    std::int64_t m_at_odds = 0; // rows whose time and bandwidth contradict each other
    std::int64_t m_untimed = 0; // rows of the CPU's time, with a bandwidth too small to tell the GPU's
};

} // namespace shardscope
