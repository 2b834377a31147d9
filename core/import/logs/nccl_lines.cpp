// NCCL_DEBUG=INFO: operations with their sizes, communicators, and the channels between ranks. There are no
// times in it.
#include "core/base/whole_number.h"
#include "core/import/logs/log_lines.h"
#include "core/import/logs/nccl_groups.h"
#include "core/import/text_fields.h"

#include <algorithm>
#include <array>
#include <iterator>
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
constexpr std::array data_types{
    DataType{"int8", 1},    DataType{"uint8", 1},    DataType{"int32", 4},       DataType{"uint32", 4},
    DataType{"int64", 8},   DataType{"uint64", 8},   DataType{"float16", 2},     DataType{"float32", 4},
    DataType{"float64", 8}, DataType{"bfloat16", 2}, DataType{"float8_e4m3", 1}, DataType{"float8_e5m2", 1}};

// "[nranks=8]"; 0: not told.
std::int64_t ranksIn(const std::vector<std::string_view>& words)
{
    constexpr std::string_view mark = "[nranks=";
    std::int64_t ranks = 0;
    for (const std::string_view word : words)
        if (word.starts_with(mark) && word.ends_with(']'))
            ranks = wholeNumber(word.substr(mark.size(), word.size() - mark.size() - 1)).value_or(0);
    return ranks;
}

constexpr std::string_view gpu_mark = " GPU "; // behind a process that has several

class NcclLines final : public LogLines
{
public:
    std::string_view format() const override { return "nccl_log"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file, std::vector<TraceFile>& further) override;

private:
    using CallKey =
        std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t, std::string>;
    // What all its members call a communicator: its commId, since 2.17; before that its address, which is the
    // process's own.
    struct Communicator {
        std::string name;
        std::int64_t ranks = 0;
        std::int64_t device = no_device;
    };
    // What one process wrote; of a process with several GPUs, of one of them.
    struct Process {
        std::map<CallKey, std::size_t> rows; // of equal calls
        std::vector<SizedCall> calls;
        std::map<std::string, std::int64_t> groups;            // ranks by commId
        std::set<std::pair<std::int64_t, std::int64_t>> ranks; // ranks in communicator, rank
        std::set<std::int64_t> global_ranks;                   // as RCCL tells them with each call
        std::set<std::int64_t> devices;                        // of its communicators
    };

    // What a process wrote, by its GPUs; of `no_device` where no communicator's line tells which.
    struct Devices {
        std::map<std::string, Communicator> communicators; // that now have an address
        std::map<std::int64_t, Process> processes;
    };
    static constexpr std::int64_t no_device = -1;

    void takeOperation(std::string_view name, const std::vector<std::string_view>& words, Devices& devices);
    static void takeSize(std::int64_t bytes, SizedCall& call);
    static void takeCommunicator(const std::vector<std::string_view>& words, Devices& devices);
    static void addTo(Process& process, Process&& other);
    void takeDevicesApart();
    void takeChannel(const std::vector<std::string_view>& words);
    std::int64_t worldSize() const;
    static std::int64_t rankIn(std::int64_t world, const Process& process);
    std::map<std::int64_t, Process*> processesByRank(std::int64_t world);
    NcclMembers members(std::int64_t world) const;
    static void fillCalls(Process& process, std::int64_t world, TraceFile& file);
    void fillRanks(std::int64_t world, TraceFile& file, std::vector<TraceFile>& further);
    void fillUntold(std::int64_t world, TraceFile& file);

    std::int64_t m_unread = 0;                               // calls without a size
    std::int64_t m_without_writer = 0;                       // whose line another one has torn apart
    std::map<std::string, Devices, std::less<>> m_devices;   // by process
    std::map<std::string, Process, std::less<>> m_processes; // once all lines are read
    std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::int64_t> m_channels;
};

// Who writes "host:12:34 [0] NCCL INFO": host and process, without the thread and the device. RCCL may write
// a time stamp behind them.
std::string_view processOf(std::string_view before_mark)
{
    std::vector<std::string_view> words = splitAtBlanks(before_mark);
    if (words.size() > 2 && leadingNumber(words.back()))
        words.pop_back();
    if (words.size() < 2 || !words.back().starts_with('['))
        return {};
    const std::string_view place = words[words.size() - 2];
    return place.substr(0, place.rfind(':'));
}

// The word behind this one, or "".
std::string_view behind(const std::vector<std::string_view>& words, std::string_view key)
{
    const auto found = std::ranges::find(words, key);
    return found != words.end() && found + 1 != words.end() ? *(found + 1) : std::string_view{};
}

