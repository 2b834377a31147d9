#include "core/import/chrome/rank_processes.h"

#include "core/base/lower_case.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <string>
#include <utility>

namespace shardscope
{

namespace
{

// The events of one file on their way into a store for each rank, with all that refers to them.
// `rank_of_track` holds places among the ranks.
class RankStores
{
public:
    RankStores(const TraceStore& from, std::vector<std::size_t> rank_of_track, std::size_t ranks)
        : m_from{from}, m_rank_of_track{std::move(rank_of_track)}, m_builders(ranks), m_added(from.size())
    {
    }

    std::vector<std::shared_ptr<const TraceStore>> finish()
    {
        for (std::size_t rank = 0; rank < m_builders.size(); ++rank)
            addTracks(rank);
        addReferences();
        for (const Counter& counter : m_from.counters())
            addCounter(counter);
        std::vector<std::shared_ptr<const TraceStore>> stores;
        for (TraceBuilder& builder : m_builders)
            stores.push_back(builder.finish());
        return stores;
    }

private:
    void addTracks(std::size_t rank)
    {
        TraceBuilder& builder = m_builders[rank];
        std::vector<std::optional<NameId>> names(m_from.names().size());
        const auto nameOf = [&](NameId id) {
            std::optional<NameId>& known = names[static_cast<std::size_t>(id)];
            if (!known)
                known = builder.intern(m_from.names().text(id));
            return *known;
        };
        for (std::size_t place = 0; place < m_rank_of_track.size(); ++place) {
            if (m_rank_of_track[place] != rank)
                continue;
            const Track& track = m_from.tracks()[place];
            const TrackIndex index = builder.addTrack(track);
            const auto first = static_cast<std::uint32_t>(track.first);
            for (std::uint32_t row = first; row < first + track.count; ++row) {
                const EventIndex event{row};
                m_added[row] = builder.addEvent(index, m_from.start(event), m_from.duration(event),
                                                nameOf(m_from.nameId(event)),
                                                nameOf(m_from.categoryId(event)), m_from.sourceOffset(event));
            }
        }
    }

    std::size_t rankOf(EventIndex event) const
    {
        return m_rank_of_track[static_cast<std::size_t>(m_from.track(event))];
    }
    EventIndex added(EventIndex event) const { return m_added[static_cast<std::size_t>(event)]; }

    void addReferences()
    {
        for (CollectiveCall call : m_from.collectives()) {
            TraceBuilder& builder = m_builders[rankOf(call.event)];
            call.event = added(call.event);
            for (NameId* const name : {&call.name, &call.dtype, &call.group, &call.group_description,
                                       &call.group_ranks, &call.in_splits})
                *name = builder.intern(m_from.names().text(*name));
            builder.addCollective(call);
        }
        for (const GpuLaunch& launch : m_from.launches())
            if (const std::size_t rank = rankOf(launch.gpu); rank == rankOf(launch.call))
                m_builders[rank].addLaunch({added(launch.gpu), added(launch.call)});
        for (MemoryMove move : m_from.memoryMoves()) {
            TraceBuilder& builder = m_builders[rankOf(move.event)];
            move.event = added(move.event);
            builder.addMemoryMove(move);
        }
    }

    // With its process; the first rank has those of processes without events.
    void addCounter(const Counter& counter)
    {
        const auto track = std::ranges::find(m_from.tracks(), counter.pid, &Track::pid);
        const std::size_t rank =
            track == m_from.tracks().end()
                ? 0
                : m_rank_of_track[static_cast<std::size_t>(track - m_from.tracks().begin())];
        TraceBuilder& builder = m_builders[rank];
        const std::size_t place = builder.addCounter(counter.pid, counter.name, counter.is_bytes);
        for (std::size_t i = 0; i < counter.times.size(); ++i)
            builder.addSample(place, counter.times[i], counter.values[i]);
    }

    const TraceStore& m_from;
    std::vector<std::size_t> m_rank_of_track;
    std::vector<TraceBuilder> m_builders;
    std::vector<EventIndex> m_added; // where each event went in its rank's builder
};

// Places in a layout, the axis that ranks count along last first: neighbours differ in their tensor group.
constexpr std::array<std::string_view, 4> axes{"PP", "DP", "TP", "EP"};
using Places = std::array<std::int64_t, axes.size()>;

// Those of a process "[TP00-DP01] 4000", as SGLang's merged traces write it. Other words in brackets are no
// ranks.
std::optional<Places> placesBefore(std::string_view pid)
{
    const std::size_t end = pid.find("] ");
    if (!pid.starts_with('[') || end == std::string_view::npos)
        return std::nullopt;
    Places places{};
    for (std::string_view rest = pid.substr(1, end); !rest.empty();) { // each ends with '-' or the bracket
        const auto axis = std::ranges::find(axes, rest.substr(0, 2));
        if (axis == axes.end())
            return std::nullopt;
        const char* const limit = rest.data() + rest.size();
        std::int64_t& place = places[static_cast<std::size_t>(axis - axes.begin())];
        const auto [behind, error] = std::from_chars(rest.data() + 2, limit, place);
        if (error != std::errc{} || place < 0 || behind == limit || (*behind != '-' && *behind != ']'))
            return std::nullopt;
        rest = rest.substr(static_cast<std::size_t>(behind - rest.data()) + 1);
    }
    return places;
}

// Which rank's each track is, as its process is called.
struct RanksOfTracks {
    std::vector<std::int64_t> numbers; // each once, ascending
    std::vector<std::size_t> of_track; // places among the numbers; of no rank: the first
    bool is_by_layout = false;         // counted in the order of the places before the processes' numbers

