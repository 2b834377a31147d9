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

std::optional<LayoutPlace> placeOf(const TraceFile& file)
{
    return file.status == FileStatus::rejected ? std::nullopt
                                               : placeFromName(fs::path(file.path).filename().string());
}

void placeByLayout(TraceSet& traces)
{
    std::set<LayoutPlace> places;
    LayoutPlace size{1, 1, 1, 1};
    for (const TraceFile& file : traces.files) {
        const auto place = placeOf(file);
        if (!place)
            continue;
        places.insert(*place);
        size.tensor = std::max(size.tensor, place->tensor + 1);
        size.context = std::max(size.context, place->context + 1);
        size.data = std::max(size.data, place->data + 1);
        size.pipeline = std::max(size.pipeline, place->pipeline + 1);
    }
    if (places.size() < 2) // one place does not tell how many there are
        return;
    for (TraceFile& file : traces.files) {
        const bool is_told = file.rank_is_known && file.rank_guess == RankGuess::none;
        const auto place = placeOf(file);
        if (is_told || !place || file.rank_guess == RankGuess::order_in_file)
            continue;
        file.rank =
            place->tensor
            + size.tensor * (place->context + size.context * (place->data + size.data * place->pipeline));
        file.rank_is_known = true;
        file.rank_guess = RankGuess::layout;
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
