#include "widgets/models/time_parts.h"

#include "tests/widgets/sample_content.h"

#include <QTest>

#include <numeric>

using namespace shardscope;

static double secondsOf(const TimeParts& parts, TimePart part, Kind kind = Kind::unknown)
{
    for (const TimeSlice& slice : parts.slices)
        if (slice.part == part && slice.kind == kind)
            return slice.seconds;
    return 0.0;
}

static double sum(const TimeParts& parts)
{
    return std::accumulate(parts.slices.begin(), parts.slices.end(), 0.0,
                           [](double s, const TimeSlice& slice) { return s + slice.seconds; });
}

// Ten seconds: 6 computing, 1 of them over communication, 2 of exposed communication, 0.5 copying, 1.5 idle.
static RankMeasurement tenSeconds(int rank)
{
    RankMeasurement measured;
    measured.rank = rank;
    measured.has_timeline = true;
    measured.window_ns = 10'000'000'000;
    measured.compute_ns = 6'000'000'000;
    measured.overlap_ns = 1'000'000'000;
    measured.communication_ns = 3'000'000'000;
    measured.exposed_communication_ns = 2'000'000'000;
    measured.exposed_of_kind_ns[static_cast<std::size_t>(Kind::unknown)] = 2'000'000'000;
    measured.busy_ns = 8'500'000'000;
    measured.non_compute_ns = 2'500'000'000;
    measured.idle_ns = 1'500'000'000;
    return measured;
}

class TestTimeParts : public QObject
{
    Q_OBJECT
private slots:
    void aPredictionsPartsAddUp()
    {
        const TimeParts parts = predictedTimeParts(sample::predicted()->prediction.time);
        QCOMPARE(parts.slices.size(), std::size_t{5}); // what takes no time is left out
        QCOMPARE(secondsOf(parts, TimePart::communication, Kind::tp), 6.2);
        QVERIFY(qFuzzyCompare(sum(parts), parts.total_s));
    }

    void hiddenCommunicationAndTheStepArePartsOfCompute()
    {
        TimePrediction time;
        time.compute_s = 10.0;
        time.step_s = 1.0;
        time.hidden_communication_s = 3.0;
        time.iteration_s = 10.0;
        const TimeParts parts = predictedTimeParts(time);
        QCOMPARE(parts.slices.size(), std::size_t{3});
        QCOMPARE(parts.slices[0].part, TimePart::compute);
        QCOMPARE(parts.slices[0].seconds, 6.0);
        QCOMPARE(parts.slices[1].part, TimePart::overlapped);
        QCOMPARE(parts.slices[1].seconds, 3.0);
        QCOMPARE(parts.slices[2].part, TimePart::step);
        QCOMPARE(parts.slices[2].seconds, 1.0);
    }

    void timeWithoutANameStaysVisible()
    {
        TimePrediction time;
        time.iteration_s = 3.0;
        time.compute_s = 2.0;
        QCOMPARE(secondsOf(predictedTimeParts(time), TimePart::other), 1.0);
    }

