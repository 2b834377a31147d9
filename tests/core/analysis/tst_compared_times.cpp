#include <QTest>

#include "core/analysis/comparison.h"
#include "core/prediction/predict.h"
#include "tests/core/analysis/hand_made_comparison.h"

#include <array>
#include <cmath>

using namespace shardscope;

// The times of two tensor-parallel ranks against a prediction made by hand.
class TestComparedTimes : public QObject
{
    Q_OBJECT

private slots:
    // Parts are of the stage that is busiest; the iteration lasts as long as it takes any.
    void timesAreThoseOfTheStageThatIsBusiest()
    {
        Scenario two_stages = scenario();
        two_stages.parallel.tensor = 1;
        two_stages.parallel.pipeline = 2;
        Measurement measured = measurement({});
        measured.ranks[0].compute_ns = 1'200'000'000;
        measured.ranks[0].busy_ns = 1'200'000'000;
        measured.ranks[0].window_ns = 1'500'000'000;
        measured.ranks[0].collectives = {
            calls(Kind::emb, "allreduce", Op::all_reduce, 64, 64, 1, 30'000'000)};
        exposeKinds(measured.ranks[0]);
        measured.ranks[1].compute_ns = 800'000'000;
        Prediction predicted = prediction({message(Kind::emb, Op::all_reduce, 64, 1)});
        predicted.stages.push_back(StagePrediction{1, {1}, 10, 10, {}});
        const auto comparison = compare(two_stages, predicted, {}, measured);
        QCOMPARE(comparison.measured_iteration_s, 2.0);
        QCOMPARE(comparison.measured_compute_s, 1.2);
        QCOMPARE(comparison.measured_idle_s, 0.8); // half a second of it before the first event, or behind
        QCOMPARE(comparison.kinds[0].measured_s, 0.03); // of the one rank that has such calls
    }

    // Their parts fill it, and not what other stages' ranks have marked.
    void theIterationIsOfTheRanksWhosePartsAreTold()
    {
        Scenario two_stages = scenario();
        two_stages.parallel.tensor = 1;
        two_stages.parallel.pipeline = 2;
        Measurement measured = measurement({});
        const std::array<std::int64_t, 2> lengths_ns{310'000'000, 290'000'000};
        for (const std::size_t rank : {0, 1}) {
            StepMeasurement step;
            step.duration_ns = lengths_ns[rank];
            step.times.compute_ns = step.times.busy_ns = 250'000'000 - static_cast<int>(rank) * 50'000'000;
            measured.ranks[rank].steps = {step};
        }
        measured.ranks[1].collectives = {
            calls(Kind::emb, "allreduce", Op::all_reduce, 64, 64, 1, 30'000'000)};
        exposeKinds(measured.ranks[1]);
        Prediction predicted = prediction({});
        predicted.stages.push_back(
            StagePrediction{1, {1}, 10, 10, {message(Kind::emb, Op::all_reduce, 64, 1)}});
        const auto comparison = compare(two_stages, predicted, {}, measured);
        QCOMPARE(comparison.measured_iteration_s, 0.31);
        QCOMPARE(comparison.measured_compute_s, 0.25);
        QVERIFY(std::abs(comparison.measured_idle_s - 0.06) < 1e-12);
        QVERIFY(comparison.kinds[0].is_of_other_stages);
        QVERIFY(comparison.kinds[0].measured_s > 0.0);
        QVERIFY(comparison.measured_other_s >= 0.0 && comparison.measured_other_s < 1e-12);
        QVERIFY(*comparison.predicted_other_s >= 0.0);
    }

    // Nothing marks where an iteration begins and ends: what a rank's events do not fill is waiting.
    void ranksWithoutMarksLiveThroughTheLongestWindow()
    {
        Measurement measured = measurement({});
        measured.ranks[1].window_ns = 1'000'000'000;
        QCOMPARE(compare(scenario(), prediction({}), {}, measured).measured_iteration_s, 2.0);
    }

