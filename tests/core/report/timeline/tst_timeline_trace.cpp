#include <QTest>

#include <QDir>
#include <QTemporaryDir>

#include "core/analysis/analyze.h"
#include "core/report/timeline/timeline_trace.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/report/timeline/exported_scenarios.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <map>
#include <span>

using namespace shardscope;

namespace
{

std::int64_t nanoseconds(double seconds)
{
    return std::llround(seconds * 1e9);
}

const char* laneOf(Activity activity)
{
    if (activity == Activity::bubble)
        return "waiting";
    return activity == Activity::communication ? "communication" : "compute";
}

// (process, lane) and in it starts and ends.
using Lanes = std::map<std::pair<std::string, std::string>, std::vector<std::pair<TraceTime, TraceTime>>>;

nlohmann::json traceOf(const Scenario& scenario, TimelineDetail detail, std::span<const std::int64_t> ranks)
{
    std::string text;
    writeTimelineTrace(scenario, timelineOf(scenario), detail, ranks, [&](std::string_view piece) {
        text += piece;
        return true;
    });
    return nlohmann::json::parse(text);
}

bool isCall(const nlohmann::json& event, const char* name)
{
    return event["ph"] == "X" && event["cat"] == "kernel" && event["args"].contains("Collective name")
           && event["args"]["Collective name"] == name;
}

// The rank of the world that a send or a receipt names.
std::int64_t peerIn(const nlohmann::json& arguments, const char* key)
{
    const auto members = nlohmann::json::parse(arguments.at("Process Group Ranks").get<std::string>());
    return members.at(arguments.at(key).get<std::size_t>());
}

// Nanoseconds of a time in microseconds with three decimals.
std::int64_t ns(const nlohmann::json& us)
{
    return std::llround(us.get<double>() * 1e3);
}

// The calls of a process and thread with one peer: by start their end.
using CallTimes = std::map<std::array<std::int64_t, 3>, std::map<std::int64_t, std::int64_t>>;

// Answers their number.
std::size_t takeCalls(const nlohmann::json& trace, const char* name, const char* peer_key, CallTimes& times)
{
    std::size_t count = 0;
    for (const nlohmann::json& event : trace["traceEvents"])
        if (isCall(event, name)) {
            ++count;
            std::int64_t& end =
                times[{event["pid"], event["tid"], peerIn(event["args"], peer_key)}][ns(event["ts"])];
            end = std::max(end, ns(event["ts"]) + ns(event["dur"]));
        }
    return count;
}

bool endsAtCallWith(const CallTimes& times, const nlohmann::json& arrow, std::int64_t peer)
{
    const auto calls = times.find({arrow["pid"], arrow["tid"], peer});
    if (calls == times.end())
        return false;
    const auto behind = calls->second.upper_bound(ns(arrow["ts"]));
    return behind != calls->second.begin() && std::prev(behind)->second >= ns(arrow["ts"]);
}

Lanes lanesOf(const TraceSet& traces)
{
    Lanes lanes;
    for (const TraceFile& file : traces.files)
        for (const Track& track : file.store->tracks())
            for (std::uint32_t i = 0; i < track.count; ++i) {
                const EventIndex event{static_cast<std::uint32_t>(track.first) + i};
                lanes[{track.process_name, track.thread_name}].emplace_back(file.store->start(event),
                                                                            file.store->end(event));
            }
    return lanes;
}

} // namespace

