// DeepSpeed's communication logger: verbose lines, and the table of log_summary().
#include "core/base/whole_number.h"
#include "core/import/logs/log_lines.h"
#include "core/import/text_fields.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

namespace shardscope
{

namespace
{

// "678.86 MB" in bytes: powers of 1024, whatever the letters say. -1 where it is no size.
std::int64_t bytesOf(std::string_view size)
{
    const auto number = leadingNumber(size);
    const std::size_t unit = size.find_first_of("BKMGT");
    if (!number || *number < 0.0 || unit == std::string_view::npos)
        return -1;
    const int power = static_cast<int>(std::string_view("BKMGT").find(size[unit]));
    const double bytes = std::ldexp(*number, 10 * power);
    return bytes < 9e18 ? std::llround(bytes) : -1;
}

// Behind `key` and a colon, up to the next bar.
std::string_view fieldOf(std::string_view line, std::string_view key)
{
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos)
        return {};
    line.remove_prefix(at + key.size());
    return trimmed(line.substr(0, line.find('|')));
}

class DeepSpeedLines final : public LogLines
{
public:
    std::string_view format() const override { return "deepspeed_comms"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file, std::vector<TraceFile>& further) override;

private:
    void takeVerbose(std::string_view line);
    void takeTableLine(std::string_view line);
    void fillVerbose(TraceFile& file, std::vector<TraceFile>& further);

    std::map<std::int64_t, std::vector<SizedCall>> m_verbose; // by the rank that wrote
    std::vector<SizedCall> m_table;                           // the last one: each tells all since the start
    bool m_in_table = false;
    std::string m_launcher;      // what stands before the table's head: "worker-1: "
    bool m_is_behind_it = false; // and before its lines: those without it are another's
    std::string m_operation;     // the table's lines at hand are of this one
    std::int64_t m_unread = 0;
};

// The logger tells the size of the argument that is called `tensor` (deepspeed/comm/comm.py): what goes in,
// of a gather the rank's own part; of a scatter the part that comes out.
SizedCall callOf(std::string_view operation, std::int64_t bytes)
{
    SizedCall call;
    call.name = operation;
    (operation == "scatter" ? call.out_bytes : call.in_bytes) = bytes;
    return call;
}

bool isToldByItsPart(const SizedCall& call)
{
    return call.name == "scatter" || call.name.find("gather") != std::string::npos;
}

// "[Rank 3] rank=3 | comm op: ..."; the newer lines have the first alone.
std::int64_t rankOf(std::string_view line)
{
    if (const auto told = wholeNumber(fieldOf(line, "rank=")))
        return *told;
    constexpr std::string_view mark = "[Rank ";
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos)
        return 0;
    line.remove_prefix(at + mark.size());
    return wholeNumber(line.substr(0, line.find(']'))).value_or(0);
}

void DeepSpeedLines::take(std::string_view line)
{
    if (line.find("comm op: ") != std::string_view::npos
        && line.find("msg size: ") != std::string_view::npos) {
        takeVerbose(line);
    } else if (line.find("Comm. Op") != std::string_view::npos
               && line.find("Message Size") != std::string_view::npos) {
        // A table of stragglers, which may follow, has the same calls with the time of their last rank.
        m_in_table = line.find("straggler") == std::string_view::npos;
        m_launcher = line.substr(0, line.find("Comm. Op"));
        m_is_behind_it = false;
        if (m_in_table)
            m_table.clear();
    } else if (m_in_table) {
        takeTableLine(line);
    }
}

void DeepSpeedLines::takeVerbose(std::string_view line)
{
    const auto time_ms = leadingNumber(fieldOf(line, "time (ms):"));
    const std::int64_t bytes = bytesOf(fieldOf(line, "msg size:"));
    if (bytes < 0) {
        ++m_unread;
        return;
    }
    SizedCall call = callOf(fieldOf(line, "comm op:"), bytes);
    if (time_ms && *time_ms >= 0.0)
        call.time_s = *time_ms / 1000.0;
    m_verbose[rankOf(line)].push_back(std::move(call));
}

