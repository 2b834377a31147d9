#include <QtTest>

#include <QTemporaryDir>

#include "core/import/importer.h"

#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <map>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;
using Json = nlohmann::json;

class TestFlightRecorder : public QObject
{
    Q_OBJECT

private slots:
    void jsonDumpsAreRead();
    void sharedDumpsHoldWhatTheReferenceSays_data();
    void sharedDumpsHoldWhatTheReferenceSays();
};

void TestFlightRecorder::jsonDumpsAreRead()
{
    const QTemporaryDir folder;
    const fs::path path = folder.filePath("nccl_trace_rank_5").toStdString();
    std::ofstream(path) << R"({"version":"2.9","nccl_version":"2.27.3",
        "pg_config":{"43":{"name":"43","desc":"PIPELINE_MODEL_PARALLEL_GROUP","ranks":"[1, 5, 9, 13]"}},"pg_status":{},
        "entries":[
        {"record_id":1,"process_group":["43","PIPELINE_MODEL_PARALLEL_GROUP"],"profiling_name":"nccl:send 1->2",
         "input_sizes":[[4096,1,5120]],"input_dtypes":["BFloat16"],"output_sizes":[[4096,1,5120]],"output_dtypes":["BFloat16"],
         "state":"started","duration_ms":2.5,"is_p2p":true},
        {"record_id":2,"process_group":["43","PIPELINE_MODEL_PARALLEL_GROUP"],"profiling_name":"nccl:_all_gather_base",
         "input_sizes":[[16]],"input_dtypes":["Long"],"output_sizes":[[64]],"output_dtypes":["Long"],"state":"completed"},
        {"record_id":3,"process_group":["7","gone"],"profiling_name":"nccl:recv 0<-1","input_sizes":[[-1]],"input_dtypes":["Odd"]},
        7]})";
    const Result<TraceSet> set = importTraces(std::array{path});
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("flight_recorder"));
    QCOMPARE(file.rank, std::int64_t{5});
    QCOMPARE(file.world_size, std::int64_t{14});
    QCOMPARE(file.groups.size(), std::size_t{1});
    QCOMPARE(file.status, FileStatus::recovered); // the entry that is none
    QCOMPARE(file.calls.size(), std::size_t{3});
    QCOMPARE(file.calls[0].name, std::string("send"));
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{4096 * 5120 * 2});
    QCOMPARE(file.calls[0].peer, std::int64_t{9}); // the third of the group
    QCOMPARE(file.calls[0].time_s, 0.0025);
    QCOMPARE(file.calls[0].state, std::string("started"));
    QCOMPARE(file.calls[1].in_bytes, std::int64_t{128});
    QCOMPARE(file.calls[1].out_bytes, std::int64_t{512});
    QCOMPARE(file.calls[1].group_size, std::int64_t{4});
    QCOMPARE(file.calls[2].in_bytes, std::int64_t{-1});
    QCOMPARE(file.calls[2].peer, std::int64_t{-1});
}

void TestFlightRecorder::sharedDumpsHoldWhatTheReferenceSays_data()
{
    const fs::path reference =
        fs::path(SHARDSCOPE_SHARED_FOLDER) / "traces/reference/exact/flight_recorder_nvrx.json";
    if (!fs::exists(reference))
        QSKIP("the folder ../shared with recorded traces is not here");
    QTest::addColumn<QString>("run");
    QTest::newRow("gpu_error_1st") << "gpu_error_1st";
    QTest::newRow("lock_gil_1st") << "lock_gil_1st";
}

void TestFlightRecorder::sharedDumpsHoldWhatTheReferenceSays()
{
    QFETCH(QString, run);
    const fs::path traces = fs::path(SHARDSCOPE_SHARED_FOLDER) / "traces";
    std::ifstream file(traces / "reference/exact/flight_recorder_nvrx.json");
    const Json want = Json::parse(file)[run.toStdString()];
    const Result<TraceSet> set = importTraces(std::array{traces / "flight_recorder_a" / run.toStdString()});
    QCOMPARE(set.value().files.size(), std::size_t{16});
    std::map<std::pair<std::string, std::int64_t>, int> histogram;
    std::map<std::string, std::int64_t> sent;
    for (const TraceFile& dump : set.value().files) {
        const std::string rank = std::to_string(dump.rank);
        QCOMPARE(dump.status, FileStatus::ok);
        QCOMPARE(int(dump.calls.size()), want["entries"][rank].get<int>());
        for (const SizedCall& call : dump.calls) {
            ++histogram[{call.name, call.in_bytes}];
            if (call.name == "send")
                sent[rank + "->" + std::to_string(call.peer)] += call.in_bytes;
        }
    }
    for (const Json& row : want["hist"])
        QCOMPARE((histogram[{row[0].get<std::string>(), row[1].get<std::int64_t>()}]), row[2].get<int>());
    QCOMPARE(histogram.size(), want["hist"].size());
    QCOMPARE(sent, (want["p2p_send_bytes"].get<std::map<std::string, std::int64_t>>()));
}

QTEST_APPLESS_MAIN(TestFlightRecorder)
#include "tst_flight_recorder.moc"
