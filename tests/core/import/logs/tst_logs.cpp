#include <QtTest>

#include "tests/core/import/imported_text.h"

#include <string>

using namespace shardscope;

namespace
{

const TimerRecord* timerOf(const TraceFile& file, std::string_view name)
{
    const auto found = std::ranges::find(file.timers, name, &TimerRecord::name);
    return found != file.timers.end() ? &*found : nullptr;
}

} // namespace

class TestLogs : public QObject
{
    Q_OBJECT

private slots:
    void megatronTimersAndIterations();
    void megatronTimersAcrossRanks();
    void megatronTimersOfEachRank();
    void megatronTimersBehindALauncher();
    void megatronIterationsMayBeInSeconds();
    void deepSpeedTable();
    void deepSpeedVerboseLines();
    void deepSpeedVerboseLinesWithoutTheirRank();
    void deepSpeedTellsGathersAndScattersByTheirPart_data();
    void deepSpeedTellsGathersAndScattersByTheirPart();
    void deepSpeedVerboseLinesOfSeveralRanks();
    void deepSpeedTableBehindALauncher();
    void deepSpeedStragglersAreNoTableOfTheirOwn();
    void textsWithoutAnythingAreRejected();
};

void TestLogs::megatronTimersAndIterations()
{
    const Result<TraceSet> set =
        importText(" iteration       10/    1000 | consumed samples:           40 | elapsed time per "
                   "iteration (ms): 2152.2 | lr: 1\r\n"
                   "time (ms) | forward-compute: 306.62 | forward-recv: 527.58 | optimizer: 94.69\n"
                   "[default3]:time (ms) | forward-compute: 300.00 | odd | broken: x | optimizer: 90.0[Rank "
                   "3] memory (MB)\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("megatron_log"));
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.timers.size(), std::size_t{4});
    QCOMPARE(timerOf(file, "elapsed time per iteration")->values_s, std::vector<double>{2152.2 / 1000});
    QCOMPARE(timerOf(file, "forward-compute")->values_s, (std::vector<double>{306.62 / 1000, 0.3}));
    QCOMPARE(timerOf(file, "optimizer")->values_s, (std::vector<double>{94.69 / 1000, 0.09}));
    QVERIFY(timerOf(file, "broken") == nullptr);
}

