#include <QtTest>

#include <QTemporaryDir>

#include "core/import/import_control.h"
#include "core/import/importer.h"

#include <array>
#include <atomic>
#include <fstream>
#include <new>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

const std::string one_event = R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2}])";

void write(const QTemporaryDir& folder, const char* name, const std::string& text)
{
    const fs::path path = fs::path(folder.path().toStdString()) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

Result<TraceSet> importFolder(const QTemporaryDir& folder, const ImportOptions& options = {})
{
    return importTraces(std::array{fs::path(folder.path().toStdString())}, options);
}

} // namespace

class TestImportControl : public QObject
{
    Q_OBJECT

private slots:
    void aFolderGivesItsTracesByRank();
    void foldersTellRanksThatNothingElseTells();
    void placesInALayoutTellRanks();
    void degreesInNamesTellNoRanks();
    void filesThatAreNoTracesAreLeftOutOfFoldersAndCounted();
    void brokenTracesStayInTheSetAsRejected();
    void twoFilesOfOneRankAreTold();
    void pathsThatAreNotThereAreTold();
    void aFolderWithoutTracesIsTold();
    void progressGrowsToTheEnd();
    void theUserStopsIt();
    void ranksThatNoClusterHasAreDropped();
    void whatAStepThrowsReachesTheCaller();
    void aFileWithNothingInItIsStopped_data();
    void aFileWithNothingInItIsStopped();
};

void TestImportControl::aFolderGivesItsTracesByRank()
{
    const QTemporaryDir folder;
    write(folder, "rank10.json", one_event);
    write(folder, "rank9.json", one_event);
    write(folder, "deeper/worker_0.json", one_event);
    const Result<TraceSet> set = importFolder(folder);
    QCOMPARE(set.value().files.size(), std::size_t{3});
    QCOMPARE(set.value().files[0].rank, std::int64_t{0});
    QCOMPARE(set.value().files[1].rank, std::int64_t{9});
    QCOMPARE(set.value().files[2].rank, std::int64_t{10});
    QVERIFY(set.value().files[2].rank_is_known);
    QCOMPARE(set.value().warnings.size(), std::size_t{1}); // ranks 1 to 8 are missing
    QCOMPARE(set.value().warnings[0].count, std::int64_t{8});
}

// What the file says itself counts before its name, its name before its folder's.
void TestImportControl::foldersTellRanksThatNothingElseTells()
{
    const QTemporaryDir folder;
    write(folder, "rank_02/trace.json", one_event);
    write(folder, "worker1/trace.json", one_event);
    write(folder, "rank9/rank0.json", one_event);
    write(
        folder, "rank8/trace.json",
        R"({"distributedInfo":{"rank":3},"traceEvents":[{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2}]})");
    const Result<TraceSet> set = importFolder(folder);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const std::vector<TraceFile>& files = set.value().files;
    QCOMPARE(files.size(), std::size_t{4});
    for (std::size_t i = 0; i < files.size(); ++i) {
        QCOMPARE(files[i].rank, std::int64_t(i));
        QVERIFY(files[i].rank_is_known);
        QCOMPARE(files[i].rank_guess == RankGuess::folder_name, i == 1 || i == 2);
    }
    QCOMPARE(set.value().warnings.size(), std::size_t{1});
    QCOMPARE(set.value().warnings[0].what,
             std::string("file whose rank only the name of its folder tells: worker1/trace.json (rank 1), "
                         "rank_02/trace.json (rank 2)"));
}

// Tensor 2, data 3, pipeline 2: rank = tensor + 2 (data + 3 pipeline). What a file says itself counts before.
void TestImportControl::placesInALayoutTellRanks()
{
    const QTemporaryDir folder;
    write(folder, "TP-1-DP-0-PP-0.json", one_event);
    write(folder, "TP-0-DP-2-PP-0.json", one_event);
    write(folder, "TP-1-DP-2-PP-1.json", one_event);
    write(
        folder, "TP-0-DP-0-PP-0.json",
        R"({"distributedInfo":{"rank":7},"traceEvents":[{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2}]})");
    const Result<TraceSet> set = importFolder(folder);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QStringList ranks;
    for (const TraceFile& file : set.value().files) {
        QVERIFY(file.rank_is_known);
        QCOMPARE(file.rank_guess, file.rank == 7 ? RankGuess::none : RankGuess::layout);
        ranks << QString::number(file.rank);
    }
    QCOMPARE(ranks, (QStringList{"1", "4", "7", "11"}));
    QCOMPARE(set.value().warnings.size(), std::size_t{2}); // the other one counts missing ranks
    QCOMPARE(set.value().warnings[0].count, std::int64_t{3});
    // One alone does not tell how large the layout is.
    const fs::path alone = fs::path(folder.path().toStdString()) / "TP-1-DP-0-PP-0.json";
    QVERIFY(!importTraces(std::array{alone}).value().files[0].rank_is_known);
}

