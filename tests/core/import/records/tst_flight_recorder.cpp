#include <QtTest>

#include <QTemporaryDir>

#include "core/import/importer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
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
    void dumpsTellTheirRank_data();
    void dumpsTellTheirRank();
    void groupsTellHowFarTheyCame_data();
    void groupsTellHowFarTheyCame();
    void listsOfEntriesAreRead();
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
        {"record_id":4,"process_group":["43","PIPELINE_MODEL_PARALLEL_GROUP"],"profiling_name":"nccl:all_to_all",
         "input_sizes":[[4,8],[12,8]],"input_dtypes":["Float","Float"],"output_sizes":[[1]],"output_dtypes":["Float"]},
        {"record_id":3,"process_group":["7","gone"],"profiling_name":"nccl:recv 0<-1","input_sizes":[[-1]],"input_dtypes":["Odd"]},
        7]})";
    const Result<TraceSet> set = importTraces(std::array{path});
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("flight_recorder"));
    QCOMPARE(file.rank, std::int64_t{5});
    QCOMPARE(file.world_size, std::int64_t{14});
    QCOMPARE(file.groups.size(), std::size_t{1});
    QCOMPARE(file.status, FileStatus::recovered); // the entry that is none
    QCOMPARE(file.calls.size(), std::size_t{4});
    QCOMPARE(file.calls[0].name, std::string("send"));
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{4096 * 5120 * 2});
    QCOMPARE(file.calls[0].peer, std::int64_t{9}); // the third of the group
    QCOMPARE(file.calls[0].time_s, 0.0025);
    QCOMPARE(file.calls[0].state, std::string("started"));
    QCOMPARE(file.calls[1].in_bytes, std::int64_t{128});
    QCOMPARE(file.calls[1].out_bytes, std::int64_t{512});
    QCOMPARE(file.calls[1].group_size, std::int64_t{4});
    QCOMPARE(file.calls[1].in_splits, std::string());
    QCOMPARE(file.calls[2].in_splits, std::string("[128, 384]"));
    QCOMPARE(file.calls[3].in_bytes, std::int64_t{-1});
    QCOMPARE(file.calls[3].peer, std::int64_t{-1});
}

// A dump has the groups of its own rank alone.
void TestFlightRecorder::dumpsTellTheirRank_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("groups"); // members of each
    QTest::addColumn<int>("rank");       // -1: not known
    const QString two = "[1, 5, 9]|[4, 5, 6]";
    QTest::newRow("at the end") << "_dump_5" << two << 5;
    QTest::newRow("before an ending") << "_dump_5.pkl" << two << 5;
    QTest::newRow("before two endings") << "host3_dump_5.json.bak" << two << 5;
    QTest::newRow("behind the word") << "rank5_of_run2" << two << 5;
    QTest::newRow("by its groups") << "dump" << two << 5;
    QTest::newRow("of something else") << "dump_20260101" << two << 5;
    QTest::newRow("by the name, where groups leave it open") << "_dump_9"
                                                             << "[1, 5, 9]" << 9;
    QTest::newRow("by the name, where groups are unknown") << "_dump_9"
                                                           << "[]" << 9;
    QTest::newRow("by the name against the groups") << "_dump_7"
                                                    << "[1, 5, 9]" << 7;
    QTest::newRow("by nothing") << "dump"
                                << "[1, 5, 9]" << -1;
}

void TestFlightRecorder::dumpsTellTheirRank()
{
    QFETCH(const QString, name);
    QFETCH(const QString, groups);
    QFETCH(const int, rank);
    std::string config;
    for (const QString& members : groups.split('|'))
        config += (config.empty() ? "\"" : ",\"") + std::to_string(config.size()) + R"(":{"ranks":")"
                  + members.toStdString() + "\"}";
    const QTemporaryDir folder;
    const fs::path path = folder.filePath(name).toStdString();
    std::ofstream(path) << R"({"pg_config":{)" << config
                        << R"(},"pg_status":{},"entries":[{"profiling_name":"nccl:barrier"}]})";
    const Result<TraceSet> set = importTraces(std::array{path});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files[0].rank_is_known, rank >= 0);
    QCOMPARE(set.value().files[0].rank, std::int64_t{std::max(rank, 0)});
}

