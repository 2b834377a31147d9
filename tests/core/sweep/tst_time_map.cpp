#include <QTest>

#include "core/prediction/predict.h"
#include "core/sweep/axis_values.h"
#include "core/sweep/time_map.h"
#include "tests/core/sweep/scenarios.h"

using namespace shardscope;

namespace
{

TimeMap mapOf(const Scenario& scenario, SweepAxis x, SweepAxis y, MapModel model, int side)
{
    TimeMap map;
    map.x_axis = x;
    map.y_axis = y;
    map.model = model;
    map.x_values = mapValues(scenario, x, side);
    map.y_values = mapValues(scenario, y, side);
    fillMap(map, scenario);
    return map;
}

} // namespace

class TestTimeMap : public QObject
{
    Q_OBJECT
private slots:
    void everyPointIsWhatPredictSays_data()
    {
        QTest::addColumn<int>("x");
        QTest::addColumn<int>("y");
        QTest::addColumn<int>("zero_stage");
        QTest::addColumn<int>("model");
        const auto row = [](const char* name, SweepAxis x, SweepAxis y, int zero, MapModel model) {
            QTest::newRow(name) << static_cast<int>(x) << static_cast<int>(y) << zero
                                << static_cast<int>(model);
        };
        row("length and network", SweepAxis::sequence_length, SweepAxis::network_bandwidth, 0,
            MapModel::closed_form);
        row("hidden and length", SweepAxis::hidden_size, SweepAxis::sequence_length, 0,
            MapModel::closed_form);
        row("links", SweepAxis::node_bandwidth, SweepAxis::network_bandwidth, 0, MapModel::closed_form);
        row("stages and tensor ranks", SweepAxis::pipeline, SweepAxis::tensor, 0, MapModel::closed_form);
        row("GPUs and compute", SweepAxis::gpus_weak, SweepAxis::flop_vs_bandwidth, 0, MapModel::closed_form);
        row("batch and schedule", SweepAxis::global_batch_size, SweepAxis::schedule, 0,
            MapModel::closed_form);
        row("messages are counted with ZeRO", SweepAxis::gpus_weak, SweepAxis::network_bandwidth, 1,
            MapModel::closed_form);
        row("stages of ZeRO", SweepAxis::zero_stage, SweepAxis::gpus_strong, 0, MapModel::closed_form);
        row("detailed", SweepAxis::sequence_length, SweepAxis::network_bandwidth, 0, MapModel::detailed);
        row("detailed, stages", SweepAxis::pipeline, SweepAxis::micro_batch_size, 1, MapModel::detailed);
    }
    void everyPointIsWhatPredictSays()
    {
        QFETCH(int, x);
        QFETCH(int, y);
        QFETCH(int, zero_stage);
        QFETCH(int, model);
        Scenario base = gpt3b();
        base.parallel.zero_stage = zero_stage;
        const TimeMap map = mapOf(base, static_cast<SweepAxis>(x), static_cast<SweepAxis>(y),
                                  static_cast<MapModel>(model), 17);
        int valid = 0;
        for (std::size_t row = 0; row < map.y_values.size(); ++row)
            for (std::size_t column = 0; column < map.x_values.size(); ++column) {
                Scenario scenario = mapScenario(map, base, column, row);
                scenario.time_model =
                    map.model == MapModel::closed_form ? TimeModel::li : TimeModel::detailed;
                const MapCell& cell = map.cell(column, row);
                const bool is_wrong = !mapProblem(map, base, column, row).empty();
                QCOMPARE(cell.isValid(), !is_wrong);
                if (is_wrong)
                    continue;
                ++valid;
                const auto answer = predict(scenario);
                QVERIFY(answer);
                const TimePrediction& time = answer.value().time;
                QCOMPARE(cell.iteration_s, time.iteration_s);
                QCOMPARE(cell.communication_ratio, time.communication_ratio);
                QCOMPARE(cell.bubble_ratio, time.bubble_ratio);
                QCOMPARE(cell.tokens_per_s, time.tokens_per_s);
                QCOMPARE(cell.mfu, time.mfu);
            }
        QVERIFY(valid > 3);
    }

    void aMapThatIsStoppedStaysEmpty()
    {
        const Scenario base = gpt3b();
        TimeMap map;
        map.x_values = mapValues(base, map.x_axis, 8);
        map.y_values = mapValues(base, map.y_axis, 8);
        const std::atomic<bool> stop{true};
        fillMap(map, base, &stop);
        QCOMPARE(map.cells.size(), map.x_values.size() * map.y_values.size());
        QVERIFY(!map.cell(0, 0).isValid());
    }

    void tokensOfAListOfTensorsAreItsSamples()
    {
        Scenario base = gpt3b();
        base.parallel = {};
        base.parallel.data = 4;
        base.model.kind = ModelKind::parameter_list;
        base.model.tensors = {{"weights", 25'000'000}};
        base.model.flops_per_sample = 24e9;
        base.training.global_batch_size = 256;
        for (const MapModel model : {MapModel::closed_form, MapModel::detailed}) {
            const TimeMap map =
                mapOf(base, SweepAxis::node_bandwidth, SweepAxis::network_bandwidth, model, 2);
            const MapCell& cell = map.cell(0, 0);
            QVERIFY2(cell.isValid(), mapProblem(map, base, 0, 0).c_str());
            QCOMPARE(cell.tokens_per_s, 256.0 / cell.iteration_s);
        }
    }

    // Li et al.'s formula knows none; where messages are counted a prediction has it all the same.
    void theClosedFormTellsNoMemory()
    {
        for (const int zero : {0, 1}) {
            Scenario base = gpt3b();
            base.parallel.zero_stage = zero;
            const auto ratioOf = [&](MapModel model) {
                return mapOf(base, SweepAxis::node_bandwidth, SweepAxis::network_bandwidth, model, 2)
                    .cell(0, 0)
                    .memory_ratio;
            };
            QCOMPARE(ratioOf(MapModel::closed_form), 0.0);
            QVERIFY(ratioOf(MapModel::detailed) > 0.0);
        }
    }

    void messagesCostPoints()
    {
        Scenario scenario = gpt3b();
        QCOMPARE(mapSide(MapModel::closed_form, scenario), 256);
        scenario.parallel.zero_stage = 1;
        QVERIFY(mapSide(MapModel::closed_form, scenario) < 256);
    }
};

QTEST_APPLESS_MAIN(TestTimeMap)
#include "tst_time_map.moc"