void TestLogs::megatronTimersAcrossRanks()
{
    const Result<TraceSet> set =
        importText("(min, max) time across ranks (ms):\n"
                   "    forward-backward ...............................: (8312.37, 8345.25)\n"
                   "    optimizer ......................................: (94.5, 95.5)\n"
                   "max time across ranks (ms):\n"
                   "    optimizer ......................................: 97.5\n"
                   "    something else: 12\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.timers.size(), std::size_t{2});
    QCOMPARE(timerOf(file, "forward-backward")->values_s, std::vector<double>{8345.25 / 1000});
    QCOMPARE(timerOf(file, "optimizer")->values_s, (std::vector<double>{95.5 / 1000, 97.5 / 1000}));
}

// As --timing-log-option all writes them; of the ranks' times the longest counts.
void TestLogs::megatronTimersOfEachRank()
{
    const Result<TraceSet> set = importText("times across ranks (ms):\n"
                                            "  forward-backward:\n"
                                            "     rank  0: 8312.37\n"
                                            "     rank  1: 8345.25\n"
                                            "  optimizer:\n"
                                            "     rank  0: 95.50\n"
                                            "     rank  1: 94.50\n"
                                            " iteration 2/ 9 | elapsed time per iteration (ms): 8500.0 |\n"
                                            "times across ranks (ms):\n"
                                            "  optimizer:\n"
                                            "     rank 10: 97.50\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.timers.size(), std::size_t{3});
    QCOMPARE(timerOf(file, "forward-backward")->values_s, std::vector<double>{8345.25 / 1000});
    QCOMPARE(timerOf(file, "optimizer")->values_s, (std::vector<double>{95.5 / 1000, 97.5 / 1000}));
}

void TestLogs::megatronTimersBehindALauncher()
{
    const Result<TraceSet> set =
        importText("[default7]:(min, max) time across ranks (ms):\n"
                   "[default7]:    forward-backward ...............................: (8312.37, 8345.25)\n"
                   "[default3]:loading ... 3 files: 2\n"
                   "[default7]:    optimizer ......................................: (94.5, 95.5)\n"
                   "15: times across ranks (ms):\n"
                   "15:   optimizer:\n"
                   "15:      rank  0: 97.50\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.timers.size(), std::size_t{2});
    QCOMPARE(timerOf(file, "forward-backward")->values_s, std::vector<double>{8345.25 / 1000});
    QCOMPARE(timerOf(file, "optimizer")->values_s, (std::vector<double>{95.5 / 1000, 97.5 / 1000}));
}

// As BLOOM's fork writes them.
void TestLogs::megatronIterationsMayBeInSeconds()
{
    const Result<TraceSet> set =
        importText("times across ranks (ms):\n"
                   "  optimizer:\n"
                   "     rank  0: 95.50\n"
                   " iteration 1/ 9 | elapsed time per iteration (s): 103.37 | lr: 1\n"
                   " iteration 2/ 9 | elapsed time per iteration (ms): 99000.0 |\n"
                   " iteration 3/ 9 | elapsed time per iteration (s): none |\n");
    QVERIFY(set);
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.timers.size(), std::size_t{2});
    QCOMPARE(timerOf(file, "optimizer")->values_s, std::vector<double>{95.5 / 1000});
    QCOMPARE(timerOf(file, "elapsed time per iteration")->values_s, (std::vector<double>{103.37, 99.0}));
}

void TestLogs::deepSpeedTable()
{
    const std::string table = "Comm. Op            Message Size        Count               Total Latency(ms) "
                              "  Avg Latency(ms)     tput_avg (Gbps)\n"
                              "broadcast | [Caller Func: f]\n"
                              "                    2.0 KB              146                 14.6              "
                              "  0.08                0.43\n"
                              "                    0B                  1                   1.0               "
                              "  1.0                 0.0\n"
                              "reduce_scatter_tensor\n"
                              "                    678.86 MB           40                  602.0             "
                              "  9.69                1468.06\n"
                              "all_gather_into_tensor\n"
                              "                    6.0 MB              2                   2.0               "
                              "  1.0                 1468.06\n";
    const Result<TraceSet> set =
        importText(table + "and so on\n" + table); // the second tells all since the start
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("deepspeed_comms"));
    QCOMPARE(file.status, FileStatus::ok);
    QVERIFY(!file.notes.empty());
    QCOMPARE(file.calls.size(), std::size_t{4});
    QCOMPARE(file.calls[0].name, std::string("broadcast"));
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{2048});
    QCOMPARE(file.calls[0].count, std::int64_t{146});
    QCOMPARE(file.calls[0].time_s, 0.0001);
    QCOMPARE(file.calls[1].in_bytes, std::int64_t{0});
    QCOMPARE(file.calls[2].in_bytes, std::int64_t{711836303}); // 678.86 * 2^20, to the nearest
    QCOMPARE(file.calls[3].in_bytes, std::int64_t{6} << 20);   // the rank's part
    QCOMPARE(file.calls[3].out_bytes, std::int64_t{-1});
    QVERIFY(std::ranges::any_of(file.notes, [](const std::string& note) {
        return note.find("by the part of one rank") != std::string::npos;
    }));
}

void TestLogs::deepSpeedVerboseLines()
{
    const Result<TraceSet> set = importText(
        "[2022-06-26 01:39:55,722] [INFO] [logging.py:69:log_dist] [Rank 0] rank=0 | comm op: "
        "all_reduce | time (ms): 9.5 | "
        "msg size: 1.5 KB | algbw (Gbps): 1204.52  | busbw (Gbps): 1129.23\n"
        "[Rank 0] rank=0 | comm op: all_reduce | time (ms): 9.5 | msg size: ?? | algbw (Gbps): 1\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.warnings.size(), std::size_t{1});
    QCOMPARE(file.warnings[0].count, std::int64_t{1});
    QCOMPARE(file.format, std::string("deepspeed_comms"));
    QVERIFY(file.rank_is_known);
    QCOMPARE(file.calls.size(), std::size_t{1});
    QCOMPARE(file.calls[0].name, std::string("all_reduce"));
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{1536});
    QCOMPARE(file.calls[0].time_s, 0.0095);
}

void TestLogs::deepSpeedVerboseLinesWithoutTheirRank()
{
    const Result<TraceSet> set = importText(
        "[2025-06-26 01:39:56,470] [INFO] [logging.py:107:log_dist] [Rank 3] comm op: "
        "all_gather_into_tensor | [Caller Func: f] | time (ms): 0.11 | msg size: 6.0 MB | algbw (Gbps): "
        "954.41 | busbw (Gbps): 894.76\n"
        "the comm op: is logged\n");
    QVERIFY(set);
    const TraceFile& file = set.value().files[0];
    QVERIFY(file.warnings.empty());
    QCOMPARE(file.rank, std::int64_t{3});
    QCOMPARE(file.calls.size(), std::size_t{1});
    QCOMPARE(file.calls[0].name, std::string("all_gather_into_tensor"));
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{6} << 20);
    QCOMPARE(file.calls[0].time_s, 0.00011);
}

