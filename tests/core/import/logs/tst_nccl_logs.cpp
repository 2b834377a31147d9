#include <QtTest>

#include <QTemporaryDir>

#include "tests/core/import/imported_text.h"

#include <array>
#include <fstream>
#include <string>

using namespace shardscope;

// What NCCL and RCCL write with NCCL_DEBUG=INFO.
class TestNcclLogs : public QObject
{
    Q_OBJECT

private slots:
    void operations();
    void countsArePartsOfRanks();
    void logsOfSeveralProcessesAreTakenApart();
    void processesOfUnknownRanksStandTogether();
    void threadsWithAGpuEachAreTakenApart();
    void threadsOfUnknownGpusStandTogether();
    void placesInGroupsOfOneProcessAreNoGpus();
    void linesWithoutTheirProcessAreNotTakenApart();
    void linesThatRanTogetherAreReadOrCounted();
    void writersOfTornLinesAreNoProcesses();
    void timeStampsMayStandBehindTheWriter_data();
    void timeStampsMayStandBehindTheWriter();
    void groupsAreKnownWhereAllTheirMembersAre();
    void membersMayWriteIntoLogsOfTheirOwn();
    void rcclTellsRanksWithItsCalls();
    void whatDeepSpeedHasLoggedTooCountsOnce();
    void channels();
};

void TestNcclLogs::operations()
{
    const std::string reduce =
        "host:12:34 [0] NCCL INFO AllReduce: opCount 1a sendbuff 0x7f recvbuff 0x7f count 1024 "
        "datatype 7 op 0 root 0 comm 0xabc [nranks=8] stream 0x55\n";
    const Result<TraceSet> set = importText(
        "host:12:34 [0] NCCL INFO comm 0xabc rank 3 nranks 8 cudaDev 3 busId 88000 - Init COMPLETE\n" + reduce
        + reduce
        + "host:12:34 [0] NCCL INFO AllGather: opCount 1b sendbuff (nil) recvbuff 0x7f count 512 datatype 9 "
          "op 0 root 0 comm "
          "0xabc [nranks=8] stream 0x55\n"
          "host:12:34 [0] NCCL INFO ReduceScatter: opCount 1c sendbuff 0x1 recvbuff 0x7f count 512 datatype "
          "9 op 0 root 0 comm "
          "0xabc [nranks=8] stream 0x55\n"
          "host:12:34 [0] NCCL INFO Send: opCount 1d sendbuff 0x1 recvbuff (nil) count 4096 datatype 6 op 0 "
          "root 4 comm 0xabc "
          "[nranks=8] stream 0x55\n"
          "host:12:34 [0] NCCL INFO AllReduce: opCount 1e sendbuff 0x1 recvbuff 0x2 count 9 datatype 77 op 0 "
          "root 0 comm 0x1\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("nccl_log"));
    QCOMPARE(file.rank, std::int64_t{3});
    QCOMPARE(file.world_size, std::int64_t{8});
    QCOMPARE(file.calls.size(), std::size_t{4});
    QCOMPARE(file.calls[0].name, std::string("AllReduce"));
    QCOMPARE(file.calls[0].count, std::int64_t{2});
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{4096});
    QCOMPARE(file.calls[0].dtype, std::string("float32"));
    QCOMPARE(file.calls[1].in_bytes, std::int64_t{1024});
    QCOMPARE(file.calls[2].out_bytes, std::int64_t{1024});
    QCOMPARE(file.calls[3].peer, std::int64_t{4});
    QCOMPARE(file.calls[3].group_size, std::int64_t{8});
    QCOMPARE(file.warnings.size(), std::size_t{1}); // nobody knows data type 77
    QCOMPARE(file.warnings[0].count, std::int64_t{1});
}