    void partsAddUpToTheIteration()
    {
        Measurement measured =
            measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 1, 500'000'000)});
        for (RankMeasurement& rank : measured.ranks) {
            rank.compute_ns = 500'000'000;
            rank.exposed_communication_ns = 500'000'000;
            rank.non_compute_ns = 1'000'000'000;
            rank.busy_ns = 1'500'000'000;
        }
        Prediction predicted = prediction({message(Kind::tp, Op::all_reduce, 64, 1)});
        predicted.time.iteration_s = 100.0; // longer than what is played
        const auto comparison = compare(scenario(), predicted, {}, measured);
        QCOMPARE(comparison.measured_compute_s, 0.5);
        QCOMPARE(comparison.measured_idle_s, 0.5);
        QCOMPARE(comparison.measured_memory_s, 0.5);
        QVERIFY(std::abs(comparison.measured_other_s) < 1e-12);
        QVERIFY(std::abs(*comparison.predicted_iteration_s - *comparison.predicted_compute_s
                         - *comparison.kinds[0].predicted_s - *comparison.predicted_idle_s
                         - *comparison.predicted_other_s)
                < 1e-12);

        measured.ranks[1].window_ns = 1'800'000'000; // the iteration takes 2 s all the same
        measured.ranks[1].busy_ns = 1'800'000'000;   // 0.3 s of it with what no part has
        const auto uneven = compare(scenario(), predicted, {}, measured);
        QCOMPARE(uneven.measured_idle_s, 0.35);
        QVERIFY(std::abs(uneven.measured_other_s - 0.15) < 1e-12);
    }

    // Two iterations in one, and no mark between them.
    void partsOfUnmarkedIterationsAreDivided()
    {
        Measurement measured =
            measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 2, 400'000'000)});
        for (RankMeasurement& rank : measured.ranks) {
            rank.compute_ns = 1'000'000'000;
            rank.busy_ns = 1'400'000'000;
        }
        const auto comparison =
            compare(scenario(), prediction({message(Kind::tp, Op::all_reduce, 64, 1)}), {}, measured);
        QCOMPARE(comparison.iterations, std::int64_t{2});
        QCOMPARE(comparison.measured_idle_s, 0.3);
        QVERIFY(std::abs(comparison.measured_other_s) < 1e-12);
    }

    // Half of the time of both is hidden, and half of the calls of one stand beside the other's.
    void whatComputingHidesIsNotCompared()
    {
        Measurement measured =
            measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 3, 30'000'000),
                         calls(Kind::tp, "allreduce", Op::all_reduce, 32, 32, 2, 10'000'000)});
        for (RankMeasurement& rank : measured.ranks) {
            rank.collectives[0].exposed_ns = 15'000'000;
            rank.collectives[1].exposed_ns = 5'000'000;
            rank.exposed_of_kind_ns[static_cast<std::size_t>(Kind::tp)] = 16'000'000;
        }
        const auto comparison = compare(
            scenario(),
            prediction({message(Kind::tp, Op::all_reduce, 64, 3), message(Kind::tp, Op::all_reduce, 32, 2)}),
            {}, measured);
        QCOMPARE(comparison.rows[0].measured_s, 0.004);
        QCOMPARE(comparison.rows[0].measured_in_all_s, 0.01);
        QCOMPARE(comparison.kinds[0].measured_s, 0.016);
        QCOMPARE(comparison.kinds[0].measured_in_all_s, 0.04);
    }

    // By Li et al.'s formula, which has bytes alone.
    void replicasShareTheirTimeWithThoseOfExperts()
    {
        Scenario li = scenario();
        li.parallel.data = 2;
        li.training.global_batch_size = 2 * li.training.micro_batch_size;
        li.time_model = TimeModel::li;
        Prediction predicted = predict(li).value();
        predicted.stages[0].messages = {message(Kind::dp, Op::all_reduce, 96, 1),
                                        message(Kind::edp, Op::all_reduce, 32, 1)};
        const auto comparison = compare(li, predicted, {}, measurement({}));
        QCOMPARE(comparison.kinds.size(), std::size_t{2});
        QCOMPARE(comparison.kinds[0].kind, Kind::dp);
        QVERIFY(*comparison.kinds[0].predicted_s > 0.0);
        QCOMPARE(*comparison.kinds[0].predicted_s / *comparison.kinds[1].predicted_s, 3.0);
    }

    // What lies before the first mark and behind the last is none of an iteration's.
    void stepsTellHowLongAnIterationTakes()
    {
        Measurement measured = measurement({});
        for (RankMeasurement& rank : measured.ranks)
            for (const std::int64_t number : {7, 8}) {
                StepMeasurement step;
                step.number = number;
                step.start_ns = number * 300'000'000;
                step.duration_ns = 300'000'000;
                step.times.compute_ns = 200'000'000;
                rank.steps.push_back(step);
            }
        const auto comparison = compare(scenario(), prediction({}), {}, measured);
        QCOMPARE(comparison.measured_iteration_s, 0.3);
        QCOMPARE(comparison.measured_compute_s, 0.2);
        // Steps 9 to 19 were not recorded.
        for (RankMeasurement& rank : measured.ranks) {
            StepMeasurement later = rank.steps.back();
            later.number = 20;
            later.start_ns = 20 * 300'000'000LL;
            rank.steps.push_back(later);
        }
        QCOMPARE(compare(scenario(), prediction({}), {}, measured).measured_iteration_s, 0.3);
    }

    void aLogTellsHowLongAnIterationTakes()
    {
        Measurement measured;
        measured.timers = {{std::string{iteration_timer}, 12, 0.25}, {"forward", 12, 0.1}};
        const auto comparison = compare(scenario(), prediction({}), {}, measured);
        QCOMPARE(comparison.measured_iteration_s, 0.25);
        QVERIFY(comparison.notes.front().find("12 lines") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestComparedTimes)
#include "tst_compared_times.moc"
