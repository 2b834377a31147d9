#include <QtTest>

#include <QTemporaryDir>

#include "core/analysis/analyze.h"
#include "tests/core/import/nsys/imported_export.h"

#include <array>
#include <filesystem>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

const fs::path shared = fs::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

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

// Eight processes of a node, 100 to 107, of which process 100 + p has GPU 7 - p: a kernel of 100 ns, then an
// all-reduce from 2000 + 10 p to 3000, launched within NCCL's range. A launcher, 99, has no kernels.
const std::string eight_processes = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'), (3, 'cudaLaunchKernel'),
  (4, 'poll'), (5, 'ncclAllReduce'), (6, 'ncclCommInitRank');
CREATE TABLE p (n INTEGER);
INSERT INTO p VALUES (0), (1), (2), (3), (4), (5), (6), (7);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, shortName INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000, 1100, 7 - n, 7, 1, (5 << 56) + (100 + n << 24), 1 FROM p;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 2000 + 10 * n, 3000, 7 - n, 20, 2, (5 << 56) + (100 + n << 24), 2 FROM p;
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  copyKind INTEGER, correlationId INTEGER, bytes INTEGER, globalPid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 1200, 1250, 7 - n, 7, 1, 3, 64 * n, (5 << 56) + (100 + n << 24) FROM p;
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1510, 1520, (5 << 56) + (100 + n << 24) + 1, 2, 3 FROM p;
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
INSERT INTO OSRT_API VALUES (0, 5000, (5 << 56) + (99 << 24) + 1, 4);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER,
  jsonText TEXT, binaryData BLOB);
)";

// The ranges of NCCL, with payloads as text: rank 7 - p of a communicator of all, whose number needs 64 bits.
const std::string ranges_as_text = R"(
INSERT INTO NVTX_EVENTS SELECT 1500, 1530, 59, NULL, 5, (5 << 56) + (100 + n << 24) + 1,
  '{"NCCL communicator ID": 18446744073709551615, "Message size [bytes]": 4096}', NULL FROM p;
INSERT INTO NVTX_EVENTS SELECT 100, 200, 59, NULL, 6, (5 << 56) + (100 + n << 24) + 1,
  '{"NCCL communicator ID": 18446744073709551615, "No. of ranks": 8, "Rank": ' || (7 - n) || '}', NULL FROM p;
INSERT INTO NVTX_EVENTS SELECT 300, 400, 59, NULL, 6, (5 << 56) + (100 + n << 24) + 1,
  '{"NCCL communicator ID": 17, "No. of ranks": 1, "Rank": 0}', NULL FROM p;
)";

} // namespace

class TestNsysSqlite : public QObject
{
    Q_OBJECT

private slots:
    void aRecordedExport();
    void anOldSchemaWithMessageSizes();
    void processesCountTheirOwnCalls();
    void eachProcessOfANodeIsARank();
    void processesThatNothingNamesAreCountedByGpu();
    void processesOfTwoSystemsWithOneNumber();
    void nodesOfAFolderCountOn();
    void kernelsThatTellNoProcess();
    void payloadsAsBytes();
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
    std::vector<TraceTime> delays;
    for (const TraceFile& file : set.value().files) {
        const TraceStore& store = *file.store;
        QCOMPARE(store.launches().size(), std::size_t{1});
        for (const GpuLaunch& launch : store.launches())
            delays.push_back(store.start(launch.gpu) - store.end(launch.call));
    }
    std::ranges::sort(delays);
    QCOMPARE(delays, (std::vector<TraceTime>{40, 105}));
}

// Process 100 + p is rank r = 7 - p: its all-reduce takes 1000 - 10 p = 930 + 10 r, the shortest 930, so rank
// r waits 10 r.
void TestNsysSqlite::eachProcessOfANodeIsARank()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, eight_processes + ranges_as_text);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{8});
    QCOMPARE(set.value().warnings.size(), std::size_t{0});
    const Measurement measured = analyze(set.value());
    for (std::int64_t r = 0; r < 8; ++r) {
        const TraceFile& file = set.value().files[static_cast<std::size_t>(r)];
        QCOMPARE(file.rank, r);
        QVERIFY(file.rank_is_known);
        QCOMPARE(file.world_size, std::int64_t{8});
        QCOMPARE(file.devices, std::int64_t{1});
        QVERIFY(file.path.ends_with("export/process " + std::to_string(107 - r)));
        // Three on the GPU, a call, three ranges; the launcher's call stands with the first rank.
        QCOMPARE(file.slices, std::int64_t{r == 0 ? 8 : 7});
        QCOMPARE(file.notes.size(), std::size_t(r == 0 ? 2 : 0));
        QCOMPARE(file.store->memoryMoves()[0].bytes, 64 * (7 - r));
        const RankMeasurement& rank = measured.ranks[static_cast<std::size_t>(r)];
        QCOMPARE(rank.compute_ns, std::int64_t{100});
        QCOMPARE(rank.memory_ns, std::int64_t{50});
        QCOMPARE(rank.communication_ns, 930 + 10 * r);
        QCOMPARE(rank.window_ns, std::int64_t{2000});
        const CollectiveCall& call = file.store->collectives()[0];
        QCOMPARE(call.in_bytes, std::int64_t{4096});
        QCOMPARE(call.group_size, 8);
        QCOMPARE(file.store->names().text(call.group), std::string_view("0xffffffffffffffff"));
        QCOMPARE(measured.cross_rank.wait_ns.at(r), 10 * r);
    }
    QCOMPARE(measured.cross_rank.matched, std::int64_t{1});
    QCOMPARE(measured.cross_rank.transfer_ns, std::int64_t{930});
}