// nccl.h: an all-to-all is told the elements for each peer, a scatter those of one rank.
void TestNcclLogs::countsArePartsOfRanks()
{
    const auto line = [](const std::string& name, const std::string& ranks) {
        return "host:12:34 [0] NCCL INFO " + name
               + ": opCount 1a sendbuff 0x7f recvbuff 0x7f count 256 datatype 9 op 0 root 0 comm 0xabc "
               + ranks + " stream 0x55\n";
    };
    const Result<TraceSet> set = importText(line("AlltoAll", "[nranks=4]") + line("AllToAll", "")
                                            + line("Scatter", "[nranks=4]") + line("Gather", "[nranks=4]"));
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.calls.size(), std::size_t{4});
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{4 * 256 * 2});
    QCOMPARE(file.calls[1].in_bytes, std::int64_t{-1}); // among how many is not told
    QCOMPARE(file.calls[2].in_bytes, std::int64_t{-1});
    QCOMPARE(file.calls[2].out_bytes, std::int64_t{256 * 2});
    QCOMPARE(file.calls[3].in_bytes, std::int64_t{256 * 2});
}

namespace
{

std::string ncclStart(int rank)
{
    const std::string number = std::to_string(rank);
    return "host:" + number + "1:7 [" + number + "] NCCL INFO comm 0xabc rank " + number
           + " nranks 2 cudaDev 0 busId 1000 - Init COMPLETE\n";
}

// All processes have their communicator at the same address.
std::string ncclSend(int rank, int peer, int elements)
{
    const std::string number = std::to_string(rank);
    return "host:" + number + "1:9 [" + number
           + "] NCCL INFO Send: opCount 1 sendbuff 0x1 recvbuff (nil) count " + std::to_string(elements)
           + " datatype 1 op 0 root " + std::to_string(peer) + " comm 0xabc stream 0x5\n";
}

} // namespace

void TestNcclLogs::logsOfSeveralProcessesAreTakenApart()
{
    const Result<TraceSet> set = importText(ncclStart(1) + ncclStart(0) + ncclSend(0, 1, 100)
                                            + ncclSend(1, 0, 7) + ncclSend(0, 1, 100));
    QCOMPARE(set.value().files.size(), std::size_t{2});
    for (const std::size_t rank : {0U, 1U}) {
        const TraceFile& file = set.value().files[rank];
        QCOMPARE(file.format, std::string("nccl_log"));
        QCOMPARE(file.rank, static_cast<std::int64_t>(rank));
        QVERIFY(file.rank_is_known);
        QCOMPARE(file.world_size, std::int64_t{2});
        QCOMPARE(file.calls.size(), std::size_t{1});
        QCOMPARE(file.calls[0].peer, static_cast<std::int64_t>(1 - rank));
        QCOMPARE(file.calls[0].in_bytes, std::int64_t{rank == 0 ? 100 : 7});
        QCOMPARE(file.calls[0].count, std::int64_t{rank == 0 ? 2 : 1});
    }
}

void TestNcclLogs::processesOfUnknownRanksStandTogether()
{
    const Result<TraceSet> set = importText(ncclSend(0, 1, 100) + ncclSend(1, 0, 7));
    QCOMPARE(set.value().files.size(), std::size_t{1});
    QVERIFY(!set.value().files[0].rank_is_known);
    QCOMPARE(set.value().files[0].calls.size(), std::size_t{2});
    QCOMPARE(set.value().files[0].notes.size(), std::size_t{1});
}

namespace
{

const std::string two_threads = "n:1:2 [0] NCCL INFO comm 0xa rank 0 nranks 2 cudaDev 0 - Init COMPLETE\n"
                                "n:1:3 [1] NCCL INFO comm 0xb rank 1 nranks 2 cudaDev 1 - Init COMPLETE\n";

std::string reduceOn(const std::string& communicator)
{
    return "AllReduce: opCount 1 sendbuff 0x1 recvbuff 0x2 count 64 datatype 7 op 0 root 0 comm "
           + communicator + " [nranks=2] stream 0x3\n";
}

} // namespace

void TestNcclLogs::threadsWithAGpuEachAreTakenApart()
{
    const Result<TraceSet> set =
        importText(two_threads + "n:1:2 [0] NCCL INFO " + reduceOn("0xa") + "n:1:3 [1] NCCL INFO "
                   + reduceOn("0xb") + "n:1:3 [1] NCCL INFO " + reduceOn("0xb"));
    QCOMPARE(set.value().files.size(), std::size_t{2});
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const TraceFile& file = set.value().files[rank];
        QCOMPARE(file.rank, static_cast<std::int64_t>(rank));
        QVERIFY(file.rank_is_known);
        QCOMPARE(file.calls.size(), std::size_t{1});
        QCOMPARE(file.calls[0].count, static_cast<std::int64_t>(rank + 1));
        QVERIFY(file.notes.empty());
    }
}

