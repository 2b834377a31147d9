#include <QTest>

#include "core/analysis/activity.h"
#include "core/analysis/analyze.h"
#include "core/analysis/event_ranking.h"
#include "core/trace/trace_builder.h"
#include "tests/core/analysis/hand_made_run.h"

#include <algorithm>

using namespace shardscope;

namespace
{

// A rank whose host launches two kernels and a copy, each later than the one before, in a step.
TraceSet oneRank()
{
    TraceBuilder builder;
    const TrackIndex host = builder.addTrack("1", "1");
    const TrackIndex stream = builder.addTrack("0", "7", true);
    builder.addEvent(host, 0, 900'000, "ProfilerStep#3", "user_annotation");
    builder.addEvent(stream, 0, 990'000, "ProfilerStep#3", "gpu_user_annotation");
    const auto launch = [&](TraceTime call, TraceTime start, TraceTime duration, const char* name,
                            const char* category) {
        const EventIndex gpu = builder.addEvent(stream, start, duration, name, category);
        builder.addEvent(host, call, 3'000, "aten::mm", "cpu_op");
        builder.addLaunch(
            {gpu, builder.addEvent(host, call + 500, 1'000, "cudaLaunchKernel", "cuda_runtime")});
        return gpu;
    };
    launch(1'000, 10'000, 40'000, "gemm", "kernel");
    launch(60'000, 70'000, 10'000, "gemm", "kernel");
    MemoryMove copy;
    copy.event = launch(61'000, 200'000, 5'000, "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy");
    copy.bytes = 4096;
    builder.addMemoryMove(copy);
    builder.addEvent(host, 300'000, 90'000, "aten::mm", "cpu_op");
    TraceFile file;
    file.format = "kineto";
    file.rank = 5;
    file.store = builder.finish();
    return {{file}};
}

std::vector<TraceTime> startsOf(const std::vector<RunEvent>& events, const TraceSet& traces)
{
    std::vector<TraceTime> starts;
    for (const RunEvent& event : events)
        starts.push_back(traces.files[event.file].store->start(event.event));
    return starts;
}

using Starts = std::vector<TraceTime>;

} // namespace

class TestEventRanking : public QObject
{
    Q_OBJECT

private slots:
    // Every third event weighs 7, the others 5, a few 9: as sorting them all would have it.
    void ofManyTheHeaviestAreKeptInTheirOrder()
    {
        std::vector<RunEvent> events;
        for (std::uint32_t i = 0; i < 5000; ++i)
            events.push_back({0, EventIndex{i}, 0, i % 700 == 650 ? 9 : i % 3 == 0 ? 7 : 5});
        std::vector<RunEvent> sorted = events;
        std::ranges::stable_sort(sorted, std::ranges::greater{}, &RunEvent::weight_ns);
        sorted.resize(most_ranked_events);
        QCOMPARE(heaviest(events), sorted);
        const std::vector<RunEvent> few{events.begin(), events.begin() + 2};
        QCOMPARE(heaviest(few), few);
        QCOMPARE(heaviest({}), std::vector<RunEvent>{});
    }

    void kernelsComeLongestFirst()
    {
        const TraceSet traces = oneRank();
        const auto& rules = ClassificationRules::shipped();
        const auto found = longestKernels(traces, rules, "gemm", 5);
        QCOMPARE(startsOf(found, traces), (std::vector<TraceTime>{10'000, 70'000}));
        QVERIFY(longestKernels(traces, rules, "aten::mm", 5).empty()); // an operator, and there is a GPU
        QVERIFY(longestKernels(traces, rules, "gemm", 4).empty());
    }

    void operatorsComeLongestFirst()
    {
        const TraceSet traces = oneRank();
        QCOMPARE(startsOf(longestOperators(traces, "aten::mm", std::nullopt), traces),
                 (Starts{300'000, 1'000, 60'000, 61'000}));
        QVERIFY(longestOperators(traces, "gemm", std::nullopt).empty());        // a kernel
        QVERIFY(longestOperators(traces, "aten::mm", 4).empty());               // of another rank
        QVERIFY(longestOperators(traces, "aten::addmm", std::nullopt).empty()); // of none
    }

    // The longest is the one that the table of launches names.
    void launchesComeByTheirDelay()
    {
        const TraceSet traces = oneRank();
        const std::vector<RunEvent> launches = slowestLaunches(traces, "cudaLaunchKernel", 5);
        QCOMPARE(startsOf(launches, traces), (Starts{200'000, 70'000, 10'000}));
        QCOMPARE(launches[0].before_ns, TraceTime{200'000 - 61'500});
        const LaunchFigures figures = measureActivity(traces).front().launches.front();
        QCOMPARE(launches[0].weight_ns, figures.delay_max_ns);
        QCOMPARE(static_cast<std::int64_t>(launches.size()), figures.count);
    }

    void copiesAndMarksOfStepsAreFoundOnTheirSide()
    {
        const TraceSet traces = oneRank();
        QCOMPARE(startsOf(longestMoves(traces, "Memcpy HtoD", 5), traces), (Starts{200'000}));
        QVERIFY(longestMoves(traces, "Memcpy DtoH", 5).empty());
        const std::vector<RunEvent> marks = marksOfStep(traces, 3, 5);
        QCOMPARE(marks.size(), std::size_t{1}); // that on the GPU is none
        QCOMPARE(traces.files[0].store->duration(marks[0].event), TraceTime{900'000});
    }

    // All gaps together are the idle time that the table tells.
    void gapsComeLongestFirst()
    {
        const TraceSet traces = oneRank();
        const auto& rules = ClassificationRules::shipped();
        const std::vector<RunEvent> gaps = longestGaps(traces, rules, std::nullopt, 5);
        QCOMPARE(startsOf(gaps, traces), (Starts{200'000, 70'000}));
        QCOMPARE(gaps[0].before_ns, TraceTime{120'000});
        QCOMPARE(gaps[0].before_ns + gaps[1].before_ns, measureActivity(traces).front().idle.total_ns());
        QCOMPARE(longestGaps(traces, rules, "7", 5), gaps);
        QVERIFY(longestGaps(traces, rules, "8", 5).empty());
    }

    // Rank 1 starts the first call 30 later, the second 10 later; rank 0 starts the third 5 later.
    void callsComeByWhatTheOthersWaited()
    {
        const TraceSet traces{
            {handMadeFile(0,
                          {{100, 50, "allreduce", 8}, {200, 30, "allreduce", 8}, {305, 40, "allreduce", 8}}),
             handMadeFile(
                 1, {{130, 20, "allreduce", 8}, {210, 20, "allreduce", 8}, {300, 45, "allreduce", 8}})}};
        const Measurement measurement = analyze(traces);
        const std::vector<RunEvent> of_rank_1 = delayingCalls(traces, measurement, 1);
        QCOMPARE(startsOf(of_rank_1, traces), (Starts{130, 210}));
        QCOMPARE(of_rank_1[0].before_ns, TraceTime{30});
        QCOMPARE(of_rank_1[0].weight_ns, measurement.cross_rank.stragglers[0].longest_delay_ns);
        QCOMPARE(startsOf(delayingCalls(traces, measurement, 0), traces), (Starts{305}));
        // The third took 40 once both were there.
        QCOMPARE(startsOf(slowestTransfers(traces, measurement, 0), traces), (Starts{305, 130, 210}));
    }

    void theLongestExposedCallComesFirst()
    {
        Measurement measurement;
        measurement.calls = {{.file = 0, .event = EventIndex{2}, .exposed_ns = 5},
                             {.file = 0, .event = EventIndex{3}, .exposed_ns = 0},
                             {.file = 1, .event = EventIndex{4}, .exposed_ns = 9}};
        QCOMPARE(longestExposedCalls(measurement),
                 (std::vector<RunEvent>{{1, EventIndex{4}, 0, 9}, {0, EventIndex{2}, 0, 5}}));
    }
};

QTEST_APPLESS_MAIN(TestEventRanking)
#include "tst_event_ranking.moc"
