#include "core/sweep/fewest_layers_again.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/sweep/scenarios.h"

#include <QTest>

using namespace shardscope;

namespace
{

// Of 16 layers a stage or, in a pipeline of virtual stages, 8.
Scenario withMemory(double memory_GB)
{
    Scenario scenario = gpt3b();
    scenario.model.layers = 64;
    scenario.training.micro_batch_size = 4;
    scenario.cluster.memory_GB = memory_GB;
    return scenario;
}

bool fits(const MemoryPrediction& memory, const Cluster&)
{
    return memory.fits;
}

MemoryPrediction memoryWith(Scenario scenario, Recompute recompute, std::int64_t layers)
{
    scenario.training.recompute = recompute;
    scenario.training.recompute_layers = layers;
    return memoryOf(scenario);
}

// Between what all layers and what none needs: 0 the one, 1 the other.
double memoryBetween(double share)
{
    const auto GB = [](Recompute recompute) {
        return static_cast<double>(memoryWith(withMemory(80.0), recompute, 0).device_bytes) / (1 << 30);
    };
    return GB(Recompute::full) + share * (GB(Recompute::none) - GB(Recompute::full));
}

} // namespace

class TestFewestLayersAgain : public QObject
{
    Q_OBJECT
private slots:
    void theFewestThatSufficeAreFound_data()
    {
        QTest::addColumn<double>("share");
        for (const double share : {0.2, 0.4, 0.6, 0.8})
            QTest::addRow("%g", share) << share;
    }
    void theFewestThatSufficeAreFound()
    {
        QFETCH(double, share);
        for (const std::int64_t virtual_stages : {1, 2}) {
            Scenario scenario = withMemory(memoryBetween(share));
            scenario.parallel.virtual_stages = virtual_stages;
            if (virtual_stages > 1)
                scenario.parallel.schedule = Schedule::interleaved;
            const auto layers = fewestLayersAgain(scenario, fits);
            QVERIFY(layers && *layers > 0 && *layers < 16 / virtual_stages);
            QVERIFY(memoryWith(scenario, Recompute::full, *layers).fits);
            QVERIFY(*layers == 1 || !memoryWith(scenario, Recompute::full, *layers - 1).fits);
        }
    }

    void allLayersAndNoneAreNoAnswer()
    {
        QVERIFY(!fewestLayersAgain(withMemory(memoryBetween(2.0)), fits));
        QVERIFY(!fewestLayersAgain(withMemory(memoryBetween(0.001)), fits));
        QVERIFY(!fewestLayersAgain(withMemory(1.0), fits));
        Scenario list = withMemory(80.0);
        list.model.kind = ModelKind::parameter_list;
        list.model.tensors = {{"weights", 1000}};
        QVERIFY(!fewestLayersAgain(list, fits));
    }
};

QTEST_APPLESS_MAIN(TestFewestLayersAgain)
#include "tst_fewest_layers_again.moc"
