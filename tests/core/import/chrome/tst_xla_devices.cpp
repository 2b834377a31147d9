#include <QtTest>

#include <QTemporaryDir>

#include "core/analysis/analyze.h"
#include "core/analysis/digest/digest.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/import/chrome/event_arguments.h"
#include "core/import/chrome/xla_operations.h"
#include "core/import/importer.h"
#include "tests/core/import/chrome_names.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

// Times in microseconds, as the profiler writes them.
std::string operation(int pid, int tid, const std::string& name, int start, int end,
                      const std::string& category = "")
{
    std::string text = R"({"ph":"X","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid)
                       + R"(,"ts":)" + std::to_string(start) + R"(.0,"dur":)" + std::to_string(end - start)
                       + R"(.0,"name":")" + name + "\"";
    if (!category.empty())
        text += R"(,"args":{"run_id":"7","hlo_category":")" + category + R"(","long_name":"%x = f32[]"})";
    return text + "},\n";
}

const std::string head = R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)"
                         "\n";
const std::string tail = "{}]}";

// A loop around everything; an all-gather that runs from 250 to 420 beside a fusion; a fusion that holds an
// all-reduce.
const std::string tpu_without_async_row =
    processName(3, "/device:TPU:0") + rowName(3, 1, "Steps") + rowName(3, 2, "XLA Modules")
    + rowName(3, 3, "XLA Ops") + operation(3, 1, "41", 0, 460)
    + operation(3, 2, "jit_train_step(123)", 0, 460) + operation(3, 3, "while.1", 0, 460, "while")
    + operation(3, 3, "fusion.1", 0, 100, "convolution fusion")
    + operation(3, 3, "all-reduce.5", 100, 150, "all-reduce")
    + operation(3, 3, "fusion.2", 150, 250, "loop fusion")
    + operation(3, 3, "all-gather-start.3", 250, 255, "all-gather")
    + operation(3, 3, "fusion.4", 255, 400, "loop fusion")
    + operation(3, 3, "all-gather-done.3", 400, 420, "all-gather")
    + operation(3, 3, "fusion.253", 420, 450, "all-reduce fusion")
    + operation(3, 3, "copy.7", 450, 460, "copy");

const std::string tpu_with_async_row =
    processName(4, "/device:TPU:1") + rowName(4, 3, "XLA Ops") + rowName(4, 4, "Async XLA Ops")
    + operation(4, 3, "fusion.1", 0, 100) + operation(4, 3, "all-gather-start.3", 100, 101)
    + operation(4, 3, "fusion.2", 101, 200) + operation(4, 3, "all-gather-done.3", 200, 230)
    + operation(4, 4, "all-gather-start.3", 100, 230) + operation(4, 4, "copy-start.2", 10, 40);

const std::string host = processName(701, "/host:CPU") + rowName(701, 9, "python")
                         + operation(701, 9, "PjitFunction(train_step)", 0, 20);

struct Written {
    QTemporaryDir folder;
    Result<TraceSet> set;

    explicit Written(const std::string& text) : set(read(text)) {}

    Result<TraceSet> read(const std::string& text) const
    {
        const fs::path path = folder.filePath("host0.trace.json").toStdString();
        std::ofstream(path, std::ios::binary) << text;
        return importTraces(std::array{path});
    }
};

} // namespace

class TestXlaDevices : public QObject
{
    Q_OBJECT

private slots:
    void operationsByName_data();
    void operationsByName();
    void aDeviceWhoseCollectivesAreJoined();
    void aDeviceThatListsWhatIsInFlight();
    void everyDeviceIsARank();
    void streamsOfAGpuCountAndNotTheirOperations();
    void anUnfinishedStartCountsAlone();
    void sendsLastUntilTheyAreDone();
    void wrappedCollectivesLastUntilTheyAreDone();
    void digestsKeepSteps();
};

