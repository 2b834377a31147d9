#include <QtTest>

#include "tests/core/import/imported_text.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

const fs::path traces = fs::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

// The calls as "name in/out xcount", sorted.
QStringList callsOf(const TraceFile& file)
{
    std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::int64_t> counts;
    for (const SizedCall& call : file.calls)
        counts[{call.name, call.in_bytes, call.out_bytes}] += call.count;
    QStringList out;
    for (const auto& [key, count] : counts) {
        const auto& [name, in, to] = key;
        out << QString("%1 %2/%3 x%4").arg(QString::fromStdString(name)).arg(in).arg(to).arg(count);
    }
    return out;
}

} // namespace

// Formats without a timeline.
class TestUntimedFormats : public QObject
{
    Q_OBJECT

private slots:
    void sharedFilesHoldTheCallsThatAScriptCounts_data();
    void sharedFilesHoldTheCallsThatAScriptCounts();
    void aicbTablesMayComeFromASpreadsheet();
    void aicbTablesKeepGroupsAndTimes();
    void executionTracesNameTheirGroups();
    void executionTracesTellTheirRank();
    void cutExecutionTracesAreReadAsFarAsTheyGo();
    void brokenNodesAreSkipped();
    void executionTracesTellSplits();
    void ncclInspectorLines();
    void ncclInspectorFilesOfSeveralProcesses();
    void ncclInspectorSizesAreARanksPart();
    void ncclInspectorObjectsMayHoldBracesInStrings();
};

// The figures were counted by a script of a few lines over the JSON, CSV and protobuf of each file.
void TestUntimedFormats::sharedFilesHoldTheCallsThatAScriptCounts_data()
{
    if (!fs::exists(traces))
        QSKIP("the folder ../shared with recorded traces is not here");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QStringList>("calls");
    QTest::newRow("execution trace 1.0.1 of Megatron")
        << "megatron_tp8_ranks01/megatron_et_0.json.gz"
        << "pytorch_et"
        << QStringList{"allreduce 4/4 x1", "allreduce 32768/32768 x3", "allreduce 67108864/67108864 x81"};
    QTest::newRow("execution trace 1.0.1 of DLRM")
        << "dlrm8_v100/et/dlrm_eg_0.json.gz"
        << "pytorch_et" << QStringList{"all_to_all 192/192 x1",       "all_to_allv 1536/1536 x1",
                                       "all_to_allv 13568/3072 x1",   "all_to_allv 24576/24576 x2",
                                       "allreduce 448/448 x1",        "allreduce 907840/907840 x1",
                                       "allreduce 1576964/1576964 x1"};
    QTest::newRow("execution trace 1.1.0")
        << "pytorch_et_resnet_2gpu/resnet_2gpu_et.json.gz"
        << "pytorch_et" << QStringList{"allreduce 8196000/8196000 x3",   "allreduce 9724160/9724160 x3",
                                       "allreduce 26255360/26255360 x3", "allreduce 26550272/26550272 x3",
                                       "allreduce 31502336/31502336 x3", "broadcast 424/424 x3",
                                       "broadcast 212480/212480 x3"};
    QTest::newRow("Chakra, one collective")
        << "astra_et/workload/microbenchmarks/all_reduce/8npus_1MB/all_reduce.1.et"
        << "chakra_et" << QStringList{"all_reduce 1048576/-1 x1"};
    QTest::newRow("Chakra, a ring of sends")
        << "astra_et/system/custom_collectives/custom_ring_allreduce_8npus_1MB/custom_allreduce.0.et"
        << "chakra_et" << QStringList{"recv 131072/-1 x14", "send 131072/-1 x14"};
    QTest::newRow("Chakra of PyTorch")
        << "chakra/chakra.0.et"
        << "chakra_et"
        << QStringList{"all_reduce 4/-1 x2",         "all_reduce 408576/-1 x2", "all_reduce 107424768/-1 x2",
                       "all_reduce 131072000/-1 x6", "broadcast 4/-1 x1",       "broadcast 8/-1 x1"};
    QTest::newRow("AICB, measured") << "aicb_simai/visualize/inputs/A100_example.csv"
                                    << "aicb"
                                    << QStringList{"all_gather -1/32 x641",
                                                   "all_gather -1/64 x1",
                                                   "all_gather -1/65536 x640",
                                                   "all_gather -1/16777216 x1920",
                                                   "all_gather -1/134217728 x640",
                                                   "all_gather -1/17817141248 x10",
                                                   "all_reduce 0/-1 x10",
                                                   "all_reduce 4/-1 x30",
                                                   "all_reduce 8/-1 x4",
                                                   "all_reduce 8192/-1 x60",
                                                   "all_reduce 16777216/-1 x40",
                                                   "all_to_all 8388608/-1 x1280",
                                                   "all_to_all 33554432/-1 x1280",
                                                   "broadcast 24/-1 x1",
                                                   "broadcast 40/-1 x20",
                                                   "broadcast 16448/-1 x20",
                                                   "reduce_scatter 16777216/-1 x1280",
                                                   "reduce_scatter 134217728/-1 x640",
                                                   "reduce_scatter 35634282496/-1 x10"};
    QTest::newRow("SimAI") << "aicb_simai/simai/microAllReduce.txt"
                           << "aicb" << QStringList{"allreduce 16777216/-1 x1", "allreduce 67108864/-1 x1"};
    QTest::newRow("DeepSpeed") << "deepspeed_comms_a/verbose.log"
                               << "deepspeed_comms"
                               << QStringList{"all_gather_into_tensor 6291456/-1 x2",
                                              "reduce_scatter_tensor 711836303/-1 x1"};
}