class TestTimelineTrace : public QObject
{
    Q_OBJECT
private slots:
    void whatIsExportedIsReadBack_data()
    {
        QTest::addColumn<int>("schedule");
        const auto row = [](const char* name, Schedule schedule) {
            QTest::newRow(name) << static_cast<int>(schedule);
        };
        row("gpipe", Schedule::gpipe);
        row("1f1b", Schedule::one_f_one_b);
        row("interleaved", Schedule::interleaved);
        row("zb-h1", Schedule::zb_h1);
        row("zb-h2", Schedule::zb_h2);
        row("dualpipe", Schedule::dualpipe);
    }
    void whatIsExportedIsReadBack()
    {
        QFETCH(int, schedule);
        const Scenario scenario = scenarioOf(static_cast<Schedule>(schedule));
        const PredictedTimeline timeline = timelineOf(scenario);
        // Ranks 0 and 13: Megatron's order is tensor, data, pipeline.
        const std::array<std::int64_t, 2> ranks{0, 13};
        const std::map<int, std::string> processes{{0, "rank 0: stage 0, tp 0, dp 0"},
                                                   {3, "rank 13: stage 3, tp 1, dp 0"}};
        QTemporaryDir folder;
        const QString file = folder.filePath("timeline.json.gz");
        QVERIFY(saveTimelineTrace(file.toStdString(), scenario, timeline, TimelineDetail::passes, ranks));
        const TraceSet traces = imported(file);
        QCOMPARE(traces.files.front().status, FileStatus::ok);

        Lanes expected;
        for (const TimelineSpan& span : timeline.spans)
            if (const auto process = processes.find(span.stage); process != processes.end())
                expected[{process->second, laneOf(span.activity)}].emplace_back(
                    nanoseconds(span.start_s), nanoseconds(span.start_s + span.duration_s));
        const std::vector<TimelineSpan> sends = sendsInTurn(timeline);
        for (const auto& [lane, spans] :
             {std::pair{"replicas", &timeline.hidden}, std::pair{"sends beneath", &sends}})
            for (const TimelineSpan& span : *spans)
                if (const auto process = processes.find(span.stage);
                    process != processes.end() && nanoseconds(span.end_s()) > nanoseconds(span.start_s))
                    expected[{process->second, lane}].emplace_back(nanoseconds(span.start_s),
                                                                   nanoseconds(span.end_s()));
        Lanes lanes = lanesOf(traces);
        for (const auto& [stage, process] : processes) {
            const std::pair<std::string, std::string> steps{process, "steps"};
            QCOMPARE(lanes[steps].size(), std::size_t{1});
            lanes.erase(steps);
        }
        QCOMPARE(lanes, expected);
    }

    // Layer by layer the same time goes into computing and into messages of each kind, and every micro-batch
    // sends what the table of messages lists.
    void layersAddUpToTheirPasses()
    {
        Scenario scenario = scenarioOf(Schedule::one_f_one_b);
        scenario.time_model = TimeModel::detailed;
        const PredictedTimeline timeline = timelineOf(scenario);
        const std::array<std::int64_t, 1> ranks{0};
        std::array<std::map<std::string, double>, 2> spent; // us by kind, "" computing
        for (const TimelineDetail detail : {TimelineDetail::passes, TimelineDetail::layers}) {
            std::string text;
            writeTimelineTrace(scenario, timeline, detail, ranks, [&](std::string_view piece) {
                text += piece;
                return true;
            });
            const nlohmann::json trace = nlohmann::json::parse(text);
            double messages = 0.0;
            for (const nlohmann::json& event : trace["traceEvents"]) {
                if (event["ph"] != "X" || event["tid"] == 3 || event["tid"] == 4 || event["tid"] == 8)
                    continue;
                const nlohmann::json& arguments = event.at("args");
                if (arguments.contains("Collective name") && arguments["Collective name"] == "recv")
                    continue; // while the stage waits for the message
                const std::string kind = arguments.contains("kind") ? arguments.at("kind") : "";
                if (event.at("dur").get<double>() > 0.0)
                    spent[static_cast<std::size_t>(detail)][kind] += event.at("dur").get<double>();
                messages += kind == "tp" ? 1.0 : 0.0;
            }
            double listed = 0.0;
            const Result<Prediction> prediction = predict(scenario);
            for (const Message& message : prediction.value().stages.front().messages)
                if (message.kind == Kind::tp && message.phase != Phase::step)
                    listed += static_cast<double>(message.count);
            if (detail == TimelineDetail::layers)
                QCOMPARE(messages, listed);
        }
        QCOMPARE(spent[0].size(), spent[1].size());
        for (const auto& [kind, us] : spent[0])
            QVERIFY2(std::abs(spent[1][kind] - us) < 1e-4 * us, kind.c_str());
    }

    void nothingOverlapsWithinALane_data() { everyScenario(); }
    void nothingOverlapsWithinALane()
    {
        QFETCH(const Scenario, scenario);
        QTemporaryDir folder;
        const std::array<std::int64_t, 2> ranks{0, scenario.worldSize() - 1};
        QVERIFY(saveTimelineTrace(folder.path().toStdString(), scenario, timelineOf(scenario),
                                  TimelineDetail::layers, ranks));
        for (auto& [lane, events] : lanesOf(imported(folder.path()))) {
            std::ranges::sort(events);
            TraceTime end = 0;
            for (const auto& [from, to] : events) {
                QVERIFY2(from >= end, qPrintable(QStringLiteral("%1, %2: from %3 ns, another until %4 ns")
                                                     .arg(lane.first.c_str(), lane.second.c_str())
                                                     .arg(from)
                                                     .arg(end)));
                end = to;
            }
        }
    }

