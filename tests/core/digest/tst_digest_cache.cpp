#include <QtTest>

#include <QTemporaryDir>

#include "core/analysis/analyze.h"
#include "core/digest/digest_cache.h"
#include "core/digest/open_traces.h"
#include "core/import/digest_file.h"
#include "core/import/streams/byte_stream.h"
#include "core/import/streams/whole_text.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

// Large enough that its digest is worth keeping: 6,000 kernels of 2 us, one every 3 us.
void writeTrace(const fs::path& path)
{
    std::string text = "[";
    for (int i = 0; i < 6000; ++i)
        text += std::string(i > 0 ? "," : "")
                + R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" + std::to_string(3 * i)
                + R"(,"dur":2,"args":{"stream":7}})";
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text << ']';
}

TraceFile readInFull(const fs::path& path)
{
    return importTraces(std::array{path}).value().files[0];
}

} // namespace

class TestDigestCache : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_trace = fs::path(m_folder->path().toStdString()) / "run/rank3.json";
        writeTrace(m_trace);
        qputenv("XDG_CACHE_HOME", m_folder->filePath("cache").toUtf8());
    }

    void aDigestIsKeptBesideItsTrace()
    {
        QVERIFY(!m_cache.find(m_trace));
        TraceFile file = readInFull(m_trace);
        m_cache.replace(file);
        QVERIFY(file.digest);
        QVERIFY(fs::exists(m_trace.parent_path() / ".rank3.json.digest"));
        const auto found = m_cache.find(m_trace);
        QVERIFY(found);
        QCOMPARE(found->path, m_trace.string());
        QCOMPARE(found->rank, std::int64_t{3});
        QCOMPARE(found->slices, std::int64_t{6000});
        // The folder still has one trace.
        QCOMPARE(importTraces(std::array{m_trace.parent_path()}).value().files.size(), std::size_t{1});
    }

    void itIsKeptInTheUsersCacheWhereTheFolderCannotBeWritten()
    {
        // A folder of the digest's name: works for the superuser, too.
        fs::create_directories(m_trace.parent_path() / ".rank3.json.digest/in the way");
        TraceFile file = readInFull(m_trace);
        m_cache.replace(file);
        QVERIFY(m_cache.find(m_trace));
        QVERIFY(fs::exists(digestPlaces(m_trace).at(1)));
        QVERIFY(digestPlaces(m_trace).at(1).string().starts_with(m_folder->path().toStdString()));
    }

    void itHoldsAsLongAsTheTraceIsTheSame()
    {
        TraceFile file = readInFull(m_trace);
        m_cache.replace(file);
        fs::last_write_time(m_trace, fs::last_write_time(m_trace) + std::chrono::seconds(1));
        QVERIFY(!m_cache.find(m_trace));
        TraceFile again = readInFull(m_trace);
        m_cache.replace(again);
        QVERIFY(m_cache.find(m_trace));
        const auto time = fs::last_write_time(m_trace);
        std::ofstream(m_trace, std::ios::app) << "\n";
        fs::last_write_time(m_trace, time);
        QVERIFY(!m_cache.find(m_trace));
    }

    void itHoldsForItsRulesAlone()
    {
        TraceFile file = readInFull(m_trace);
        m_cache.replace(file);
        const auto other = ClassificationRules::parse("communication gemm\n");
        QVERIFY2(other, other ? "" : other.error().sentence.c_str());
        QVERIFY(!DigestCache{other.value()}.find(m_trace));
    }

    // Its bytes without compression: the name of the format takes 19, the version follows its key.
    void oneOfAnEarlierVersionIsMadeAgain()
    {
        TraceFile file = readInFull(m_trace);
        m_cache.replace(file);
        const fs::path place = digestPlaces(m_trace).at(0);
        std::string message;
        {
            auto opened = openFile(place);
            QVERIFY(opened);
            message = readWhole(*inflateIfCompressed(std::move(opened).value()), 1 << 20).value_or("");
        }
        const auto write = [&] { std::ofstream(place, std::ios::binary) << message; };
        write();
        QVERIFY(m_cache.find(m_trace));
        QCOMPARE(message.at(19), '\x10');
        const auto versionByte = [](int version) { return static_cast<char>(2 * version); }; // zigzag
        QCOMPARE(message.at(20), versionByte(digest_version));
        message.at(20) = versionByte(digest_version - 1);
        write();
        QVERIFY(!m_cache.find(m_trace));
        // Named by itself it opens, and says what it lacks.
        const auto set = importTraces(std::array{place});
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        QCOMPARE(set.value().files[0].slices, std::int64_t{6000});
        QVERIFY(QString::fromStdString(set.value().files[0].notes.back()).contains("earlier version"));
        // A later one is refused.
        message.at(20) = versionByte(digest_version + 1);
        write();
        const auto newer = importTraces(std::array{place});
        QVERIFY(!newer);
        QVERIFY(QString::fromStdString(newer.error().sentence).contains("newer version"));
    }

    void aDamagedOneIsMadeAgain()
    {
        TraceFile file = readInFull(m_trace);
        m_cache.replace(file);
        fs::resize_file(m_trace.parent_path() / ".rank3.json.digest", 40);
        QVERIFY(!m_cache.find(m_trace));
    }

    void manyFilesOpenAsDigestsAndTheSecondTimeAtOnce()
    {
        const fs::path folder = m_trace.parent_path();
        for (int rank = 4; rank < 72; ++rank)
            fs::copy_file(m_trace, folder / ("rank" + std::to_string(rank) + ".json"));
        for (int round = 0; round < 2; ++round) {
            const auto traces = openTraces(std::array{folder}, TraceDetail::quick, m_rules);
            QVERIFY(traces);
            QCOMPARE(traces.value().files.size(), std::size_t{69});
            QVERIFY(std::ranges::all_of(traces.value().files,
                                        [](const TraceFile& file) { return file.digest != nullptr; }));
            QCOMPARE(traces.value().warnings.back().count, std::int64_t{69});
            const Measurement measurement = analyze(traces.value());
            QCOMPARE(measurement.ranks.size(), std::size_t{69});
            QCOMPARE(measurement.ranks[5].compute_ns, std::int64_t{12'000'000});
        }
        const auto all = openTraces(std::array{folder}, TraceDetail::as_it_fits, m_rules);
        QVERIFY(all);
        QVERIFY(!all.value().files[0].digest);
    }

private:
    const ClassificationRules m_rules = ClassificationRules::shipped();
    const DigestCache m_cache{m_rules};
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_trace;
};

QTEST_APPLESS_MAIN(TestDigestCache)
#include "tst_digest_cache.moc"
