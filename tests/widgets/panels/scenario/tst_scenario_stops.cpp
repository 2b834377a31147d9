#include <QTest>

#include "widgets/panels/scenario/scenario_stops.h"

#include <algorithm>
#include <cmath>

using namespace shardscope;

using Stops = std::vector<double> (*)(const Scenario&);
Q_DECLARE_METATYPE(Stops)

class TestScenarioStops : public QObject
{
    Q_OBJECT
private slots:
    void everySliderHasAFewAscendingStops_data()
    {
        QTest::addColumn<Stops>("stops");
        QTest::newRow("layers") << &layerStops;
        QTest::newRow("hidden") << &hiddenStops;
        QTest::newRow("heads") << &headStops;
        QTest::newRow("KV heads") << &kvHeadStops;
        QTest::newRow("sequence") << &sequenceStops;
        QTest::newRow("vocabulary") << &vocabularyStops;
        QTest::newRow("micro-batch") << &microBatchStops;
        QTest::newRow("global batch") << &globalBatchStops;
        QTest::newRow("world") << &worldStops;
        QTest::newRow("pipeline") << &pipelineStops;
        QTest::newRow("tensor") << &tensorStops;
        QTest::newRow("data") << &dataStops;
        QTest::newRow("context") << &contextStops;
        QTest::newRow("virtual stages") << &virtualStageStops;
        QTest::newRow("bandwidth") << &bandwidthStops;
        QTest::newRow("share") << &shareStops;
    }
    void everySliderHasAFewAscendingStops()
    {
        QFETCH(Stops, stops);
        const std::vector<double> found = stops(Scenario{});
        QVERIFY(found.size() >= 3);
        QVERIFY(found.size() <= 120); // a slider has about as many pixels
        QVERIFY(std::is_sorted(found.begin(), found.end(), std::less_equal<>{}));
        QVERIFY(found.front() > 0);
    }

    void absurdFiguresLeaveStopsOrNone_data() { everySliderHasAFewAscendingStops_data(); }
    void absurdFiguresLeaveStopsOrNone()
    {
        QFETCH(Stops, stops);
        for (const std::int64_t figure : {std::int64_t{0}, std::int64_t{-4}, std::int64_t{1} << 52}) {
            Scenario scenario;
            scenario.model.layers = scenario.model.hidden_size = scenario.model.attention_heads = figure;
            scenario.model.sequence_length = scenario.training.micro_batch_size = figure;
            scenario.training.global_batch_size = scenario.parallel.data = scenario.parallel.pipeline =
                figure;
            const std::vector<double> found = stops(scenario);
            QVERIFY(found.size() <= 1024);
            QVERIFY(std::is_sorted(found.begin(), found.end()));
        }
    }

    void hiddenIsDividedByTheHeads()
    {
        Scenario scenario;
        scenario.model.attention_heads = 40;
        for (const double hidden : hiddenStops(scenario))
            QCOMPARE(std::fmod(hidden, 40.0), 0.0);
    }

    void tensorDividesTheHeads()
    {
        Scenario scenario;
        scenario.model.attention_heads = 40;
        QCOMPARE(tensorStops(scenario), (std::vector<double>{1, 2, 4, 8}));
    }

    void theMicroBatchDividesAReplicasShare()
    {
        Scenario scenario;
        scenario.training.global_batch_size = 48;
        scenario.parallel.data = 4;
        QCOMPARE(microBatchStops(scenario), (std::vector<double>{1, 2, 3, 4, 6, 12}));
    }

    void theGlobalBatchHoldsWholeMicroBatches()
    {
        Scenario scenario;
        scenario.training.micro_batch_size = 3;
        scenario.parallel.data = 4;
        for (const double batch : globalBatchStops(scenario))
            QCOMPARE(std::fmod(batch, 12.0), 0.0);
    }

    void thereAreNoMoreStagesThanLayers()
    {
        Scenario scenario;
        scenario.model.layers = 12;
        QCOMPARE(pipelineStops(scenario), (std::vector<double>{1, 2, 4, 8}));
        scenario.parallel.pipeline = 4;
        QCOMPARE(virtualStageStops(scenario), (std::vector<double>{1, 2, 3}));
    }
};

QTEST_APPLESS_MAIN(TestScenarioStops)
#include "tst_scenario_stops.moc"
