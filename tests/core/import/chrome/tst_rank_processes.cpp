#include <QtTest>

#include <QTemporaryDir>

#include "core/import/chrome/event_arguments.h"
#include "core/import/chrome/rank_processes.h"
#include "core/import/importer.h"
#include "tests/core/import/chrome_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

std::string slice(int pid, const std::string& category, const std::string& name, int start,
                  const std::string& arguments)
{
    return R"({"ph":"X","pid":)" + std::to_string(pid) + R"(,"tid":7,"ts":)" + std::to_string(start)
           + R"(,"dur":10,"cat":")" + category + R"(","name":")" + name + R"(","args":{)" + arguments
           + "}},\n";
}

// A call that launches a collective, a copy, and memory in use.
std::string oneRank(int cpu, int gpu, int start, int bytes)
{
    const std::string correlation = R"("correlation":)" + std::to_string(start);
    return slice(cpu, "cuda_runtime", "cudaLaunchKernel", start, correlation)
           + slice(gpu, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", start + 20,
                   correlation + R"(,"device":0,"stream":7,"Collective name":"allreduce","In msg nelems":)"
                       + std::to_string(bytes / 4) + R"(,"Out msg nelems":)" + std::to_string(bytes / 4)
                       + R"(,"Group size":2,"dtype":"Float")")
           + slice(gpu, "gpu_memcpy", "Memcpy HtoD", start + 40, R"("bytes":)" + std::to_string(bytes))
           + R"({"ph":"C","pid":)" + std::to_string(cpu) + R"(,"name":"in use","ts":)" + std::to_string(start)
           + R"(,"args":{"bytes":)" + std::to_string(bytes) + "}},\n";
}

TraceSet read(const QTemporaryDir& folder, const std::string& events)
{
    const fs::path path = folder.filePath("merged.json").toStdString();
    std::ofstream(path, std::ios::binary) << R"({"traceEvents":[)" << '\n' << events << "{}]}";
    auto set = importTraces(std::array{path});
    return set ? std::move(set).value() : TraceSet{};
}

} // namespace