    explicit RanksOfTracks(const std::vector<Track>& tracks)
    {
        std::vector<std::optional<std::int64_t>> told;
        for (const Track& track : tracks)
            told.push_back(rankOfProcess(track.process_name.empty() ? track.pid : track.process_name));
        if (std::ranges::none_of(told, [](const auto& rank) { return rank.has_value(); }))
            countLayouts(tracks, told);
        for (const std::optional<std::int64_t>& rank : told)
            if (rank)
                numbers.push_back(*rank);
        std::ranges::sort(numbers);
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        for (const std::optional<std::int64_t>& rank : told)
            of_track.push_back(
                rank ? static_cast<std::size_t>(std::ranges::lower_bound(numbers, *rank) - numbers.begin())
                     : 0);
    }

private:
    void countLayouts(const std::vector<Track>& tracks, std::vector<std::optional<std::int64_t>>& told)
    {
        std::vector<std::optional<Places>> places;
        std::set<Places> layout;
        for (const Track& track : tracks)
            if (places.push_back(placesBefore(track.pid)); places.back())
                layout.insert(*places.back());
        is_by_layout = layout.size() > 1;
        for (std::size_t i = 0; is_by_layout && i < tracks.size(); ++i)
            if (places[i])
                told[i] = std::distance(layout.begin(), layout.find(*places[i]));
    }
};

} // namespace

std::int64_t devicesOf(const TraceStore& store)
{
    std::set<std::string_view> devices;
    for (const Track& track : store.tracks())
        if (track.is_gpu)
            devices.insert(track.pid);
    return static_cast<std::int64_t>(devices.size());
}

std::optional<std::int64_t> rankOfProcess(std::string_view name)
{
    constexpr std::string_view word = "rank";
    const std::string lower = inLowerCase(name);
    const std::size_t at = lower.find(word);
    if (at == std::string::npos || (at > 0 && lower[at - 1] != '[' && lower[at - 1] != '('))
        return std::nullopt;
    std::size_t digits = at + word.size();
    if (digits < lower.size() && std::string_view{" _-:#"}.find(lower[digits]) != std::string_view::npos)
        ++digits;
    if (digits < lower.size() && lower[digits] == ' ') // "rank: 3"
        ++digits;
    std::int64_t rank = 0;
    const char* const limit = lower.data() + lower.size();
    const auto [end, error] = std::from_chars(lower.data() + digits, limit, rank);
    const bool is_word = end == limit || (std::isalnum(static_cast<unsigned char>(*end)) == 0 && *end != '.');
    return error == std::errc{} && is_word && rank >= 0 ? std::optional{rank} : std::nullopt;
}

std::vector<CollectiveLinks> linksOfRanks(CollectiveLinks links, const TraceBuilder& builder)
{
    const RanksOfTracks ranks{builder.tracks()};
    std::vector<CollectiveLinks> parts(std::max<std::size_t>(1, ranks.numbers.size()));
    if (parts.size() == 1) {
        parts.front() = std::move(links);
        return parts;
    }
    const auto partOf = [&](TrackIndex track) -> CollectiveLinks& {
        return parts[ranks.of_track[static_cast<std::size_t>(track)]];
    };
    for (const LaunchRow& launch : links.launches)
        partOf(launch.track).launches.push_back(launch);
    for (const CommunicationRow& row : links.communications)
        partOf(row.track).communications.push_back(row);
    const std::vector<TrackIndex> tracks = builder.tracksOfEvents();
    for (const LaunchedRow& launched : links.launched)
        partOf(tracks[static_cast<std::size_t>(launched.event)]).launched.push_back(launched);
    return parts;
}

void takeApartRanks(TraceFile& file, std::vector<TraceFile>& further)
{
    const std::shared_ptr<const TraceStore> store = file.store;
    const RanksOfTracks ranks{store->tracks()};
    if (ranks.numbers.size() < 2)
        return;
    const auto stores = RankStores{*store, ranks.of_track, ranks.numbers.size()}.finish();
    const TraceFile whole = file;
    std::size_t place = 0;
    for (const std::int64_t number : ranks.numbers) {
        TraceFile& rank = place == 0 ? file : further.emplace_back(whole);
        if (place > 0)
            rank.flows = rank.bytes_uncompressed = 0; // told with the first
        rank.store = stores[place++];
        rank.devices = devicesOf(*rank.store);
        rank.path = whole.path + "/rank " + std::to_string(number);
        rank.rank = number;
        rank.rank_is_known = !ranks.is_by_layout;
        rank.rank_guess = ranks.is_by_layout ? RankGuess::order_in_file : RankGuess::none;
    }
}

} // namespace shardscope