void TestNsysSqlite::processesThatNothingNamesAreCountedByGpu()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, eight_processes);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{8});
    for (std::int64_t r = 0; r < 8; ++r) {
        const TraceFile& file = set.value().files[static_cast<std::size_t>(r)];
        QCOMPARE(file.rank, r);
        QVERIFY(!file.rank_is_known);
        QVERIFY(file.path.ends_with("/process " + std::to_string(107 - r)));
    }
    QCOMPARE(set.value().warnings.size(), std::size_t{1});
    QCOMPARE(set.value().warnings[0].count, std::int64_t{8});
    QVERIFY(QString::fromStdString(set.value().warnings[0].what).contains("export/process 107 (rank 0)"));
}

void TestNsysSqlite::processesOfTwoSystemsWithOneNumber()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, globalPid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (100, 150, 0, 7, (2 << 48) + (10 << 24)), (100, 150, 1, 7, (1 << 48) + (10 << 24)),
  (100, 150, 2, 7, (1 << 48) + (11 << 24));)");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const std::vector<TraceFile>& files = set.value().files;
    QCOMPARE(files.size(), std::size_t{3});
    QVERIFY(files[0].path.ends_with("/process 10 of system 2"));
    QVERIFY(files[1].path.ends_with("/process 10 of system 1"));
    QVERIFY(files[2].path.ends_with("/process 11"));
}

// "node10" comes after "node2".
void TestNsysSqlite::nodesOfAFolderCountOn()
{
    const QTemporaryDir folder;
    for (const char* const name : {"node10", "node2"}) {
        QVERIFY(importExport(folder, R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, globalPid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 0, 7, 20 << 24), (100, 150, 1, 7, 10 << 24);)"));
        fs::rename(folder.filePath("export").toStdString(), folder.filePath(name).toStdString());
    }
    const Result<TraceSet> set = importTraces(std::array{fs::path(folder.path().toStdString())});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QStringList places;
    for (const TraceFile& file : set.value().files)
        places << QString::number(file.rank) + QString::fromStdString(file.path).mid(folder.path().size());
    QCOMPARE(places, (QStringList{"0/node2/process 20", "1/node2/process 10", "2/node10/process 20",
                                  "3/node10/process 10"}));
}

void TestNsysSqlite::kernelsThatTellNoProcess()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 0, 7, 9);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50, 60, (10 << 24) + 1, 9, 2);)");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{1});
    QCOMPARE(set.value().files[0].store->launches().size(), std::size_t{1});
}

// The same payloads as bytes: domain 1; schema 9 has communicator, ranks and rank, schema 10 communicator and
// size. x'...' is little-endian.
void TestNsysSqlite::payloadsAsBytes()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = importExport(folder, one_call + R"(
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER, type INTEGER,
  name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES
  (1, 9, 0, NULL, 18, 'NCCL communicator ID', NULL, NULL, NULL), (1, 9, 1, NULL, 5, 'No. of ranks', NULL, NULL, 8),
  (1, 9, 2, NULL, 5, 'Rank', NULL, NULL, 12), (1, 9, 3, NULL, 99, 'CUDA device', NULL, NULL, 16),
  (1, 10, 0, NULL, 18, 'NCCL communicator ID', NULL, NULL, NULL), (1, 10, 1, NULL, 22, 'Message size [bytes]', NULL, NULL, 8),
  (1, 10, 2, NULL, 22, 'Rank', NULL, NULL, 4000000000);
ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData BLOB;
DELETE FROM NVTX_EVENTS;
INSERT INTO NVTX_EVENTS VALUES
  (10, 20, 59, 'ncclCommInitRankConfig', NULL, 16777221, NULL,
   x'0100000000000000090000000000000018000000000000003800000000000000bc0a000000000000100000000b0000000300000000000000'),
  (100, 130, 59, 'ncclAllReduce', NULL, 16777221, NULL,
   x'01000000000000000a0000000000000010000000000000003000000000000000bc0a0000000000000000100000000000'),
  (140, 150, 59, 'ncclAllReduce', NULL, 16777221, NULL, x'0100000000000000'),
  (150, 160, 59, 'ncclAllReduce', NULL, 16777221, NULL,
   x'01000000000000000a0000000000000010000000000000003000000000000000bc0a');)");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.rank, std::int64_t{11});
    QVERIFY(file.rank_is_known);
    QCOMPARE(file.world_size, std::int64_t{16});
    const CollectiveCall& call = file.store->collectives()[0];
    QCOMPARE(call.in_bytes, std::int64_t{1} << 20);
    QCOMPARE(call.group_size, 16);
    QCOMPARE(file.store->names().text(call.group), std::string_view("0xabc"));
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