void NcclLines::take(std::string_view line)
{
    // Of lines that ran into each other the last can be read; the first has lost its end.
    constexpr std::string_view mark = "NCCL INFO ";
    const std::size_t at = line.rfind(mark);
    const std::string_view before = line.substr(0, at);
    m_without_writer += before.find(": opCount ") != std::string_view::npos ? 1 : 0;
    if (at == std::string_view::npos)
        return;
    const std::string_view told = line.substr(at + mark.size());
    const std::vector<std::string_view> words = splitAtBlanks(told);
    if (words.size() < 2)
        return;
    const bool is_call = words[0].ends_with(':') && words[1] == "opCount";
    const bool is_communicator = told.find("Init COMPLETE") != std::string_view::npos;
    const std::string writer(processOf(before));
    // The rest of a torn line may stick to the writer of the next one: "recvbuhost:12".
    const bool is_torn = before.find(mark) != std::string_view::npos && !m_devices.contains(writer);
    if (is_torn && (is_call || is_communicator))
        m_without_writer += is_call ? 1 : 0;
    else if (is_call)
        takeOperation(words[0].substr(0, words[0].size() - 1), words, m_devices[writer]);
    else if (is_communicator)
        takeCommunicator(words, m_devices[writer]);
    else if (words[0] == "Channel")
        takeChannel(words);
}

