#include <QTest>

#include "widgets/panels/scenario/scenario_figures.h"

using namespace shardscope;

namespace
{

// Of six layers a stage.
Scenario withStages(Recompute recompute)
{
    Scenario scenario;
    scenario.model.layers = 24;
    scenario.parallel.pipeline = 4;
    scenario.training.recompute = recompute;
    return scenario;
}

} // namespace

class TestRecomputeFigures : public QObject
{
    Q_OBJECT
private slots:
    void eachIsShownWhereItCounts_data()
    {
        QTest::addColumn<int>("recompute");
        QTest::addColumn<int>("framework");
        QTest::addColumn<bool>("layers");
        QTest::addColumn<bool>("modules");
        const auto row = [](const char* name, Recompute recompute, Framework framework, bool layers,
                            bool modules) {
            QTest::newRow(name) << static_cast<int>(recompute) << static_cast<int>(framework) << layers
                                << modules;
        };
        row("nothing again", Recompute::none, Framework::megatron, false, false);
        row("layers", Recompute::full, Framework::fsdp, true, false);
        row("modules", Recompute::selective, Framework::megatron, false, true);
        row("products", Recompute::selective, Framework::fsdp, false, false);
    }
    void eachIsShownWhereItCounts()
    {
        QFETCH(int, recompute);
        QFETCH(int, framework);
        QFETCH(bool, layers);
        QFETCH(bool, modules);
        Scenario scenario = withStages(static_cast<Recompute>(recompute));
        scenario.conventions.framework = static_cast<Framework>(framework);
        QCOMPARE(layersAgainFigure().applies(scenario), layers);
        QCOMPARE(modulesAgainFigure().applies(scenario), modules);
    }

    // A file says 0, so that they stay all when layers or stages change.
    void allLayersOfAStageAreAllOfTheModel()
    {
        const NumberFigure layers = layersAgainFigure();
        Scenario scenario = withStages(Recompute::full);
        QCOMPARE(layers.stops(scenario), (std::vector<double>{1, 2, 3, 4, 5, 6}));
        QCOMPARE(layers.get(scenario), 6.0);
        scenario = layers.set(scenario, 4.0);
        QCOMPARE(scenario.training.recompute_layers, std::int64_t{4});
        QCOMPARE(layers.get(scenario), 4.0);
        scenario.parallel.pipeline = 8;
        QCOMPARE(layers.get(scenario), 3.0);
        scenario.parallel.pipeline = 4;
        QCOMPARE(layers.set(scenario, 6.0).training.recompute_layers, std::int64_t{0});
    }

    void modulesAreWrittenInAnyOrder()
    {
        const TextFigure modules = modulesAgainFigure();
        const Scenario before = withStages(Recompute::selective);
        QCOMPARE(modules.get(before), QString{});
        const Result<Scenario> after = modules.set(before, "moe_act,  layernorm , moe_act");
        QVERIFY(after);
        QCOMPARE(modules.get(after.value()), QString{"layernorm, moe_act"});
        QVERIFY(modules.set(after.value(), "").value() == before);
        QVERIFY(!modules.set(before, "moe-act"));
        for (const QString& proposal : modules.proposals)
            QCOMPARE(modules.get(modules.set(before, proposal).value()).count(','), proposal.count(','));
    }
};

QTEST_APPLESS_MAIN(TestRecomputeFigures)
#include "tst_recompute_figures.moc"
