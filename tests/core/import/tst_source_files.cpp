#include <QtTest>

#include <QTemporaryDir>

#include "core/import/importer.h"
#include "core/import/source_files.h"

#include <sys/stat.h>

#include <array>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

const std::string one_event = R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2}])";

void write(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

std::int64_t countOf(const std::vector<ImportWarning>& warnings, const std::string& begin)
{
    for (const ImportWarning& warning : warnings) {
        if (warning.what.starts_with(begin))
            return warning.count;
    }
    return 0;
}

} // namespace

class TestSourceFiles : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void linksThatGoRoundAreNotFollowed();
    void whatIsNoFileIsLeftOutAndCounted();
    void aLinkToAFileIsThatFile();
    void aFileWithSeveralNamesIsReadOnce();
    void namesThatTellDifferentRanksEachCount();
    void whatTheKernelMakesUpIsRefused_data();
    void whatTheKernelMakesUpIsRefused();
    void theSearchIsStopped();
    void aPipeInPlaceOfAFileIsNotWaitedFor();
    void largeFilesThatAreNoTracesNeedNoMemory();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

void TestSourceFiles::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->path().toStdString();
}

void TestSourceFiles::linksThatGoRoundAreNotFollowed()
{
    write(m_path / "a/rank0.json", one_event);
    fs::create_directory_symlink(m_path, m_path / "a/up");
    fs::create_directory_symlink(m_path / "a", m_path / "again");
    fs::create_symlink(m_path / "itself", m_path / "itself");
    const Result<TraceSet> set = importTraces(std::array{m_path});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{1});
    QCOMPARE(countOf(set.value().warnings, "linked folder"), std::int64_t{2});
    QCOMPARE(countOf(set.value().warnings, "link of the folder that leads nowhere"), std::int64_t{1});
    // Named by itself a link is entered.
    QVERIFY(importTraces(std::array{m_path / "again"}));
}

void TestSourceFiles::whatIsNoFileIsLeftOutAndCounted()
{
    write(m_path / "rank0.json", one_event);
    QCOMPARE(mkfifo((m_path / "rank1.json").c_str(), 0600), 0);
    QCOMPARE(mkfifo((m_path / "rank2.json").c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", m_path / "rank3.json");
    fs::create_symlink(m_path / "gone", m_path / "rank4.json");
    const Result<TraceSet> set = importTraces(std::array{m_path});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{1});
    QCOMPARE(countOf(set.value().warnings, "pipe, socket or device"), std::int64_t{3});
    for (const ImportWarning& warning : set.value().warnings)
        QVERIFY2(warning.sentence.ends_with('.'), warning.what.c_str());
    QCOMPARE(countOf(set.value().warnings, "link of the folder that leads nowhere"), std::int64_t{1});
}

void TestSourceFiles::aLinkToAFileIsThatFile()
{
    write(m_path / "store/0123abcd", one_event);
    fs::create_directories(m_path / "run");
    fs::create_symlink(m_path / "store/0123abcd", m_path / "run/rank5.json");
    const Result<TraceSet> set = importTraces(std::array{m_path / "run"});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files[0].rank, std::int64_t{5});
}

void TestSourceFiles::aFileWithSeveralNamesIsReadOnce()
{
    write(m_path / "run/rank5.json", one_event);
    fs::create_symlink("rank5.json", m_path / "run/latest.json"); // comes before it by name
    fs::create_hard_link(m_path / "run/rank5.json", m_path / "run/the_same.json");
    fs::create_directory_symlink(m_path / "run", m_path / "again");
    const Result<TraceSet> set = importTraces(std::array{m_path / "run", m_path / "again"});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{1});
    QCOMPARE(set.value().files[0].rank, std::int64_t{5});
    QCOMPARE(countOf(set.value().warnings, "other name of a file"), std::int64_t{5});
}

void TestSourceFiles::namesThatTellDifferentRanksEachCount()
{
    write(m_path / "rank0.json", one_event);
    fs::create_symlink("rank0.json", m_path / "rank1.json");
    write(m_path / "rank2/trace.json", one_event);
    fs::create_directories(m_path / "rank3");
    fs::create_symlink(m_path / "rank2/trace.json", m_path / "rank3/trace.json");
    const Result<TraceSet> set = importTraces(std::array{m_path});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QCOMPARE(set.value().files.size(), std::size_t{4});
}

void TestSourceFiles::whatTheKernelMakesUpIsRefused_data()
{
    QTest::addColumn<QString>("path");
    QTest::newRow("processes") << "/proc";
    QTest::newRow("one process") << "/proc/self";
    QTest::newRow("a file of the processes") << "/proc/meminfo";
    QTest::newRow("devices") << "/sys";
}

void TestSourceFiles::whatTheKernelMakesUpIsRefused()
{
    QFETCH(QString, path);
    const fs::path there = path.toStdString();
    if (!fs::exists(there))
        QSKIP("this machine has no such folder");
    const Result<TraceSet> set = importTraces(std::array{there});
    QVERIFY(!set);
    QVERIFY2(set.error().sentence.starts_with(there.string() + ": this is made up by the kernel"),
             set.error().sentence.c_str());
}

void TestSourceFiles::theSearchIsStopped()
{
    for (int i = 0; i < 1000; ++i)
        std::ofstream(m_path / std::to_string(i)) << "no trace";
    int calls = 0;
    ImportOptions options;
    options.on_progress = [&](const ImportProgress& progress) {
        ++calls;
        return progress.bytes_total > 0; // stops while files are looked for
    };
    const Result<TraceSet> set = importTraces(std::array{m_path}, options);
    QVERIFY(!set);
    QCOMPARE(set.error().sentence, std::string("stopped"));
    QCOMPARE(calls, 1);
    calls = 0;
    QVERIFY(!importSize(std::array{m_path}, options));
    QCOMPARE(calls, 1);
}

// Between the search and the reading a file may be replaced by something else.
void TestSourceFiles::aPipeInPlaceOfAFileIsNotWaitedFor()
{
    const fs::path path = m_path / "rank0.json";
    write(path, one_event);
    ImportOptions options;
    options.instead = [&](const fs::path& file) {
        fs::remove(file);
        mkfifo(file.c_str(), 0600);
        return std::optional<TraceFile>{};
    };
    const Result<TraceSet> set = importTraces(std::array{path}, options);
    QVERIFY(!set);
    QVERIFY(!set.error().sentence.empty());
}

void TestSourceFiles::largeFilesThatAreNoTracesNeedNoMemory()
{
    constexpr std::int64_t size = std::int64_t{1} << 40;
    write(m_path / "rank0.json", one_event);
    write(m_path / "checkpoint.pt", std::string("PK\x03\x04", 4));
    fs::resize_file(m_path / "checkpoint.pt", size); // a hole
    QCOMPARE(importSize(std::array{m_path}).value().need.needed_bytes,
             std::int64_t(static_cast<double>(one_event.size()) * 0.35));
    const Result<TraceSet> set = importTraces(std::array{m_path});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
}

QTEST_APPLESS_MAIN(TestSourceFiles)
#include "tst_source_files.moc"
