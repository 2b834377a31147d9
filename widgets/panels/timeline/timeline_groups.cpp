#include "widgets/panels/timeline/timeline_groups.h"

#include "widgets/session/shown_text.h"

#include "core/analysis/run_mapping.h"
#include "core/trace/rank_claims.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardscope
{

namespace
{

constexpr qsizetype most_ranges = 8;             // in the name of a group
constexpr std::int64_t most_members = 1'000'000; // of the groups of all ranks; more would be felt
constexpr std::size_t most_families = 12;        // of process groups in the choice

// "0, 1, 4–7", cut where there are very many.
QString rangesOf(const std::vector<std::int64_t>& ranks)
{
    QStringList parts;
    for (std::size_t i = 0; i < ranks.size();) {
        if (parts.size() == most_ranges) {
            parts << QStringLiteral("…");
            break;
        }
        std::size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
            ++end;
        parts << (end - i < 3 ? QString::number(ranks[i])
                              : QStringLiteral("%1–%2").arg(ranks[i]).arg(ranks[end - 1]));
        i = end - i < 3 ? i + 1 : end;
    }
    return parts.join(QStringLiteral(", "));
}

// Ranks under a key each, in the order of the keys; those without one come last.
class Grouper
{
public:
    void add(std::size_t row, std::optional<std::int64_t> key)
    {
        if (key)
            m_groups[*key].push_back(row);
        else
            m_others.push_back(row);
    }
    // `name` of a key.
    template<class Name>
    RankGrouping grouping(const QString& title, Name name) const
    {
        RankGrouping result{title, {}};
        for (const auto& [key, rows] : m_groups)
            result.groups.push_back({name(key), remarkOf(rows), rows});
        if (!m_others.empty())
            result.groups.push_back({QStringLiteral("other ranks"), remarkOf(m_others), m_others});
        return result;
    }

private:
    static QString remarkOf(const std::vector<std::size_t>& rows)
    {
        return rows.size() == 1 ? QStringLiteral("1 rank") : QStringLiteral("%1 ranks").arg(rows.size());
    }

    std::map<std::int64_t, std::vector<std::size_t>> m_groups;
    std::vector<std::size_t> m_others;
};

void addIfUseful(std::vector<RankGrouping>& groupings, RankGrouping grouping)
{
    if (grouping.groups.size() > 1)
        groupings.push_back(std::move(grouping));
}

// The groups of the trace by what they are for, the members of each once.
using Families = std::map<std::string, std::set<std::vector<std::int64_t>>>;

Families familiesOf(const MeasuredLanes& lanes)
{
    Families families;
    if (!lanes.run)
        return families;
    for (const TraceFile& file : lanes.run->traces.files)
        for (const ProcessGroup& group : file.groups)
            if (group.ranks.size() > 1 && !group.description.empty())
                families[group.description].insert(group.ranks);
    return families;
}

void addProcessGroups(const MeasuredLanes& lanes, std::vector<RankGrouping>& groupings)
{
    for (const auto& [description, groups] : familiesOf(lanes)) {
        if (groupings.size() >= most_families)
            return;
        const std::vector<std::vector<std::int64_t>> members{groups.begin(), groups.end()};
        Grouper grouper;
        for (std::size_t row = 0; row < lanes.ranks.size(); ++row) {
            const auto of_rank = std::ranges::find_if(members, [&](const auto& ranks) {
                return std::ranges::find(ranks, lanes.ranks[row].rank) != ranks.end();
            });
            grouper.add(row,
                        of_rank == members.end() ? std::nullopt : std::optional{of_rank - members.begin()});
        }
        addIfUseful(groupings, grouper.grouping(toQString(description), [&](std::int64_t key) {
            return QStringLiteral("ranks %1").arg(rangesOf(members[static_cast<std::size_t>(key)]));
        }));
    }
}

void addLayoutGroups(const MeasuredLanes& lanes, const RankLayout& layout,
                     std::vector<RankGrouping>& groupings)
{
    for (const Kind kind : {Kind::tp, Kind::cp, Kind::dp, Kind::ep}) {
        const std::int64_t members = layout.groupSize(kind) * static_cast<std::int64_t>(lanes.ranks.size());
        if (layout.groupSize(kind) < 2 || members > most_members)
            continue;
        Grouper grouper;
        for (std::size_t row = 0; row < lanes.ranks.size(); ++row)
            grouper.add(row, std::ranges::min(layout.group(kind, lanes.ranks[row].rank)));
        addIfUseful(groupings, grouper.grouping(QStringLiteral("%1 group").arg(toQString(word(kind))),
                                                [&](std::int64_t first) {
                                                    std::vector<std::int64_t> ranks =
                                                        layout.group(kind, first);
                                                    std::ranges::sort(ranks);
                                                    return QStringLiteral("ranks %1").arg(rangesOf(ranks));
                                                }));
    }
}

} // namespace

// A trace alone may be of any run.
bool standIn(const MeasuredLanes& lanes, const RankLayout& layout)
{
    const std::int64_t world = lanes.run ? worldSizeOf(lanes.run->traces) : 0;
    if (world > 1 && world != layout.worldSize())
        return false;
    return std::ranges::all_of(lanes.ranks, [&](const MeasuredRank& rank) {
        return rank.rank >= 0 && rank.rank < layout.worldSize();
    });
}

RankLayout layoutOf(const MeasuredLanes& lanes, const Scenario& scenario)
{
    return RankLayout{lanes.run ? asInTheRun(scenario.parallel, lanes.run->measurement) : scenario.parallel};
}

std::vector<RankGrouping> rankGroupings(const MeasuredLanes& lanes, const Scenario* scenario)
{
    std::vector<RankGrouping> groupings;
    if (scenario) {
        const RankLayout layout = layoutOf(lanes, *scenario);
        const bool has_places = standIn(lanes, layout);
        const std::int64_t node_size = std::max<std::int64_t>(1, scenario->cluster.gpus_per_node);
        Grouper nodes;
        Grouper stages;
        for (std::size_t row = 0; row < lanes.ranks.size(); ++row) {
            const std::int64_t rank = lanes.ranks[row].rank;
            nodes.add(row, rank / node_size);
            if (has_places)
                stages.add(row, layout.coordinates(rank).pp);
        }
        addIfUseful(groupings, nodes.grouping(QStringLiteral("node"), [](std::int64_t node) {
            return QStringLiteral("node %1").arg(node);
        }));
        addIfUseful(groupings, stages.grouping(QStringLiteral("pipeline stage"), [](std::int64_t stage) {
            return QStringLiteral("stage %1").arg(stage);
        }));
        addProcessGroups(lanes, groupings);
        if (has_places && familiesOf(lanes).empty())
            addLayoutGroups(lanes, layout, groupings);
        return groupings;
    }
    addProcessGroups(lanes, groupings);
    return groupings;
}

} // namespace shardscope