void TestXlaDevices::operationsByName_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("category");
    QTest::addColumn<QString>("collective");
    QTest::addColumn<int>("part"); // 0 whole, 1 start, 2 done
    QTest::newRow("all-reduce") << "all-reduce.5"
                                << ""
                                << "all-reduce" << 0;
    QTest::newRow("the first has no number") << "all-reduce"
                                             << ""
                                             << "all-reduce" << 0;
    QTest::newRow("start") << "all-gather-start.3"
                           << ""
                           << "all-gather" << 1;
    QTest::newRow("done") << "all-gather-done.3"
                          << ""
                          << "all-gather" << 2;
    QTest::newRow("permute") << "collective-permute-start.12.clone"
                             << ""
                             << "collective-permute" << 1;
    QTest::newRow("ragged") << "ragged-all-to-all.2"
                            << ""
                            << "ragged-all-to-all" << 0;
    QTest::newRow("whole text") << "%reduce-scatter.1 = f32[8] reduce-scatter(%p)"
                                << ""
                                << "reduce-scatter" << 0;
    QTest::newRow("a send's end") << "send-done.4"
                                  << ""
                                  << "send" << 2;
    QTest::newRow("a send's beginning") << "send.3"
                                        << ""
                                        << "send" << 1;
    QTest::newRow("a recv's beginning") << "recv"
                                        << ""
                                        << "recv" << 1;
    QTest::newRow("a fusion named by it") << "all-reduce-fusion.2"
                                          << ""
                                          << "all-reduce" << 0;
    QTest::newRow("a fusion that holds one") << "fusion.253"
                                             << "all-reduce fusion"
                                             << "all-reduce" << 0;
    QTest::newRow("a fused scatter") << "all-reduce-scatter.2"
                                     << "all-reduce-scatter"
                                     << "reduce-scatter" << 0;
    QTest::newRow("a fusion that holds a scatter") << "fusion.12"
                                                   << "all-reduce-scatter fusion"
                                                   << "reduce-scatter" << 0;
    QTest::newRow("wrapped, start") << "async-collective-start.3"
                                    << "custom fusion"
                                    << "async-collective" << 1;
    QTest::newRow("wrapped, done") << "async-collective-done.3"
                                   << ""
                                   << "async-collective" << 2;
    QTest::newRow("wrapped, and the category tells what") << "async-collective-done"
                                                          << "all-gather"
                                                          << "all-gather" << 2;
    QTest::newRow("computes beside a wrapped one") << "async-collective-fusion.7"
                                                   << "convolution fusion"
                                                   << "" << 0;
    QTest::newRow("other asynchronous work") << "async-start.1"
                                             << "async-start"
                                             << "" << 1;
    QTest::newRow("a fusion") << "fusion.4"
                              << "loop fusion"
                              << "" << 0;
    QTest::newRow("a reduction is no collective") << "reduce.7"
                                                  << ""
                                                  << "" << 0;
    QTest::newRow("another word") << "sender.1"
                                  << ""
                                  << "" << 0;
    QTest::newRow("a copy") << "copy-start.2"
                            << ""
                            << "" << 1;
    QTest::newRow("nothing") << ""
                             << ""
                             << "" << 0;
}

void TestXlaDevices::operationsByName()
{
    QFETCH(QString, name);
    QFETCH(QString, category);
    const std::string text = name.toStdString();
    const std::string sort = category.toStdString();
    const XlaOperation operation = xlaOperationOf(text, sort);
    QTEST(QString::fromStdString(std::string(operation.collective)), "collective");
    QTEST(static_cast<int>(operation.part), "part");
}

