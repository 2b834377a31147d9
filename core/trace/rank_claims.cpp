#include "core/trace/rank_claims.h"

#include "core/base/format.h"
#include "core/base/median.h"
#include "core/base/most_ranks.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace shardscope
{

namespace
{

// What is counted, and the sentences that say it of one and of several.
struct Remark {
    std::string_view what;
    std::string_view one;
    std::string_view several; // "#" is their number
};

constexpr Remark shared_rank{"file that claims the rank of another one",
                             "One file claims the rank of another one", "# files claim the ranks of others"};
constexpr Remark unnamed_rank{"file whose rank nothing names, taken for rank 0",
                              "Nothing names the rank of one file, which is taken for rank 0",
                              "Nothing names the ranks of # files, each of which is taken for rank 0"};
constexpr Remark named_by_degrees{
    "file whose name tells degrees of parallelism and no rank, as of several runs; taken for rank 0",
    "The name of one file tells degrees of parallelism and no rank; it is taken for rank 0",
    "The names of # files tell degrees of parallelism and no ranks, as of several runs; each is taken for "
    "rank 0, open one by itself"};
constexpr Remark ordered_rank{
    "rank that nothing names, counted by its GPU or its place in a layout",
    "Nothing names one rank, which was counted by its GPU or its place in a layout",
    "Nothing names # ranks, which were counted by their GPUs or their places in a layout"};
constexpr Remark folders_rank{"file whose rank only the name of its folder tells",
                              "Only the name of its folder tells the rank of one file",
                              "Only the names of their folders tell the ranks of # files"};
constexpr Remark layout_rank{"file whose rank was counted from its name's place in the layout, tensor ranks "
                             "first, pipeline stages last",
                             "The rank of one file was counted from its name's place in the layout, tensor "
                             "ranks first, pipeline stages last",
                             "The ranks of # files were counted from their names' places in the layout, "
                             "tensor ranks first, pipeline stages last"};
constexpr Remark missing_rank{"rank of the run that has no file", "One rank of the run has no file",
                              "# ranks of the run have no file"};
constexpr Remark silent_rank{"rank whose file tells of no event and no call",
                             "The file of one rank tells of no event and no call",
                             "The files of # ranks tell of no event and no call"};
constexpr Remark other_log{other_log_warning,
                           "The iterations of logs of one name take different times, as of several runs; "
                           "open one by itself",
                           "The iterations of # logs take different times, as of several runs; open one by "
                           "itself"};
constexpr std::size_t most_listed = 8;

// Tells of a rank's own work, as a log of the whole run does not.
bool isOfOneRank(const TraceFile& file)
{
    return file.status != FileStatus::rejected
           && ((file.store && file.store->size() > 0) || !file.calls.empty());
}

template<class Items>
ImportWarning warningOf(const Remark& remark, const Items& items, std::int64_t count)
{
    std::string list;
    std::size_t listed = 0;
    for (const auto& item : items) {
        if (listed++ == most_listed)
            break;
        list += (listed == 1 ? ": " : ", ") + item;
    }
    const bool is_cut = listed > most_listed;
    return {std::string(remark.what) + list + (is_cut ? ", ..." : ""),
            count,
            {},
            countedSentence(count, remark.one, remark.several) + list + (is_cut ? " and more." : "."),
            WarningOf::ranks};
}

void addShared(const TraceSet& traces, std::vector<ImportWarning>& warnings)
{
    std::set<std::string> ranks;
    std::int64_t files = 0;
    std::map<std::pair<std::string_view, std::int64_t>, int> claims; // by format and rank
    for (const TraceFile& file : traces.files) {
        if (!isOfOneRank(file) || ++claims[{file.sourceFormat(), file.rank}] == 1)
            continue;
        ++files;
        ranks.insert("rank " + std::to_string(file.rank));
    }
    if (files > 0)
        warnings.push_back(warningOf(shared_rank, ranks, files));
}

void addUnnamed(const TraceSet& traces, std::vector<ImportWarning>& warnings)
{
    std::vector<std::string> names;
    std::vector<std::string> degrees;
    std::int64_t others = 0;
    for (const TraceFile& file : traces.files) {
        if (!isOfOneRank(file))
            continue;
        const std::string name = file.path.substr(file.path.rfind('/') + 1);
        if (file.rank_is_known || file.rank_guess == RankGuess::order_in_file)
            ++others;
        else
            (file.rank_guess == RankGuess::degrees ? degrees : names).push_back(name);
    }
    if (degrees.size() > 1)
        warnings.push_back(warningOf(named_by_degrees, degrees, static_cast<std::int64_t>(degrees.size())));
    others += static_cast<std::int64_t>(degrees.size());
    if (!names.empty() && static_cast<std::size_t>(others) + names.size() > 1)
        warnings.push_back(warningOf(unnamed_rank, names, static_cast<std::int64_t>(names.size())));
}

// Weak claims are told: a folder may count something else, and ranks may lie on the GPUs in another order.
void addGuesses(const TraceSet& traces, RankGuess guess, const Remark& remark,
                std::vector<ImportWarning>& warnings)
{
    std::vector<std::string> claims;
    for (const TraceFile& file : traces.files) {
        if (!isOfOneRank(file) || file.rank_guess != guess)
            continue;
        const std::filesystem::path path(file.path);
        claims.push_back((path.parent_path().filename() / path.filename()).string() + " (rank "
                         + std::to_string(file.rank) + ")");
    }
    if (!claims.empty())
        warnings.push_back(warningOf(remark, claims, static_cast<std::int64_t>(claims.size())));
}

void addMissing(const TraceSet& traces, std::vector<ImportWarning>& warnings)
{
    std::set<std::int64_t> ranks;
    std::set<std::int64_t> telling;
    for (const TraceFile& file : traces.files) {
        if (file.status == FileStatus::rejected || !file.rank_is_known)
            continue;
        ranks.insert(file.rank);
        if (isOfOneRank(file))
            telling.insert(file.rank);
    }
    const std::int64_t world = worldSizeOf(traces);
    if (telling.size() < 2 || world == 0) // a single file is no run with gaps
        return;
    std::vector<std::string> silent;
    for (const std::int64_t rank : ranks)
        if (!telling.contains(rank))
            silent.push_back(std::to_string(rank));
    if (!silent.empty())
        warnings.push_back(warningOf(silent_rank, silent, static_cast<std::int64_t>(silent.size())));
    std::vector<std::string> missing;
    for (std::int64_t rank = 0; rank < world && missing.size() <= most_listed; ++rank) {
        if (!ranks.contains(rank))
            missing.push_back(std::to_string(rank));
    }
    const std::int64_t count = world - static_cast<std::int64_t>(ranks.size());
    if (count > 0)
        warnings.push_back(warningOf(missing_rank, missing, count));
}

// Logs of one run agree on its iterations, whoever wrote them.
void addOtherLogs(const TraceSet& traces, std::vector<ImportWarning>& warnings)
{
    constexpr double alike = 1.1; // times of one another
    std::set<std::string> names;
    double low_s = std::numeric_limits<double>::infinity();
    double high_s = 0.0;
    for (const TraceFile& file : traces.files) {
        const auto timer = std::ranges::find(file.timers, iteration_timer, &TimerRecord::name);
        if (timer == file.timers.end() || timer->values_s.empty())
            continue;
        const double middle_s = median(timer->values_s);
        low_s = std::min(low_s, middle_s);
        high_s = std::max(high_s, middle_s);
        names.insert(std::filesystem::path(file.path).filename().string());
    }
    if (high_s > alike * low_s)
        warnings.push_back(warningOf(other_log, names, static_cast<std::int64_t>(names.size())));
}

} // namespace

std::int64_t worldSizeOf(const TraceSet& traces)
{
    std::int64_t world = 0;
    for (const TraceFile& file : traces.files)
        if (isOfOneRank(file) && file.rank_is_known)
            world = std::max({world, file.world_size, file.rank + 1});
    return world <= most_ranks ? world : 0;
}

std::int64_t undisputedWorldSizeOf(const TraceSet& traces)
{
    std::set<std::int64_t> worlds;
    std::set<std::int64_t> ranks;
    for (const TraceFile& file : traces.files) {
        if (file.status == FileStatus::rejected)
            continue;
        worlds.insert(file.world_size);
        ranks.insert(file.rank);
    }
    if (worlds.size() != 1)
        return 0;
    const std::int64_t told = *worlds.begin();
    if (told > 0)
        return told > *ranks.rbegin() ? told : 0;
    const auto read = static_cast<std::int64_t>(ranks.size());
    return *ranks.begin() == 0 && *ranks.rbegin() == read - 1 ? read : 0;
}

void noteRanks(TraceSet& traces)
{
    std::ranges::sort(traces.files, {}, [](const TraceFile& file) { return std::tie(file.rank, file.path); });
    std::erase_if(traces.warnings,
                  [](const ImportWarning& warning) { return warning.of == WarningOf::ranks; });
    addShared(traces, traces.warnings);
    addUnnamed(traces, traces.warnings);
    addGuesses(traces, RankGuess::folder_name, folders_rank, traces.warnings);
    addGuesses(traces, RankGuess::layout, layout_rank, traces.warnings);
    addGuesses(traces, RankGuess::order_in_file, ordered_rank, traces.warnings);
    addMissing(traces, traces.warnings);
    addOtherLogs(traces, traces.warnings);
}

void assignRank(TraceSet& traces, std::size_t file, std::int64_t rank)
{
    traces.files[file].rank = rank;
    traces.files[file].rank_is_known = true;
    traces.files[file].rank_guess = RankGuess::none;
    noteRanks(traces);
}

} // namespace shardscope