void TestNcclLogs::threadsOfUnknownGpusStandTogether()
{
    const Result<TraceSet> set = importText(two_threads + "n:1:2 [0] NCCL INFO " + reduceOn("0xa")
                                            + "n:1:3 [1] NCCL INFO " + reduceOn("0xc"));
    QCOMPARE(set.value().files.size(), std::size_t{1});
    QCOMPARE(set.value().files[0].calls.size(), std::size_t{2});
    QCOMPARE(set.value().files[0].notes.size(), std::size_t{1});
}

// Of a tensor and a data group of two each, where nobody has asked for a group of all.
void TestNcclLogs::placesInGroupsOfOneProcessAreNoGpus()
{
    const std::string start = "n:1:2 [1] NCCL INFO ";
    const Result<TraceSet> set = importText(
        start + "ncclCommInitRank comm 0xa rank 1 nranks 2 cudaDev 1 commId 0x51 - Init COMPLETE\n" + start
        + "ncclCommInitRank comm 0xb rank 0 nranks 2 cudaDev 1 commId 0x52 - Init COMPLETE\n" + start
        + reduceOn("0xa") + start + reduceOn("0xb"));
    QCOMPARE(set.value().files.size(), std::size_t{1});
    const TraceFile& file = set.value().files[0];
    QVERIFY(!file.rank_is_known);
    QCOMPARE(file.calls.size(), std::size_t{2});
    QVERIFY(file.notes.empty());
    QVERIFY(file.warnings.empty());
}

// Of unlike processes the addresses are the same.
void TestNcclLogs::linesWithoutTheirProcessAreNotTakenApart()
{
    const Result<TraceSet> set = importText("NCCL INFO comm 0xa rank 0 nranks 2 cudaDev 0 - Init COMPLETE\n"
                                            "NCCL INFO comm 0xa rank 1 nranks 2 cudaDev 1 - Init COMPLETE\n"
                                            "NCCL INFO comm 0xb rank 0 nranks 2 cudaDev 0 - Init COMPLETE\n"
                                            "NCCL INFO "
                                            + reduceOn("0xa") + "NCCL INFO " + reduceOn("0xb"));
    QCOMPARE(set.value().files.size(), std::size_t{1});
    QVERIFY(!set.value().files[0].rank_is_known);
    QCOMPARE(set.value().files[0].calls.size(), std::size_t{2});
    QCOMPARE(set.value().files[0].notes.size(), std::size_t{1});
}

void TestNcclLogs::linesThatRanTogetherAreReadOrCounted()
{
    const Result<TraceSet> set = importText(two_threads + "n:1:2 [0] NCCL INFO n:1:3 [1] NCCL INFO "
                                            + reduceOn("0xb") + reduceOn("0xa"));
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.rank, std::int64_t{1});
    QCOMPARE(file.calls.size(), std::size_t{1});
    QCOMPARE(file.warnings.size(), std::size_t{1});
    QCOMPARE(file.warnings[0].count, std::int64_t{1});
}

// The first call has lost its end, the second the start of its writer's name.
void TestNcclLogs::writersOfTornLinesAreNoProcesses()
{
    const std::string log =
        two_threads + "n:1:2 [0] NCCL INFO " + reduceOn("0xa") + "n:1:3 [1] NCCL INFO " + reduceOn("0xb");
    const std::string torn = "n:1:2 [0] NCCL INFO AllReduce: opCount 1 sendbuff 0x1 recvbu";
    const Result<TraceSet> glued = importText(log + torn + "n:1:3 [1] NCCL INFO " + reduceOn("0xb"));
    const Result<TraceSet> apart = importText(log + torn + " n:1:3 [1] NCCL INFO " + reduceOn("0xb"));
    for (const Result<TraceSet>& set : {glued, apart}) {
        QCOMPARE(set.value().files.size(), std::size_t{2});
        QCOMPARE(set.value().files[0].warnings.size(), std::size_t{1});
        QCOMPARE(set.value().files[0].calls[0].count, std::int64_t{1});
    }
    QCOMPARE(glued.value().files[0].warnings[0].count, std::int64_t{2});
    QCOMPARE(glued.value().files[1].calls[0].count, std::int64_t{1});
    QCOMPARE(apart.value().files[0].warnings[0].count, std::int64_t{1});
    QCOMPARE(apart.value().files[1].calls[0].count, std::int64_t{2});
}

