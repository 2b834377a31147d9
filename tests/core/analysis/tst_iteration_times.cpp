#include <QTest>

#include "core/analysis/comparison.h"
#include "core/analysis/iteration_times.h"
#include "core/analysis/run_difference.h"

using namespace shardscope;

namespace
{

constexpr std::int64_t ms = 1'000'000;

StepMeasurement step(std::int64_t number, std::int64_t start_ms, std::int64_t marked_ms,
                     std::int64_t window_ms)
{
    StepMeasurement step{
        .number = number, .start_ns = start_ms * ms, .duration_ns = marked_ms * ms, .times = {}};
    step.times.window_ns = window_ms * ms;
    step.times.busy_ns = 9 * ms;
    step.times.compute_ns = 6 * ms;
    step.times.non_compute_ns = 3 * ms;
    step.times.overlap_ns = 1 * ms;
    step.times.exposed_communication_ns = 2 * ms;
    step.times.compute_count = 1;
    step.times.communication_count = 1;
    return step;
}

// Two steps of 9 ms work each, and as much work again before them.
RankMeasurement rankOf(std::vector<StepMeasurement> steps)
{
    RankMeasurement rank;
    rank.has_timeline = true;
    rank.window_ns = 60 * ms;
    rank.busy_ns = 36 * ms;
    rank.idle_ns = 24 * ms;
    rank.compute_ns = 24 * ms;
    rank.non_compute_ns = 12 * ms;
    rank.overlap_ns = 4 * ms;
    rank.exposed_communication_ns = 8 * ms;
    rank.compute_count = 4;
    rank.communication_count = 4;
    rank.exposed_of_kind_ns[static_cast<std::size_t>(Kind::dp)] = 8 * ms;
    rank.steps = std::move(steps);
    return rank;
}

} // namespace

class TestIterationTimes : public QObject
{
    Q_OBJECT
private slots:
    void anIterationIsAsLongAsItsMarksOrItsWork_data()
    {
        QTest::addColumn<std::vector<StepMeasurement>>("steps");
        QTest::addColumn<double>("length_ms");
        using Steps = std::vector<StepMeasurement>;
        QTest::newRow("nothing marked: all of it, in four iterations") << Steps{} << 15.0;
        QTest::newRow("the GPU waits for the processor")
            << Steps{step(1, 0, 12, 9), step(2, 12, 12, 9)} << 12.0;
        QTest::newRow("time between steps counts") << Steps{step(1, 0, 10, 9), step(2, 14, 10, 9)} << 12.0;
        QTest::newRow("but none that was not recorded")
            << Steps{step(1, 0, 10, 9), step(7, 90, 10, 9)} << 10.0;
        QTest::newRow("the processor runs ahead") << Steps{step(1, 0, 2, 10), step(2, 2, 3, 12)} << 11.0;
    }
    void anIterationIsAsLongAsItsMarksOrItsWork()
    {
        QFETCH(std::vector<StepMeasurement>, steps);
        QTEST(1e3 * iterationTimes(rankOf(steps), 4).length_s, "length_ms");
    }

    void whatRanBeforeTheFirstStepIsOfNone()
    {
        const IterationTimes times = iterationTimes(rankOf({step(1, 0, 12, 9), step(2, 12, 12, 9)}), 4);
        QCOMPARE(times.iterations, 2);
        QCOMPARE(times.compute_s, 6e-3);
        QCOMPARE(times.overlap_s, 1e-3);
        QCOMPARE(times.memory_s, 1e-3);
        QCOMPARE(times.idle_s, 3e-3);
        QCOMPARE(times.exposed_s[static_cast<std::size_t>(Kind::dp)], 2e-3);
        QCOMPARE(times.compute_s - times.overlap_s + times.exposed_s[static_cast<std::size_t>(Kind::dp)]
                     + times.overlap_s + times.memory_s + times.idle_s,
                 times.length_s);
    }

    // Nothing tells which kernels a step launched.
    void marksThatHoldNoWorkTellNothing()
    {
        std::vector<StepMeasurement> steps{step(1, 0, 12, 9), step(2, 12, 12, 9)};
        for (StepMeasurement& each : steps)
            each.times.communication_count = 0;
        const RankMeasurement rank = rankOf(steps);
        QVERIFY(!isToldBySteps(rank));
        QCOMPARE(exposedShareOfSteps(rank), 1.0);
        const IterationTimes times = iterationTimes(rank, 4);
        QCOMPARE(times.iterations, 4);
        QCOMPARE(times.length_s, 15e-3);
        QCOMPARE(times.idle_s, 6e-3);
    }

    void ranksWithoutMarksLastAsLongAsTheLongest()
    {
        RankMeasurement shorter = rankOf({});
        shorter.window_ns = 40 * ms;
        std::vector<IterationTimes> ranks{iterationTimes(rankOf({}), 4), iterationTimes(shorter, 4),
                                          iterationTimes(rankOf({step(1, 0, 12, 9)}), 4)};
        makeOneIteration(ranks);
        QCOMPARE(ranks[0].length_s, 15e-3);
        QCOMPARE(ranks[0].idle_s, 6e-3);
        QCOMPARE(ranks[1].length_s, 15e-3);
        QCOMPARE(ranks[1].idle_s, 6e-3);    // 1 ms of its own
        QCOMPARE(ranks[2].length_s, 12e-3); // its mark tells
        QCOMPARE(ranks[2].idle_s, 3e-3);
        QCOMPARE(iterationLength_s(ranks), 14e-3);
    }

    // Three ranks whose steps last 12, 13 and 17 ms.
    void aRunsIterationIsTheSameWhereverItIsTold()
    {
        Measurement measured;
        for (const std::int64_t rank : {0, 1, 2}) {
            measured.ranks.push_back(rankOf({step(1, 0, 12 + rank * rank + (rank > 1), 9)}));
            measured.ranks.back().rank = rank;
        }
        QCOMPARE(iterationLength_s({}, measured), 14e-3);
        Scenario scenario;
        scenario.parallel.data = 3;
        Prediction prediction;
        prediction.stages = {StagePrediction{0, {0}, 10, 10, {}}};
        QCOMPARE(compareCalls(scenario, prediction, {}, measured).measured_iteration_s, 14e-3);
        const TraceSet traces;
        const AnalysedRun run{traces, measured};
        QCOMPARE(differenceOf(run, run).before_iteration_s, 14e-3);
    }
};

QTEST_APPLESS_MAIN(TestIterationTimes)
#include "tst_iteration_times.moc"
