#include <QtTest>

#include "core/analysis/activity.h"
#include "core/analysis/digest/digest.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/import/digest_file.h"
#include "core/import/importer.h"
#include "core/import/streams/byte_stream.h"
#include "core/import/streams/whole_text.h"
#include "core/report/trace_report.h"
#include "core/trace/rank_claims.h"
#include "core/trace/trace_builder.h"

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
    void countersKeepTheirCourse();
    void stepsOfAnyCategoryStay();
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

    void whatALogListsOfItsRunStays()
    {
        TraceFile log;
        log.format = "megatron_log";
        log.memory = {{7, 2 << 20, -1}};
        log.arguments = {{"hidden_size", "6144"}, {"num_experts", "[1, 2]"}};
        log.parameters = {{0, 0, 1'217'086'464}, {3, 1, 1}};
        log.store = TraceBuilder().finish();
        const TraceFile read = writtenAndRead(log);
        QVERIFY(read.store);
        QCOMPARE(read.memory.size(), std::size_t{1});
        QCOMPARE(read.memory[0].allocated_bytes, std::int64_t{2 << 20});
        QVERIFY(read.arguments == log.arguments);
        QVERIFY(read.parameters == log.parameters);
        QVERIFY(read.notes.empty());
    }

    void otherRulesAreTold()
    {
        const Result<TraceSet> traces =
            importTraces(std::array{fs::path(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")});
        QVERIFY(traces);
        const TraceSet digests = digested(traces.value());
        AnalysisOptions options;
        QVERIFY(analyze(digests, options).notes == analyze(traces.value(), options).notes);
        const auto other = ClassificationRules::parse(options.rulesOrShipped().text() + "\n# mine\n");
        QVERIFY(other);
        options.rules = &other.value();
        const std::vector<std::string> notes = analyze(digests, options).notes;
        QVERIFY(std::ranges::any_of(notes, [](const std::string& note) {
            return note.find("8 digests") != std::string::npos && note.find("rules") != std::string::npos;
        }));
    }
};

// 10,000 samples of a saw from 0 to 99, one every 5 ns, with one peak of 4096 in sample 7777.
// Profilers of 2021 have them as operators.
void TestDigestAnswers::stepsOfAnyCategoryStay()
{
    TraceBuilder builder;
    const TrackIndex thread = builder.addTrack({});
    for (const char* category : {"Operator", "user_annotation", "cpu_op"}) {
        const TraceTime start = 1000 * static_cast<TraceTime>(std::string_view{category}.size());
        builder.addEvent(thread, start, 900, "ProfilerStep#" + std::to_string(start), category);
        builder.addEvent(thread, start + 10, 100, "aten::mm", "cpu_op");
    }
    TraceSet traces;
    traces.files.emplace_back();
    traces.files.front().store = builder.finish();
    QCOMPARE(stepNumbers(traces).size(), std::size_t{3});
    QCOMPARE(stepNumbers(digested(traces)), stepNumbers(traces));
}

void TestDigestAnswers::countersKeepTheirCourse()
{
    TraceBuilder builder;
    builder.addEvent(builder.addTrack("0", "7", true), 0, 50'000, "gemm", "kernel");
    const std::size_t memory = builder.addCounter("3", "GPU 0 memory allocated", true);
    for (int i = 0; i < 10'000; ++i)
        builder.addSample(memory, 5 * i - 1'000'000, i == 7777 ? 4096.0 : i % 100);
    const std::size_t few = builder.addCounter("3", "few", false);
    builder.addSample(few, 7, 0.5);
    TraceFile file;
    file.format = "kineto";
    file.store = builder.finish();
    const TraceFile read = writtenAndRead(file);
    QVERIFY(read.store);
    const std::vector<Counter>& counters = read.store->counters();
    QCOMPARE(counters.size(), std::size_t{2});
    const Counter& curve = counters[0];
    QCOMPARE(curve.name, std::string("GPU 0 memory allocated"));
    QCOMPARE(curve.pid, std::string("3"));
    QVERIFY(curve.is_bytes);
    QVERIFY(curve.times.size() > 200 && curve.times.size() <= 384);
    QCOMPARE(curve.times.front(), std::int64_t{-1'000'000});
    QCOMPARE(curve.times.back(), std::int64_t{5 * 9999 - 1'000'000});
    QCOMPARE(curve.values.back(), 99.0);
    QVERIFY(std::ranges::is_sorted(curve.times));
    std::size_t peaks = 0;
    for (std::size_t i = 0; i < curve.times.size(); ++i) {
        const auto sample = (curve.times[i] + 1'000'000) / 5; // a sample of the trace, as it was
        QCOMPARE(curve.values[i], sample == 7777 ? 4096.0 : static_cast<double>(sample % 100));
        peaks += sample == 7777 ? 1 : 0;
    }
    QCOMPARE(peaks, std::size_t{1});
    QCOMPARE(counters[1].name, std::string("few"));
    QCOMPARE(counters[1].values, std::vector<double>{0.5});
}

QTEST_APPLESS_MAIN(TestDigestAnswers)
#include "tst_digest_answers.moc"