// Computation: 100 + 100 + 145. Communication: 100 to 150, and 250 to 450 without a gap. The fusion from 255
// to 400 overlaps.
void TestXlaDevices::aDeviceWhoseCollectivesAreJoined()
{
    const Written written(head + tpu_without_async_row + host + tail);
    QVERIFY2(written.set, written.set ? "" : written.set.error().sentence.c_str());
    QCOMPARE(written.set.value().files.size(), std::size_t{1});
    const TraceFile& file = written.set.value().files[0];
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.format, std::string("chrome"));
    QVERIFY(file.path.ends_with("host0.trace.json"));
    const RankMeasurement rank = analyze(written.set.value()).ranks[0];
    QCOMPARE(rank.compute_ns, std::int64_t{345'000});
    QCOMPARE(rank.communication_ns, std::int64_t{250'000});
    QCOMPARE(rank.overlap_ns, std::int64_t{145'000});
    QCOMPARE(rank.exposed_communication_ns, std::int64_t{105'000});
    QCOMPARE(rank.memory_ns, std::int64_t{10'000});
    QCOMPARE(rank.window_ns, std::int64_t{460'000});
    QCOMPARE(rank.idle_ns, std::int64_t{0});
    QCOMPARE(rank.communication_count, std::int64_t{3});
    QCOMPARE(rank.compute_count, std::int64_t{3});
    QCOMPARE(stepNumbers(written.set.value()), std::vector<std::int64_t>{41});
    // Nine rows of operations, one in flight, and module, step, host's call.
    QCOMPARE(file.slices, std::int64_t{9 + 1 + 3});
}

// In flight from 100 to 230, of which the fusion takes 101 to 200; the copy beside is 30.
void TestXlaDevices::aDeviceThatListsWhatIsInFlight()
{
    const Written written(head + tpu_with_async_row + tail);
    QVERIFY2(written.set, written.set ? "" : written.set.error().sentence.c_str());
    const RankMeasurement rank = analyze(written.set.value()).ranks[0];
    QCOMPARE(rank.compute_ns, std::int64_t{199'000});
    QCOMPARE(rank.communication_ns, std::int64_t{130'000});
    QCOMPARE(rank.overlap_ns, std::int64_t{99'000});
    QCOMPARE(rank.memory_ns, std::int64_t{30'000});
    QCOMPARE(rank.communication_count, std::int64_t{1});
}

void TestXlaDevices::everyDeviceIsARank()
{
    const Written written(head + tpu_with_async_row + host + tpu_without_async_row + tail);
    QVERIFY2(written.set, written.set ? "" : written.set.error().sentence.c_str());
    const TraceSet& set = written.set.value();
    QCOMPARE(set.files.size(), std::size_t{2});
    QVERIFY(set.files[0].path.ends_with("host0.trace.json/TPU:0"));
    QVERIFY(set.files[1].path.ends_with("host0.trace.json/TPU:1"));
    QCOMPARE(set.files[0].rank, std::int64_t{0});
    QCOMPARE(set.files[1].rank, std::int64_t{1});
    QVERIFY(!set.files[1].rank_is_known);
    QCOMPARE(set.warnings.size(), std::size_t{1});
    QCOMPARE(set.warnings[0].count, std::int64_t{2});
    const Measurement measured = analyze(set);
    QCOMPARE(measured.ranks[0].compute_ns, std::int64_t{345'000});
    QCOMPARE(measured.ranks[1].compute_ns, std::int64_t{199'000});
    // What the file says of an event is still found in it.
    const TraceStore& store = *set.files[0].store;
    for (std::uint32_t i = 0; i < store.size(); ++i) {
        if (store.name(EventIndex{i}) != "fusion.253")
            continue;
        const auto arguments = readEventArguments(set.files[0], EventIndex{i});
        QVERIFY2(arguments, arguments ? "" : arguments.error().sentence.c_str());
        QCOMPARE(arguments.value()[1].value, std::string("all-reduce fusion"));
    }
}

void TestXlaDevices::streamsOfAGpuCountAndNotTheirOperations()
{
    const std::string gpu =
        processName(1, "/device:GPU:0") + rowName(1, 13, "Stream #13(Compute)")
        + rowName(1, 15, "Stream #15(MemcpyD2H)") + rowName(1, 90, "XLA Ops")
        + operation(1, 13, "loop_fusion_3", 0, 50)
        + operation(1, 13, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 60, 90)
        + operation(1, 15, "MemcpyD2H", 95, 99) + operation(1, 90, "loop_fusion.3", 0, 50)
        + operation(1, 90, "all-reduce-start.1", 60, 90);
    const Written written(head + gpu + tail);
    QVERIFY2(written.set, written.set ? "" : written.set.error().sentence.c_str());
    const RankMeasurement rank = analyze(written.set.value()).ranks[0];
    QCOMPARE(rank.compute_ns, std::int64_t{50'000});
    QCOMPARE(rank.communication_ns, std::int64_t{30'000});
    QCOMPARE(rank.memory_ns, std::int64_t{4'000});
    QCOMPARE(rank.gpu_events, std::int64_t{3});
}

// Two of one sort end in another order; a third has no end, another no beginning.
void TestXlaDevices::anUnfinishedStartCountsAlone()
{
    const std::string tpu =
        processName(3, "/device:TPU:0") + rowName(3, 3, "XLA Ops")
        + operation(3, 3, "all-gather-done.9", 0, 5) + operation(3, 3, "all-gather-start.1", 10, 11)
        + operation(3, 3, "all-gather-start.2", 20, 21) + operation(3, 3, "all-gather-done.2", 40, 50)
        + operation(3, 3, "all-gather-done.1", 60, 70) + operation(3, 3, "all-gather-start.3", 80, 81);
    const Written written(head + tpu + tail);
    QVERIFY2(written.set, written.set ? "" : written.set.error().sentence.c_str());
    const RankMeasurement rank = analyze(written.set.value()).ranks[0];
    QCOMPARE(rank.communication_count, std::int64_t{4});
    QCOMPARE(rank.communication_ns, std::int64_t{5'000 + 60'000 + 1'000});
}

// Instructions have numbers of their own. The fusion from 10 to 40 overlaps.
void TestXlaDevices::sendsLastUntilTheyAreDone()
{
    const std::string tpu = processName(3, "/device:TPU:0") + rowName(3, 3, "XLA Ops")
                            + operation(3, 3, "send.7", 0, 10) + operation(3, 3, "fusion.1", 10, 40)
                            + operation(3, 3, "send-done.9", 40, 50);
    const Written written(head + tpu + tail);
    QVERIFY2(written.set, written.set ? "" : written.set.error().sentence.c_str());
    const RankMeasurement rank = analyze(written.set.value()).ranks[0];
    QCOMPARE(rank.communication_count, std::int64_t{1});
    QCOMPARE(rank.communication_ns, std::int64_t{50'000});
    QCOMPARE(rank.overlap_ns, std::int64_t{30'000});
}

// What a wrapped collective is no name tells; the fusion from 10 to 40 overlaps.
void TestXlaDevices::wrappedCollectivesLastUntilTheyAreDone()
{
    const std::string tpu = processName(3, "/device:TPU:0") + rowName(3, 3, "XLA Ops")
                            + operation(3, 3, "async-collective-start.2", 0, 10, "custom fusion")
                            + operation(3, 3, "async-collective-fusion.2", 10, 40, "convolution fusion")
                            + operation(3, 3, "async-collective-done.2", 40, 50, "custom fusion");
    const Written written(head + tpu + tail);
    QVERIFY2(written.set, written.set ? "" : written.set.error().sentence.c_str());
    const RankMeasurement rank = analyze(written.set.value()).ranks[0];
    QCOMPARE(rank.communication_count, std::int64_t{1});
    QCOMPARE(rank.communication_ns, std::int64_t{50'000});
    QCOMPARE(rank.compute_ns, std::int64_t{30'000});
    QCOMPARE(rank.overlap_ns, std::int64_t{30'000});
}

void TestXlaDevices::digestsKeepSteps()
{
    const Written written(head + tpu_without_async_row + tail);
    QVERIFY2(written.set, written.set ? "" : written.set.error().sentence.c_str());
    const TraceSet digested{{digestOf(written.set.value().files[0], ClassificationRules::shipped())}};
    QCOMPARE(stepNumbers(digested), std::vector<std::int64_t>{41});
    const Measurement full = analyze(written.set.value());
    const Measurement small = analyze(digested);
    QCOMPARE(small.ranks[0].compute_ns, full.ranks[0].compute_ns);
    QCOMPARE(small.ranks[0].communication_count, std::int64_t{3});
    QCOMPARE(small.ranks[0].exposed_communication_ns, std::int64_t{105'000});
}

QTEST_APPLESS_MAIN(TestXlaDevices)
#include "tst_xla_devices.moc"
