#include <QTest>

#include "core/prediction/predict.h"
#include "core/scenario/defaults.h"
#include "core/sweep/axis_values.h"
#include "core/sweep/sweep.h"
#include "tests/core/sweep/scenarios.h"

#include <cmath>

using namespace shardscope;

class TestSweep : public QObject
{
    Q_OBJECT
private slots:
    void everyPointIsWhatPredictSays()
    {
        const Scenario base = gpt3b();
        const Sweep sweep{base, SweepAxis::pipeline, {1, 2, 3, 4, 8}, SweepAxis::zero_stage, {0, 1}};
        const std::vector<SweepPoint> points = runSweep(sweep);
        QCOMPARE(points.size(), std::size_t{10});
        int valid = 0;
        for (const SweepPoint& point : points) {
            if (!point.isValid())
                continue;
            ++valid;
            const auto answer = predict(point.scenario);
            QVERIFY(answer);
            QCOMPARE(point.time.iteration_s, answer.value().time.iteration_s);
            QCOMPARE(point.device_bytes, answer.value().memory.device_bytes);
            QCOMPARE(point.world_size, 32);
            QCOMPARE(double(point.scenario.parallel.zero_stage), point.group_value);
        }
        QCOMPARE(valid, 8);
        QVERIFY(points[4].problem.find("3 * 2 * 1") != std::string::npos);
        const auto own = ownPoint(sweep, points);
        QVERIFY(own && points[*own].value == 4 && points[*own].group_value == 0);
    }

    void whatIsWarnedOfAtSomePlacesIsTold()
    {
        const Scenario base = gpt3b(); // GPUs without fp8
        const Sweep formats{
            base, SweepAxis::precision, {double(Precision::fp16), double(Precision::fp8)}, std::nullopt, {}};
        const std::vector<SweepPoint> points = runSweep(formats);
        const std::vector<PlaceWarning> warnings = placeWarnings(points);
        QCOMPARE(warnings.size(), std::size_t{1});
        QCOMPARE(warnings.front().point, std::size_t{1});
        QVERIFY(warnings.front().sentence.find("has no matrix units for fp8") != std::string::npos);
        QVERIFY(placeWarnings({points[0], points[0]}).empty());
        QVERIFY(placeWarnings({points[1], points[1]}).empty()); // everywhere the same
    }

    // What is by default at a stage is so in its row, as in a file; what was said otherwise stays.
    void conventionsFollowTheLayout()
    {
        Scenario base = gpt3b();
        const Sweep stages{base, SweepAxis::zero_stage, {0, 1}, std::nullopt, {}};
        std::vector<SweepPoint> points = runSweep(stages);
        QVERIFY(!points[0].scenario.conventions.dp_overlap);
        QVERIFY(points[1].scenario.conventions.dp_overlap);
        base.conventions.dp_overlap = true;
        points = runSweep({base, SweepAxis::zero_stage, {0, 1}, std::nullopt, {}});
        QVERIFY(points[0].scenario.conventions.dp_overlap);
        QVERIFY(points[1].scenario.conventions.dp_overlap);
    }

    // A stage is not credited with what hides other messages.
    void stagesLeaveOtherMessagesAsTheyAre_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<bool>("hidden");
        for (const int stage : {0, 1})
            for (const bool hidden : {false, true})
                QTest::addRow("ZeRO %d, %s", stage, hidden ? "hidden" : "not hidden") << stage << hidden;
    }
    void stagesLeaveOtherMessagesAsTheyAre()
    {
        QFETCH(int, stage);
        QFETCH(bool, hidden);
        Scenario base = gpt3b();
        base.parallel.sequence_parallel = true;
        base.parallel.zero_stage = stage;
        base.conventions = defaultConventions(Framework::megatron, base.model, base.training, base.parallel);
        base.conventions.tp_overlap = hidden;
        base.conventions.pp_overlap = hidden;
        const std::vector<SweepPoint> points = runSweep({base, SweepAxis::zero_stage, {0, 1}, {}, {}});
        for (const SweepPoint& point : points) {
            QCOMPARE(point.scenario.conventions.tp_overlap, hidden);
            QCOMPARE(point.scenario.conventions.pp_overlap, hidden);
            QCOMPARE(point.scenario.conventions.dp_overlap, point.value == 1.0);
        }
        QCOMPARE(points[0].time.tp_s, points[1].time.tp_s);
    }

    // The parts of the picture are parts of the iteration, and no more.
    void partsAddUp_data()
    {
        QTest::addColumn<int>("axis");
        for (int axis = 0; axis < sweep_axis_count; ++axis)
            QTest::addRow("%d %s", axis, axisKey(static_cast<SweepAxis>(axis)).c_str()) << axis;
    }
    void partsAddUp()
    {
        QFETCH(int, axis);
        const Scenario base = gpt3b();
        const auto swept = static_cast<SweepAxis>(axis);
        for (const SweepPoint& point : runSweep({base, swept, barValues(base, swept), {}, {}})) {
            const TimePrediction& time = point.time;
            if (!point.isValid())
                continue;
            const double sum = time.compute_s + time.tp_s + time.cp_s + time.ep_s + time.pp_s + time.dp_s
                               + time.emb_s + time.mp_s + time.bubble_s;
            QVERIFY(sum <= time.iteration_s * (1.0 + 1e-9));
            QVERIFY(time.step_s <= time.compute_s);
            QVERIFY(time.hidden_communication_s >= 0.0);
        }
    }

    // What overlaps is hidden or exposed; together it is what was exposed without the overlap.
    void overlapMovesCommunicationOutOfSight()
    {
        Scenario scenario = gpt3b();
        scenario.parallel = {};
        scenario.parallel.data = 32;
        scenario.training.micro_batch_size = 4;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 1 << 26;
        const auto before = predict(scenario);
        QVERIFY(before);
        QCOMPARE(before.value().time.hidden_communication_s, 0.0);
        QVERIFY(before.value().time.dp_s > 0.0);
        scenario.conventions.dp_overlap = true;
        const auto after = predict(scenario);
        QVERIFY(after);
        const TimePrediction& time = after.value().time;
        QVERIFY(time.hidden_communication_s > 0.0);
        const double all_s = before.value().time.dp_s;
        QVERIFY(std::fabs(time.dp_s + time.hidden_communication_s - all_s) < 1e-9 * all_s);
    }

    void aStoppedSweepAnswersWhatItHas()
    {
        const std::atomic<bool> stop{true};
        QVERIFY(runSweep({gpt3b(), SweepAxis::layers, {4, 8}, {}, {}}, &stop).empty());
    }
};

QTEST_APPLESS_MAIN(TestSweep)
#include "tst_sweep.moc"
