// The tables of nccl-tests and rccl-tests: a line for each size.
//   #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw
//   busbw #wrong
//        1048576        262144     float     sum      -1    52.34   20.03   35.06 0    51.90   20.20   35.36
//        0
#include "core/import/log_lines.h"
#include "core/import/text_fields.h"

#include <string>

namespace shardscope
{

namespace
{

class NcclTestsLines final : public LogLines
{
public:
    std::string_view format() const override { return "nccl_tests"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file) override;

private:
    void takePoint(const std::vector<std::string_view>& words);

    std::vector<BandwidthPoint> m_points;
    std::string m_name;
    bool m_in_table = false;
};

void NcclTestsLines::take(std::string_view line)
{
    if (const std::size_t test = line.find("_perf");
        test != std::string_view::npos && line.find('#') < test) {
        // "# Collective test starting: all_reduce_perf"
        const std::size_t begin = line.find_last_of(" /", test) + 1;
        m_name = line.substr(begin, test - begin);
    }
    const std::vector<std::string_view> words = splitAtBlanks(line);
    if (!words.empty() && words[0].starts_with('#')) {
        const bool is_header =
            line.find("algbw") != std::string_view::npos && line.find("busbw") != std::string_view::npos;
        m_in_table = m_in_table || is_header;
    } else if (m_in_table && words.size() >= 8) {
        takePoint(words);
    }
}

// Size, count and type; then the reduction and the root, which not all tests have; then the time (us) out of
// place, algbw and busbw (GB/s).
void NcclTestsLines::takePoint(const std::vector<std::string_view>& words)
{
    const auto bytes = wholeNumber(words[0]);
    const auto count = wholeNumber(words[1]);
    if (!bytes || !count || *bytes < 0 || leadingNumber(words[2]))
        return;
    std::size_t time = 3;
    if (!leadingNumber(words[time])) // the reduction; "none" where there is none
        time += 2;
    if (time + 2 >= words.size())
        return;
    const auto time_us = leadingNumber(words[time]);
    const auto algbw = leadingNumber(words[time + 1]);
    const auto busbw = leadingNumber(words[time + 2]);
    if (time_us && algbw && busbw && *time_us >= 0.0)
        m_points.push_back({m_name, std::string(words[2]), *bytes, *time_us * 1e-6, *algbw, *busbw});
}

bool NcclTestsLines::fill(TraceFile& file)
{
    file.points.insert(file.points.end(), m_points.begin(), m_points.end());
    return !m_points.empty();
}

} // namespace

std::unique_ptr<LogLines> makeNcclTestsLines()
{
    return std::make_unique<NcclTestsLines>();
}

} // namespace shardscope
