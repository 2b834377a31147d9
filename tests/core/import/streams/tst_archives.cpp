#include <QtTest>

#include <QTemporaryDir>

#include "core/import/chrome/event_arguments.h"
#include "core/import/importer.h"
#include "tests/core/import/zstd_text.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

// A ustar entry as POSIX.1-1988 describes it.
std::string tarEntry(const std::string& name, const std::string& content, char type = '0')
{
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    std::array<char, 16> octal{};
    put(0, name);
    put(100, "0000644");
    std::snprintf(octal.data(), octal.size(), "%011zo", content.size());
    put(124, octal.data());
    put(148, "        ");
    put(156, std::string(1, type));
    put(257, std::string("ustar\0"
                         "00",
                         8));
    int sum = 0;
    for (const char byte : header)
        sum += static_cast<unsigned char>(byte);
    std::snprintf(octal.data(), octal.size(), "%06o", static_cast<unsigned>(sum));
    put(148, octal.data());
    header[154] = '\0';
    const std::size_t padding = (512 - content.size() % 512) % 512;
    return header + content + std::string(padding, '\0');
}

std::string traceOf(int rank)
{
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(rank)
           + R"(, "world_size": 2}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k)"
           + std::to_string(rank) + R"(", "pid": 0, "tid": 7, "ts": 10, "dur": 4, "args": {"stream": 7}}]})";
}

Result<TraceSet> import(const QTemporaryDir& folder, const std::string& content)
{
    const fs::path path = folder.filePath("file").toStdString();
    std::ofstream(path, std::ios::binary) << content;
    return importTraces(std::array{path});
}

const std::string end_of_tar(1024, '\0');

} // namespace

// Compressed files and archives of several traces.
class TestArchives : public QObject
{
    Q_OBJECT

private slots:
    void zstdIsInflated();
    void damagedZstdSaysSo();
    void eachMemberOfAnArchiveIsARank_data();
    void eachMemberOfAnArchiveIsARank();
    void longNamesAndOtherThingsInArchives();
    void namesThatLeadOutOfAnArchive();
    void anArchiveThatIsCutShort();
    void whatIsNotTakenApartSaysWhatToDo_data();
    void whatIsNotTakenApartSaysWhatToDo();
};

void TestArchives::zstdIsInflated()
{
    const QTemporaryDir folder;
    // Two frames with a skippable one between them.
    const std::string text = traceOf(1);
    const std::string skipped("\x50\x2a\x4d\x18\x03\x00\x00\x00"
                              "abc",
                              11);
    const Result<TraceSet> set =
        import(folder, skipped + zstdOf(text.substr(0, 40)) + skipped + zstdOf(text.substr(40)));
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.rank, std::int64_t{1});
    QCOMPARE(file.bytes_uncompressed, static_cast<std::int64_t>(text.size()));
    QCOMPARE(readEventArguments(file, EventIndex{0}).value()[0].value, std::string("7"));
}

void TestArchives::damagedZstdSaysSo()
{
    const QTemporaryDir folder;
    std::string cut = zstdOf(traceOf(1));
    cut.resize(cut.size() - 6);
    const Result<TraceSet> set = import(folder, cut);
    QVERIFY(!set);
    QVERIFY(QString::fromStdString(set.error().sentence).contains("the zstd stream is cut short"));
    std::string garbage = zstdOf(traceOf(1));
    garbage.replace(6, 8, "\xff\xff\xff\xff\xff\xff\xff\xff");
    QVERIFY(QString::fromStdString(import(folder, garbage).error().sentence).contains("zstd"));
}

void TestArchives::eachMemberOfAnArchiveIsARank_data()
{
    QTest::addColumn<bool>("is_compressed");
    QTest::newRow("tar") << false;
    QTest::newRow("tar.zst") << true;
}

