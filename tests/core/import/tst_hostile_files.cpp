#include <QtTest>

#include <QTemporaryDir>

#include "core/analysis/digest/digest.h"
#include "core/import/importer.h"
#include "core/import/streams/whole_text.h"
#include "tests/core/import/zstd_text.h"

#include <zlib.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::string gzipOf(const std::string& text)
{
    std::string out(text.size() / 500 + 1024, '\0');
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string repeated(const std::string& text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

// One event and then blanks, `mebibytes` of them, as members of a compressed file.
template<class Compress>
std::string bombOf(const Compress& compress, int mebibytes)
{
    return compress(R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2})")
           + repeated(compress(std::string(mebibyte, ' ')), mebibytes);
}

// A ustar header whose size field says what it likes.
std::string tarHeader(const std::string& name, const std::string& octal_size)
{
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    header.replace(124, octal_size.size(), octal_size);
    header.replace(148, 8, 8, ' ');
    header[156] = '0';
    unsigned sum = 0;
    for (const char byte : header)
        sum += static_cast<unsigned char>(byte);
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%06o", sum & 0777777U);
    header.replace(148, 7, text.data(), 7);
    return header;
}

std::string eventOf(const std::string& ts, const std::string& dur, const std::string& name = "a")
{
    return R"({"ph":"X","name":")" + name + R"(","pid":0,"tid":7,"ts":)" + ts + R"(,"dur":)" + dur + "}";
}

std::string edgeOf(const std::string& phase, const std::string& number)
{
    return R"({"ph":")" + phase + R"(","pid":1,"tid":1,"name":"n)" + number + R"(","ts":)" + number + "}";
}

double peakMiB()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

} // namespace