void TestLogs::deepSpeedTellsGathersAndScattersByTheirPart_data()
{
    QTest::addColumn<QString>("operation");
    QTest::addColumn<bool>("goes_in");
    QTest::addColumn<bool>("is_said");
    QTest::newRow("all-reduce") << "all_reduce" << true << false;
    QTest::newRow("all-to-all") << "all_to_all_single" << true << false;
    QTest::newRow("reduce-scatter") << "reduce_scatter_tensor" << true << false;
    QTest::newRow("all-gather") << "all_gather_into_tensor" << true << true;
    QTest::newRow("gather") << "gather" << true << true;
    QTest::newRow("scatter") << "scatter" << false << true;
}

void TestLogs::deepSpeedTellsGathersAndScattersByTheirPart()
{
    QFETCH(const QString, operation);
    QFETCH(const bool, goes_in);
    QFETCH(const bool, is_said);
    const std::string name = operation.toStdString();
    const std::string verbose =
        "[Rank 0] comm op: " + name + " | time (ms): 0.11 | msg size: 6.0 MB | algbw (Gbps): 1.00\n";
    const std::string table =
        "Comm. Op            Message Size        Count               Total Latency(ms)\n" + name
        + "\n                    6.0 MB              2                   2.0\n";
    for (const std::string& text : {verbose, table}) {
        const Result<TraceSet> set = importText(text);
        QVERIFY(set);
        const TraceFile& file = set.value().files[0];
        QCOMPARE(file.status, FileStatus::ok);
        QCOMPARE(file.calls.size(), std::size_t{1});
        QCOMPARE(file.calls[0].in_bytes, std::int64_t{goes_in ? 6 << 20 : -1});
        QCOMPARE(file.calls[0].out_bytes, std::int64_t{goes_in ? -1 : 6 << 20});
        QCOMPARE(std::ranges::any_of(file.notes,
                                     [](const std::string& note) {
                                         return note.find("by the part of one rank") != std::string::npos;
                                     }),
                 is_said);
    }
}

void TestLogs::deepSpeedVerboseLinesOfSeveralRanks()
{
    const auto line = [](int rank, const std::string& size) {
        const std::string number = std::to_string(rank);
        return "[Rank " + number + "] rank=" + number
               + " | comm op: all_reduce | [Caller Func: f] | time (ms): 9.5 | " + "msg size: " + size
               + " | algbw (Gbps): 1.00  | busbw (Gbps): 1.00 \n";
    };
    const Result<TraceSet> set = importText(line(3, "1.5 KB") + line(0, "2.0 KB") + line(3, "3.0 KB"));
    QCOMPARE(set.value().files.size(), std::size_t{2});
    const TraceFile& first = set.value().files[0];
    const TraceFile& last = set.value().files[1];
    QCOMPARE(first.rank, std::int64_t{0});
    QCOMPARE(first.calls.size(), std::size_t{1});
    QCOMPARE(first.calls[0].in_bytes, std::int64_t{2048});
    QCOMPARE(last.rank, std::int64_t{3});
    QVERIFY(last.rank_is_known);
    QCOMPARE(last.format, std::string("deepspeed_comms"));
    QCOMPARE(last.calls.size(), std::size_t{2});
    QCOMPARE(last.calls[1].in_bytes, std::int64_t{3072});
}

void TestLogs::deepSpeedTableBehindALauncher()
{
    const Result<TraceSet> set =
        importText("worker-1: Comm. Op            Message Size        Count               Total Latency(ms)\n"
                   "worker-1: broadcast\n"
                   "worker-2: done with it\n"
                   "worker-1:                     2.0 KB              146                 14.6\n"
                   "worker-1: training is over\n");
    QVERIFY(set);
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.calls.size(), std::size_t{1});
    QCOMPARE(file.calls[0].name, std::string("broadcast"));
    QCOMPARE(file.calls[0].count, std::int64_t{146});
}

void TestLogs::deepSpeedStragglersAreNoTableOfTheirOwn()
{
    const Result<TraceSet> set = importText(
        "Comm. Op            Message Size        Count               Total Latency(ms)   Avg Latency(ms)\n"
        "broadcast\n"
        "                    2.0 KB              10                  14.6                0.08\n"
        "_______________________________\n"
        "Breakdown with straggler effect\n"
        "-------------------------------\n"
        "Comm. Op            Message Size        Count               Total comm lat(ms)  Total straggler(ms) "
        "Avg "
        "comm lat(ms)    Avg straggler(ms)\n"
        "broadcast\n"
        "                    2.0 KB              10                  1.5                 13.1                "
        "0.01\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.calls.size(), std::size_t{1});
    QCOMPARE(file.calls[0].time_s, 0.00146);
}

void TestLogs::textsWithoutAnythingAreRejected()
{
    const Result<TraceSet> set = importText("Dear diary,\ntoday nothing was sent.\n");
    QVERIFY(!set);
    QVERIFY(set.error().sentence.find("this text holds nothing that is known here") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestLogs)
#include "tst_logs.moc"
