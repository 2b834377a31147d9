#include "core/trace/run_folders.h"

#include "core/base/format.h"
#include "core/trace/rank_claims.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

using Claim = std::pair<std::string_view, std::int64_t>; // of a format, the rank
using Claims = std::set<Claim>;

bool isRunOfItsOwn(const TraceFile& file)
{
    return file.rank_guess == RankGuess::degrees;
}

// What its run is told by.
fs::path folderOf(const TraceFile& file)
{
    const fs::path path(file.path);
    return isRunOfItsOwn(file) ? path : path.parent_path();
}

// Of files that tell of a rank's own work and say which one.
std::map<fs::path, Claims> claimsOfFolders(const TraceSet& traces)
{
    std::map<fs::path, Claims> claims;
    for (const TraceFile& file : traces.files) {
        const bool is_of_a_rank = file.status != FileStatus::rejected
                                  && (file.rank_is_known || isRunOfItsOwn(file))
                                  && ((file.store && file.store->size() > 0) || !file.calls.empty());
        if (is_of_a_rank)
            claims[folderOf(file)].insert({file.sourceFormat(), file.rank});
    }
    return claims;
}

bool contradict(const Claims& a, const Claims& b)
{
    return std::ranges::any_of(a, [&](const Claim& claim) { return b.contains(claim); });
}

// The folder and all above it.
std::vector<fs::path> upwards(fs::path folder)
{
    std::vector<fs::path> folders{folder};
    while (folder != folder.parent_path()) {
        folder = folder.parent_path();
        folders.push_back(folder);
    }
    return folders;
}

// The folders that hold others which contradict each other, however far below.
std::set<fs::path> foldersOfSeveralRuns(const std::map<fs::path, Claims>& claims)
{
    std::map<fs::path, Claims> below;
    std::set<fs::path> several;
    for (const auto& [folder, own] : claims) {
        for (const fs::path& above : upwards(folder)) {
            Claims& taken = below[above];
            if (contradict(own, taken))
                several.insert(above);
            taken.insert(own.begin(), own.end());
        }
    }
    return several;
}

// The highest folder above that holds traces of one run alone, or the folder itself.
fs::path highestOfOneRun(fs::path folder, const std::set<fs::path>& several)
{
    while (folder != folder.parent_path() && !several.contains(folder.parent_path()))
        folder = folder.parent_path();
    return folder;
}

// Folders that are of one run together.
struct RunParts {
    std::vector<fs::path> folders;
    Claims claims;
};

std::vector<RunParts> partsOfRuns(const std::map<fs::path, Claims>& claims)
{
    const std::set<fs::path> several = foldersOfSeveralRuns(claims);
    std::map<fs::path, Claims> units;
    for (const auto& [folder, own] : claims)
        units[highestOfOneRun(folder, several)].insert(own.begin(), own.end());
    std::vector<RunParts> runs;
    for (const auto& unit : units) {
        const Claims& own = unit.second;
        auto run =
            std::ranges::find_if(runs, [&](const RunParts& each) { return !contradict(each.claims, own); });
        if (run == runs.end())
            run = runs.insert(run, RunParts{});
        run->folders.push_back(unit.first);
        run->claims.insert(own.begin(), own.end());
    }
    return runs;
}

bool liesIn(const fs::path& folder, const fs::path& above)
{
    return std::mismatch(above.begin(), above.end(), folder.begin(), folder.end()).first == above.end();
}

// The run of the nearest folder above; none: it lies beside them.
std::optional<std::size_t> ownerOf(const fs::path& folder, const std::vector<RunParts>& runs)
{
    std::optional<std::size_t> owner;
    std::size_t nearest = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const fs::path& part : runs[run].folders) {
            if (!liesIn(folder, part) || (owner && part.native().size() < nearest))
                continue;
            owner = run;
            nearest = part.native().size();
        }
    }
    return owner;
}

fs::path commonFolder(const std::vector<RunParts>& runs)
{
    fs::path common = runs.front().folders.front().parent_path();
    for (const RunParts& run : runs)
        for (const fs::path& folder : run.folders)
            while (!liesIn(folder, common))
                common = common.parent_path();
    return common;
}

// "run-a"; "iteration_5" where the folders of all ranks hold one of that name.
std::string nameOf(const std::vector<fs::path>& folders, const fs::path& common)
{
    const fs::path last = folders.front().filename();
    const bool is_same = folders.size() > 1 && std::ranges::all_of(folders, [&](const fs::path& folder) {
                             return folder.filename() == last;
                         });
    if (is_same)
        return last.string();
    const std::string name = folders.front().lexically_relative(common).string();
    const std::string shown = name.empty() || name == "." ? last.string() : name;
    return folders.size() == 1 ? shown : shown + " and " + std::to_string(folders.size() - 1) + " more";
}

} // namespace

std::vector<FolderRun> runsOf(const TraceSet& traces)
{
    const std::vector<RunParts> parts = partsOfRuns(claimsOfFolders(traces));
    if (parts.size() < 2)
        return {};
    const fs::path common = commonFolder(parts);
    std::vector<FolderRun> runs;
    for (const RunParts& run : parts) {
        std::set<std::int64_t> ranks;
        for (const Claim& claim : run.claims)
            ranks.insert(claim.second);
        runs.push_back({nameOf(run.folders, common), {}, static_cast<std::int64_t>(ranks.size())});
    }
    for (std::size_t file = 0; file < traces.files.size(); ++file) {
        const std::optional<std::size_t> owner = ownerOf(folderOf(traces.files[file]), parts);
        for (std::size_t run = 0; run < runs.size(); ++run) {
            if (!owner || *owner == run)
                runs[run].files.push_back(file);
        }
    }
    return runs;
}

TraceSet onlyRun(const TraceSet& traces, const std::vector<FolderRun>& runs, std::size_t kept)
{
    TraceSet set{{}, traces.warnings};
    for (const std::size_t file : runs[kept].files)
        set.files.push_back(traces.files[file]);
    std::string names;
    for (const FolderRun& run : runs) {
        if (&run != &runs[kept])
            names += (names.empty() ? "" : ", ") + run.name;
    }
    noteRanks(set);
    const std::string how =
        std::ranges::any_of(traces.files, isRunOfItsOwn) ? "open one by itself" : "open its folder by itself";
    const auto left_out = static_cast<std::int64_t>(traces.files.size() - set.files.size());
    set.warnings.push_back(
        {"trace of another run with the same ranks, left out (" + how + "): " + names,
         left_out,
         {},
         countedSentence(left_out, "One trace of another run with the same ranks was left out",
                         "# traces of other runs with the same ranks were left out")
             + " (" + how + "): " + names + '.',
         WarningOf::other_runs});
    return set;
}

void keepOneRun(TraceSet& traces)
{
    const std::vector<FolderRun> runs = runsOf(traces);
    if (!runs.empty())
        traces = onlyRun(traces, runs, 0);
}

} // namespace shardscope