    void aRanksWindowIsDividedWithoutRest()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.ranks = {tenSeconds(0)};
        const auto parts = measuredTimeParts(MeasuredCalls{run}, nullptr, 0);
        QVERIFY(parts);
        QCOMPARE(secondsOf(*parts, TimePart::compute), 5.0);
        QCOMPARE(secondsOf(*parts, TimePart::overlapped), 1.0);
        QCOMPARE(secondsOf(*parts, TimePart::communication), 2.0); // no call names a kind
        QCOMPARE(secondsOf(*parts, TimePart::memory_copy), 0.5);
        QCOMPARE(secondsOf(*parts, TimePart::idle), 1.5);
        QCOMPARE(sum(*parts), 10.0);
    }

    void exposedTimeStandsByKind()
    {
        auto run = std::make_shared<MeasuredRun>();
        RankMeasurement rank = tenSeconds(0);
        rank.exposed_of_kind_ns = {};
        rank.exposed_of_kind_ns[static_cast<std::size_t>(Kind::tp)] = 1'500'000'000;
        rank.exposed_of_kind_ns[static_cast<std::size_t>(Kind::dp)] = 500'000'000;
        run->measurement.ranks = {rank};
        const auto parts = measuredTimeParts(MeasuredCalls{run}, nullptr, std::nullopt);
        QCOMPARE(secondsOf(*parts, TimePart::communication, Kind::tp), 1.5);
        QCOMPARE(secondsOf(*parts, TimePart::communication, Kind::dp), 0.5);
    }

    void severalRanksGiveTheirMeanAndExtremes()
    {
        auto run = std::make_shared<MeasuredRun>();
        for (int rank = 0; rank < 3; ++rank) {
            run->measurement.ranks.push_back(tenSeconds(rank));
            run->measurement.ranks.back().compute_ns += rank * 500'000'000LL;
            run->measurement.ranks.back().busy_ns += rank * 500'000'000LL;
        }
        const auto parts = measuredTimeParts(MeasuredCalls{run}, nullptr, std::nullopt);
        QCOMPARE(parts->ranks, std::size_t{3});
        QCOMPARE(parts->total_s, 10.0);
        QCOMPARE(secondsOf(*parts, TimePart::idle), 1.0);
        QCOMPARE(parts->slices.back().low_s, 0.5);
        QCOMPARE(parts->slices.back().high_s, 1.5);
    }

    // Without marks a rank's window lacks what it waited before its first event and behind its last.
    void whatAWindowLacksOfTheLongestIsIdle()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.ranks = {tenSeconds(0), tenSeconds(1)};
        run->measurement.ranks[1].window_ns = 9'000'000'000;
        run->measurement.ranks[1].idle_ns = 500'000'000;
        for (const std::int64_t rank : {0, 1}) {
            const auto parts = measuredTimeParts(MeasuredCalls{run}, nullptr, rank);
            QCOMPARE(parts->total_s, 10.0);
            QCOMPARE(secondsOf(*parts, TimePart::idle), 1.5);
        }
    }

    // As a comparison has it: the predicted bar is of the slowest stage.
    void ofAPipelineTheBusiestStageCounts()
    {
        Scenario scenario = sample::predicted()->scenario;
        scenario.parallel = {};
        scenario.parallel.pipeline = 2;
        scenario.parallel.data = 2;
        PredictedScenario predicted{scenario, {}};
        auto run = std::make_shared<MeasuredRun>();
        for (int rank = 0; rank < 4; ++rank) {
            run->measurement.ranks.push_back(tenSeconds(rank));
            run->measurement.ranks.back().compute_ns += rank < 2 ? 0 : 1'000'000'000;
        }
        const auto parts = measuredTimeParts(MeasuredCalls{run}, &predicted, std::nullopt);
        QCOMPARE(parts->stage, 1);
        QCOMPARE(parts->ranks, std::size_t{2});
        QCOMPARE(secondsOf(*parts, TimePart::compute), 6.0);
        QCOMPARE(measuredTimeParts(MeasuredCalls{run}, nullptr, std::nullopt)->ranks, std::size_t{4});
        // Ranks that the scenario does not have are of no stage.
        run->measurement.ranks.push_back(tenSeconds(4));
        run->measurement.ranks.back().compute_ns *= 10;
        QCOMPARE(measuredTimeParts(MeasuredCalls{run}, &predicted, std::nullopt)->ranks, std::size_t{2});
        QCOMPARE(measuredTimeParts(MeasuredCalls{run}, &predicted, 0)->ranks, std::size_t{1});
    }

    // The bar is as long as its parts, whatever other stages took.
    void theIterationIsOfTheRanksWhosePartsAreShown()
    {
        PredictedScenario predicted{sample::predicted()->scenario, {}};
        predicted.scenario.parallel = {};
        predicted.scenario.parallel.pipeline = 2;
        auto run = std::make_shared<MeasuredRun>();
        for (const std::int64_t rank : {0, 1}) {
            RankMeasurement measured = tenSeconds(static_cast<int>(rank));
            StepMeasurement step;
            step.duration_ns = rank == 0 ? 11'000'000'000 : 9'000'000'000;
            step.times.compute_ns = step.times.busy_ns = rank == 0 ? 8'000'000'000 : 6'000'000'000;
            step.times.compute_count = step.times.communication_count = 1;
            measured.exposed_communication_ns = 0;
            measured.exposed_of_kind_ns = {};
            measured.steps = {step};
            run->measurement.ranks.push_back(measured);
        }
        const auto parts = measuredTimeParts(MeasuredCalls{run}, &predicted, std::nullopt);
        QCOMPARE(parts->stage, 0);
        QCOMPARE(parts->total_s, 11.0);
        QCOMPARE(sum(*parts), 11.0);
    }

    // A run that was pinned keeps the stages that its ranks were of, whatever scenario is open since.
    void aPinnedRunsRanksStandWhereTheyStood_data()
    {
        QTest::addColumn<bool>("has_layout");
        QTest::newRow("as its calls show") << true;
        QTest::newRow("as in the scenario that it was pinned beside") << false;
    }
    void aPinnedRunsRanksStandWhereTheyStood()
    {
        QFETCH(const bool, has_layout);
        auto beside = std::make_shared<PredictedScenario>();
        beside->scenario.parallel.pipeline = 2;
        beside->scenario.parallel.data = 2;
        auto run = std::make_shared<MeasuredRun>();
        for (int rank = 0; rank < 4; ++rank) {
            run->measurement.ranks.push_back(tenSeconds(rank));
            run->measurement.ranks.back().compute_ns += rank < 2 ? 0 : 1'000'000'000;
        }
        Content content;
        content.pinned_run = run;
        content.pinned_run_beside = beside;
        if (has_layout) {
            run->layout = std::make_shared<Scenario>(beside->scenario);
            content.pinned_run_beside.reset();
        }
        auto other = std::make_shared<PredictedScenario>(*beside);
        other->scenario.parallel.rank_order = {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp,
                                               Dimension::dp};
        content.predicted = other;
        const auto parts = measuredTimeParts(MeasuredCalls{run}, RunPlaces::ofPinned(content), std::nullopt);
        QCOMPARE(parts->stage, 1);
        QCOMPARE(secondsOf(*parts, TimePart::compute), 6.0);
        QCOMPARE(
            secondsOf(*measuredTimeParts(MeasuredCalls{run}, other.get(), std::nullopt), TimePart::compute),
            5.5);
    }

    void aPipelineScheduleIsPassesAndWhatLiesBetweenThem()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.bubble = MeasuredBubble{0.25, 0.2, 20, 8.0, {{0, 5.0}, {1, 6.0}, {2, 7.0}}};
        const auto all = measuredTimeParts(MeasuredCalls{run}, nullptr, std::nullopt);
        QVERIFY(all);
        QCOMPARE(all->ranks, std::size_t{3});
        QCOMPARE(all->total_s, 8.0);
        QCOMPARE(secondsOf(*all, TimePart::passes), 6.0);
        QCOMPARE(secondsOf(*all, TimePart::bubble), 2.0);
        QCOMPARE(all->slices.back().high_s, 3.0);
        QCOMPARE(secondsOf(*measuredTimeParts(MeasuredCalls{run}, nullptr, 2), TimePart::bubble), 1.0);
        QVERIFY(!measuredTimeParts(MeasuredCalls{run}, nullptr, 9));
    }

    // Of all ranks, so whichever is selected.
    void aLogsIterationIsNotDivided()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.timers = {{"forward-compute", 20, 0.5}};
        QVERIFY(!measuredTimeParts(MeasuredCalls{run}, nullptr, std::nullopt));
        run->measurement.timers.push_back({std::string{iteration_timer}, 20, 1.5});
        for (const std::optional<std::int64_t> rank :
             {std::optional<std::int64_t>{}, std::optional<std::int64_t>{3}}) {
            const auto parts = measuredTimeParts(MeasuredCalls{run}, nullptr, rank);
            QVERIFY(parts);
            QCOMPARE(parts->ranks, std::size_t{0});
            QCOMPARE(parts->slices.size(), std::size_t{1});
            QCOMPARE(secondsOf(*parts, TimePart::undivided), 1.5);
        }
    }

    void aRankThatWasNotReadHasNoTime()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.ranks = {tenSeconds(0)};
        QVERIFY(!measuredTimeParts(MeasuredCalls{run}, nullptr, 1));
        run->measurement.ranks[0].has_timeline = false;
        QVERIFY(!measuredTimeParts(MeasuredCalls{run}, nullptr, std::nullopt));
        QVERIFY(!measuredTimeParts(MeasuredCalls{}, nullptr, std::nullopt));
    }
};

QTEST_APPLESS_MAIN(TestTimeParts)
#include "tst_time_parts.moc"