// The operation stands on a line of its own; a line for each size follows, indented: size, count, total
// latency (ms) ...
void DeepSpeedLines::takeTableLine(std::string_view line)
{
    const bool is_behind = !m_launcher.empty() && line.starts_with(m_launcher);
    if (m_is_behind_it && !is_behind)
        return;
    m_is_behind_it = is_behind;
    line.remove_prefix(is_behind ? m_launcher.size() : 0);
    if (trimmed(line).empty())
        return;
    if (line.front() != ' ' && line.front() != '\t') {
        const std::vector<std::string_view> words = splitAtBlanks(line);
        m_in_table = words.size() == 1 || (words.size() > 1 && words[1] == "|");
        m_operation = words[0];
        return;
    }
    std::vector<std::string_view> words = splitAtBlanks(line);
    std::string size(words[0]); // "98.25 MB", but "0B"
    const bool has_unit = words.size() > 1 && words[1].ends_with('B');
    if (has_unit)
        size += words[1];
    words.erase(words.begin(), words.begin() + (has_unit ? 2 : 1));
    const std::int64_t count = words.empty() ? 0 : wholeNumber(words[0]).value_or(0);
    const double total_ms = words.size() > 1 ? leadingNumber(words[1]).value_or(-1.0) : -1.0;
    const std::int64_t bytes = bytesOf(size);
    if (bytes < 0 || count <= 0) {
        ++m_unread;
        return;
    }
    SizedCall call = callOf(m_operation, bytes);
    call.count = count;
    if (total_ms >= 0.0) // the average beside it leaves out a tenth at both ends
        call.time_s = total_ms / 1000.0 / static_cast<double>(count);
    m_table.push_back(std::move(call));
}

// As DeepSpeed is, rank 0 logs alone; one may have all of them log.
void DeepSpeedLines::fillVerbose(TraceFile& file, std::vector<TraceFile>& further)
{
    const std::string path = file.path;
    for (auto& [rank, calls] : m_verbose) {
        const bool is_first = rank == m_verbose.begin()->first;
        TraceFile& of_rank = is_first ? file : further.emplace_back();
        if (m_verbose.size() > 1) {
            of_rank.path = path + "/rank " + std::to_string(rank);
            of_rank.format = format();
        }
        of_rank.rank = rank;
        of_rank.rank_is_known = true;
        std::ranges::move(calls, std::back_inserter(of_rank.calls));
    }
}

bool DeepSpeedLines::fill(TraceFile& file, std::vector<TraceFile>& further)
{
    if (m_verbose.empty() && m_table.empty())
        return false;
    if (m_unread > 0)
        file.warnings.push_back({"line of DeepSpeed's communication without a size or count", m_unread});
    file.rank = 0; // the only one that writes the table
    file.rank_is_known = true;
    const bool has_parts =
        std::ranges::any_of(m_table, isToldByItsPart) || std::ranges::any_of(m_verbose, [](const auto& rank) {
            return std::ranges::any_of(rank.second, isToldByItsPart);
        });
    if (m_verbose.empty())
        std::ranges::move(m_table, std::back_inserter(file.calls));
    else // both tell the same calls
        fillVerbose(file, further);
    file.notes.emplace_back(
        "DeepSpeed rounds sizes to two decimals and writes MB for MiB: bytes are near, not exact.");
    file.notes.emplace_back(
        "Its bandwidths count the world's ranks even for smaller groups; they are not used here.");
    if (has_parts)
        file.notes.emplace_back(
            "It tells gathers and scatters by the part of one rank: what they send in all "
            "is known where the group is.");
    if (m_verbose.empty())
        file.notes.emplace_back(
            "Its table has only means: shortest, median and longest are those of its lines.");
    return true;
}

} // namespace

std::unique_ptr<LogLines> makeDeepSpeedLines()
{
    return std::make_unique<DeepSpeedLines>();
}

} // namespace shardscope
