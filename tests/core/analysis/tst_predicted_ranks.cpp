#include <QTest>

#include "core/analysis/predicted_ranks.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/scenarios.h"

#include <cmath>

using namespace shardscope;

namespace
{

double secondsOf(std::int64_t nanoseconds)
{
    return 1e-9 * static_cast<double>(nanoseconds);
}

} // namespace

class TestPredictedRanks : public QObject
{
    Q_OBJECT
private slots:
    // Without a pipeline nothing is sent while a rank waits: the prediction's own sums are the same.
    void aRankIsMeasuredByItsTimeline()
    {
        Scenario scenario = test::gpt3b(1, 2, 4);
        scenario.time_model = TimeModel::detailed;
        const Prediction prediction = predicted(scenario);
        PredictedRanks ranks{scenario, prediction, false};
        const RankMeasurement& rank = ranks.of(0);
        const TimePrediction& time = prediction.time;
        QCOMPARE(rank.steps.size(), std::size_t{1});
        QVERIFY(std::abs(secondsOf(rank.steps[0].duration_ns) - time.iteration_s) < 1e-8);
        QVERIFY(std::abs(secondsOf(rank.compute_ns) - time.compute_s) < 1e-6 * time.iteration_s);
        const auto exposed = [&](Kind kind) {
            return secondsOf(rank.exposed_of_kind_ns[static_cast<std::size_t>(kind)]);
        };
        QVERIFY(std::abs(exposed(Kind::tp) - time.tp_s) < 1e-6 * time.iteration_s);
        QVERIFY(std::abs(exposed(Kind::dp) - time.dp_s) < 1e-5 * time.iteration_s);
    }

    void forwardPassesAloneHaveTheirPart()
    {
        Scenario scenario = test::gpt3b(1, 2, 4);
        scenario.time_model = TimeModel::detailed;
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        double compute_s = 0.0;
        double tp_s = 0.0;
        for (const TimelineSpan& span : timeline.spans)
            if (span.phase == Phase::forward) {
                compute_s += span.activity == Activity::forward ? span.duration_s : 0.0;
                tp_s += span.kind == Kind::tp ? span.duration_s : 0.0;
            }
        PredictedRanks ranks{scenario, prediction, true};
        const RankMeasurement& rank = ranks.of(0);
        QVERIFY(compute_s > 0.0 && tp_s > 0.0 && compute_s < 0.5 * prediction.time.compute_s);
        QVERIFY(std::abs(secondsOf(rank.compute_ns) - compute_s) < 1e-6 * compute_s);
        QVERIFY(std::abs(secondsOf(rank.exposed_communication_ns) - tp_s) < 1e-6 * compute_s);
        for (const MeasuredCollective& calls : rank.collectives)
            QVERIFY(calls.kind == Kind::tp || calls.sum_ns == 0); // a loss takes no time of its own
    }
};

QTEST_APPLESS_MAIN(TestPredictedRanks)
#include "tst_predicted_ranks.moc"