void TestUntimedFormats::sharedFilesHoldTheCallsThatAScriptCounts()
{
    QFETCH(QString, file);
    QFETCH(QString, format);
    const Result<TraceSet> set = importTraces(std::array{traces / file.toStdString()});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files[0].format, format.toStdString());
    QCOMPARE(set.value().files[0].status, FileStatus::ok);
    QTEST(callsOf(set.value().files[0]), "calls");
}

void TestUntimedFormats::aicbTablesMayComeFromASpreadsheet()
{
    const Result<TraceSet> set =
        importText("\xEF\xBB\xBF"
                   "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time\r\n"
                   "CommType.all_gather,CommGroup.tp_group,8,1024,forward,None,None,,0.5\r\n");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(callsOf(set.value().files[0]), QStringList{"all_gather -1/1024 x1"});
}

void TestUntimedFormats::aicbTablesKeepGroupsAndTimes()
{
    const Result<TraceSet> set =
        importText("[rank0 ~ rank127]\n"
                   "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,"
                   "algbw,busbw,count\n"
                   "CommType.all_gather,CommGroup.tp_group,8,1024,forward,None,None,,0.5,0.0,0.0,1\n"
                   "CommType.isend,CommGroup.pp_group,2,4096,forward,3,None,,None,None,None,1\n"
                   "CommType.computation,None,None,4096,forward,None,None,,None,None,None,1\n"
                   "CommType.all_reduce,CommGroup.dp_group,4,odd,forward,None,None,,None,None,None,1\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("aicb"));
    QCOMPARE(callsOf(file), (QStringList{"all_gather -1/1024 x1", "send 4096/-1 x1"}));
    QCOMPARE(file.calls[0].group_description, std::string("tp_group"));
    QCOMPARE(file.calls[0].group_size, std::int64_t{8});
    QCOMPARE(file.calls[0].time_s, 0.0005);
    QCOMPARE(file.calls[1].peer, std::int64_t{3});
    QCOMPARE(file.status, FileStatus::recovered); // the row without a size
}

void TestUntimedFormats::executionTracesNameTheirGroups()
{
    const Result<TraceSet> set = importText(R"({"schema": "1.0.2", "nodes": [
        {"id": 4, "name": "## process_group:init ##", "inputs": {"values":
          ["[{\"pg_name\": \"7\", \"pg_desc\": \"dp\", \"ranks\": [0, 4], \"group_size\": 2}]"], "shapes": [[]], "types": ["String"]}},
        {"id": 9, "name": "record_param_comms", "inputs": {"values": [[[434, 435, 0, 10, 4, "cuda:1"]], 33, ["7", "dp"], 0, "broadcast", [], [], 0, 1, 2],
          "shapes": [[[10], [5, 2]], [], [[], []], [], [], [], [], [], [], []],
          "types": ["GenericList[Tensor(float),Tensor(float)]", "Int", "Tuple[String,String]", "Int", "String", "GenericList[]", "GenericList[]", "Int", "Int", "Int"]},
          "outputs": {"values": [], "shapes": [], "types": []}, "attrs": []},
        {"id": 10, "name": "record_param_comms", "inputs": {"values": [33, 0, 0, "wait", [], []], "shapes": [], "types": ["Int","Int","Int","String","GenericList[]","GenericList[]"]}}
        ], "finish_ts": 3})");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.groups.size(), std::size_t{1});
    QCOMPARE(file.groups[0].ranks, (std::vector<std::int64_t>{0, 4}));
    QCOMPARE(callsOf(file), QStringList{"broadcast 80/-1 x1"});
    QCOMPARE(file.calls[0].group, std::string("7"));
    QCOMPARE(file.calls[0].group_description, std::string("dp"));
    QCOMPARE(file.calls[0].group_size, std::int64_t{2});
}