void TestNcclLogs::timeStampsMayStandBehindTheWriter_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("behind");
    QTest::newRow("none") << ""
                          << "";
    QTest::newRow("whole") << ""
                           << "123456 ";
    QTest::newRow("with a fraction") << ""
                                     << "123.456 ";
    QTest::newRow("in front") << "[2024-05-03 10:11:12] "
                              << "";
}

void TestNcclLogs::timeStampsMayStandBehindTheWriter()
{
    QFETCH(const QString, before);
    QFETCH(const QString, behind);
    std::string log;
    for (const int rank : {0, 1}) {
        const std::string number = std::to_string(rank);
        const std::string start = before.toStdString() + "n:" + number + "1:2 [" + number + "] "
                                  + behind.toStdString() + "NCCL INFO ";
        log += start + "comm 0xa rank " + number + " nranks 2 cudaDev 0 - Init COMPLETE\n";
        log += start + reduceOn("0xa");
    }
    const Result<TraceSet> set = importText(log);
    QCOMPARE(set.value().files.size(), std::size_t{2});
    QCOMPARE(set.value().files[1].rank, std::int64_t{1});
    QVERIFY(set.value().files[1].notes.empty());
}

// As NCCL 2.18 and later writes it. Each process knows its own place; the commId is everyone's.
void TestNcclLogs::groupsAreKnownWhereAllTheirMembersAre()
{
    const auto started = [](int rank, const std::string& communicator) {
        const std::string number = std::to_string(rank);
        return "host:" + number + "1:7 [" + number + "] NCCL INFO " + communicator + " - Init COMPLETE\n";
    };
    const auto world = [&](int rank) {
        return started(rank, "ncclCommInitRankConfig comm 0xabc rank " + std::to_string(rank)
                                 + " nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId 0x51");
    };
    const auto split = [&](int rank, int color) {
        return started(rank, "ncclCommSplit comm 0xdef rank " + std::to_string(rank / 2)
                                 + " nranks 2 cudaDev 0 nvmlDev 0 busId 1000 parent 0xabc splitCount 1 color "
                                 + std::to_string(color) + " key " + std::to_string(rank) + " commId 0x6"
                                 + std::to_string(color));
    };
    const auto calls = [](int rank) {
        const std::string number = std::to_string(rank);
        const std::string start = "host:" + number + "1:9 [" + number + "] NCCL INFO ";
        const std::string buffers = ": opCount 1 sendbuff 0x1 recvbuff 0x2 count 100 datatype 1 op 0 root ";
        return start + "AllReduce" + buffers + "0 comm 0xabc [nranks=4] stream 0x5\n" + start + "AllReduce"
               + buffers + "0 comm 0xdef [nranks=2] stream 0x5\n" + start + "Send" + buffers
               + std::to_string(1 - rank / 2) + " comm 0xdef [nranks=2] stream 0x5\n";
    };
    std::string log;
    for (int rank = 0; rank < 4; ++rank)
        log += world(rank) + (rank < 3 ? split(rank, rank % 2) : "");
    for (const int rank : {0, 1, 2}) // 3 writes elsewhere
        log += calls(rank);
    const Result<TraceSet> set = importText(log);
    QCOMPARE(set.value().files.size(), std::size_t{3});
    for (std::size_t rank = 0; rank < 3; ++rank) {
        const TraceFile& file = set.value().files[rank];
        const bool is_whole = rank % 2 == 0; // 0 and 2
        QCOMPARE(file.calls.size(), std::size_t{3});
        QCOMPARE(file.calls[0].group, std::string("0x51"));
        QCOMPARE(file.calls[1].group, std::string(is_whole ? "0x60" : "0x61"));
        QCOMPARE(file.calls[2].peer, std::int64_t{is_whole ? 2 - static_cast<int>(rank) : -1});
        QCOMPARE(file.groups.size(), std::size_t{2});
        QCOMPARE(file.groups[1].ranks,
                 is_whole ? (std::vector<std::int64_t>{0, 2}) : std::vector<std::int64_t>{});
    }
}