void TestArchives::eachMemberOfAnArchiveIsARank()
{
    QFETCH(bool, is_compressed);
    const QTemporaryDir folder;
    const std::string tar = tarEntry("run/", "", '5') + tarEntry("run/b.json", traceOf(1))
                            + tarEntry("run/a.json.zst", zstdOf(traceOf(0)))
                            + tarEntry("run/.hidden", traceOf(2)) + tarEntry("run/notes", "\x01\x02")
                            + end_of_tar;
    const Result<TraceSet> set = import(folder, is_compressed ? zstdOf(tar) : tar);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{2});
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const TraceFile& file = set.value().files[rank];
        QCOMPARE(file.rank, static_cast<std::int64_t>(rank));
        QCOMPARE(file.store->name(EventIndex{0}), std::string_view(rank == 0 ? "k0" : "k1"));
        QVERIFY(file.path.ends_with(rank == 0 ? "file/run/a.json.zst" : "file/run/b.json"));
        QCOMPARE(readEventArguments(file, EventIndex{0}).value().size(), std::size_t{1});
    }
    QCOMPARE(set.value().warnings.size(), std::size_t{1}); // the notes are no trace
}

void TestArchives::namesThatLeadOutOfAnArchive()
{
    const QTemporaryDir folder;
    const Result<TraceSet> set = import(folder, tarEntry("../../../etc/passwd", traceOf(0))
                                                    + tarEntry("/run/a.json", traceOf(1)) + end_of_tar);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QVERIFY(set.value().files[0].path.ends_with("/file/etc/passwd"));
    QVERIFY(set.value().files[1].path.ends_with("/file/run/a.json"));
    QCOMPARE(readEventArguments(set.value().files[0], EventIndex{0}).value().size(), std::size_t{1});
}

void TestArchives::whatIsNotTakenApartSaysWhatToDo_data()
{
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<QString>("what");
    QTest::newRow("zip") << QByteArray("PK\x03\x04\x14\0\0\0", 8) << "zip archive: unpack it";
    QTest::newRow("xz") << QByteArray("\xfd"
                                      "7zXZ\0\0\x04",
                                      8)
                        << "xz -d";
    QTest::newRow("bzip2") << QByteArray("BZh91AY\x01", 8) << "bzip2 -d";
    QTest::newRow("UTF-16") << QByteArray("\xff\xfe{\0\"\0", 6) << "save it as UTF-8";
    QTest::newRow("unknown") << QByteArray("\x01\x02\x03\x04", 4)
                             << "no trace in a format that is known here";
}

void TestArchives::whatIsNotTakenApartSaysWhatToDo()
{
    QFETCH(const QByteArray, begin);
    QFETCH(const QString, what);
    const QTemporaryDir folder;
    const Result<TraceSet> set = import(folder, begin.toStdString());
    QVERIFY(!set);
    QVERIFY2(QString::fromStdString(set.error().sentence).contains(what), set.error().sentence.c_str());
}

void TestArchives::longNamesAndOtherThingsInArchives()
{
    const QTemporaryDir folder;
    const std::string gnu_name = std::string(120, 'g') + "/rank1.json";
    const std::string pax_name = std::string(200, 'p') + "/rank0.json";
    const std::string record = std::to_string(pax_name.size() + 10) + " path=" + pax_name + "\n";
    const Result<TraceSet> set =
        import(folder, tarEntry("././@LongLink", gnu_name + '\0', 'L') + tarEntry("cut", traceOf(1))
                           + tarEntry("pax", record, 'x') + tarEntry("cut", traceOf(0)) + end_of_tar);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QVERIFY(set.value().files[0].path.ends_with(pax_name));
    QVERIFY(set.value().files[1].path.ends_with(gnu_name));
}

void TestArchives::anArchiveThatIsCutShort()
{
    const QTemporaryDir folder;
    const std::string first = tarEntry("a.json", traceOf(0));
    const std::string second = tarEntry("b.json", traceOf(1));
    const Result<TraceSet> set = import(folder, first + second.substr(0, 512 + 100));
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files[0].status, FileStatus::ok);
    QVERIFY(std::ranges::any_of(set.value().files, [](const TraceFile& file) {
        return file.status == FileStatus::rejected
               && file.rejection.find("the archive ends within this file") != std::string::npos;
    }));
    const Result<TraceSet> damaged = import(folder, first + std::string(512, 'x') + second);
    QCOMPARE(damaged.value().files.size(), std::size_t{2});
    QVERIFY(std::ranges::any_of(damaged.value().files, [](const TraceFile& file) {
        return file.rejection.find("cut short or damaged") != std::string::npos;
    }));
}

QTEST_APPLESS_MAIN(TestArchives)
#include "tst_archives.moc"
