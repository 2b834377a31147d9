#include <QTest>

#include <QDir>
#include <QTemporaryDir>

#include "core/analysis/analyze.h"
#include "core/analysis/comparison.h"
#include "core/import/importer.h"
#include "core/prediction/predict.h"
#include "core/report/timeline/timeline_trace.h"
#include "core/scenario/scenario_change.h"
#include "tests/core/prediction/predicted.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

using namespace shardscope;

Q_DECLARE_METATYPE(shardscope::Scenario)

namespace
{

Scenario scenarioOf(Schedule schedule)
{
    Scenario scenario;
    scenario.name = "a \"quoted\" name";
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    setSchedule(scenario.parallel, schedule);
    scenario.training.global_batch_size = 64;
    return scenario;
}

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

TraceSet imported(const QString& path)
{
    const std::array<std::filesystem::path, 1> paths{path.toStdString()};
    Result<TraceSet> traces = importTraces(paths);
    if (!traces)
        qFatal("%s", traces.error().sentence.c_str());
    return std::move(traces).value();
}

void row(const char* name, const std::function<void(Scenario&)>& change)
{
    Scenario scenario = scenarioOf(Schedule::one_f_one_b);
    scenario.time_model = TimeModel::detailed;
    change(scenario);
    QTest::newRow(name) << scenario;
}

// Layers, the model's ends and buckets are of different sizes, and there are more or fewer of them than
// layers.
void addUnits()
{
    const auto of = [](const char* name, int zero_stage, const std::function<void(Scenario&)>& change) {
        row(name, [&](Scenario& scenario) {
            scenario.parallel.zero_stage = zero_stage;
            scenario.conventions.zero_reduction = ZeroReduction::reduce_scatter;
            scenario.conventions.zero_unit = ZeroUnit::layer;
            change(scenario);
        });
    };
    const auto scheduled = [&](const char* name, int zero_stage, Schedule schedule, int virtual_stages = 1) {
        of(name, zero_stage, [&](Scenario& scenario) {
            scenario.parallel.schedule = schedule;
            scenario.parallel.virtual_stages = virtual_stages;
        });
    };
    scheduled("ZeRO 2, 1f1b", 2, Schedule::one_f_one_b);
    scheduled("ZeRO 2, interleaved", 2, Schedule::interleaved, 2);
    scheduled("ZeRO 2, zb-h1", 2, Schedule::zb_h1);
    scheduled("ZeRO 2, dualpipe", 2, Schedule::dualpipe);
    scheduled("ZeRO 3, gpipe", 3, Schedule::gpipe);
    scheduled("ZeRO 3, 1f1b", 3, Schedule::one_f_one_b);
    scheduled("ZeRO 3, interleaved", 3, Schedule::interleaved, 2);
    scheduled("ZeRO 3, zb-h2", 3, Schedule::zb_h2);
    scheduled("ZeRO 3, dualpipe", 3, Schedule::dualpipe);
    of("buckets of ZeRO 2", 2, [](Scenario& scenario) {
        scenario.conventions.zero_reduction = ZeroReduction::all_reduce;
        scenario.conventions.report_loss = true;
    });
    of("small buckets of ZeRO 2", 2, [](Scenario& scenario) {
        scenario.conventions.zero_reduction = ZeroReduction::all_reduce;
        scenario.conventions.dp_bucket_bytes = 4'000'000;
    });
    of("a reduce for each owner", 2,
       [](Scenario& scenario) { scenario.conventions.zero_reduction = ZeroReduction::reduce; });
    of("ZeRO 3, the model as one", 3,
       [](Scenario& scenario) { scenario.conventions.zero_unit = ZeroUnit::model; });
    of("ZeRO 3, the last layer kept", 3,
       [](Scenario& scenario) { scenario.conventions.zero3_keeps = ZeroKeeps::root_and_last; });
    of("ZeRO 3, nothing kept", 3,
       [](Scenario& scenario) { scenario.conventions.zero3_keeps = ZeroKeeps::none; });
    of("ZeRO 3 beneath the computing", 3, [](Scenario& scenario) { scenario.conventions.dp_overlap = true; });
    of("ZeRO 3, a stage without layers", 3, [](Scenario& scenario) {
        const std::int64_t rest = scenario.model.layers - 3;
        scenario.parallel.stage_layers = {rest, 2, 1, 0};
    });
    of("ZeRO 3 and experts", 3, [](Scenario& scenario) {
        scenario.model.experts.count = 4;
        scenario.parallel.data = 4;
        scenario.parallel.expert = 2;
    });
}

// Schedules, conventions and stages of ZeRO whose messages stand in the timeline in different ways.
void everyScenario()
{
    QTest::addColumn<Scenario>("scenario");
    const auto of = [&](const char* name, Schedule schedule, int virtual_stages = 1) {
        row(name, [&](Scenario& scenario) {
            scenario.parallel.schedule = schedule;
            scenario.parallel.virtual_stages = virtual_stages;
        });
    };
    of("gpipe", Schedule::gpipe);
    of("1f1b", Schedule::one_f_one_b);
    of("interleaved", Schedule::interleaved, 2);
    of("zb-h1", Schedule::zb_h1);
    of("zb-h2", Schedule::zb_h2);
    of("zb-v", Schedule::zb_v, 2);
    of("v-min", Schedule::v_min, 2);
    of("dualpipe", Schedule::dualpipe);
    row("parameters of replicas", [](Scenario& scenario) { scenario.parallel.zero_stage = 1; });
    row("buckets beneath", [](Scenario& scenario) {
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_overlap = true;
    });
    row("sequence parallelism", [](Scenario& scenario) { scenario.parallel.sequence_parallel = true; });
    row("parameters of replicas beneath a ring", [](Scenario& scenario) {
        scenario.parallel.context = 2;
        scenario.parallel.zero_stage = 2;
        scenario.conventions.param_overlap = true;
    });
    row("ring of a context group", [](Scenario& scenario) { scenario.parallel.context = 2; });
    row("tied embeddings", [](Scenario& scenario) { scenario.model.tied_embeddings = true; });
    addUnits();
    row("messages between stages in parts",
        [](Scenario& scenario) { scenario.conventions.pp_partitioned = true; });
    row("experts that receive unlike numbers of tokens", [](Scenario& scenario) {
        scenario.model.experts.count = 4;
        scenario.model.experts.skew = 0.7;
        scenario.parallel.data = 4;
        scenario.parallel.expert = 4;
    });
    row("batches that are handed on",
        [](Scenario& scenario) { scenario.conventions.tp_broadcast_batch = true; });
    row("batches that are handed on, interleaved", [](Scenario& scenario) {
        scenario.conventions.tp_broadcast_batch = true;
        scenario.parallel.schedule = Schedule::interleaved;
        scenario.parallel.virtual_stages = 2;
    });
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
        QCOMPARE(lanesOf(traces), expected);
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
                if (event["ph"] != "X" || event["tid"] == 3 || event["tid"] == 4)
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

    void whatIsPredictedIsComparedAsEqual_data() { everyScenario(); }
    void whatIsPredictedIsComparedAsEqual()
    {
        QFETCH(const Scenario, scenario);
        const Result<Prediction> prediction = predict(scenario);
        QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
        QTemporaryDir folder;
        std::vector<std::int64_t> ranks(static_cast<std::size_t>(scenario.worldSize()));
        std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
        QVERIFY(saveTimelineTrace(folder.path().toStdString(), scenario, timelineOf(scenario),
                                  TimelineDetail::layers, ranks));
        const TraceSet traces = imported(folder.path());
        const Comparison comparison = compare(scenario, prediction.value(), traces, analyze(traces, {}));
        QVERIFY(!comparison.rows.empty());
        for (const ComparisonRow& message : comparison.rows)
            QVERIFY2(message.equal(), qPrintable(QStringLiteral("%1 %2 of %3 bytes: %4, exported %5")
                                                     .arg(word(message.kind).data(), word(message.op).data())
                                                     .arg(message.message_bytes)
                                                     .arg(message.predicted_count)
                                                     .arg(message.measured_count)));
        for (const ComparisonRow& message : comparison.rows) // what layers send, and what of it hides
            if (message.kind == Kind::tp || message.kind == Kind::cp || message.kind == Kind::ep)
                QVERIFY2(std::abs(message.predicted_s.value() - message.measured_s)
                             < 0.002 * comparison.predicted_iteration_s,
                         qPrintable(QStringLiteral("%1 of %2 bytes: %3 s, exported %4 s")
                                        .arg(word(message.kind).data())
                                        .arg(message.message_bytes)
                                        .arg(*message.predicted_s)
                                        .arg(message.measured_s)));
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
            QVERIFY(event["ph"] == "X" || event["ph"] == "M");
            QVERIFY(event["pid"] == 0 || event["pid"] == 1);
            complete += event["ph"] == "X" ? 1 : 0;
        }
        QVERIFY(complete > 2 * 2 * 8); // two ranks, forward and backward of eight micro-batches
    }
};

QTEST_APPLESS_MAIN(TestTimelineTrace)
#include "tst_timeline_trace.moc"
