#include "core/report/timeline/timeline_trace.h"

#include "core/base/gzip_file.h"
#include "core/base/json_writer.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/predict.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/report/timeline/timeline_events.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

std::string metadata(std::string_view what, std::int64_t rank, int lane, const auto& value)
{
    JsonWriter json{-1};
    json.beginObject();
    json.member("ph", "M");
    json.member("name", what);
    json.member("pid", rank);
    if (lane > 0)
        json.member("tid", lane);
    json.key("args");
    json.beginObject();
    json.member(what.ends_with("sort_index") ? "sort_index" : "name", value);
    json.endObject();
    json.endObject();
    return json.take();
}

std::string processName(std::int64_t rank, const RankCoordinates& place, const Parallel& parallel)
{
    std::string name = "rank " + std::to_string(rank) + ": stage " + std::to_string(place.pp);
    const auto add = [&](const char* axis, std::int64_t size, int where) {
        if (size > 1)
            name += std::string{", "} + axis + ' ' + std::to_string(where);
    };
    add("tp", parallel.tensor, place.tp);
    add("cp", parallel.context, place.cp);
    add("dp", parallel.data, place.dp);
    add("ep", parallel.expert, place.ep);
    return name;
}

// Names and order of a rank's process and lanes.
std::string describe(std::int64_t rank, const RankCoordinates& place, const Parallel& parallel)
{
    std::string text = metadata("process_name", rank, 0, processName(rank, place, parallel)) + ",\n"
                       + metadata("process_sort_index", rank, 0, rank);
    for (const auto& [lane, name] : {std::pair{EventLane::compute, "compute"},
                                     {EventLane::communication, "communication"},
                                     {EventLane::waiting, "waiting"},
                                     {EventLane::beneath, "communication beneath"},
                                     {EventLane::replicas, "replicas"},
                                     {EventLane::stages, "between stages"},
                                     {EventLane::sends, "sends beneath"},
                                     {EventLane::steps, "steps"}}) {
        const int number = static_cast<int>(lane);
        text += ",\n" + metadata("thread_name", rank, number, name) + ",\n"
                + metadata("thread_sort_index", rank, number, number);
    }
    return text;
}

// The document up to its first event.
std::string opening(const Scenario& scenario, const PredictedTimeline& timeline,
                    std::span<const std::int64_t> ranks)
{
    JsonWriter json{-1};
    json.beginObject();
    if (ranks.size() == 1) {
        json.key("distributedInfo");
        json.beginObject();
        json.member("rank", ranks.front());
        json.member("world_size", scenario.worldSize());
        json.endObject();
    }
    json.member("displayTimeUnit", "ns");
    json.key("otherData");
    json.beginObject();
    json.member("what", "predicted timeline of one iteration");
    json.member("scenario", scenario.name);
    json.member("iteration_s", timeline.period_s);
    if (timeline.overlapsTheNext())
        json.member("note", "stages begin the next iteration before the last one is through with this one");
    json.endObject();
    json.key("traceEvents");
    json.beginArray();
    return json.take();
}

// What the ranks of a trace do, as text. Those of a stage whose experts receive as much differ in names
// alone.
class RankTexts
{
public:
    RankTexts(const Scenario& scenario, const PredictedTimeline& timeline, TimelineDetail detail,
              const TimelineCalls* calls, std::span<const std::int64_t> ranks)
        : m_scenario{scenario},
          m_layout{scenario.parallel},
          m_parts{scenario},
          m_ranks{ranks.begin(), ranks.end()}
    {
        for (const std::int64_t rank : ranks) {
            const RankCoordinates place = m_layout.coordinates(rank);
            const double load = loadOf(place);
            std::vector<EventText>& texts = m_texts[{place.pp, load}];
            if (!texts.empty())
                continue;
            const std::vector<StageEvent> events = eventsOfStage(timeline, place.pp, detail, calls, load);
            texts = textsOf(events, stepOfStage(timeline, place.pp, events), scenario);
            // Which messages a stage sends when is the same for all loads.
            m_messages.try_emplace(place.pp, eventsWithPeer(events, scenario));
        }
        m_ways.emplace(m_messages, scenario);
    }

    std::string ofRank(std::int64_t rank) const
    {
        const RankCoordinates place = m_layout.coordinates(rank);
        const std::string pid = std::to_string(rank);
        std::string text = describe(rank, place, m_scenario.parallel);
        KnownPeers peers;
        for (const EventText& event : m_texts.at({place.pp, loadOf(place)})) {
            text.append(",\n").append(event.before).append(pid).append(event.after);
            if (event.peer == PeerSide::none)
                text += "}}";
            else
                addPeer(rank, place.pp, event, peers, text);
        }
        return text;
    }

private:
    double loadOf(const RankCoordinates& place) const { return m_parts.load(m_parts.part(place)); }

