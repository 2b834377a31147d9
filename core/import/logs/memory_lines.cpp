// What a log tells of the GPUs' memory, and of how many ranks the run has:
//   [Rank 7] (after 20 iterations) memory (MB) | allocated: 21633.1 | max allocated: 24432.0 | reserved: ...
//   [INFO] [utils.py:803:see_memory_usage] MA 17.04 GB  Max_MA 18.58 GB  CA 18.6 GB  Max_CA 19 GB
//   [INFO] [timer.py:260:stop] ..., RunningAvgSamplesPerSec=291.6, MemAllocated=17.54GB,
//   MaxMemAllocated=66.97GB using world size: 16, data-parallel-size: 1, ...
// MB and GB are powers of 1024 in all of them.
#include "core/import/logs/log_lines.h"
#include "core/import/text_fields.h"

#include "core/base/most_ranks.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace shardscope
{

namespace
{

constexpr double mebibyte_bytes = 1024.0 * 1024.0;
constexpr double gibibyte_bytes = 1024.0 * mebibyte_bytes;

// The number behind a name; -1: none.
std::int64_t bytesBehind(std::string_view text, std::string_view name, double unit_bytes)
{
    constexpr double most_bytes = 1e15;
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos)
        return -1;
    const std::optional<double> told = leadingNumber(text.substr(at + name.size()));
    if (!told || !(*told >= 0.0 && *told * unit_bytes < most_bytes))
        return -1;
    return std::llround(*told * unit_bytes);
}

// In "[Rank 7] (after 20 iterations)"; -1: none.
std::int64_t lastRankIn(std::string_view text)
{
    constexpr std::string_view begin = "[Rank ";
    const std::size_t at = text.rfind(begin);
    if (at == std::string_view::npos)
        return -1;
    const std::string_view behind = text.substr(at + begin.size());
    const std::size_t end = behind.find(']');
    const auto rank =
        end == std::string_view::npos ? std::nullopt : wholeNumber(trimmed(behind.substr(0, end)));
    return rank && *rank >= 0 && *rank < most_ranks ? *rank : -1;
}

using RecordsByRank = std::map<std::int64_t, MemoryRecord>;

void keepPeak(const MemoryRecord& told, RecordsByRank& records)
{
    if (told.allocated_bytes < 0 && told.reserved_bytes < 0)
        return;
    MemoryRecord& peak = records[told.rank];
    peak.rank = told.rank;
    peak.allocated_bytes = std::max(peak.allocated_bytes, told.allocated_bytes);
    peak.reserved_bytes = std::max(peak.reserved_bytes, told.reserved_bytes);
}

class MemoryLines final : public LogLines
{
public:
    std::string_view format() const override
    {
        return m_of_megatron.empty() ? "deepspeed_comms" : "megatron_log";
    }
    void take(std::string_view line) override;
    bool fill(TraceFile& file, std::vector<TraceFile>& further) override;

private:
    void takeMegatron(std::string_view line, std::size_t at);
    void takeDeepSpeed(std::string_view line);

    RecordsByRank m_of_megatron;
    RecordsByRank m_of_deepspeed;
    bool m_has_iterated = false;
    std::int64_t m_world_size = 0;
};

constexpr std::string_view report = "memory (MB) |";

void MemoryLines::take(std::string_view line)
{
    constexpr std::string_view world = "using world size:";
    if (const std::size_t at = line.find(report); at != std::string_view::npos)
        takeMegatron(line, at);
    else if (line.find("MA ") != std::string_view::npos || line.find("MemAll") != std::string_view::npos)
        takeDeepSpeed(line);
    else if (line.find("elapsed time per iteration") != std::string_view::npos)
        m_has_iterated = true;
    else if (const std::size_t told = line.find(world); told != std::string_view::npos) {
        const std::optional<double> ranks = leadingNumber(line.substr(told + world.size()));
        if (ranks && *ranks >= 1.0 && *ranks <= static_cast<double>(most_ranks))
            m_world_size = std::llround(*ranks);
    }
}

// Several ranks may have written into one line. What stands before a report names its rank.
void MemoryLines::takeMegatron(std::string_view line, std::size_t at)
{
    std::size_t before = 0;
    while (at != std::string_view::npos) {
        const std::size_t begin = at + report.size();
        const std::size_t next = line.find(report, begin);
        const std::string_view told = line.substr(begin, next - begin);
        MemoryRecord record;
        record.rank = lastRankIn(line.substr(before, at - before));
        record.allocated_bytes = bytesBehind(told, "max allocated:", mebibyte_bytes);
        record.reserved_bytes = bytesBehind(told, "max reserved:", mebibyte_bytes);
        if (record.reserved_bytes < 0) // as PyTorch called it before 1.4
            record.reserved_bytes = bytesBehind(told, "max cached:", mebibyte_bytes);
        keepPeak(record, m_of_megatron);
        before = begin;
        at = next;
    }
}

// Rank 0 alone writes these. Each report counts from the one before it, so that those before the first
// iteration tell what setting the model up took.
void MemoryLines::takeDeepSpeed(std::string_view line)
{
    MemoryRecord record;
    record.rank = 0;
    record.allocated_bytes = bytesBehind(line, "MaxMemAllocated=", gibibyte_bytes);
    if (record.allocated_bytes >= 0) {
        m_has_iterated = true;
    } else if (m_has_iterated) {
        record.allocated_bytes = bytesBehind(line, "Max_MA ", gibibyte_bytes);
        record.reserved_bytes = bytesBehind(line, "Max_CA ", gibibyte_bytes);
    }
    keepPeak(record, m_of_deepspeed);
}

// DeepSpeed rounds, reserved memory even to whole GiB: where Megatron tells of the rank, that counts.
bool MemoryLines::fill(TraceFile& file, std::vector<TraceFile>& /*further*/)
{
    file.world_size = std::max(file.world_size, m_world_size);
    RecordsByRank records = m_of_megatron;
    records.merge(m_of_deepspeed);
    for (const auto& [rank, record] : records)
        file.memory.push_back(record);
    return !file.memory.empty();
}

} // namespace

std::unique_ptr<LogLines> makeMemoryLines()
{
    return std::make_unique<MemoryLines>();
}

} // namespace shardscope
