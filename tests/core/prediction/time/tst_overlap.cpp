#include <QTest>

#include "core/prediction/time/overlap.h"
#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

namespace
{

Scenario overlapping(double contention)
{
    Scenario scenario = small(1, 2, 2);
    scenario.conventions.dp_overlap = true;
    scenario.conventions.param_overlap = true;
    scenario.conventions.tp_overlap = true;
    scenario.conventions.ep_overlap = true;
    scenario.parallel.sequence_parallel = true;
    scenario.cluster.compute.overlap_contention = contention;
    scenario.cluster.compute.tp_overlap_exposed = 0.25;
    scenario.cluster.compute.dp_overlap_exposed = 0.5;
    return scenario;
}

double gathersExposed(const Scenario& scenario, double working_s, double gathers_s)
{
    const IterationFigures figures{scenario};
    PassTime pass;
    pass.compute_s = working_s;
    Overlap{figures}.hideGathers(pass, gathers_s);
    return pass.dp_s;
}

} // namespace

class TestOverlap : public QObject
{
    Q_OBJECT
private slots:
    void gathersCostWhatTheySlowDownOrWhatDoesNotFit_data()
    {
        QTest::addColumn<double>("contention");
        QTest::addColumn<double>("working_s");
        QTest::addColumn<double>("gathers_s");
        QTest::addColumn<double>("expected_s");
        QTest::newRow("half of the time beside them is lost") << 0.5 << 10.0 << 4.0 << 2.0;
        QTest::newRow("nothing is lost without contention") << 0.0 << 10.0 << 4.0 << 0.0;
        QTest::newRow("what does not fit stays") << 0.5 << 10.0 << 40.0 << 30.0;
        QTest::newRow("never more than they take by themselves") << 3.0 << 10.0 << 4.0 << 4.0;
        QTest::newRow("none to gather") << 0.5 << 10.0 << 0.0 << 0.0;
    }
    void gathersCostWhatTheySlowDownOrWhatDoesNotFit()
    {
        QFETCH(double, contention);
        QFETCH(double, working_s);
        QFETCH(double, gathers_s);
        QFETCH(double, expected_s);
        Scenario scenario = overlapping(contention);
        QCOMPARE(gathersExposed(scenario, working_s, gathers_s), expected_s);
        scenario.conventions.dp_overlap = false;
        QCOMPARE(gathersExposed(scenario, working_s, gathers_s), gathers_s);
    }

    // Two micro-batches take turns; one alone has none beside it.
    void tokensTravelBesideAnotherMicroBatch()
    {
        Scenario scenario = overlapping(0.5);
        const auto hidden = [&] {
            const IterationFigures figures{scenario};
            StageTime stage;
            stage.forward = {.compute_s = 4.0, .ep_s = 1.0};
            stage.backward = {.compute_s = 8.0, .ep_s = 3.0};
            Overlap{figures}.hideExperts(stage);
            return std::pair{stage.forward.ep_s, stage.backward.ep_s};
        };
        QCOMPARE(hidden(), (std::pair{0.5, 1.5}));
        scenario.conventions.ep_overlap = false;
        QCOMPARE(hidden(), (std::pair{1.0, 3.0}));
        scenario.parallel.schedule = Schedule::dualpipe;
        QCOMPARE(hidden(), (std::pair{0.5, 1.5}));
        scenario.parallel.schedule = Schedule::one_f_one_b;
        scenario.conventions.ep_overlap = true;
        scenario.training.global_batch_size = 4; // a micro-batch of 2 for each of 2 replicas
        QCOMPARE(hidden(), (std::pair{1.0, 3.0}));
    }

