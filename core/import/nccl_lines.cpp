// NCCL_DEBUG=INFO: operations with their sizes, communicators, and the channels between ranks. There are no
// times in it.
#include "core/import/log_lines.h"
#include "core/import/text_fields.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace shardscope
{

namespace
{

struct DataType {
    std::string_view name;
    std::int64_t bytes;
};

// ncclDataType_t of nccl.h, by its numbers.
constexpr std::array<DataType, 12> data_types{{{"int8", 1},
                                               {"uint8", 1},
                                               {"int32", 4},
                                               {"uint32", 4},
                                               {"int64", 8},
                                               {"uint64", 8},
                                               {"float16", 2},
                                               {"float32", 4},
                                               {"float64", 8},
                                               {"bfloat16", 2},
                                               {"float8_e4m3", 1},
                                               {"float8_e5m2", 1}}};

class NcclLines final : public LogLines
{
public:
    std::string_view format() const override { return "nccl_log"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file) override;

private:
    using CallKey =
        std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t, std::string>;

    void takeOperation(std::string_view name, const std::vector<std::string_view>& words);
    static void takeSize(std::int64_t bytes, SizedCall& call);
    void takeCommunicator(const std::vector<std::string_view>& words);
    void takeChannel(const std::vector<std::string_view>& words);

    std::int64_t m_unread = 0;             // calls without a size
    std::map<CallKey, std::size_t> m_rows; // of equal calls
    std::vector<SizedCall> m_calls;
    std::map<std::string, std::int64_t> m_communicators;     // ranks by address
    std::set<std::pair<std::int64_t, std::int64_t>> m_ranks; // ranks in communicator, rank
    std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::int64_t> m_channels;
};

// The word behind this one, or "".
std::string_view behind(const std::vector<std::string_view>& words, std::string_view key)
{
    const auto found = std::ranges::find(words, key);
    return found != words.end() && found + 1 != words.end() ? *(found + 1) : std::string_view{};
}

void NcclLines::take(std::string_view line)
{
    constexpr std::string_view mark = "NCCL INFO ";
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos)
        return;
    const std::vector<std::string_view> words = splitAtBlanks(line.substr(at + mark.size()));
    if (words.size() < 2)
        return;
    if (words[0].ends_with(':') && words[1] == "opCount")
        takeOperation(words[0].substr(0, words[0].size() - 1), words);
    else if (line.find("Init COMPLETE") != std::string_view::npos)
        takeCommunicator(words);
    else if (words[0] == "Channel")
        takeChannel(words);
}

// AllReduce: opCount 1a sendbuff 0x.. recvbuff 0x.. count 1024 datatype 7 op 0 root 0 comm 0x.. [nranks=8]
// stream 0x..
void NcclLines::takeOperation(std::string_view name, const std::vector<std::string_view>& words)
{
    const auto count = wholeNumber(behind(words, "count"));
    const auto type = wholeNumber(behind(words, "datatype"));
    std::int64_t bytes = 0;
    const bool has_type = type && *type >= 0 && *type < static_cast<std::int64_t>(data_types.size());
    const DataType& data = data_types[has_type ? static_cast<std::size_t>(*type) : 0];
    if (!count || *count < 0 || !has_type || __builtin_mul_overflow(*count, data.bytes, &bytes)) {
        ++m_unread;
        return;
    }
    std::int64_t ranks = 0;
    for (const std::string_view word : words) {
        if (word.starts_with("[nranks=") && word.ends_with(']'))
            ranks = wholeNumber(word.substr(8, word.size() - 9)).value_or(0);
    }
    const std::string communicator(behind(words, "comm"));
    if (const auto known = m_communicators.find(communicator); ranks <= 0 && known != m_communicators.end())
        ranks = known->second;
    const bool is_point_to_point = name == "Send" || name == "Recv";
    const std::int64_t peer = is_point_to_point ? wholeNumber(behind(words, "root")).value_or(-1) : -1;
    const auto [row, is_new] = m_rows.try_emplace(
        CallKey{name, data.name, bytes, ranks, peer, is_point_to_point ? communicator : std::string()},
        m_calls.size());
    if (!is_new) {
        ++m_calls[row->second].count;
        return;
    }
    SizedCall call;
    call.name = name;
    call.dtype = data.name;
    call.group_size = std::max<std::int64_t>(ranks, 0);
    call.peer = peer;
    takeSize(bytes, call);
    m_calls.push_back(std::move(call));
}

// The count is a rank's part: of an all-to-all what goes to one peer.
void NcclLines::takeSize(std::int64_t bytes, SizedCall& call)
{
    if (call.name == "ReduceScatter" || call.name == "Scatter")
        call.out_bytes = bytes;
    else if (!call.name.starts_with("AlltoAll") && !call.name.starts_with("AllToAll"))
        call.in_bytes = bytes;
    else if (call.group_size == 0 || __builtin_mul_overflow(bytes, call.group_size, &call.in_bytes))
        call.in_bytes = -1;
    if (call.name == "AllReduce" || call.name == "Broadcast")
        call.out_bytes = bytes;
}

// comm 0x.. rank 3 nranks 8 cudaDev 3 busId .. - Init COMPLETE
void NcclLines::takeCommunicator(const std::vector<std::string_view>& words)
{
    const auto rank = wholeNumber(behind(words, "rank"));
    const auto ranks = wholeNumber(behind(words, "nranks"));
    if (!rank || !ranks || *ranks <= 0)
        return;
    m_communicators[std::string(behind(words, "comm"))] = *ranks;
    m_ranks.emplace(*ranks, *rank);
}

// Channel 00 : 29[1c000] -> 30[88000] via P2P/IPC; with "[send]" or "[receive]" before "via" where a network
// is between
void NcclLines::takeChannel(const std::vector<std::string_view>& words)
{
    const auto arrow = std::ranges::find(words, std::string_view("->"));
    const auto via = std::ranges::find(words, std::string_view("via"));
    if (arrow == words.begin() || arrow == words.end() || arrow + 1 == words.end() || via == words.end()
        || via + 1 == words.end() || std::ranges::find(words, std::string_view("[receive]")) != words.end())
        return; // what one side receives the other one sends
    const auto rankOf = [](std::string_view place) { return wholeNumber(place.substr(0, place.find('['))); };
    const auto from = rankOf(*(arrow - 1));
    const auto to = rankOf(*(arrow + 1));
    if (from && to)
        ++m_channels[{*from, *to, std::string(*(via + 1))}];
}

bool NcclLines::fill(TraceFile& file)
{
    const std::int64_t world = m_ranks.empty() ? 0 : m_ranks.rbegin()->first;
    for (SizedCall& call : m_calls) {
        if (call.group_size != world) // the peer is a place in a group whose members are not told
            call.peer = -1;
    }
    file.calls.insert(file.calls.end(), m_calls.begin(), m_calls.end());
    if (m_unread > 0)
        file.warnings.push_back({"call of NCCL without a size that can be read", m_unread});
    for (const auto& [edge, channels] : m_channels)
        file.connections.push_back({std::get<0>(edge), std::get<1>(edge), std::get<2>(edge), channels});
    file.world_size = std::max(file.world_size, world);
    const auto first = m_ranks.lower_bound({world, 0});
    if (!file.rank_is_known && first != m_ranks.end()
        && std::next(first) == m_ranks.end()) { // one process wrote it
        file.rank = first->second;
        file.rank_is_known = true;
    }
    return !m_calls.empty() || !m_channels.empty() || !m_ranks.empty();
}

} // namespace

std::unique_ptr<LogLines> makeNcclLines()
{
    return std::make_unique<NcclLines>();
}

} // namespace shardscope
