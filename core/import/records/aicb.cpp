// AICB: communication of a training iteration as a table, with times where it was run; and SimAI's workloads
// made of it.
#include "core/base/lower_case.h"
#include "core/base/whole_number.h"
#include "core/import/streams/whole_text.h"
#include "core/import/text_fields.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

namespace shardscope
{

namespace
{

// "CommType.all_reduce" -> "all_reduce"; isend and irecv without their i.
std::string operationOf(std::string_view text)
{
    std::string name = inLowerCase(text.substr(text.find('.') + 1)); // npos + 1 is 0
    if (name == "isend" || name == "irecv")
        name.erase(0, 1);
    return name;
}

// The columns by name. Sizes are whole messages: what an all_gather gives, what the others are given.
class AicbTable
{
public:
    explicit AicbTable(std::string_view header)
    {
        for (const std::string_view name : splitAt(header, ','))
            m_columns.emplace(name, m_columns.size());
    }

    // Nothing where the line is no communication or makes no sense; `is_odd` tells them apart.
    std::optional<SizedCall> callOf(std::string_view line, bool& is_odd) const
    {
        const std::vector<std::string_view> cells = splitAt(line, ',');
        const auto cell = [&](std::string_view name) {
            const auto column = m_columns.find(name);
            return column != m_columns.end() && column->second < cells.size() ? cells[column->second]
                                                                              : std::string_view{};
        };
        SizedCall call;
        call.name = operationOf(cell("comm_type"));
        if (call.name.empty() || call.name == "computation" || call.name == "epoch_end")
            return std::nullopt;
        const auto bytes = leadingNumber(cell("msg_size"));
        is_odd = !bytes || *bytes < 0.0 || *bytes > 9e18;
        if (is_odd)
            return std::nullopt;
        (call.name == "all_gather" ? call.out_bytes : call.in_bytes) = static_cast<std::int64_t>(*bytes);
        const std::string_view group = cell("comm_group");
        call.group_description = group.substr(group.find('.') + 1);
        call.group_size = std::max<std::int64_t>(wholeNumber(cell("comm_group_size")).value_or(0), 0);
        call.count = std::max<std::int64_t>(wholeNumber(cell("count")).value_or(1), 1);
        const auto time_ms = leadingNumber(cell("_elapsed_time"));
        call.time_s = time_ms && *time_ms >= 0.0 ? *time_ms / 1000.0 : -1.0;
        call.peer = wholeNumber(cell(call.name == "recv" ? "src" : "dst")).value_or(-1);
        return call;
    }

private:
    std::map<std::string, std::size_t, std::less<>> m_columns;
};

using SimaiCalls = std::map<std::tuple<std::string, std::string, std::int64_t>, SizedCall>;

// One layer of a SimAI workload: a name, a dependency, then compute time, operation and bytes for each of
// forward, input gradient and weight gradient.
void takeSimaiLayer(const std::vector<std::string_view>& words, SimaiCalls& calls)
{
    constexpr std::array<std::string_view, 3> passes{"forward", "input gradient", "weight gradient"};
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
        const std::size_t at = 3 + 3 * pass;
        const auto bytes = wholeNumber(words[at + 1]);
        if (words[at] == "NONE" || !bytes || *bytes <= 0)
            continue;
        const std::string name = inLowerCase(words[at]);
        SizedCall& call = calls[{name, std::string(passes[pass]), *bytes}];
        call.count = call.name.empty() ? 1 : call.count + 1;
        call.name = name;
        call.group_description = passes[pass];
        (name.starts_with("allgather") ? call.out_bytes : call.in_bytes) = *bytes;
    }
}

} // namespace

bool looksLikeAicb(std::string_view head)
{
    const std::size_t header = head.find("comm_type,comm_group");
    return header != std::string_view::npos && header < 4096;
}

std::optional<Rejection> readAicb(ReadJob& job, TraceFile& file)
{
    LineReader lines(job.stream);
    std::string_view line;
    std::string header;
    while (header.empty() && lines.next(line)) {
        if (line.find("comm_type") != std::string_view::npos)
            header = line;
    }
    const AicbTable table(header);
    while (lines.next(line)) {
        bool is_odd = false;
        if (auto call = table.callOf(line, is_odd))
            file.calls.push_back(std::move(*call));
        else if (is_odd)
            job.warnings.add("row without a size", lines.bytesRead());
    }
    file.bytes_uncompressed = lines.bytesRead();
    file.format = "aicb";
    if (file.calls.empty())
        return Rejection{"not one row of this AICB table could be read"};
    return std::nullopt;
}

bool looksLikeSimai(std::string_view head)
{
    const std::string_view first = head.substr(0, head.find('\n'));
    return first.find("model_parallel_NPU_group") != std::string_view::npos;
}

std::optional<Rejection> readSimai(ReadJob& job, TraceFile& file)
{
    LineReader lines(job.stream);
    std::string_view line;
    SimaiCalls calls;
    lines.next(line);
    if (const auto words = splitAtBlanks(line); words.size() > 1) {
        const auto all = std::ranges::find(words, std::string_view("all_gpus:"));
        if (all != words.end() && all + 1 != words.end())
            file.world_size = std::max<std::int64_t>(wholeNumber(*(all + 1)).value_or(0), 0);
    }
    for (lines.next(line); lines.next(line);) { // the number of layers is told first
        const auto words = splitAtBlanks(line);
        if (words.size() >= 11)
            takeSimaiLayer(words, calls);
        else if (!words.empty())
            job.warnings.add("line that is no layer", lines.bytesRead());
    }
    for (auto& [key, call] : calls)
        file.calls.push_back(std::move(call));
    file.bytes_uncompressed = lines.bytesRead();
    file.format = "aicb";
    if (file.calls.empty())
        return Rejection{"not one layer of this SimAI workload could be read"};
    return std::nullopt;
}

} // namespace shardscope
