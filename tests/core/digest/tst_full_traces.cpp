#include <QtTest>

#include <QTemporaryDir>

#include "core/digest/digest_cache.h"
#include "core/digest/full_traces.h"
#include "core/digest/open_traces.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

// 40 kernels of 2 us, one every 3 us.
void writeTrace(const fs::path& path)
{
    std::string text = "[";
    for (int i = 0; i < 40; ++i)
        text += std::string(i > 0 ? "," : "")
                + R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" + std::to_string(3 * i)
                + R"(,"dur":2,"args":{"stream":7}})";
    std::ofstream(path, std::ios::binary) << text << ']';
}

} // namespace

class TestFullTraces : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_folder->filePath("cache").toUtf8());
        for (int rank = 0; rank < 3; ++rank)
            writeTrace(source(rank));
        m_digests = importTraces(std::array{source(0), source(1), source(2)}).value();
        for (TraceFile& file : m_digests.files)
            DigestCache{m_rules}.replace(file);
        m_digests.warnings.push_back(digestWarning(WarningOf::quick_digests, 3));
    }

    void onlyTheWantedOnesAreRead()
    {
        QVERIFY(m_digests.files[1].digest);
        const auto full = readInFull(m_digests, std::array<std::size_t, 1>{1});
        QVERIFY2(full, full ? "" : full.error().sentence.c_str());
        QVERIFY(!full.value().files[1].digest);
        QCOMPARE(full.value().files[1].store->size(), std::size_t{40});
        QCOMPARE(full.value().files[1].rank, std::int64_t{1});
        QVERIFY(full.value().files[0].digest && full.value().files[2].digest);
        QCOMPARE(full.value().warnings.at(0).count, std::int64_t{2});
    }

    void ranksThatTheUserGaveStay()
    {
        m_digests.files[2].rank = 9;
        const auto full = readInFull(m_digests, std::array<std::size_t, 3>{0, 1, 2});
        QVERIFY2(full, full ? "" : full.error().sentence.c_str());
        QCOMPARE(full.value().files[2].rank, std::int64_t{9});
        QVERIFY(full.value().warnings.empty());
    }

    void whatIsGoneOrChangedIsToldByASentence()
    {
        fs::remove(source(0));
        std::ofstream(source(1), std::ios::app) << "\n";
        const auto gone = readInFull(m_digests, std::array<std::size_t, 1>{0});
        QVERIFY(!gone && gone.error().sentence.starts_with("rank0.json is not at "));
        const auto changed = readInFull(m_digests, std::array<std::size_t, 1>{1});
        QVERIFY(!changed && changed.error().sentence.starts_with("rank1.json has changed since"));
        // The others are read all the same.
        const auto some = readInFull(m_digests, std::array<std::size_t, 3>{0, 1, 2});
        QVERIFY2(some, some ? "" : some.error().sentence.c_str());
        QVERIFY(some.value().files[0].digest && some.value().files[1].digest);
        QVERIFY(!some.value().files[2].digest);
        QCOMPARE(some.value().warnings.size(), std::size_t{3});
    }

    void itStopsWhenAsked()
    {
        ImportOptions options;
        options.on_progress = [](const ImportProgress&) { return false; };
        const auto stopped = readInFull(m_digests, std::array<std::size_t, 1>{0}, options);
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().sentence, std::string("stopped"));
    }

private:
    fs::path source(int rank) const
    {
        return fs::path(m_folder->path().toStdString()) / ("rank" + std::to_string(rank) + ".json");
    }

    ClassificationRules m_rules = ClassificationRules::shipped();
    std::unique_ptr<QTemporaryDir> m_folder;
    TraceSet m_digests;
};

QTEST_APPLESS_MAIN(TestFullTraces)
#include "tst_full_traces.moc"