    struct KnownPeer {
        std::int64_t rank = -1;
        std::string text;
    };
    using KnownPeers = std::map<std::pair<PeerSide, Op>, KnownPeer>; // of one rank, which has few

    // And the message's arrow, where both ranks are there. Its number is among those of its sender.
    void addPeer(std::int64_t rank, int stage, const EventText& text, KnownPeers& peers,
                 std::string& into) const
    {
        const StageEvent& event = m_messages.at(stage)[text.place];
        KnownPeer& peer = peers[{text.peer, event.op}];
        if (peer.rank < 0) {
            const MessagePeer found = peerOf(rank, text.peer, event, m_layout);
            peer = {found.rank, textOf(found, event.op)};
        }
        into.append(peer.text).append("}}");
        const std::optional<ArrowEnd>& arrow = m_ways->ofStage(stage)[text.place];
        if (!arrow || !m_ranks.contains(peer.rank))
            return;
        const std::int64_t sender = event.op == Op::send ? rank : peer.rank;
        const std::int64_t id = sender * m_ways->numbersPerRank() + arrow->number + 1;
        into.append(",\n").append(textOf(*arrow, event, rank, id));
    }

    const Scenario& m_scenario;
    RankLayout m_layout;
    RankParts m_parts;
    std::set<std::int64_t> m_ranks;
    std::map<std::pair<int, double>, std::vector<EventText>> m_texts; // by stage and what experts receive
    std::map<int, std::vector<StageEvent>> m_messages;                // by stage
    std::optional<MessageWays> m_ways;
};

Result<bool> saveFile(const std::filesystem::path& file, const Scenario& scenario,
                      const PredictedTimeline& timeline, TimelineDetail detail,
                      std::span<const std::int64_t> ranks, const std::function<bool(double)>& goOn)
{
    Result<GzipFile> output = GzipFile::create(file);
    if (!output)
        return Error{file.string() + ": " + output.error().sentence};
    double written = -1.0; // what comes before the first rank
    bool is_stopped = false;
    writeTimelineTrace(scenario, timeline, detail, ranks, [&](std::string_view text) {
        output.value().write(text);
        is_stopped =
            is_stopped || (goOn && !goOn(std::min(1.0, ++written / static_cast<double>(ranks.size()))));
        return !is_stopped;
    });
    if (is_stopped)
        return Error{file.string() + ": stopped"};
    Result<bool> finished = output.value().finish();
    if (!finished)
        return Error{file.string() + ": " + finished.error().sentence};
    return finished;
}

} // namespace

void writeTimelineTrace(const Scenario& scenario, const PredictedTimeline& timeline, TimelineDetail detail,
                        std::span<const std::int64_t> ranks,
                        const std::function<bool(std::string_view)>& write)
{
    const Result<Prediction> prediction = predict(scenario);
    std::optional<TimelineCalls> calls;
    if (detail == TimelineDetail::layers && !timeline.passes.empty() && prediction)
        calls.emplace(scenario, prediction.value(), timeline);
    const RankTexts texts{scenario, timeline, detail, calls ? &*calls : nullptr, ranks};
    if (!write(opening(scenario, timeline, ranks)))
        return;
    for (const std::int64_t rank : ranks)
        if (!write((rank == ranks.front() ? "" : ",\n") + texts.ofRank(rank)))
            return;
    write("\n]}\n");
}

std::optional<std::string> whyNoTimelineTrace(const PredictedTimeline& timeline, TimelineDetail detail,
                                              std::size_t ranks)
{
    constexpr std::size_t most_events = 20'000'000;
    const std::size_t each =
        eventCount(timeline, detail) / static_cast<std::size_t>(std::max(1, timeline.stages));
    if (each == 0 || ranks <= most_events / each)
        return std::nullopt;
    return std::to_string(ranks) + " ranks with " + std::to_string(each)
           + " events each are more than any viewer takes; choose some of the ranks";
}

Result<bool> saveTimelineTrace(const std::filesystem::path& file, const Scenario& scenario,
                               const PredictedTimeline& timeline, TimelineDetail detail,
                               std::span<const std::int64_t> ranks, const std::function<bool(double)>& goOn)
{
    if (const auto problem = whyNoTimelineTrace(timeline, detail, ranks.size()))
        return Error{file.string() + ": " + *problem};
    std::error_code ignored;
    if (!std::filesystem::is_directory(file, ignored))
        return saveFile(file, scenario, timeline, detail, ranks, goOn);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const auto ofAll = [&](double share) {
            return !goOn || goOn((static_cast<double>(i) + share) / static_cast<double>(ranks.size()));
        };
        if (auto saved = saveFile(file / ("rank-" + std::to_string(ranks[i]) + ".json.gz"), scenario,
                                  timeline, detail, ranks.subspan(i, 1), ofAll);
            !saved)
            return saved;
    }
    return true;
}

} // namespace shardscope