void TestUntimedFormats::cutExecutionTracesAreReadAsFarAsTheyGo()
{
    const Result<TraceSet> set = importText(R"({"schema": "1.1.0", "nodes": [
        {"id": 9, "name": "record_param_comms", "attrs": [{"name": "collective_name", "type": "string", "value": "allreduce"},
          {"name": "dtype", "value": "Float"}, {"name": "in_msg_nelems", "value": 8}]},
        {"id": 10, "name": "aten::a)");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(callsOf(set.value().files[0]), QStringList{"allreduce 32/-1 x1"});
    QCOMPARE(set.value().files[0].status, FileStatus::recovered);
}

void TestUntimedFormats::brokenNodesAreSkipped()
{
    const std::string good = R"({"name": "record_param_comms", "attrs": [
        {"name": "collective_name", "value": "allreduce"}, {"name": "dtype", "value": "Float"},
        {"name": "in_msg_nelems", "value": 8}]})";
    const Result<TraceSet> set =
        importText(R"({"schema": "1.1.0", "nodes": [)" + good
                   + R"(, {"name": "a", "inputs": [1, "un"quoted", ]}, )" + good + R"(], "finish_ts": 3})");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(callsOf(set.value().files[0]), QStringList{"allreduce 32/-1 x2"});
    QCOMPARE(set.value().files[0].warnings.size(), std::size_t{1});
    QCOMPARE(set.value().files[0].warnings[0].count, std::int64_t{1});
}

void TestUntimedFormats::executionTracesTellTheirRank()
{
    if (!fs::exists(traces))
        QSKIP("the folder ../shared with recorded traces is not here");
    const Result<TraceSet> set = importTraces(std::array{traces / "dlrm8_v100/et"});
    QCOMPARE(set.value().files.size(), std::size_t{8});
    for (std::size_t i = 0; i < 8; ++i)
        QCOMPARE(set.value().files[i].rank, static_cast<std::int64_t>(i));
    const Result<TraceSet> world = importTraces(std::array{traces / "pytorch_et_resnet_2gpu"});
    QVERIFY(world.value().files[0].rank_is_known); // its all-reduces say 1, its tensors lie on cuda:1
    QCOMPARE(world.value().files[0].rank, std::int64_t{1});
    QCOMPARE(world.value().files[0].world_size, std::int64_t{2});
}

// Of DLRM: embeddings of tables that the ranks share out unevenly.
void TestUntimedFormats::executionTracesTellSplits()
{
    if (!fs::exists(traces))
        QSKIP("the folder ../shared with recorded traces is not here");
    const Result<TraceSet> old = importTraces(std::array{traces / "dlrm8_v100/et/dlrm_eg_0.json.gz"});
    const std::vector<SizedCall>& calls = old.value().files[0].calls;
    const auto uneven = std::ranges::find(calls, std::int64_t{13568}, &SizedCall::in_bytes);
    QVERIFY(uneven != calls.end());
    QCOMPARE(uneven->in_splits, std::string("[96,224,288,1664,592,96,192,240]"));
    const Result<TraceSet> later = importText(R"({"schema":"1.1.1-chakra.0.0.4","nodes":[{"id":2,
        "name":"record_param_comms","inputs":{},"outputs":{},"attrs":[
        {"name":"collective_name","type":"string","value":"all_to_allv"},{"name":"dtype","type":"string","value":"Float"},
        {"name":"in_msg_nelems","type":"uint64","value":64},{"name":"in_split_size","type":"string","value":"[1, 3]"}]}]})");
    QCOMPARE(later.value().files[0].calls.at(0).in_splits, std::string("[1, 3]"));
}

// Several files in one: each process has its own rank.
void TestUntimedFormats::ncclInspectorFilesOfSeveralProcesses()
{
    const auto line = [](int rank, int pid) {
        return R"({"header":{"id":"0x7f","rank":)" + std::to_string(rank)
               + R"(,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"h","pid":)" + std::to_string(pid)
               + R"(},"coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":1024,"coll_exec_time_us":10}})"
               + "\n";
    };
    const Result<TraceSet> told = importText(line(1, 7) + line(0, 8) + line(1, 7));
    QCOMPARE(told.value().files.size(), std::size_t{2});
    QCOMPARE(told.value().files[0].rank, std::int64_t{0});
    QCOMPARE(callsOf(told.value().files[0]), (QStringList{"AllReduce 1024/-1 x1"}));
    QCOMPARE(told.value().files[1].rank, std::int64_t{1});
    QCOMPARE(callsOf(told.value().files[1]), (QStringList{"AllReduce 1024/-1 x2"}));
    const Result<TraceSet> not_told = importText(line(1, 7) + line(1, 8));
    QCOMPARE(not_told.value().files.size(), std::size_t{1});
    QVERIFY(!not_told.value().files[0].rank_is_known);
    QCOMPARE(not_told.value().files[0].notes.size(), std::size_t{1});
}

