#include "core/trace/rank_claims.h"

#include "core/base/median.h"

#include <algorithm>
#include <array>
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

constexpr std::string_view shared_rank = "file that claims the rank of another one";
constexpr std::string_view unnamed_rank = "file whose rank nothing names, taken for rank 0";
constexpr std::string_view ordered_rank =
    "rank that nothing names, counted by its GPU or its place in a layout";
constexpr std::string_view folders_rank = "file whose rank only the name of its folder tells";
constexpr std::string_view layout_rank = "file whose rank was counted from its name's place in the layout, "
                                         "tensor ranks first, pipeline stages last";
constexpr std::string_view missing_rank = "rank of the run that has no file";
constexpr std::string_view silent_rank = "rank whose file tells of no event and no call";
constexpr std::array remarks{shared_rank, unnamed_rank, ordered_rank, folders_rank,
                             layout_rank, missing_rank, silent_rank,  other_log_warning};
constexpr std::size_t most_listed = 8;

// Tells of a rank's own work, as a log of the whole run does not.
bool isOfOneRank(const TraceFile& file)
{
    return file.status != FileStatus::rejected
           && ((file.store && file.store->size() > 0) || !file.calls.empty());
}

template<class Items>
ImportWarning warningOf(std::string_view what, const Items& items, std::int64_t count)
{
    std::string text(what);
    std::size_t listed = 0;
    for (const auto& item : items) {
        if (listed++ == most_listed) {
            text += ", ...";
            break;
        }
        text += (listed == 1 ? ": " : ", ") + item;
    }
    return {text, count};
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
    std::int64_t others = 0;
    for (const TraceFile& file : traces.files) {
        if (!isOfOneRank(file))
            continue;
        if (file.rank_is_known || file.rank_guess == RankGuess::order_in_file)
            ++others;
        else
            names.push_back(file.path.substr(file.path.rfind('/') + 1));
    }
    if (!names.empty() && static_cast<std::size_t>(others) + names.size() > 1)
        warnings.push_back(warningOf(unnamed_rank, names, static_cast<std::int64_t>(names.size())));
}

// Weak claims are told: a folder may count something else, and ranks may lie on the GPUs in another order.
void addGuesses(const TraceSet& traces, RankGuess guess, std::string_view what,
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
        warnings.push_back(warningOf(what, claims, static_cast<std::int64_t>(claims.size())));
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
        warnings.push_back(warningOf(other_log_warning, names, static_cast<std::int64_t>(names.size())));
}

} // namespace

std::int64_t worldSizeOf(const TraceSet& traces)
{
    std::int64_t world = 0;
    for (const TraceFile& file : traces.files)
        if (isOfOneRank(file) && file.rank_is_known)
            world = std::max({world, file.world_size, file.rank + 1});
    // A rank far beyond all others is a wrong number.
    constexpr std::int64_t largest = std::int64_t{1} << 24;
    return world <= largest ? world : 0;
}

void noteRanks(TraceSet& traces)
{
    std::ranges::sort(traces.files, {}, [](const TraceFile& file) { return std::tie(file.rank, file.path); });
    std::erase_if(traces.warnings, [](const ImportWarning& warning) {
        return std::ranges::any_of(remarks,
                                   [&](std::string_view remark) { return warning.what.starts_with(remark); });
    });
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
