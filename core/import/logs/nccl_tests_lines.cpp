// The tables of nccl-tests and rccl-tests: a line for each size.
// Which columns there are differs: old versions leave out the reduction or the root where a test has none.
//   #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw
//   busbw #wrong
//        1048576        262144     float     sum      -1    52.34   20.03   35.06 0    51.90   20.20   35.36
//        0
#include "core/base/whole_number.h"
#include "core/import/logs/log_lines.h"
#include "core/import/logs/nccl_tests_rows.h"
#include "core/import/text_fields.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

namespace
{

class NcclTestsLines final : public LogLines
{
public:
    std::string_view format() const override { return "nccl_tests"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file, std::vector<TraceFile>& /*further*/) override { return m_rows.fill(file); }

private:
    void takeTest(std::string_view line, std::size_t ending);
    void takeCommand(std::string_view line);
    void nameTable();
    void takeHeader(std::string_view header);
    void takeRank(std::span<const std::string_view> words);
    void takePoint(std::span<const std::string_view> words);

    NcclTestsRows m_rows;
    NcclTestsRanks m_ranks;
    std::string m_name;
    std::vector<std::string> m_commands; // operations of commands since the last table
    bool m_is_of_command = false;        // the name is; it holds for one table
    int m_table = -1;
    std::size_t m_time_column = 0; // 0: no table yet
    double m_time_unit_s = 1e-6;
    bool m_is_cpu_time = false;
    bool m_has_reduction = false; // between type and time
    bool m_counts_wrong = false;  // behind busbw
};

// Two whole numbers, of which the bytes are so many for each element, and a word.
bool isRow(std::span<const std::string_view> words)
{
    const auto bytes = wholeNumber(words[0]);
    const auto count = wholeNumber(words[1]);
    return bytes && count && (*count > 0 ? *bytes % *count == 0 : *bytes == 0) && !leadingNumber(words[2]);
}

// What launchers and clusters' logs put in front: "[1,0]<stdout>:", "[0]", a time stamp.
std::span<const std::string_view> withoutPrefix(std::span<const std::string_view> words)
{
    constexpr std::size_t longest = 4;
    for (std::size_t first = 0; first <= longest && first + 2 < words.size(); ++first)
        if (isRow(words.subspan(first)))
            return words.subspan(first);
    return words;
}

void NcclTestsLines::take(std::string_view line)
{
    if (const std::size_t test = line.find("_perf"); test != std::string_view::npos) {
        if (line.find('#') < test)
            takeTest(line, test);
        else
            takeCommand(line);
    }
    if (const std::size_t mark = line.find('#'); mark != std::string_view::npos) {
        takeHeader(line.substr(mark + 1));
    } else if (m_time_column > 0) {
        const std::vector<std::string_view> words = splitAtBlanks(line);
        const std::span<const std::string_view> row = withoutPrefix(words);
        if (row.size() >= 7)
            takePoint(row);
    }
}

// "# Collective test starting: all_reduce_perf"
void NcclTestsLines::takeTest(std::string_view line, std::size_t ending)
{
    const std::size_t begin = line.find_last_of(" /", ending) + 1;
    m_name = line.substr(begin, ending - begin);
    m_is_of_command = false;
    m_commands.clear();
}

// "+ mpirun -np 16 ./build/alltoall_perf -b 1M", as scripts and shells print it. A script that is printed as
// a whole may have several, which tell nothing of the next table.
void NcclTestsLines::takeCommand(std::string_view line)
{
    for (const std::string& operation : operationsOfPrograms(line))
        if (std::ranges::find(m_commands, operation) == m_commands.end())
            m_commands.push_back(operation);
}

void NcclTestsLines::nameTable()
{
    if (m_is_of_command || !m_commands.empty())
        m_name = m_commands.size() == 1 ? m_commands.front() : std::string{};
    m_is_of_command = m_is_of_command || !m_commands.empty();
    m_commands.clear();
}

void NcclTestsLines::takeHeader(std::string_view header)
{
    const std::vector<std::string_view> names = splitAtBlanks(header);
    takeRank(names);
    const auto time = std::ranges::find_if(
        names, [](std::string_view name) { return name == "time" || name == "cputime"; });
    if (time - names.begin() < 3 || names.end() - time < 3 || time[1] != "algbw" || time[2] != "busbw")
        return;
    m_time_column = static_cast<std::size_t>(time - names.begin());
    m_counts_wrong = names.end() - time > 3 && time[3] == "#wrong";
    m_has_reduction = names[3] == "redop" || names[3] == "op";
    m_is_cpu_time = *time == "cputime";
    // Tables of up to NCCL 2.4 begin with "bytes" and are in milliseconds.
    m_time_unit_s = names[0] == "bytes" ? 1e-3 : 1e-6;
    ++m_table;
    nameTable();
}

// "Rank  0 Group  0 Pid  1234 on node07 device  0 [0x07] NVIDIA H100": a list that begins anew with rank 0.
void NcclTestsLines::takeRank(std::span<const std::string_view> words)
{
    const auto on = std::ranges::find(words, "on");
    if (words.size() < 5 || words[0] != "Rank" || words.end() - on < 3 || on[2] != "device")
        return;
    if (words[1] == "0")
        m_ranks.clear();
    const std::int64_t group = words[2] == "Group" ? wholeNumber(words[3]).value_or(0) : 0;
    m_ranks.add(on[1], group);
}

// Size, count and type; then the reduction and the root, which not all tests have; then the time out of
// place, algbw and busbw (GB/s).
void NcclTestsLines::takePoint(std::span<const std::string_view> words)
{
    const auto bytes = wholeNumber(words[0]);
    const auto count = wholeNumber(words[1]);
    if (!bytes || !count || *bytes < 0 || leadingNumber(words[2]))
        return;
    const bool is_reduction_blank = m_has_reduction && leadingNumber(words[3]);
    const std::size_t time = m_time_column - (is_reduction_blank ? 1 : 0);
    if (time + 2 >= words.size()) {
        m_rows.addUnread();
        return;
    }
    const auto time_told = leadingNumber(words[time]);
    const auto algbw = leadingNumber(words[time + 1]);
    const auto busbw = leadingNumber(words[time + 2]);
    if (!time_told || !algbw || !busbw || *time_told < 0.0) {
        m_rows.addUnread();
        return;
    }
    // Many are written as "1e+06".
    const bool is_wrong =
        m_counts_wrong && time + 3 < words.size() && leadingNumber(words[time + 3]).value_or(0.0) > 0.0;
    BandwidthPoint point{m_name, std::string(words[2]), *bytes};
    point.table = m_table;
    point.ranks = m_ranks.count();
    point.per_node = m_ranks.mostOnAHost();
    m_rows.add(std::move(point), {*time_told * m_time_unit_s, *algbw, *busbw, m_is_cpu_time, is_wrong});
}

} // namespace

std::unique_ptr<LogLines> makeNcclTestsLines()
{
    return std::make_unique<NcclTestsLines>();
}

} // namespace shardscope
