#include <QtTest>

#include <QFile>

#include "core/analysis/digest/digest.h"
#include "core/import/digest_file.h"
#include "core/import/importer.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"
#include "tests/fuzz/memory_stream.h"
#include "tests/fuzz/try_reader.h"

#include <array>
#include <filesystem>
#include <random>
#include <set>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

constexpr std::uintmax_t largest_seed = 32 * 1024;
constexpr int mutations = 40;

const fs::path shared = fs::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

std::string contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string{};
}

// Cuts, repeats, swaps and overwrites at random places.
std::string mutated(std::string bytes, std::mt19937& random)
{
    const auto place = [&] { return bytes.empty() ? 0 : random() % bytes.size(); };
    constexpr std::string_view letters = "{}[]\",:0\\-e.\0\xff\n";
    for (unsigned step = random() % 6; step < 6 && !bytes.empty(); ++step) {
        const std::size_t at = place();
        const std::size_t length = random() % 64;
        switch (random() % 5) {
        case 0:
            bytes.resize(at);
            break;
        case 1:
            bytes.erase(at, length);
            break;
        case 2:
            bytes.insert(at, bytes.substr(place(), length));
            break;
        case 3:
            bytes[at] = letters[random() % letters.size()];
            break;
        default:
            bytes[at] = static_cast<char>(random());
        }
    }
    return bytes;
}

} // namespace

// What the fuzzers do for minutes, done for seconds in every test run: no reader may crash or hang on a file
// that is nearly right, or on one of another format.
class TestMutatedFiles : public QObject
{
    Q_OBJECT

private slots:
    void readersSurviveThem_data();
    void readersSurviveThem();
    void digestsSurviveThem();
    void launchScriptsSurviveThem();
    void configurationsOfDeepSpeedSurviveThem();
    void scenariosSurviveThem_data();
    void scenariosSurviveThem();
};

void TestMutatedFiles::readersSurviveThem_data()
{
    if (!fs::exists(shared))
        QSKIP("the folder ../shared with recorded traces is not here");
    QTest::addColumn<QString>("path");
    std::set<std::string> taken; // one of each shape: eight ranks of one run have the same
    for (const auto& entry : fs::recursive_directory_iterator(shared)) {
        if (!entry.is_regular_file() || entry.file_size() > largest_seed)
            continue;
        std::string shape = entry.path().parent_path().string();
        if (entry.path().parent_path().filename() == "adversarial")
            shape = entry.path().string();
        if (taken.insert(shape).second)
            QTest::newRow(fs::relative(entry.path(), shared).c_str())
                << QString::fromStdString(entry.path().string());
    }
}

void TestMutatedFiles::readersSurviveThem()
{
    QFETCH(QString, path);
    const std::string seed = contentOf(path);
    std::mt19937 random(7);
    std::set<std::string_view> formats{"archive"};
    for (const TraceFormat& format : traceFormats())
        formats.insert(format.name);
    for (const std::string_view format : formats)
        tryReader(format, seed);
    for (int i = 0; i < mutations; ++i)
        tryReader("archive", mutated(seed, random)); // the one reader that recognises it
}

void TestMutatedFiles::digestsSurviveThem()
{
    const fs::path trace = SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2/rank-0.json.gz";
    const auto traces = importTraces(std::array{trace});
    QVERIFY(traces);
    const std::string bytes = encodeDigest(digestOf(traces.value().files[0], ClassificationRules::shipped()));
    const auto stream = inflateIfCompressed(std::make_unique<MemoryStream>(bytes));
    const auto seed = readWhole(*stream, std::size_t{1} << 30);
    QVERIFY(seed);
    std::mt19937 random(7);
    for (int i = 0; i < 20 * mutations; ++i)
        tryReader("digest", mutated(*seed, random));
}

void TestMutatedFiles::launchScriptsSurviveThem()
{
    const std::string seed = contentOf(SHARDSCOPE_SOURCE_FOLDER "/tests/core/scenario/megatron/deepspeed.sh");
    QVERIFY(!seed.empty());
    std::mt19937 random(7);
    for (int i = 0; i < 20 * mutations; ++i)
        tryReader("launch_script", mutated(seed, random));
}

void TestMutatedFiles::configurationsOfDeepSpeedSurviveThem()
{
    const std::string seed =
        contentOf(SHARDSCOPE_SOURCE_FOLDER "/tests/core/scenario/deepspeed/ds_config.json");
    QVERIFY(!seed.empty());
    std::mt19937 random(7);
    for (int i = 0; i < 100 * mutations; ++i)
        tryReader("deepspeed_config", mutated(seed, random));
}

void TestMutatedFiles::scenariosSurviveThem_data()
{
    QTest::addColumn<QString>("path");
    const QString tests = QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/tests/core/scenario/");
    QTest::newRow("a scenario") << tests + "every_section.scenario.json";
    QTest::newRow("a model of Hugging Face") << tests + "hugging_face/config.json";
    QTest::newRow("a job of torchtitan") << tests + "torchtitan/deepseek_v3.toml";
}

void TestMutatedFiles::scenariosSurviveThem()
{
    QFETCH(QString, path);
    const std::string seed = contentOf(path);
    QVERIFY(!seed.empty());
    std::mt19937 random(7);
    for (int i = 0; i < 100 * mutations; ++i)
        tryReader("scenario", mutated(seed, random));
}

QTEST_APPLESS_MAIN(TestMutatedFiles)
#include "tst_mutated_files.moc"
