#include "core/import/chrome/chrome_header.h"

#include "core/import/json/json_fields.h"

#include <charconv>

namespace shardscope
{

namespace
{

using Json = nlohmann::json;

// A JSON document that may be broken: null then.
Json parsed(const std::map<std::string, std::string>& members, const std::string& key)
{
    const auto found = members.find(key);
    if (found == members.end())
        return nullptr;
    Json document = parsedJson(found->second);
    if (document.is_discarded())
        return nullptr;
    return document;
}

ProcessGroup groupOf(const Json& entry)
{
    ProcessGroup group;
    group.name = textIn(entry, "pg_name");
    group.description = textIn(entry, "pg_desc");
    group.size = std::max<std::int64_t>(integerIn(entry, "pg_size").value_or(0), 0);
    const Json& ranks = memberIn(entry, "ranks");
    if (ranks.is_string())
        group.ranks = ranksOf(ranks.get_ref<const std::string&>());
    if (ranks.is_array()) {
        for (const Json& rank : ranks) {
            if (const auto number = integerOf(rank))
                group.ranks.push_back(*number);
        }
        if (group.ranks.size() != ranks.size()) // cut: who else is in it is not known
            group.ranks.clear();
    }
    return group;
}

void readGpu(const Json& devices, ChromeHeader& header)
{
    for (const Json& device : devices.is_array() ? devices : Json::array()) {
        const std::string name = textIn(device, "name");
        if (!header.gpu.empty() && name != header.gpu) {
            header.gpu.clear();
            header.gpu_memory_bytes = 0;
            return;
        }
        header.gpu = name;
        header.gpu_memory_bytes = std::max<std::int64_t>(0, integerIn(device, "totalGlobalMem").value_or(0));
    }
}

} // namespace

std::vector<std::int64_t> ranksOf(std::string_view list)
{
    std::vector<std::int64_t> ranks;
    if (list.find("...") != std::string_view::npos)
        return ranks;
    const char* at = list.data();
    const char* const end = list.data() + list.size();
    while (at < end) {
        std::int64_t rank = 0;
        const auto [behind, error] = std::from_chars(at, end, rank);
        if (error == std::errc{})
            ranks.push_back(rank);
        at = error == std::errc{} ? behind : at + 1;
    }
    return ranks;
}

ChromeHeader readChromeHeader(const std::map<std::string, std::string>& members)
{
    ChromeHeader header;
    header.is_kineto = members.contains("schemaVersion") || members.contains("distributedInfo")
                       || members.contains("deviceProperties") || members.contains("baseTimeNanoseconds");
    const auto base_ns = integerOf(parsed(members, "baseTimeNanoseconds"));
    header.base_ns = base_ns.value_or(0);
    header.has_base = base_ns.has_value();
    if (!base_ns && members.contains("baseTimeNanoseconds"))
        header.oddities.emplace_back("baseTimeNanoseconds that is no number: times count from 0");
    readGpu(parsed(members, "deviceProperties"), header);
    const Json info = parsed(members, "distributedInfo");
    if (!info.is_object())
        return header;
    header.world_size = std::max<std::int64_t>(integerIn(info, "world_size").value_or(0), 0);
    if (const auto rank = integerIn(info, "rank"); rank && *rank >= 0)
        header.rank = rank;
    else if (rank)
        header.oddities.emplace_back("rank below 0 in distributedInfo");
    if (header.world_size > 0 && header.rank >= header.world_size)
        header.oddities.emplace_back("rank in distributedInfo that a world of its size does not have");
    const Json& groups = memberIn(info, "pg_config");
    if (groups.is_array()) {
        for (const Json& entry : groups) {
            if (entry.is_object())
                header.groups.push_back(groupOf(entry));
        }
    }
    return header;
}

} // namespace shardscope