// Files that want to crash the program, to stop it, or to swallow the machine. Each gets a sentence or a
// count.
class TestHostileFiles : public QObject
{
    Q_OBJECT

private slots:
    void shortestFilesAreNoMishap();
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = fs::path(m_folder->path().toStdString()) / "rank0.json";
    }

    void bombsAreTold_data()
    {
        QTest::addColumn<QByteArray>("content");
        constexpr int enough = 520; // a bomb is one from half a gigabyte on
        QTest::newRow("gzip") << QByteArray::fromStdString(bombOf(gzipOf, enough));
        QTest::newRow("zstd") << QByteArray::fromStdString(bombOf(zstdOf, enough));
        QTest::newRow("gzip in gzip") << QByteArray::fromStdString(gzipOf(bombOf(gzipOf, enough)));
    }

    void bombsAreTold()
    {
        QFETCH(QByteArray, content);
        const double before = peakMiB();
        const auto traces = read(content.toStdString());
        QVERIFY(traces);
        QVERIFY(hasWarning(traces.value().files[0], "more than 400 times its size"));
        QCOMPARE(traces.value().files[0].slices, std::int64_t{1});
        QVERIFY(peakMiB() - before < 200);
    }

    void anArchiveThatIsABombIsTold()
    {
        const auto traces = read(gzipOf(tarHeader("rank0.json", "17777777777")) // 2 GiB
                                 + bombOf(gzipOf, 520));
        QVERIFY(traces || !traces.error().sentence.empty());
        if (traces)
            QVERIFY(hasWarning(traces.value().files[0], "more than 400 times its size"));
    }

    void archivesThatLieOfTheirSizesAreTold()
    {
        const std::string event = "[" + eventOf("1", "2") + "]";
        const std::string padded = event + std::string(512 - event.size(), '\0');
        const auto traces = read(tarHeader("rank0.json", "77777777777") + padded);
        QVERIFY(traces);
        QVERIFY(!traces.value().files[0].warnings.empty());
        const std::string huge = "\x80" + std::string(3, '\0') + std::string(8, '\x7f');
        const auto negative = read(tarHeader("rank0.json", huge) + padded);
        QVERIFY(negative || !negative.error().sentence.empty());
    }

    void fileInAFileInAFileIsNotFollowedForEver()
    {
        std::string content = "[" + eventOf("1", "2") + "]";
        for (int layer = 0; layer < 6; ++layer)
            content = gzipOf(content);
        const auto traces = read(content);
        QVERIFY(!traces);
        QVERIFY(traces.error().sentence.starts_with(m_path.string() + ": "));
    }

    void absurdNestingIsRead_data()
    {
        QTest::addColumn<QByteArray>("begin");
        QTest::newRow("arguments of an event")
            << QByteArray(R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2,"args":{"a":)");
        QTest::newRow("before the events") << QByteArray(R"({"schemaVersion":1,"otherData":)");
        QTest::newRow("in what is asked for") << QByteArray(R"({"schemaVersion":1,"distributedInfo":)");
        QTest::newRow("pipeline schedule") << QByteArray(R"({"1":{"fwd_start":)");
        QTest::newRow("flight recorder") << QByteArray(R"({"version":"2.4","pg_config":{},"entries":)");
        QTest::newRow("execution trace") << QByteArray(R"({"schema":"1.1.1","nodes":)");
    }

    void absurdNestingIsRead()
    {
        QFETCH(QByteArray, begin);
        for (const bool is_closed : {false, true}) {
            const std::string content = begin.toStdString() + std::string(mebibyte, '[')
                                        + (is_closed ? std::string(mebibyte, ']') + "}}]" : "");
            const auto traces = read(content);
            QVERIFY(traces ? !traces.value().files.empty() : !traces.error().sentence.empty());
        }
    }

    void hugeStringsAreSkippedAndCounted()
    {
        const auto traces =
            read("[" + eventOf("1", "2") + "," + eventOf("3", "4", std::string(150 * mebibyte, 'x')) + ","
                 + eventOf("5", "6") + "]");
        QVERIFY(traces);
        QCOMPARE(traces.value().files[0].slices, std::int64_t{2});
        QVERIFY(hasWarning(traces.value().files[0], "longer than 64 MiB"));
    }

    void aMillionTracksAreRead()
    {
        constexpr int count = 1'000'000;
        std::string content = "[";
        for (int i = 0; i < count; ++i)
            content += R"({"ph":"X","name":"a","ts":1,"dur":2,"pid":)" + std::to_string(i % 1000)
                       + R"(,"tid":)" + std::to_string(i) + "},";
        const double before = peakMiB();
        const auto traces = read(content + "]");
        QVERIFY(traces);
        QCOMPARE(traces.value().files[0].tracks, std::int64_t{count});
        const TraceFile digest = digestOf(traces.value().files[0], ClassificationRules::shipped());
        QCOMPARE(digest.tracks, std::int64_t{count});
        QVERIFY(peakMiB() - before < 2000);
    }

    // Each end has a name that no open slice has: it ends the innermost one.
    void endsOfNamesThatNeverBeganDoNotSearchForEver()
    {
        constexpr int count = 100000;
        std::string content = "[";
        for (int i = 0; i < 2 * count; ++i)
            content += edgeOf(i < count ? "B" : "E", std::to_string(i)) + ",";
        const auto traces = read(content + "]");
        QVERIFY(traces);
        QCOMPARE(traces.value().files[0].slices, std::int64_t{count});
    }

    void aFileOfZerosIsNoTrace()
    {
        QVERIFY(!read(std::string(mebibyte, '\0')));
        QVERIFY(!read(gzipOf(std::string(mebibyte, '\0'))));
    }

    void timesBeyondInt64AreCounted()
    {
        std::string content = "[" + eventOf("1", "2");
        const std::array beyond{"1e30", "-1e30", "9223372036854775807", "-9223372036854775809",
                                "1e999999999"};
        for (const char* time : beyond)
            content += "," + eventOf(time, "1");
        content += "," + eventOf("9223372036854774", "9223372036854774"); // the end is beyond
        content += "," + eventOf("NaN", "1") + "," + eventOf("1", "-1") + "]";
        const auto traces = read(content);
        QVERIFY(traces);
        const TraceFile& file = traces.value().files[0];
        QCOMPARE(file.slices, std::int64_t{1});
        std::int64_t counted = 0;
        for (const ImportWarning& warning : file.warnings)
            counted += warning.count;
        QCOMPARE(counted, std::int64_t{beyond.size()} + 3);
    }

    void aFileThatShrinksWhileItIsReadIsTold()
    {
        writeLong();
        ImportOptions options;
        bool is_cut = false;
        options.on_progress = [&](const ImportProgress& progress) {
            if (progress.bytes_done > 0 && !std::exchange(is_cut, true))
                fs::resize_file(m_path, 2 * mebibyte);
            return true;
        };
        options.threads = 1;
        const auto traces = importTraces(std::array{m_path}, options);
        QVERIFY(traces);
        QVERIFY(traces.value().files[0].slices > 0);
        QVERIFY(hasWarning(traces.value().files[0], "changed while it was read"));
        QVERIFY(hasWarning(traces.value().files[0], "ends"));
    }

    void aFileThatIsOverwrittenWhileItIsReadIsTold()
    {
        writeLong();
        ImportOptions options;
        bool is_changed = false;
        options.on_progress = [&](const ImportProgress& progress) {
            if (progress.bytes_done > 0 && !std::exchange(is_changed, true)) {
                std::fstream file(m_path, std::ios::in | std::ios::out | std::ios::binary);
                file << std::string(8 * mebibyte, '\x01');
            }
            return true;
        };
        options.threads = 1;
        const auto traces = importTraces(std::array{m_path}, options);
        QVERIFY(traces);
        QVERIFY(hasWarning(traces.value().files[0], "changed while it was read"));
    }

    void aFileThatVanishesIsTold()
    {
        writeLong();
        const fs::path second = m_path.parent_path() / "rank1.json";
        fs::copy_file(m_path, second);
        ImportOptions options;
        options.instead = [&](const fs::path& path) -> std::optional<TraceFile> {
            if (path == m_path)
                fs::remove(path);
            return std::nullopt;
        };
        const auto traces = importTraces(std::array{m_path, second}, options);
        QVERIFY(traces);
        const auto gone = std::ranges::find(traces.value().files, FileStatus::rejected, &TraceFile::status);
        QVERIFY(gone != traces.value().files.end());
        QVERIFY(gone->rejection.find("cannot be opened") != std::string::npos);
    }

    void treesThatWouldNotFitAreNotBuilt()
    {
        // What is read whole is bounded by the machine's memory, whatever the format allows.
        std::ofstream(m_path) << "[1]";
        auto opened = openFile(m_path);
        QVERIFY(opened);
        QVERIFY(readWholeForTree(*opened.value(), std::numeric_limits<std::size_t>::max() / 2));
    }

private:
    Result<TraceSet> read(const std::string& content) const
    {
        std::ofstream(m_path, std::ios::binary) << content;
        return importTraces(std::array{m_path});
    }

    void writeLong() const
    {
        std::ofstream file(m_path, std::ios::binary);
        file << "[";
        for (int i = 0; i < 200'000; ++i)
            file << eventOf(std::to_string(i), "1") << ",\n";
        file << eventOf("1", "1") << "]";
    }

    static bool hasWarning(const TraceFile& file, std::string_view words)
    {
        return std::ranges::any_of(file.warnings, [&](const ImportWarning& warning) {
            return warning.what.find(words) != std::string::npos;
        });
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

// Whatever recognises a format must do with a single byte.
void TestHostileFiles::shortestFilesAreNoMishap()
{
    const QTemporaryDir folder;
    const fs::path path = folder.filePath("trace.json").toStdString();
    for (int first = 0; first < 256; ++first) {
        for (const char* rest : {"", "\n", "\x12"}) {
            std::ofstream(path, std::ios::binary) << static_cast<char>(first) << rest;
            const Result<TraceSet> set = importTraces(std::array{path});
            QVERIFY(set || !set.error().sentence.empty());
        }
    }
}

QTEST_APPLESS_MAIN(TestHostileFiles)
#include "tst_hostile_files.moc"
