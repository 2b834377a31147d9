#include <QtTest>

#include <QTemporaryDir>

#include "core/analysis/analyze.h"
#include "core/import/importer.h"

#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

const fs::path shared = fs::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

Result<TraceSet> importExport(const QTemporaryDir& folder, const std::string& statements)
{
    const fs::path path = folder.filePath("export").toStdString();
    sqlite3* database = nullptr;
    sqlite3_open(path.c_str(), &database);
    const int state = sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(database);
    return state == SQLITE_OK ? importTraces(std::array{path})
                              : Result<TraceSet>(Error{"the test's statements are wrong"});
}

// A kernel of NCCL that a call within a range of NCCL's launched, in the columns that every version has.
const std::string one_call = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'), (2, 'cudaLaunchKernel'), (3, 'rank 5');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, shortName INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 300, 1, 7, 9, 16777216, 1), (400, 390, 1, 7, 10, 16777216, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (110, 120, 16777221, 9, 2);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER, jsonText TEXT);
INSERT INTO NVTX_EVENTS VALUES (100, 130, 59, 'ncclAllReduce', NULL, 16777221, '{"Message size [bytes]": 4096}'),
  (90, 140, 60, NULL, 3, 16777221, NULL), (95, NULL, 34, 'a mark', NULL, 16777221, NULL);
)";

} // namespace

class TestNsysSqlite : public QObject
{
    Q_OBJECT

private slots:
    void aRecordedExport();
    void anOldSchemaWithMessageSizes();
    void processesCountTheirOwnCalls();
    void graphsRecordedAsAWhole();
    void viewsAreNoTables();
    void otherDatabasesAreRefused();
    void cutExportsAreToldApart();
};

// Figures by SQL over the file: rows of its five tables with a duration, distinct threads, and the union of
// kernels and copies.
void TestNsysSqlite::aRecordedExport()
{
    if (!fs::exists(shared))
        QSKIP("the folder ../shared with recorded traces is not here");
    const Result<TraceSet> set = importTraces(std::array{shared / "nsys_cloverleaf"});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("nsys_sqlite"));
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.slices, std::int64_t{1312 + 279 + 1312 + 3048 + 1831});
    QCOMPARE(file.tracks, std::int64_t{4 + 2});
    QCOMPARE(file.bytes_uncompressed, std::int64_t{2154496});
    QCOMPARE(file.store->firstStart(), TraceTime{1696392839587175550 + 56574271});
    const Measurement measured = analyze(set.value());
    QCOMPARE(measured.ranks[0].busy_ns, std::int64_t{303795463});
    QCOMPARE(measured.ranks[0].window_ns, std::int64_t{342407810});
    QCOMPARE(measured.ranks[0].compute_count, std::int64_t{1312});
    QCOMPARE(measured.ranks[0].memory_count, std::int64_t{279});
}

void TestNsysSqlite::anOldSchemaWithMessageSizes()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, one_call);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.slices, std::int64_t{4}); // a kernel, a call, two ranges
    QCOMPARE(file.status, FileStatus::recovered);
    QCOMPARE(file.warnings[0].what, std::string("event of negative duration"));
    QCOMPARE(file.notes.size(), std::size_t{1}); // nothing tells when the session began
    const TraceStore& store = *file.store;
    QCOMPARE(store.collectives().size(), std::size_t{1});
    const CollectiveCall& call = store.collectives()[0];
    QCOMPARE(store.start(call.event), TraceTime{200});
    QCOMPARE(store.names().text(call.name), std::string_view("AllReduce"));
    QCOMPARE(call.in_bytes, std::int64_t{4096});
    QCOMPARE(call.sizes_from, SizesFrom::annotation);
    const Measurement measured = analyze(set.value());
    QCOMPARE(measured.message_histogram[0].bytes, std::int64_t{4096});
    QCOMPARE(store.tracks()[0].pid, std::string("process 1"));
    QCOMPARE(store.tracks()[0].tid, std::string("5"));
    QCOMPARE(store.tracks()[1].process_name, std::string("GPU 1"));
}

void TestNsysSqlite::otherDatabasesAreRefused()
{
    const QTemporaryDir folder;
    const Result<TraceSet> other = importExport(folder, "CREATE TABLE bookmarks (url TEXT);");
    QVERIFY(!other);
    QVERIFY(QString::fromStdString(other.error().sentence).contains("no export of Nsight Systems"));
}

// Two processes whose calls have the same numbers. From the end of the call to the kernel: 100 - 60 = 40 and
// 180 - 75 = 105.
void TestNsysSqlite::processesCountTheirOwnCalls()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, shortName INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 0, 7, 9, 10 << 24, 1), (180, 200, 1, 7, 9, 11 << 24, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50, 60, (10 << 24) + 1, 9, 2), (65, 75, (11 << 24) + 1, 9, 2);)");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceStore& store = *set.value().files[0].store;
    QCOMPARE(store.launches().size(), std::size_t{2});
    std::vector<TraceTime> delays;
    for (const GpuLaunch& launch : store.launches())
        delays.push_back(store.start(launch.gpu) - store.end(launch.call));
    std::ranges::sort(delays);
    QCOMPARE(delays, (std::vector<TraceTime>{40, 105}));
}

void TestNsysSqlite::graphsRecordedAsAWhole()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100, 900, 0, 7, 9, 10 << 24, 3);)");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QVERIFY(QString::fromStdString(set.value().files[0].notes[0]).contains("--cuda-graph-trace=node"));
    const Measurement measured = analyze(set.value());
    QCOMPARE(measured.ranks[0].busy_ns, std::int64_t{800});
    QCOMPARE(measured.ranks[0].compute_count, std::int64_t{1});
}

// A view may count for ever.
void TestNsysSqlite::viewsAreNoTables()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, R"(CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS start, x + 1 AS "end" FROM c;)");
    QVERIFY(!set);
    QVERIFY(QString::fromStdString(set.error().sentence).contains("no export of Nsight Systems"));
}

void TestNsysSqlite::cutExportsAreToldApart()
{
    const QTemporaryDir folder;
    QVERIFY(importExport(folder, one_call));
    const fs::path path = folder.filePath("export").toStdString();
    fs::resize_file(path, fs::file_size(path) / 2);
    const Result<TraceSet> set = importTraces(std::array{path});
    QVERIFY(!set);
    QVERIFY2(QString::fromStdString(set.error().sentence).contains("cut short"),
             set.error().sentence.c_str());
}

QTEST_APPLESS_MAIN(TestNsysSqlite)
#include "tst_nsys_sqlite.moc"
