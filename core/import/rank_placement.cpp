#include "core/import/rank_placement.h"

#include "core/import/rank_from_name.h"
#include "core/trace/natural_order.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

// A log, or a table, of all ranks together.
bool isOfWholeRun(const TraceFile& file)
{
    const bool tells_of_rank = (file.store && file.store->size() > 0) || !file.calls.empty();
    return !tells_of_rank && (!file.timers.empty() || !file.points.empty());
}

std::optional<LayoutPlace> placeOf(const TraceFile& file)
{
    return file.status == FileStatus::rejected || isOfWholeRun(file)
               ? std::nullopt
               : placeFromName(fs::path(file.path).filename().string());
}

// What all names together tell.
struct NamedLayout {
    std::set<LayoutPlace> places;
    LayoutPlace size{1, 1, 1, 1};
    // Runs of several layouts, named by their degrees: places begin with 0.
    bool areDegrees() const
    {
        return std::ranges::none_of(places, [](const LayoutPlace& place) { return place.names_first; });
    }
    std::int64_t rankOf(const LayoutPlace& place) const
    {
        return place.tensor
               + size.tensor * (place.context + size.context * (place.data + size.data * place.pipeline));
    }
};

NamedLayout layoutInNames(const TraceSet& traces)
{
    NamedLayout layout;
    for (const TraceFile& file : traces.files) {
        const auto place = placeOf(file);
        if (!place)
            continue;
        layout.places.insert(*place);
        layout.size.tensor = std::max(layout.size.tensor, place->tensor + 1);
        layout.size.context = std::max(layout.size.context, place->context + 1);
        layout.size.data = std::max(layout.size.data, place->data + 1);
        layout.size.pipeline = std::max(layout.size.pipeline, place->pipeline + 1);
    }
    return layout;
}

void placeByLayout(TraceSet& traces)
{
    const NamedLayout layout = layoutInNames(traces);
    if (layout.places.size() < 2) // one place does not tell how many there are
        return;
    for (TraceFile& file : traces.files) {
        const bool is_told = file.rank_is_known && file.rank_guess == RankGuess::none;
        const auto place = placeOf(file);
        if (is_told || !place || file.rank_guess == RankGuess::order_in_file)
            continue;
        if (!layout.areDegrees()) {
            file.rank = layout.rankOf(*place);
            file.rank_is_known = true;
            file.rank_guess = RankGuess::layout;
        } else if (!file.rank_is_known) {
            file.rank_guess = RankGuess::degrees;
        }
    }
}

struct NaturalOrder {
    bool operator()(const std::string& left, const std::string& right) const
    {
        return naturallyBefore(left, right);
    }
};

void countOnThroughFolders(TraceSet& traces)
{
    // By format and folder, then by the file that holds them.
    using RanksOfFiles = std::map<std::string, std::vector<TraceFile*>, NaturalOrder>;
    std::map<std::pair<std::string, fs::path>, RanksOfFiles> folders;
    for (TraceFile& file : traces.files) {
        if (file.rank_guess != RankGuess::order_in_file)
            continue;
        const fs::path holder = fs::path(file.path).parent_path();
        folders[{std::string(file.sourceFormat()), holder.parent_path()}][holder.filename().string()]
            .push_back(&file);
    }
    for (auto& [folder, holders] : folders) {
        std::int64_t next = 0;
        for (auto& [name, ranks] : holders) {
            std::ranges::stable_sort(ranks, {}, &TraceFile::rank);
            for (TraceFile* const file : ranks)
                file->rank = next++;
        }
    }
}

} // namespace

void placeRanks(TraceSet& traces)
{
    placeByLayout(traces);
    countOnThroughFolders(traces);
}

} // namespace shardscope
