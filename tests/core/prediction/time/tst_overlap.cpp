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

constexpr Communicator on_a_node{2, 2};

double gathersExposed(const Scenario& scenario, double working_s, double gathers_s)
{
    const IterationFigures figures{scenario};
    PassTime pass;
    pass.compute_s = working_s;
    Overlap(figures, on_a_node).hideGathers(pass, gathers_s);
    return pass.dp_s;
}

ReplicaTime replicas(const Scenario& scenario, const std::vector<ReplicaCall>& gradients,
                     const std::vector<ReplicaCall>& parameters, double pass_s)
{
    const IterationFigures figures{scenario};
    StageCommunication stage;
    for (const ReplicaCall& call : gradients)
        stage.gradients_s += call.seconds;
    for (const ReplicaCall& call : parameters)
        stage.parameters_s += call.seconds;
    stage.gradient_calls = gradients;
    stage.parameter_calls = parameters;
    PassClock clock;
    clock.add({8.0, 0.0, pass_s, 0.0});
    return Overlap(figures, on_a_node).replicas(stage, clock, clock);
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
            Overlap(figures, on_a_node).hideExperts(stage);
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
        const Overlap overlap{figures, on_a_node};
        QCOMPARE(gathersExposed(scenario, 10.0, 4.0), 4.0);
        QCOMPARE(overlap.exposedTensor(4.0, 100.0), 4.0);
        StageTime experts;
        experts.forward = {.compute_s = 4.0, .ep_s = 1.0};
        overlap.hideExperts(experts);
        QCOMPARE(experts.forward.ep_s, 1.0);
        QCOMPARE(replicas(scenario, {{3.0, 0.5}}, {{2.0, 0.5}}, 100.0).exposed_s(), 5.0);
    }

    void tensorMessagesStayWhereProductsAreShort()
    {
        Scenario scenario = overlapping(0.0);
        const IterationFigures figures{scenario};
        QCOMPARE(Overlap(figures, on_a_node).exposedTensor(4.0, 100.0), 1.0); // a quarter always stays
        QCOMPARE(Overlap(figures, on_a_node).exposedTensor(4.0, 1.5), 2.5);
        scenario.parallel.sequence_parallel = false;
        QCOMPARE(Overlap(figures, on_a_node).exposedTensor(4.0, 100.0), 4.0);
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.tp_overlap = false;
        QCOMPARE(Overlap(figures, on_a_node).exposedTensor(4.0, 100.0), 4.0);
    }

    void tensorMessagesBetweenNodesAreNotOverlapped()
    {
        const Scenario scenario = overlapping(0.0);
        const IterationFigures figures{scenario};
        constexpr Communicator on_two_nodes{16, 8};
        QCOMPARE(Overlap(figures, on_two_nodes).exposedTensor(4.0, 100.0), 4.0);
    }

    void gradientsAndParametersOverlapByTheirOwnSwitches()
    {
        Scenario scenario = overlapping(0.0);
        const std::vector<ReplicaCall> gradients{{10.0, 0.5}};
        const std::vector<ReplicaCall> parameters{{6.0, 0.5}};
        scenario.conventions.dp_overlap = false;
        ReplicaTime time = replicas(scenario, gradients, parameters, 100.0);
        QCOMPARE((std::pair{time.exposed_gradients_s, time.exposed_parameters_s}), (std::pair{10.0, 3.0}));
        scenario.conventions.param_overlap = false;
        scenario.conventions.dp_overlap = true;
        time = replicas(scenario, gradients, parameters, 100.0);
        QCOMPARE((std::pair{time.exposed_gradients_s, time.exposed_parameters_s}), (std::pair{5.0, 6.0}));
    }

    // 10 s of messages beneath a pass of 100 s, or of 8 s, which is half as fast meanwhile.
    void bucketsGoWhenTheyAreReadyAndTheOnesBeforeThemAreThrough_data()
    {
        QTest::addColumn<QVector<QPair<double, double>>>("calls"); // seconds, share of the layers
        QTest::addColumn<double>("pass_s");
        QTest::addColumn<double>("gradients_s");  // exposed
        QTest::addColumn<double>("parameters_s"); // the same calls as gathers, before their share
        using Calls = QVector<QPair<double, double>>;
        QTest::newRow("one that is ready when the pass ends") << Calls{{10.0, 1.0}} << 100.0 << 10.0 << 5.0;
        QTest::newRow("one that is ready at once") << Calls{{10.0, 0.0}} << 100.0 << 5.0 << 10.0;
        QTest::newRow("the last one stays") << Calls{{6.0, 0.5}, {4.0, 1.0}} << 100.0 << 7.0 << 5.0;
        QTest::newRow("the second waits for the first")
            << Calls{{8.0, 0.5}, {2.0, 0.75}} << 8.0 << 6.0 << 5.0;
        QTest::newRow("all wait for a first one that is late")
            << Calls{{5.0, 0.9}, {5.0, 0.9}} << 100.0 << 5.0 << 5.0;
    }
    void bucketsGoWhenTheyAreReadyAndTheOnesBeforeThemAreThrough()
    {
        using Calls = QVector<QPair<double, double>>;
        QFETCH(Calls, calls);
        QFETCH(double, pass_s);
        const Scenario scenario = overlapping(0.0);
        std::vector<ReplicaCall> replica_calls;
        for (const auto& [seconds, share] : calls)
            replica_calls.push_back({seconds, share});
        const ReplicaTime time = replicas(scenario, replica_calls, replica_calls, pass_s);
        QTEST(time.exposed_gradients_s, "gradients_s");
        QTEST(time.exposed_parameters_s, "parameters_s");
        double hidden_s = 0.0;
        for (const HiddenCall& call : time.hidden_gradients)
            hidden_s += call.seconds;
        QCOMPARE(hidden_s, time.gradients_s - time.exposed_gradients_s);
    }

    void hiddenBucketsBeginWhenTheyCan()
    {
        const ReplicaTime time =
            replicas(overlapping(0.0), {{30.0, 0.5}, {10.0, 0.6}, {20.0, 1.0}}, {}, 100.0);
        QCOMPARE(time.hidden_gradients.size(), std::size_t{2});
        QCOMPARE(time.hidden_gradients[0].before_end_s, 50.0);
        QCOMPARE(time.hidden_gradients[0].seconds, 15.0);
        QCOMPARE(time.hidden_gradients[1].before_end_s, 35.0); // behind the first
        QCOMPARE(time.hidden_gradients[1].seconds, 5.0);
        QCOMPARE(time.exposed_gradients_s, 40.0);
    }
};

QTEST_APPLESS_MAIN(TestOverlap)
#include "tst_overlap.moc"
