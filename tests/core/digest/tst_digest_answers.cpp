#include <QtTest>

#include "core/analysis/activity.h"
#include "core/analysis/digest.h"
#include "core/analysis/profiler_steps.h"
#include "core/import/byte_stream.h"
#include "core/import/digest_file.h"
#include "core/import/importer.h"
#include "core/import/whole_text.h"
#include "core/report/trace_report.h"
#include "core/trace/rank_claims.h"

#include "tests/fuzz/memory_stream.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

const fs::path shared_traces = fs::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

// What is left of a trace once it has been written as a digest and read again.
TraceFile writtenAndRead(const TraceFile& file)
{
    const std::string bytes = encodeDigest(digestOf(file, ClassificationRules::shipped()));
    const auto stream = inflateIfCompressed(std::make_unique<MemoryStream>(bytes));
    TraceFile read;
    const auto message = readWhole(*stream, std::size_t{1} << 30);
    if (!message || !decodeDigest(*message, read))
        return {};
    read.path = file.path;
    read.format = file.format; // for the comparison: a digest says "digest"
    read.status = file.status;
    read.load_s = file.load_s;
    return read;
}

TraceSet digested(const TraceSet& traces)
{
    TraceSet digests;
    for (const TraceFile& file : traces.files)
        digests.files.push_back(writtenAndRead(file));
    digests.warnings = traces.warnings;
    return digests;
}

// All that is known of a run, or of one step of it, as text.
std::string answer(const TraceSet& traces, std::optional<std::int64_t> step)
{
    AnalysisOptions options;
    options.step = step;
    const std::vector<RankActivity> activity = measureActivity(traces, options);
    // A digest has no activity of single steps.
    return traceJson(traces, analyze(traces, options),
                     {.kernels = true, .activity = step ? std::span<const RankActivity>{} : activity});
}

} // namespace

// A digest answers as its trace does: breakdown, steps, kernels, collectives, sizes, matrix, waiting, idle
// time and operators, number by number.
class TestDigestAnswers : public QObject
{
    Q_OBJECT

private slots:
    void aDigestAnswersAsItsTrace_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::newRow("sample run") << SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2";
        if (!fs::exists(shared_traces)) {
            qInfo("the folder ../shared with recorded traces is not here: the sample run alone is read");
            return;
        }
        for (const fs::directory_entry& entry : fs::directory_iterator(shared_traces))
            if (entry.is_directory() && entry.path().filename() != "reference")
                QTest::newRow(entry.path().filename().c_str())
                    << QString::fromStdString(entry.path().string());
    }

    void aDigestAnswersAsItsTrace()
    {
        QFETCH(QString, folder);
        const Result<TraceSet> traces = importTraces(std::array{fs::path(folder.toStdString())});
        QVERIFY(traces);
        const TraceSet digests = digested(traces.value());
        QCOMPARE(answer(digests, std::nullopt), answer(traces.value(), std::nullopt));
        for (const std::int64_t step : stepNumbers(traces.value()))
            QCOMPARE(answer(digests, step), answer(traces.value(), step));
    }

    void ranksAreClaimedAsByTheTraces()
    {
        Result<TraceSet> traces =
            importTraces(std::array{fs::path(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")});
        QVERIFY(traces);
        traces.value().files.erase(traces.value().files.begin() + 3);
        TraceSet digests = digested(traces.value());
        noteRanks(traces.value());
        digests.warnings.clear();
        noteRanks(digests);
        QCOMPARE(digests.warnings.size(), std::size_t{1});
        QCOMPARE(digests.warnings[0].what, traces.value().warnings[0].what);
        QCOMPARE(digests.files[3].rank, std::int64_t{4});
    }

    void lanesOfADigestSpanWhatTheySpanned()
    {
        const Result<TraceSet> traces =
            importTraces(std::array{fs::path(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")});
        QVERIFY(traces);
        for (const TraceFile& file : traces.value().files) {
            const TraceFile digest = writtenAndRead(file);
            QCOMPARE(digest.store->tracks().size(), file.store->tracks().size());
            QCOMPARE(digest.store->firstStart(), file.store->firstStart());
            QCOMPARE(digest.store->lastEnd(), file.store->lastEnd());
            QVERIFY(digest.store->size() < file.store->size());
        }
    }

    void otherRulesAreTold()
    {
        const Result<TraceSet> traces =
            importTraces(std::array{fs::path(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")});
        QVERIFY(traces);
        const TraceSet digests = digested(traces.value());
        AnalysisOptions options;
        QVERIFY(analyze(digests, options).notes == analyze(traces.value(), options).notes);
        const auto other = ClassificationRules::parse(options.rules.text() + "\n# mine\n");
        QVERIFY(other);
        options.rules = other.value();
        const std::vector<std::string> notes = analyze(digests, options).notes;
        QVERIFY(std::ranges::any_of(notes, [](const std::string& note) {
            return note.find("8 digests") != std::string::npos && note.find("rules") != std::string::npos;
        }));
    }
};

QTEST_APPLESS_MAIN(TestDigestAnswers)
#include "tst_digest_answers.moc"