void TestUntimedFormats::ncclInspectorLines()
{
    const std::string head =
        R"({"header":{"id":"0x7f","rank":2,"n_ranks":8,"nnodes":1},"metadata":{"pid":1},)";
    const Result<TraceSet> set = importText(
        head
        + R"("coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":1024,"coll_exec_time_us":10,"coll_algobw_gbs":1.0,"coll_busbw_gbs":1.5}})"
          "\n"
        + head
        + R"("coll_perf":{"coll":"AllReduce","coll_sn":2,"coll_msg_size_bytes":1024,"coll_exec_time_us":30,"coll_algobw_gbs":2.0,"coll_busbw_gbs":2.5}})"
          "\n"
          R"({"header":{"id":"0x80","rank":0,"n_ranks":2,"nnodes":1},"p2p_perf":{"p2p":"Send","p2p_sn":8,"p2p_peer":1,"p2p_msg_size_bytes":4096,"p2p_exec_time_us":50}})"
          "\nbroken\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("nccl_inspector"));
    QCOMPARE(file.rank, std::int64_t{2});
    QCOMPARE(file.world_size, std::int64_t{8});
    QCOMPARE(callsOf(file), (QStringList{"AllReduce 1024/-1 x2", "Send 4096/-1 x1"}));
    QCOMPARE(file.calls[0].time_s, 10e-6); // each has its own: the shortest is no mean
    QCOMPARE(file.calls[1].time_s, 30e-6);
    QCOMPARE(file.calls[2].peer, std::int64_t{-1}); // a place in a group whose members nobody names
    QCOMPARE(file.points.size(), std::size_t{2});
    QCOMPARE(file.points[0].time_s, 20e-6); // the median: of two their mean
    QCOMPARE(file.points[0].algbw_GBps, 1.5);
    QCOMPARE(file.points[0].busbw_GBps, 2.0);
    QCOMPARE(file.status, FileStatus::recovered);
}

// From the plugin's own documentation: 2,147,483,648 bytes, 8 ranks, 41,057 us, 418.439467 GB/s.
void TestUntimedFormats::ncclInspectorSizesAreARanksPart()
{
    const Result<TraceSet> set = importText(R"({
  "header": {"id": "0xe62dedaa97644a", "rank": 4, "n_ranks": 8, "nnodes": 1},
  "coll_perf": {
    "coll": "ReduceScatter", "coll_sn": 1231, "coll_msg_size_bytes": 2147483648, "coll_exec_time_us": 41057,
    "coll_algobw_gbs": 418.439467, "coll_busbw_gbs": 366.134533
  }
})");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(callsOf(file), QStringList{"ReduceScatter -1/2147483648 x1"});
    QCOMPARE(file.points[0].bytes, std::int64_t{8} * 2147483648);
    QVERIFY(qAbs(double(file.points[0].bytes) / file.points[0].time_s / 1e9 - 418.439467) < 0.01);
}

// Over several lines, whatever names hold; a line that never ends its braces spoils what follows alone.
void TestUntimedFormats::ncclInspectorObjectsMayHoldBracesInStrings()
{
    const Result<TraceSet> set = importText(R"({
  "header": {"id": "0x7f", "rank": 0, "n_ranks": 2, "nnodes": 1}, "metadata": {"hostname": "a{\"{{"},
  "coll_perf": {"coll": "AllReduce", "coll_sn": 1, "coll_msg_size_bytes": 1024, "coll_exec_time_us": 10}
}
{"header": {"id": "0x7f", "rank": 0, "n_ranks": 2, "nnodes": 1},
 "coll_perf": {"coll": "Broadcast", "coll_sn": 2, "coll_msg_size_bytes": 64, "coll_exec_time_us": 10}}
{{{
)");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(callsOf(file), (QStringList{"AllReduce 1024/-1 x1", "Broadcast 64/-1 x1"}));
    QCOMPARE(file.status, FileStatus::recovered);
}

QTEST_APPLESS_MAIN(TestUntimedFormats)
#include "tst_untimed_formats.moc"
