#include <QTest>

#include "core/sweep/scaling.h"

#include <cmath>

using namespace shardscope;

namespace
{

SweepPoint point(std::int64_t gpus, std::int64_t batch, double compute_s, double communication_s)
{
    SweepPoint point;
    point.world_size = gpus;
    point.scenario.training.global_batch_size = batch;
    TimePrediction& time = point.time;
    time.compute_s = compute_s;
    time.exposed_communication_s = communication_s;
    time.iteration_s = compute_s + communication_s;
    time.communication_ratio = communication_s / time.iteration_s;
    time.tokens_per_s = static_cast<double>(batch) * 1000.0 / time.iteration_s;
    return point;
}

bool isNear(double a, double b)
{
    return std::fabs(a - b) < 1e-9;
}

} // namespace

class TestScaling : public QObject
{
    Q_OBJECT
private slots:
    void speedupFollowsFromSharesAndTheNetwork_data()
    {
        QTest::addColumn<double>("communication");
        QTest::addColumn<double>("efficiency");
        QTest::addColumn<double>("speedup");
        QTest::newRow("nothing is lost") << 0.3 << 1.0 << 1.0;
        QTest::newRow("nothing to lose") << 0.0 << 0.5 << 1.0;
        QTest::newRow("half the time at half the efficiency") << 0.5 << 0.5 << 1.0 / 1.5;
        QTest::newRow("ZeRO-1 on Polaris, 89 %, a third of the time") << 0.3 << 0.89 << 0.89 / (0.623 + 0.3);
    }
    void speedupFollowsFromSharesAndTheNetwork()
    {
        QFETCH(double, communication);
        QFETCH(double, efficiency);
        QFETCH(double, speedup);
        QVERIFY(isNear(chengSpeedup(1.0 - communication, communication, efficiency), speedup));
    }

    // Weak scaling where communication alone grows: the estimate is exact.
    void weakScalingIsWhatThePaperEstimates()
    {
        const auto scaling = scalingOf({point(8, 8, 3.0, 1.0), point(64, 64, 3.0, 2.0)});
        QCOMPARE(scaling.size(), std::size_t{2});
        QCOMPARE(scaling[1].ideal, 8.0);
        QVERIFY(isNear(*scaling[1].network_efficiency, 0.5));
        QVERIFY(isNear(scaling[1].speedup, 8.0 * 4.0 / 5.0));
        QVERIFY(isNear(*scaling[1].estimated_speedup, scaling[1].speedup));
        QVERIFY(isNear(scaling[1].efficiency(), 0.8));
    }

    // The batch stays: each GPU has an eighth of the work.
    void strongScalingCountsWorkOfEachGpu()
    {
        const auto scaling = scalingOf({point(8, 64, 8.0, 2.0), point(64, 64, 1.0, 1.0)});
        QVERIFY(isNear(scaling[1].speedup, 5.0));
        QVERIFY(isNear(*scaling[1].network_efficiency, 0.25));
    }

    void placesThatCannotBeTrainedAreLeftOut()
    {
        SweepPoint wrong = point(8, 8, 1.0, 1.0);
        wrong.problem = "does not divide";
        const auto scaling = scalingOf({wrong, point(16, 16, 1.0, 0.5), point(32, 32, 1.0, 0.5)});
        QCOMPARE(scaling.size(), std::size_t{2});
        QCOMPARE(scaling[1].ideal, 2.0);
    }

    // One GPU has nothing to send: the network is compared from the next one on.
    void theNetworkIsComparedFromTheFirstPointThatSends()
    {
        const auto scaling =
            scalingOf({point(1, 1, 3.0, 0.0), point(8, 8, 3.0, 1.0), point(64, 64, 3.0, 2.0)});
        QVERIFY(!scaling[0].network_efficiency);
        QCOMPARE(*scaling[1].network_efficiency, 1.0);
        QVERIFY(isNear(*scaling[2].network_efficiency, 0.5));
        QCOMPARE(scaling[2].network_gpus, 8.0);
        QVERIFY(isNear(*scaling[2].estimated_speedup, scaling[2].speedup));
    }

    void eachPointStandsAgainstTheFirstOfItsGroup()
    {
        SweepPoint wrong = point(8, 8, 1.0, 1.0);
        wrong.problem = "does not divide";
        std::vector<SweepPoint> points{point(8, 8, 3.0, 1.0), point(8, 8, 1.0, 1.0), wrong,
                                       point(16, 16, 1.0, 1.0)};
        for (const std::size_t of_other : {1, 3})
            points[of_other].group_value = 1.0;
        Sweep sweep;
        sweep.axis = SweepAxis::gpus_weak;
        const auto scaling = scalingOfEach(sweep, points);
        QCOMPARE(scaling.size(), points.size());
        QVERIFY(!scaling[2]);
        QCOMPARE(scaling[1]->speedup, 1.0);
        QCOMPARE(scaling[3]->speedup, 2.0);
        sweep.axis = SweepAxis::tensor;
        QVERIFY(scalingOfEach(sweep, points).empty());
    }
};

QTEST_APPLESS_MAIN(TestScaling)
#include "tst_scaling.moc"