// Runs of an experiment over layouts. Places begin with 0.
void TestImportControl::degreesInNamesTellNoRanks()
{
    const QTemporaryDir folder;
    write(folder, "llama_tp2_dp4_pp2.json", one_event);
    write(folder, "llama_tp4_dp2_pp2.json", one_event);
    const std::string log = " elapsed time per iteration (ms): 1615.2 | learning rate: 1.0\n";
    write(folder, "logs/gpt_dp1_tp4_pp4.out", " iteration 1/ 10 |" + log + " iteration 2/ 10 |" + log);
    const Result<TraceSet> set = importFolder(folder);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{3});
    for (const TraceFile& file : set.value().files) {
        QCOMPARE(file.rank, std::int64_t{0});
        QVERIFY(!file.rank_is_known);
        QCOMPARE(file.rank_guess, file.timers.empty() ? RankGuess::degrees : RankGuess::none);
    }
    QStringList sentences;
    for (const ImportWarning& warning : set.value().warnings)
        sentences << QString::fromStdString(warning.sentence);
    QCOMPARE(sentences.filter("no file").size(), 0);
    QCOMPARE(sentences.filter("tell degrees of parallelism and no ranks").size(), 1);
}

void TestImportControl::filesThatAreNoTracesAreLeftOutOfFoldersAndCounted()
{
    const QTemporaryDir folder;
    write(folder, "trace.json", one_event);
    write(folder, "README.md", "what this is\n");
    write(folder, "config.json", R"({"layers": 12})");
    write(folder, ".hidden.json", one_event);
    const Result<TraceSet> set = importFolder(folder);
    QCOMPARE(set.value().files.size(), std::size_t{1});
    QCOMPARE(set.value().files[0].rank, std::int64_t{0});
    QVERIFY(!set.value().files[0].rank_is_known);
    QCOMPARE(set.value().warnings.size(), std::size_t{1});
    QCOMPARE(set.value().warnings[0].count, std::int64_t{2});
}

void TestImportControl::brokenTracesStayInTheSetAsRejected()
{
    const QTemporaryDir folder;
    write(folder, "rank0.json", one_event);
    write(folder, "rank1.json", R"({"traceEvents":[{"ph":)");
    const Result<TraceSet> set = importFolder(folder);
    QCOMPARE(set.value().files.size(), std::size_t{2});
    const auto broken = std::ranges::find(set.value().files, FileStatus::rejected, &TraceFile::status);
    QVERIFY(broken != set.value().files.end());
    QVERIFY(!broken->rejection.empty());
}

void TestImportControl::twoFilesOfOneRankAreTold()
{
    const QTemporaryDir folder;
    write(folder, "rank0.json", one_event);
    write(folder, "again/rank0.json", one_event);
    const Result<TraceSet> set = importFolder(folder);
    QCOMPARE(set.value().files.size(), std::size_t{2});
    QCOMPARE(set.value().warnings.size(), std::size_t{1});
}

void TestImportControl::pathsThatAreNotThereAreTold()
{
    const Result<TraceSet> set = importTraces(std::array{fs::path("/nowhere/rank0.json")});
    QVERIFY(!set);
    QVERIFY(set.error().sentence.starts_with("/nowhere/rank0.json: "));
    QVERIFY(!importTraces(std::array{fs::path("/dev/zero")}));
    QVERIFY(!importTraces({}));
}

void TestImportControl::aFolderWithoutTracesIsTold()
{
    const QTemporaryDir folder;
    write(folder, "README.md", "nothing here\n");
    const Result<TraceSet> set = importFolder(folder);
    QVERIFY(!set);
    QVERIFY(set.error().sentence.find("no trace in it") != std::string::npos);
}