    void aFolderGetsAFileForEachRank()
    {
        const Scenario scenario = scenarioOf(Schedule::one_f_one_b);
        const PredictedTimeline timeline = timelineOf(scenario);
        const std::array<std::int64_t, 3> ranks{0, 5, 15};
        QTemporaryDir folder;
        QVERIFY(saveTimelineTrace(folder.path().toStdString(), scenario, timeline, TimelineDetail::passes,
                                  ranks));
        QCOMPARE(QDir{folder.path()}.entryList(QDir::Files).size(), 3);
        const TraceSet traces = imported(folder.path());
        std::vector<std::int64_t> read;
        for (const TraceFile& file : traces.files) {
            read.push_back(file.rank);
            QCOMPARE(file.world_size, std::int64_t{16});
        }
        QCOMPARE(read, std::vector<std::int64_t>(ranks.begin(), ranks.end()));
    }

    // Forward, backward and optimizer are compute; messages are communication of their kind; bubbles are
    // idle.
    void theBreakdownOfTheExportIsThePredictions()
    {
        const Scenario scenario = scenarioOf(Schedule::one_f_one_b);
        const PredictedTimeline timeline = timelineOf(scenario);
        QTemporaryDir folder;
        const std::array<std::int64_t, 1> ranks{0};
        QVERIFY(saveTimelineTrace(folder.path().toStdString(), scenario, timeline, TimelineDetail::passes,
                                  ranks));
        const Measurement measured = analyze(imported(folder.path()), {});
        std::int64_t compute = 0;
        std::int64_t communication = 0;
        for (const TimelineSpan& span : timeline.spans) {
            if (span.stage != 0 || span.activity == Activity::bubble)
                continue;
            const std::int64_t length =
                nanoseconds(span.start_s + span.duration_s) - nanoseconds(span.start_s);
            (span.activity == Activity::communication ? communication : compute) += length;
        }
        QCOMPARE(measured.ranks.size(), std::size_t{1});
        const RankMeasurement& figures = measured.ranks.front();
        QCOMPARE(figures.compute_ns, compute);
        QCOMPARE(figures.communication_ns, communication);
    }

    // From the call that sends to the one that receives, each of which names the other's rank.
    void anArrowLeadsFromEachSendToItsReceipt_data() { everyScenario(); }
    void anArrowLeadsFromEachSendToItsReceipt()
    {
        QFETCH(const Scenario, scenario);
        const nlohmann::json trace = traceOf(scenario, TimelineDetail::layers, onePipeline(scenario));
        CallTimes sends;
        CallTimes receipts;
        const std::size_t sent = takeCalls(trace, "send", "Dst Rank", sends);
        QVERIFY(sent > 0);
        QCOMPARE(takeCalls(trace, "recv", "Src Rank", receipts), sent);
        std::map<std::int64_t, nlohmann::json> begun;
        std::map<std::int64_t, nlohmann::json> ended;
        for (const nlohmann::json& event : trace["traceEvents"])
            if (event["ph"] == "s" || event["ph"] == "f") {
                auto& arrows = event["ph"] == "s" ? begun : ended;
                QVERIFY(arrows.try_emplace(event["id"], event).second);
            }
        QCOMPARE(begun.size(), ended.size());
        QCOMPARE(begun.size(), sent);
        for (const auto& [id, from] : begun) {
            QVERIFY(ended.contains(id));
            const nlohmann::json& to = ended[id];
            QVERIFY(ns(from["ts"]) <= ns(to["ts"]));
            QVERIFY(endsAtCallWith(sends, from, to["pid"]));
            QVERIFY(endsAtCallWith(receipts, to, from["pid"]));
        }
    }

    void theTextIsAChromeTrace()
    {
        const Scenario scenario = scenarioOf(Schedule::gpipe);
        std::string text;
        const std::array<std::int64_t, 2> ranks{0, 1};
        writeTimelineTrace(scenario, timelineOf(scenario), TimelineDetail::passes, ranks,
                           [&](std::string_view piece) {
                               text += piece;
                               return true;
                           });
        const nlohmann::json trace = nlohmann::json::parse(text);
        QVERIFY(trace["otherData"]["scenario"] == scenario.name);
        int complete = 0;
        for (const nlohmann::json& event : trace["traceEvents"]) {
            QVERIFY(event["ph"] == "X" || event["ph"] == "M"); // no arrow: neither rank sends to the other
            QVERIFY(event["pid"] == 0 || event["pid"] == 1);
            complete += event["ph"] == "X" ? 1 : 0;
        }
        QVERIFY(complete > 2 * 2 * 8); // two ranks, forward and backward of eight micro-batches
    }
};

QTEST_APPLESS_MAIN(TestTimelineTrace)
#include "tst_timeline_trace.moc"
