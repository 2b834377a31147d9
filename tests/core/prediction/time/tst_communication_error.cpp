#include <QTest>

#include "core/base/file.h"
#include "core/base/resources.h"
#include "core/prediction/predict.h"
#include "core/prediction/time/communication_error.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/prediction/small_gpt.h"

using namespace shardscope;

namespace
{

constexpr std::array measured_steps{-0.1, 0.1};

// Calls of replicas of 10 s in all.
StageCommunication tenSeconds(double error)
{
    StageCommunication stage;
    stage.collectives[static_cast<std::size_t>(Kind::dp)] = {10.0, 10.0 * error};
    return stage;
}

TimePrediction iterationOf(double exposed_s, double iteration_s)
{
    TimePrediction time;
    time.dp_s = exposed_s;
    time.iteration_s = iteration_s;
    return time;
}

Scenario example(const char* name)
{
    const auto text = readFile(resourcesFolder() / "examples" / name, 1 << 20);
    return readScenario(text.value(), presets()).value().scenario;
}

} // namespace

// Where an iteration is mostly communication, it is no surer than its calls.
class TestCommunicationError : public QObject
{
    Q_OBJECT
private slots:
    void theBandIsThatOfTheCallsWhereTheyAreMostOfTheTime_data()
    {
        QTest::addColumn<double>("error");
        QTest::addColumn<double>("exposed_s");
        QTest::addColumn<double>("iteration_s");
        QTest::addColumn<double>("band");
        QTest::newRow("nothing but calls") << 0.6 << 10.0 << 10.0 << 0.6;
        QTest::newRow("four fifths are calls") << 0.6 << 8.0 << 10.0 << 0.48;
        QTest::newRow("calls that are as sure as steps") << 0.06 << 10.0 << 10.0 << 0.1;
        QTest::newRow("half of it computes") << 0.6 << 5.0 << 10.0 << 0.1;
        QTest::newRow("calls that are hidden") << 0.6 << 1.0 << 10.0 << 0.1;
        QTest::newRow("waiting for other stages is no call") << 0.6 << 40.0 << 50.0 << 0.1;
    }
    void theBandIsThatOfTheCallsWhereTheyAreMostOfTheTime()
    {
        QFETCH(double, error);
        QFETCH(double, exposed_s);
        QFETCH(double, iteration_s);
        const auto [low, high] =
            withCommunicationError(measured_steps, tenSeconds(error), iterationOf(exposed_s, iteration_s));
        QTEST(high, "band");
        QCOMPARE(low, -high);
    }

    void whereNothingIsKnownOfTheStepNothingIsSaid()
    {
        QCOMPARE(withCommunicationError({0.0, 0.0}, tenSeconds(0.6), iterationOf(10.0, 10.0)),
                 (std::array{0.0, 0.0}));
    }

    void noIterationHasAWiderBandThanItsBound()
    {
        for (const double exposed_s : {1.0, 4.0, 6.0, 8.0, 10.0}) {
            const StageCommunication stage = tenSeconds(0.6);
            const double iteration_s = 12.0;
            const auto band =
                withCommunicationError(measured_steps, stage, iterationOf(exposed_s, iteration_s));
            for (const double least_s : {6.0, 12.0})
                QVERIFY(withMostCommunicationError(measured_steps, {stage}, least_s)[1] >= band[1]);
        }
        QCOMPARE(withMostCommunicationError(measured_steps, {tenSeconds(0.6)}, 100.0), measured_steps);
    }

    // Cheng et al. 2024, Fig. 13: on 256 GPUs thousands of small reduces by a network without a curve.
    void manySmallCallsMakeAnIterationUnsure()
    {
        Scenario scenario = example("cheng-2024-fig13-zero2.scenario.json");
        scenario.training.global_batch_size = scenario.parallel.data = 256;
        const TimePrediction many = predict(scenario).value().time;
        QVERIFY(many.communication_ratio > 0.95);
        QVERIFY2(many.error_band[1] > 0.55, qPrintable(QString::number(many.error_band[1])));
        QCOMPARE(many.error_band[0], -many.error_band[1]);
        QVERIFY(costAtLeast(scenario).value().error_band[1] >= many.error_band[1]);
    }

    void aRunThatMostlyComputesKeepsTheBandOfMeasuredSteps()
    {
        const Scenario scenario = example("gpt3-175b-1024-a100.scenario.json");
        QCOMPARE(predict(scenario).value().time.error_band[1], scenario.cluster.compute.time_error);
    }
};

QTEST_APPLESS_MAIN(TestCommunicationError)
#include "tst_communication_error.moc"