void TestImportControl::progressGrowsToTheEnd()
{
    const QTemporaryDir folder;
    std::string large = "[";
    for (int i = 0; i < 50000; ++i)
        large += R"({"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2},)";
    for (const char* name : {"rank0.json", "rank1.json", "rank2.json"})
        write(folder, name, large);
    std::vector<ImportProgress> seen;
    ImportOptions options;
    options.on_progress = [&](const ImportProgress& progress) {
        seen.push_back(progress);
        return true;
    };
    QVERIFY(importFolder(folder, options));
    QVERIFY(seen.size() > 1);
    for (std::size_t i = 1; i < seen.size(); ++i) {
        QVERIFY(seen[i].bytes_done >= seen[i - 1].bytes_done);
        QVERIFY(seen[i].files_done >= seen[i - 1].files_done);
    }
    QCOMPARE(seen.back().files_total, 3);
    QCOMPARE(seen.back().bytes_total, std::int64_t(3 * large.size()));
    QVERIFY(seen.back().bytes_done <= seen.back().bytes_total);
}

void TestImportControl::ranksThatNoClusterHasAreDropped()
{
    const QTemporaryDir folder;
    write(folder, "a.json",
          R"({"distributedInfo":{"rank":9223372036854775807,"world_size":-4},"traceEvents":)" + one_event
              + "}");
    const Result<TraceSet> set = importFolder(folder);
    const TraceFile& file = set.value().files.front();
    QCOMPARE(file.rank, std::int64_t{0});
    QCOMPARE(file.world_size, std::int64_t{0});
    QCOMPARE(file.status, FileStatus::recovered);
    QCOMPARE(file.slices, std::int64_t{1});
}

// On whichever thread: an import that has no memory left says so, and the program goes on.
void TestImportControl::whatAStepThrowsReachesTheCaller()
{
    const ImportOptions options;
    ImportControl control{options, 0, 1};
    std::atomic<int> steps = 0;
    const auto throwing = [&](std::size_t) -> bool {
        if (++steps > 3)
            throw std::bad_alloc();
        return true;
    };
    const auto task = [&](std::size_t thread, int) { control.runShared(thread, throwing); };
    QVERIFY_EXCEPTION_THROWN(control.runFiles(1, task), std::bad_alloc);
    steps = -1'000'000'000;
    control.runShared(0, [&](std::size_t) { return ++steps < -999'999'990; }); // and works again
}

void TestImportControl::theUserStopsIt()
{
    const QTemporaryDir folder;
    std::string large = "[";
    for (int i = 0; i < 200000; ++i)
        large += R"({"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2},)";
    write(folder, "rank0.json", large);
    write(folder, "rank1.json", large);
    int calls = 0;
    ImportOptions options;
    options.on_progress = [&](const ImportProgress&) { return ++calls < 2; };
    const Result<TraceSet> set = importFolder(folder, options);
    QVERIFY(!set);
    QCOMPARE(set.error().sentence, std::string("stopped"));
    QCOMPARE(calls, 2);
}

void TestImportControl::aFileWithNothingInItIsStopped_data()
{
    QTest::addColumn<QString>("begin");
    QTest::newRow("between events") << "[";
    QTest::newRow("before the events") << R"({"otherData": ")";
    QTest::newRow("within an event") << R"([{"ph":"X","name":")";
    QTest::newRow("a schedule, read whole") << R"({"1": {"fwd_start": )";
}

// A reader that looks for something in a TiB of nothing must still hear that it is to stop.
void TestImportControl::aFileWithNothingInItIsStopped()
{
    QFETCH(QString, begin);
    const QTemporaryDir folder;
    write(folder, "rank0.json", begin.toStdString());
    const fs::path path = fs::path(folder.path().toStdString()) / "rank0.json";
    fs::resize_file(path, std::uintmax_t{1} << 40); // a hole
    for (const int threads : {1, 2}) {
        int calls = 0;
        ImportOptions options;
        options.threads = threads;
        options.on_memory_need = [](const MemoryNeed&) { return true; };
        options.on_progress = [&](const ImportProgress&) { return ++calls < 20; };
        const Result<TraceSet> set = importTraces(std::array{path}, options);
        QVERIFY(!set);
        QCOMPARE(calls, 20);
    }
}

QTEST_APPLESS_MAIN(TestImportControl)
#include "tst_import_control.moc"
