#include "core/trace/run_folders.h"

#include "core/trace/rank_claims.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace shardscope
{

namespace
{

using Claim = std::pair<std::string_view, std::int64_t>; // of a format, the rank

std::string folderOf(const TraceFile& file)
{
    return std::filesystem::path(file.path).parent_path().string();
}

// Of files that tell of a rank's own work and say which one.
std::map<std::string, std::set<Claim>> claimsOfFolders(const TraceSet& traces)
{
    std::map<std::string, std::set<Claim>> claims;
    for (const TraceFile& file : traces.files) {
        const bool is_of_a_rank = file.status != FileStatus::rejected && file.rank_is_known
                                  && ((file.store && file.store->size() > 0) || !file.calls.empty());
        if (is_of_a_rank)
            claims[folderOf(file)].insert({file.sourceFormat(), file.rank});
    }
    return claims;
}

std::set<std::string> foldersOfOtherRuns(const TraceSet& traces)
{
    std::set<Claim> taken;
    std::set<std::string> others;
    for (const auto& [folder, claims] : claimsOfFolders(traces)) {
        const bool is_contradiction =
            std::ranges::any_of(claims, [&](const Claim& claim) { return taken.contains(claim); });
        if (is_contradiction)
            others.insert(folder);
        else
            taken.insert(claims.begin(), claims.end());
    }
    return others;
}

} // namespace

void keepOneRun(TraceSet& traces)
{
    const std::set<std::string> others = foldersOfOtherRuns(traces);
    if (others.empty())
        return;
    const auto first = std::remove_if(traces.files.begin(), traces.files.end(),
                                      [&](const TraceFile& file) { return others.contains(folderOf(file)); });
    const std::int64_t count = traces.files.end() - first;
    traces.files.erase(first, traces.files.end());
    std::string names;
    for (const std::string& folder : others)
        names += (names.empty() ? "" : ", ") + std::filesystem::path(folder).filename().string();
    noteRanks(traces);
    traces.warnings.push_back(
        {"trace of another run with the same ranks, left out (open its folder by itself): " + names, count});
}

} // namespace shardscope