// AllReduce: opCount 1a sendbuff 0x.. recvbuff 0x.. count 1024 datatype 7 op 0 root 0 comm 0x.. [nranks=8]
// stream 0x..
void NcclLines::takeOperation(std::string_view name, const std::vector<std::string_view>& words,
                              Devices& devices)
{
    std::string communicator(behind(words, "comm"));
    const auto known = devices.communicators.find(communicator);
    const bool is_known = known != devices.communicators.end();
    Process& process = devices.processes[is_known ? known->second.device : no_device];
    if (const auto rank = wholeNumber(behind(words, "globalrank")))
        process.global_ranks.insert(*rank);
    const auto count = wholeNumber(behind(words, "count"));
    const auto type = wholeNumber(behind(words, "datatype"));
    std::int64_t bytes = 0;
    const bool has_type = type && *type >= 0 && *type < static_cast<std::int64_t>(data_types.size());
    const DataType& data = data_types[has_type ? static_cast<std::size_t>(*type) : 0];
    if (!count || *count < 0 || !has_type || __builtin_mul_overflow(*count, data.bytes, &bytes)) {
        ++m_unread;
        return;
    }
    std::int64_t ranks = ranksIn(words);
    if (is_known) {
        ranks = ranks > 0 ? ranks : known->second.ranks;
        communicator = known->second.name;
    }
    const bool is_point_to_point = name == "Send" || name == "Recv";
    const std::int64_t peer = is_point_to_point ? wholeNumber(behind(words, "root")).value_or(-1) : -1;
    const auto [row, is_new] = process.rows.try_emplace(
        CallKey{name, data.name, bytes, ranks, peer, communicator}, process.calls.size());
    if (!is_new) {
        ++process.calls[row->second].count;
        return;
    }
    SizedCall call;
    call.name = name;
    call.dtype = data.name;
    call.group = std::move(communicator);
    call.group_size = std::max<std::int64_t>(ranks, 0);
    call.peer = peer;
    takeSize(bytes, call);
    process.calls.push_back(std::move(call));
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

// ncclCommSplit comm 0x.. rank 3 nranks 8 cudaDev 3 busId .. parent 0x.. color 1 key 3 commId 0x.. - Init
// COMPLETE
void NcclLines::takeCommunicator(const std::vector<std::string_view>& words, Devices& devices)
{
    const auto rank = wholeNumber(behind(words, "rank"));
    const auto ranks = wholeNumber(behind(words, "nranks"));
    if (!rank || !ranks || *ranks <= 0)
        return;
    const std::string address(behind(words, "comm"));
    const std::string id(behind(words, "commId"));
    const std::int64_t device = wholeNumber(behind(words, "cudaDev")).value_or(no_device);
    devices.communicators[address] = {id.empty() ? address : id, *ranks, device};
    Process& process = devices.processes[device];
    if (!id.empty())
        process.groups[id] = *ranks;
    process.ranks.emplace(*ranks, *rank);
    if (device != no_device)
        process.devices.insert(device);
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

void NcclLines::addTo(Process& process, Process&& other)
{
    std::ranges::move(other.calls, std::back_inserter(process.calls));
    process.groups.merge(other.groups);
    process.ranks.merge(other.ranks);
    process.global_ranks.merge(other.global_ranks);
    process.devices.merge(other.devices);
}

// Threads of one process, each with a GPU, are ranks of their own; where the GPU of some calls is not told,
// all stand together. So do lines that do not tell their process: those of several give the same address to
// communicators on unlike GPUs.
void NcclLines::takeDevicesApart()
{
    for (auto& [name, devices] : m_devices) {
        const auto untold = devices.processes.find(no_device);
        const bool is_told = !name.empty() && untold == devices.processes.end();
        if (is_told && devices.processes.size() > 1) {
            for (auto& [device, process] : devices.processes)
                m_processes.emplace(name + std::string{gpu_mark} + std::to_string(device),
                                    std::move(process));
            continue;
        }
        Process& process = m_processes[name];
        for (auto& [device, part] : devices.processes)
            addTo(process, std::move(part));
    }
}

std::int64_t NcclLines::worldSize() const
{
    std::int64_t world = 0;
    for (const auto& [name, process] : m_processes)
        if (!process.ranks.empty())
            world = std::max(world, process.ranks.rbegin()->first);
    return world;
}

// -1: its lines tell none, or those of several GPUs.
std::int64_t NcclLines::rankIn(std::int64_t world, const Process& process)
{
    if (process.ranks.empty())
        return process.global_ranks.size() == 1 ? *process.global_ranks.begin() : -1;
    const auto first = process.ranks.lower_bound({world, 0});
    return first != process.ranks.end() && std::next(first) == process.ranks.end() ? first->second : -1;
}

// Those that call NCCL; empty where not each of them tells a rank of its own.
std::map<std::int64_t, NcclLines::Process*> NcclLines::processesByRank(std::int64_t world)
{
    std::map<std::int64_t, Process*> by_rank;
    for (auto& [name, process] : m_processes) {
        if (process.calls.empty())
            continue;
        const std::int64_t rank = rankIn(world, process);
        if (rank < 0 || !by_rank.emplace(rank, &process).second)
            return {};
    }
    return by_rank;
}

NcclMembers NcclLines::members(std::int64_t world) const
{
    NcclMembers members;
    for (const auto& [name, process] : m_processes)
        if (const std::int64_t rank = rankIn(world, process); rank >= 0)
            for (const auto& [group, size] : process.groups)
                members[group].insert(rank);
    return members;
}

void NcclLines::fillCalls(Process& process, std::int64_t world, TraceFile& file)
{
    std::ranges::move(process.calls, std::back_inserter(file.calls));
    for (const auto& [name, size] : process.groups)
        file.groups.push_back({name, {}, {}, size});
    file.world_size = std::max(file.world_size, world);
}

// A log into which several processes wrote is taken apart again.
void NcclLines::fillRanks(std::int64_t world, TraceFile& file, std::vector<TraceFile>& further)
{
    const std::map<std::int64_t, Process*> by_rank = processesByRank(world);
    const NcclMembers all_members = members(world);
    const std::string path = file.path;
    for (const auto& [rank, process] : by_rank) {
        TraceFile& of_rank = rank == by_rank.begin()->first ? file : further.emplace_back();
        of_rank.rank = by_rank.size() > 1 || !of_rank.rank_is_known ? rank : of_rank.rank;
        of_rank.rank_is_known = true;
        if (by_rank.size() > 1) {
            of_rank.path = path + "/rank " + std::to_string(rank);
            of_rank.format = format();
        }
        fillCalls(*process, world, of_rank);
        placeNcclMembers(all_members, of_rank);
    }
    if (by_rank.empty())
        fillUntold(world, file);
}

// All calls stand with one rank where the log does not tell each process's.
void NcclLines::fillUntold(std::int64_t world, TraceFile& file)
{
    std::set<std::string> calling; // processes; their GPUs may stand apart
    std::set<std::int64_t> ranks;
    std::set<std::pair<std::string, std::int64_t>> gpus; // of those
    for (auto& [name, process] : m_processes) {
        if (!process.calls.empty()) {
            const std::string writer = name.substr(0, name.find(gpu_mark));
            calling.insert(writer);
            for (const std::int64_t device : process.devices)
                gpus.emplace(writer, device);
        }
        fillCalls(process, world, file);
        for (auto of_world = process.ranks.lower_bound({world, 0}); of_world != process.ranks.end();
             ++of_world)
            ranks.insert(of_world->second);
    }
    if (calling.size() > 1 || gpus.size() > 1)
        file.notes.push_back("the calls of "
                             + (calling.size() > 1 ? std::to_string(calling.size()) + " processes"
                                                   : std::to_string(gpus.size()) + " GPUs")
                             + " stand with one rank: the log does not tell theirs; record with "
                               "NCCL_DEBUG_SUBSYS=INIT,COLL");
    if (!file.rank_is_known && calling.size() <= 1 && ranks.size() == 1) {
        file.rank = *ranks.begin();
        file.rank_is_known = true;
    }
}

bool NcclLines::fill(TraceFile& file, std::vector<TraceFile>& further)
{
    takeDevicesApart();
    const bool has_any = !m_channels.empty() || std::ranges::any_of(m_processes, [](const auto& each) {
        return !each.second.calls.empty() || !each.second.ranks.empty();
    });
    fillRanks(worldSize(), file, further);
    if (m_unread > 0)
        file.warnings.push_back({"call of NCCL without a size that can be read", m_unread});
    if (has_any && m_without_writer > 0)
        file.warnings.push_back({"call of NCCL in a line that another one has torn apart", m_without_writer});
    for (const auto& [edge, channels] : m_channels)
        file.connections.push_back({std::get<0>(edge), std::get<1>(edge), std::get<2>(edge), channels});
    return has_any;
}

} // namespace

std::unique_ptr<LogLines> makeNcclLines()
{
    return std::make_unique<NcclLines>();
}

} // namespace shardscope