    // Kernels that are started one by one leave nothing beside them, whatever the switches say.
    void nothingIsHiddenWhereKernelsAreStartedOneByOne()
    {
        Scenario scenario = overlapping(0.0);
        scenario.parallel.schedule = Schedule::dualpipe;
        scenario.cluster.launch_blocking = true;
        const IterationFigures figures{scenario};
        const Overlap overlap{figures};
        QCOMPARE(gathersExposed(scenario, 10.0, 4.0), 4.0);
        QCOMPARE(overlap.exposedTensor(4.0, 100.0), 4.0);
        StageTime experts;
        experts.forward = {.compute_s = 4.0, .ep_s = 1.0};
        overlap.hideExperts(experts);
        QCOMPARE(experts.forward.ep_s, 1.0);
        StageCommunication stage;
        stage.gradients_s = 3.0;
        stage.parameters_s = 2.0;
        QCOMPARE(overlap.replicas(stage, 100.0, 100.0).exposed_s(), 5.0);
    }

    void tensorMessagesStayWhereProductsAreShort()
    {
        Scenario scenario = overlapping(0.0);
        const IterationFigures figures{scenario};
        QCOMPARE(Overlap{figures}.exposedTensor(4.0, 100.0), 1.0); // a quarter always stays
        QCOMPARE(Overlap{figures}.exposedTensor(4.0, 1.5), 2.5);
        scenario.parallel.sequence_parallel = false;
        QCOMPARE(Overlap{figures}.exposedTensor(4.0, 100.0), 4.0);
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.tp_overlap = false;
        QCOMPARE(Overlap{figures}.exposedTensor(4.0, 100.0), 4.0);
    }

    void gradientsAndParametersOverlapByTheirOwnSwitches()
    {
        Scenario scenario = overlapping(0.0);
        const IterationFigures figures{scenario};
        StageCommunication stage;
        stage.gradients_s = 10.0;
        stage.parameters_s = 6.0;
        scenario.conventions.param_overlap = true;
        scenario.conventions.dp_overlap = false;
        ReplicaTime time = Overlap{figures}.replicas(stage, 100.0, 100.0);
        QCOMPARE((std::pair{time.exposed_gradients_s, time.exposed_parameters_s}), (std::pair{10.0, 3.0}));
        scenario.conventions.param_overlap = false;
        scenario.conventions.dp_overlap = true;
        time = Overlap{figures}.replicas(stage, 100.0, 100.0);
        QCOMPARE((std::pair{time.exposed_gradients_s, time.exposed_parameters_s}), (std::pair{5.0, 6.0}));
    }

    void gradientsOfReplicasStayAsTheirLastBucket_data()
    {
        QTest::addColumn<double>("longest_s");
        QTest::addColumn<double>("pass_s");
        QTest::addColumn<double>("expected_s"); // of 10 s
        QTest::newRow("half always stays") << 1.0 << 100.0 << 5.0;
        QTest::newRow("what the pass is too short for") << 1.0 << 3.0 << 7.0;
        QTest::newRow("the bucket that is ready last") << 8.0 << 100.0 << 8.0;
    }
    void gradientsOfReplicasStayAsTheirLastBucket()
    {
        QFETCH(double, longest_s);
        QFETCH(double, pass_s);
        QFETCH(double, expected_s);
        Scenario scenario = overlapping(0.0);
        const IterationFigures figures{scenario};
        StageCommunication gradients;
        gradients.gradients_s = 10.0;
        gradients.longest_gradient_s = longest_s;
        ReplicaTime time = Overlap{figures}.replicas(gradients, pass_s, 0.0);
        QCOMPARE(time.exposed_gradients_s, expected_s);
        QCOMPARE(time.exposed_s(), expected_s);
        StageCommunication parameters;
        parameters.parameters_s = 10.0;
        parameters.longest_parameter_s = longest_s;
        QCOMPARE(Overlap{figures}.replicas(parameters, 0.0, pass_s).exposed_s(), expected_s);
        scenario.conventions.param_overlap = false;
        QCOMPARE(Overlap{figures}.replicas(parameters, 0.0, pass_s).exposed_s(), 10.0);
    }
};

QTEST_APPLESS_MAIN(TestOverlap)
#include "tst_overlap.moc"
