#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace shardscope
{

// The rank that a file's name tells: the digits behind "rank" or "worker", with - _ or [ between
// ("rank-3.json", "worker0_step_12.json", "trace_rank[7].json.gz"). "rank" counts before "worker", the last
// one of several.
std::optional<std::int64_t> rankFromName(std::string_view file_name);

// The rank that the folders tell in which a file lies, the nearest one first: the digits behind "rank" or
// "worker" at the end of a folder's name ("run/node1/rank_05/trace.json"), or of an archive's.
std::optional<std::int64_t> rankFromFolders(const std::filesystem::path& file);

// Where a rank stands in a layout. Axes that are not told are 0.
struct LayoutPlace {
    std::int64_t tensor = 0;
    std::int64_t context = 0;
    std::int64_t data = 0;
    std::int64_t pipeline = 0;
    bool names_first = false; // of an axis: a 0, as no degree of parallelism is
    auto operator<=>(const LayoutPlace&) const = default;
};

// The place that a file's name tells on at least two axes: "TP-0-DP-1-PP-0.json", "trace_tp1_pp0.json.gz",
// "tp_rank_1_pp_rank_0.json".
std::optional<LayoutPlace> placeFromName(std::string_view file_name);

// The number at the end of a flight recorder dump's name ("_dump_14", "nccl_trace_rank_3").
std::optional<std::int64_t> rankAtEnd(std::string_view file_name);

// The number before the endings of an execution trace's name, where a separator stands before it
// ("chakra.3.et", "megatron_et_0.json.gz"). None where it is a place on an axis.
std::optional<std::int64_t> rankBeforeEndings(std::string_view file_name);

} // namespace shardscope