class TestRankProcesses : public QObject
{
    Q_OBJECT

private slots:
    void aProcessNamesItsRank_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rank");
        QTest::newRow("at the start") << "rank 3" << 3;
        QTest::newRow("without a space") << "Rank12" << 12;
        QTest::newRow("with more behind") << "rank 0: stage 0, tp 0, dp 0" << 0;
        QTest::newRow("a colon between") << "RANK: 7" << 7;
        QTest::newRow("in brackets") << "[rank5] python" << 5;
        QTest::newRow("behind a name") << "python (rank 4)" << 4;
        QTest::newRow("a dash is no sign") << "rank-2" << 2;
        QTest::newRow("another's rank") << "local_rank 3" << -1;
        QTest::newRow("a word that ends so") << "crank 3" << -1;
        QTest::newRow("no number") << "ranks" << -1;
        QTest::newRow("half a number") << "rank 3.5" << -1;
        QTest::newRow("a number with letters") << "rank 3rd" << -1;
        QTest::newRow("beyond 64 bits") << "rank 99999999999999999999" << -1;
        QTest::newRow("python") << "python" << -1;
    }
    void aProcessNamesItsRank()
    {
        QFETCH(QString, name);
        QFETCH(int, rank);
        QCOMPARE(rankOfProcess(name.toStdString()).value_or(-1), std::int64_t{rank});
    }

    // What refers to events, or belongs to a process, goes with its rank; a process without one with the
    // first.
    void mergedRanksAreTakenApart()
    {
        const QTemporaryDir folder;
        const TraceSet set =
            read(folder, processName(20, "rank 1: python") + processName(21, "rank 1: GPU 0")
                             + processName(10, "rank 0: python") + processName(11, "rank 0: GPU 0")
                             + processName(30, "Spans") + oneRank(20, 21, 500, 4'096)
                             + oneRank(10, 11, 100, 1'024) + slice(30, "Trace", "PyTorch Profiler", 0, ""));
        QCOMPARE(set.files.size(), std::size_t{2});
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const TraceFile& file = set.files[rank];
            QCOMPARE(file.rank, std::int64_t(rank));
            QVERIFY(file.rank_is_known);
            QCOMPARE(file.devices, std::int64_t{1});
            const TraceStore& store = *file.store;
            QCOMPARE(store.size(), std::size_t{rank == 0 ? 4U : 3U});
            const std::int64_t bytes = rank == 0 ? 1'024 : 4'096;
            QCOMPARE(store.collectives().size(), std::size_t{1});
            const CollectiveCall& call = store.collectives().front();
            QCOMPARE(call.in_bytes, bytes);
            QCOMPARE(store.names().text(call.name), std::string_view("allreduce"));
            QVERIFY(store.name(call.event).starts_with("ncclDevKernel"));
            QCOMPARE(store.launches().size(), std::size_t{1});
            QCOMPARE(store.name(store.launches().front().call), std::string_view("cudaLaunchKernel"));
            QCOMPARE(store.memoryMoves().size(), std::size_t{1});
            QCOMPARE(store.memoryMoves().front().bytes, bytes);
            QCOMPARE(store.counters().size(), std::size_t{1});
            QCOMPARE(store.counters().front().values.front(), double(bytes));
            const auto arguments = readEventArguments(file, call.event);
            QVERIFY2(arguments, arguments ? "" : arguments.error().sentence.c_str());
            QVERIFY(!arguments.value().empty());
        }
    }

    // Ranks count what they launch from the same start: each finds its own, and what it sends.
    void numbersOfLaunchesAreEachRanksOwn_data()
    {
        QTest::addColumn<bool>("is_by_layout");
        QTest::newRow("processes that name ranks") << false;
        QTest::newRow("SGLang's, whose processes are all called alike") << true;
    }
    void numbersOfLaunchesAreEachRanksOwn()
    {
        QFETCH(bool, is_by_layout);
        const QTemporaryDir folder;
        const auto rank = [](int cpu, int start, int elements) {
            const std::string number = R"("correlation":5,"External id":1)";
            return slice(cpu, "cpu_op", "record_param_comms", start,
                         R"("External id":1,"Collective name":"allreduce","Group size":2,"dtype":"Float",)"
                             + (R"("In msg nelems":)" + std::to_string(elements)) + R"(,"Out msg nelems":)"
                             + std::to_string(elements))
                   + slice(cpu, "cuda_runtime", "cudaLaunchKernel", start + 1, number)
                   + slice(cpu + 1, "kernel", "ncclKernel_AllReduce", start + 20,
                           number + R"(,"device":0,"stream":7)");
        };
        QString events = QString::fromStdString(rank(10, 100, 1'000) + rank(20, 200, 250'000));
        for (const int pid : {10, 11, 20, 21}) {
            const int number = pid / 20;
            if (is_by_layout)
                events.replace(QStringLiteral("\"pid\":%1,").arg(pid),
                               QStringLiteral("\"pid\":\"[TP0%1] %2\",").arg(number).arg(pid % 10));
            else
                events += QString::fromStdString(processName(pid, "rank " + std::to_string(number)));
        }
        const TraceSet set = read(folder, events.toStdString());
        QCOMPARE(set.files.size(), std::size_t{2});
        for (const auto& [place, bytes] : {std::pair{0, 4'000}, std::pair{1, 1'000'000}}) {
            QCOMPARE(set.files[static_cast<std::size_t>(place)].rank, std::int64_t{place});
            QCOMPARE(set.files[static_cast<std::size_t>(place)].devices, std::int64_t{1});
            const TraceStore& store = *set.files[static_cast<std::size_t>(place)].store;
            QCOMPARE(store.launches().size(), std::size_t{1});
            const auto kernel = std::ranges::find_if(store.collectives(), [&](const CollectiveCall& call) {
                return store.name(call.event) == "ncclKernel_AllReduce";
            });
            QVERIFY(kernel != store.collectives().end());
            QCOMPARE(kernel->in_bytes, bytes);
        }
    }

    // Without metadata the pid is the only name.
    void aPidMayBeTheName()
    {
        const QTemporaryDir folder;
        const auto event = [](int rank) {
            return R"({"ph":"X","tid":7,"ts":1,"dur":2,"cat":"kernel","name":"gemm","pid":)"
                   + ("\"rank " + std::to_string(rank) + "\"},");
        };
        const TraceSet set = read(folder, event(3) + event(1) + event(3));
        QCOMPARE(set.files.size(), std::size_t{2});
        QCOMPARE(set.files[0].rank, std::int64_t{1});
        QCOMPARE(set.files[1].rank, std::int64_t{3});
        QCOMPARE(set.files[1].store->size(), std::size_t{2});
    }

    // The GPU's process is called as the CPU's, and a label tells it apart.
    void labelsOfGpusLeaveThemTheirRank()
    {
        const QTemporaryDir folder;
        const auto rank = [](int cpu, const std::string& name, int start) {
            return processName(cpu, name) + processName(cpu + 1, name) + R"({"ph":"M","pid":)"
                   + std::to_string(cpu + 1) + R"(,"name":"process_labels","args":{"labels":"GPU 0"}},)"
                   + oneRank(cpu, cpu + 1, start, 1'024);
        };
        const TraceSet set = read(folder, rank(10, "rank 0", 100) + rank(20, "rank 1", 500));
        QCOMPARE(set.files.size(), std::size_t{2});
        for (const TraceFile& file : set.files) {
            QCOMPARE(file.devices, std::int64_t{1});
            QCOMPARE(file.store->size(), std::size_t{3});
            QCOMPARE(file.store->launches().size(), std::size_t{1});
            QVERIFY(std::ranges::any_of(file.store->tracks(), [&](const Track& track) {
                return track.process_name == "rank " + std::to_string(file.rank) + ": GPU 0";
            }));
            QVERIFY(file.notes.empty());
        }
    }

    void layoutsBeforeProcessesAreRanks_data()
    {
        QTest::addColumn<QStringList>("pids");
        QTest::addColumn<QString>("ranks");
        QTest::newRow("SGLang's of a tensor group")
            << QStringList{"[TP01] 40", "[TP00] 41", "[TP00] 0", "[TP01] 0"} << "1,0,0,1";
        QTest::newRow("more than two digits") << QStringList{"[TP100] 0", "[TP11] 0"} << "1,0";
        QTest::newRow("stages come last")
            << QStringList{"[TP00-PP01] 0", "[TP01-PP00] 0", "[TP00-PP00] 0", "[TP01-PP01] 0"} << "2,1,0,3";
        QTest::newRow("replicas after the tensor group")
            << QStringList{"[TP00-DP01-PP00-EP00] 0", "[TP01-DP00-PP00-EP01] 0"} << "1,0";
        QTest::newRow("what has no place stands with the first")
            << QStringList{"[TP01] 0", "[TP00] 0", "[Unknown] 5", "python"} << "1,0,0,0";
        QTest::newRow("one place") << QStringList{"[TP00] 0", "[TP00] 41", "python"} << "0,0,0";
        QTest::newRow("plain numbers") << QStringList{"10", "11"} << "0,0";
        QTest::newRow("other words") << QStringList{"[worker] 1", "[server] 2"} << "0,0";
        QTest::newRow("words with numbers") << QStringList{"[gpu0] 1", "[gpu1] 2"} << "0,0";
        QTest::newRow("axes without numbers") << QStringList{"[TP] 1", "[DP] 2"} << "0,0";
        QTest::newRow("more than a number") << QStringList{"[TP1x] 1", "[TP2x] 2"} << "0,0";
        QTest::newRow("signs") << QStringList{"[TP-1] 1", "[TP-2] 2"} << "0,0";
        QTest::newRow("nothing within")
            << QStringList{"[] 1", "[-] 2", "[", "[TP00", "[TP01]"} << "0,0,0,0,0";
    }
    void layoutsBeforeProcessesAreRanks()
    {
        QFETCH(QStringList, pids);
        QFETCH(QString, ranks);
        const QTemporaryDir folder;
        std::string events;
        for (const QString& pid : pids)
            events += R"({"ph":"X","tid":7,"ts":1,"dur":2,"cat":"cpu_op","name":"aten::mm","pid":)"
                      + ("\"" + pid.toStdString() + "\"},\n");
        const TraceSet set = read(folder, events);
        QStringList found(pids.size());
        for (const TraceFile& file : set.files) {
            QVERIFY(!file.rank_is_known);
            for (const Track& track : file.store->tracks())
                found[pids.indexOf(QString::fromStdString(track.pid))] = QString::number(file.rank);
        }
        QCOMPARE(found.join(','), ranks);
        // A guess is said.
        QCOMPARE(set.warnings.size(), std::size_t(set.files.size() > 1 ? 1 : 0));
        for (const ImportWarning& warning : set.warnings)
            QVERIFY(warning.what.find("its place in a layout") != std::string::npos);
    }

    void aFileOfASingleRankStaysWhole()
    {
        const QTemporaryDir folder;
        const TraceSet set =
            read(folder, processName(10, "rank 5") + processName(11, "GPU 0") + oneRank(10, 11, 100, 1'024));
        QCOMPARE(set.files.size(), std::size_t{1});
        QCOMPARE(set.files.front().store->size(), std::size_t{3});
        QCOMPARE(set.files.front().devices, std::int64_t{1});
    }
};

QTEST_APPLESS_MAIN(TestRankProcesses)
#include "tst_rank_processes.moc"