// The recorder's status numbers the groups of one rank, where names count those of all ranks.
void TestFlightRecorder::groupsTellHowFarTheyCame_data()
{
    QTest::addColumn<QString>("names");
    QTest::addColumn<QString>("entry_of"); // the group with number 2, as the entry tells
    QTest::addColumn<QList<int>>("last_called");
    QTest::newRow("all paired by their order") << "9 10 35"
                                               << "10" << QList<int>{100, 200, 300};
    QTest::newRow("without an entry") << "9 10 35"
                                      << "" << QList<int>{100, 200, 300};
    QTest::newRow("an entry that does not agree") << "9 10 35"
                                                  << "35" << QList<int>{-1, -1, 200};
    QTest::newRow("another number of groups") << "9 10"
                                              << "10" << QList<int>{-1, 200};
    QTest::newRow("names that are no numbers") << "a b c"
                                               << "b" << QList<int>{-1, 200, -1};
}

void TestFlightRecorder::groupsTellHowFarTheyCame()
{
    QFETCH(const QString, names);
    QFETCH(const QString, entry_of);
    QFETCH(const QList<int>, last_called);
    Json dump{{"entries", Json::array()}, {"pg_config", Json::object()}};
    for (const QString& name : names.split(' '))
        dump["pg_config"][name.toStdString()] = {{"name", name.toStdString()}, {"ranks", "[5, 6]"}};
    for (const int number : {0, 2, 11})
        dump["pg_status"][std::to_string(number)] = {{"last_enqueued_collective", number == 0   ? 100
                                                                                  : number == 2 ? 200
                                                                                                : 300},
                                                     {"last_completed_collective", 50}};
    if (!entry_of.isEmpty())
        for (const bool is_message : {false, true})
            dump["entries"].push_back({{"profiling_name", is_message ? "nccl:coalesced" : "nccl:all_reduce"},
                                       {"pg_id", 2},
                                       {"process_group", {entry_of.toStdString(), "GROUP"}},
                                       {"collective_seq_id", 201},
                                       {"is_p2p", is_message}});
    const QTemporaryDir folder;
    const fs::path path = folder.filePath("_dump_5").toStdString();
    std::ofstream(path) << dump;
    const auto set = importTraces(std::array{path});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    for (qsizetype i = 0; i < last_called.size(); ++i) {
        const auto group =
            std::ranges::find(file.groups, names.split(' ')[i].toStdString(), &ProcessGroup::name);
        QCOMPARE(group->last_called, std::int64_t{last_called[i]});
        QCOMPARE(group->last_completed, std::int64_t{last_called[i] < 0 ? -1 : 50});
    }
    if (!entry_of.isEmpty()) {
        QCOMPARE(file.calls.at(0).sequence, std::int64_t{201});
        QCOMPARE(file.calls.at(1).sequence, std::int64_t{-1}); // counted apart
    }
}

// A list with one entry and its name, in the opcodes of protocol 2; and members of a group as a list.
void TestFlightRecorder::listsOfEntriesAreRead()
{
    const QTemporaryDir folder;
    const fs::path pickle = folder.filePath("_dump_3").toStdString();
    const std::string name = "profiling_name";
    const std::string value = "nccl:barrier";
    std::ofstream(pickle, std::ios::binary)
        << std::string("\x80\x02](}X", 6) << static_cast<char>(name.size()) << std::string(3, '\0') << name
        << 'X' << static_cast<char>(value.size()) << std::string(3, '\0') << value << "se.";
    const Result<TraceSet> set = importTraces(std::array{pickle});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files[0].rank, std::int64_t{3});
    QCOMPARE(set.value().files[0].calls.size(), std::size_t{1});
    QCOMPARE(set.value().files[0].calls[0].name, std::string("barrier"));
    const fs::path json = folder.filePath("_dump_4").toStdString();
    std::ofstream(json)
        << R"({"pg_config":{"1":{"ranks":[4,6]}},"pg_status":{},"entries":[{"profiling_name":"nccl:x"}]})";
    const Result<TraceSet> listed = importTraces(std::array{json});
    QCOMPARE(listed.value().files[0].groups[0].ranks, (std::vector<std::int64_t>{4, 6}));
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
