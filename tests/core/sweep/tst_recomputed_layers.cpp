#include <QTest>

#include "core/scenario/recomputation_words.h"
#include "core/sweep/axis_values.h"
#include "core/sweep/sweep_place.h"
#include "tests/core/sweep/scenarios.h"

#include <array>

using namespace shardscope;

// The axis of layers that are computed again.
class TestRecomputedLayers : public QObject
{
    Q_OBJECT
private slots:
    // Of eight layers a stage. What is computed again besides stays where no layer is whole.
    void layersAreRecomputedFromNoneToAll()
    {
        Scenario base = gpt3b();
        base.model.layers = 32;
        base.training.recompute = Recompute::selective;
        QCOMPARE(ownValue(base, SweepAxis::recomputed_layers), 0.0);
        QCOMPARE(barValues(base, SweepAxis::recomputed_layers),
                 (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
        const auto at = [&base](double layers) {
            Scenario scenario = base;
            const std::array place{AxisValue{SweepAxis::recomputed_layers, layers}};
            return setPlace(scenario, base, place) == Misfit::none ? recomputationWords(scenario)
                                                                   : std::string{"no place"};
        };
        QCOMPARE(at(0), std::string{"selective recomputation"});
        QCOMPARE(at(3), std::string{"recomputation of 3 layers a stage"});
        QCOMPARE(at(8), std::string{"full recomputation"});
        base.training.recompute = Recompute::full;
        QCOMPARE(ownValue(base, SweepAxis::recomputed_layers), 8.0);
        QCOMPARE(at(0), std::string{"no recomputation"});
        base.training.recompute_layers = 3;
        QCOMPARE(ownValue(base, SweepAxis::recomputed_layers), 3.0);
        Scenario moved = base; // from place to place, as a map has it
        for (const double layers : {8.0, 0.0}) {
            const std::array place{AxisValue{SweepAxis::recomputed_layers, layers}};
            QCOMPARE(setPlace(moved, base, place), Misfit::none);
        }
        QCOMPARE(recomputationWords(moved), std::string{"no recomputation"});
        base.training.recompute = Recompute::selective;
        QCOMPARE(setPlace(moved, base, std::array{AxisValue{SweepAxis::recomputed_layers, 0}}), Misfit::none);
        QCOMPARE(moved.training.recompute, Recompute::selective);
        base.training.recompute = Recompute::full;
        // With half as many stages there are twice as many layers on each.
        Scenario scenario = base;
        const std::array place{AxisValue{SweepAxis::pipeline, 2}, AxisValue{SweepAxis::recomputed_layers, 8}};
        QCOMPARE(setPlace(scenario, base, place), Misfit::none);
        QCOMPARE(scenario.training.recompute_layers, std::int64_t{8});
        base.model.layers = 400;
        const std::vector<double> few = barValues(base, SweepAxis::recomputed_layers);
        QVERIFY(few.size() <= 18 && few.front() == 0.0 && few.back() == 100.0);
    }
};

QTEST_APPLESS_MAIN(TestRecomputedLayers)
#include "tst_recomputed_layers.moc"