// The same, a log for each process.
void TestNcclLogs::membersMayWriteIntoLogsOfTheirOwn()
{
    const QTemporaryDir folder;
    for (const int rank : {0, 1, 2, 3}) {
        const std::string number = std::to_string(rank);
        const std::string start = "host:" + number + "1:7 [0] NCCL INFO ";
        std::ofstream(folder.filePath("nccl.host.%1.log").arg(100 + rank).toStdString())
            << start + "ncclCommInitRank comm 0xabc rank " + number
                   + " nranks 4 cudaDev 0 busId 1000 commId 0x51 - Init COMPLETE\n"
            << start + "ncclCommSplit comm 0xdef rank " + std::to_string(rank / 2)
                   + " nranks 2 cudaDev 0 busId 1000 parent 0xabc color 0 key 0 commId 0x6"
                   + std::to_string(rank % 2) + " - Init COMPLETE\n"
            << start + "Send: opCount 1 sendbuff 0x1 recvbuff (nil) count 100 datatype 1 op 0 root "
                   + std::to_string(1 - rank / 2) + " comm 0xdef [nranks=2] stream 0x5\n";
    }
    const auto receivers = [](const TraceSet& set) {
        QStringList peers;
        for (const TraceFile& file : set.files)
            peers << QString::number(file.calls.at(0).peer);
        return peers;
    };
    const std::filesystem::path path = folder.path().toStdString();
    QCOMPARE(receivers(importTraces(std::array{path}).value()), (QStringList{"2", "3", "0", "1"}));
    std::filesystem::remove(path / "nccl.host.103.log");
    QCOMPARE(receivers(importTraces(std::array{path}).value()), (QStringList{"2", "-1", "0"}));
}

void TestNcclLogs::rcclTellsRanksWithItsCalls()
{
    std::string log;
    for (const int rank : {5, 2})
        log += "host:" + std::to_string(10 + rank)
               + ":7 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x1 acc (nil) count 1024 "
                 "datatype 7 "
                 "op 0 root 0 comm 0x1 [nranks=8] stream 0x1 task 0 globalrank "
               + std::to_string(rank) + "\n";
    const Result<TraceSet> set = importText(log);
    QCOMPARE(set.value().files.size(), std::size_t{2});
    QCOMPARE(set.value().files[0].rank, std::int64_t{2});
    QCOMPARE(set.value().files[1].rank, std::int64_t{5});
    QVERIFY(set.value().files[1].notes.empty());
}

void TestNcclLogs::whatDeepSpeedHasLoggedTooCountsOnce()
{
    const Result<TraceSet> set = importText(
        "[Rank 0] rank=0 | comm op: all_reduce | time (ms): 9.5 | msg size: 4.0 KB | algbw (Gbps): 1\n"
        "host:1:7 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x1 count 1025 datatype 7 op 0 "
        "root 0 "
        "comm 0x1 [nranks=2] stream 0x1\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.calls.size(), std::size_t{1});
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{4100});
    QVERIFY(file.notes.back().starts_with("two loggers"));
}

void TestNcclLogs::channels()
{
    const Result<TraceSet> set =
        importText("host:1:2 [0] NCCL INFO Channel 00 : 29[1c000] -> 30[88000] via P2P/IPC\n"
                   "host:1:2 [0] NCCL INFO Channel 01 : 29[1c000] -> 30[88000] via P2P/IPC\n"
                   "host:1:2 [0] NCCL INFO Channel 00 : 11[88000] -> 12[88000] [receive] via NET/IB/2\n"
                   "host:1:2 [0] NCCL INFO Channel 00 : 11[88000] -> 12[88000] [send] via NET/IB/2\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.connections.size(), std::size_t{2});
    QCOMPARE(file.connections[0].from, std::int64_t{11});
    QCOMPARE(file.connections[0].transport, std::string("NET/IB/2"));
    QCOMPARE(file.connections[0].channels, std::int64_t{1});
    QCOMPARE(file.connections[1].to, std::int64_t{30});
    QCOMPARE(file.connections[1].channels, std::int64_t{2});
}

QTEST_APPLESS_MAIN(TestNcclLogs)
#include "tst_nccl_logs.moc"
