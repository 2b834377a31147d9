#include <QTest>

#include "core/scenario/zero_stages.h"

using namespace shardscope;

class TestZeroStages : public QObject
{
    Q_OBJECT
private slots:
    void frameworksHaveTheirStages_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("experts");
        QTest::addColumn<QString>("stages");
        const auto row = [](const char* name, Framework framework, int pipeline, int experts,
                            const char* stages) {
            QTest::newRow(name) << static_cast<int>(framework) << pipeline << experts << QString{stages};
        };
        row("Megatron-LM", Framework::megatron, 1, 0, "0123");
        row("its pipelines", Framework::megatron, 2, 0, "01");
        row("DeepSpeed", Framework::deepspeed, 1, 0, "0123");
        row("its pipelines", Framework::deepspeed, 2, 0, "01");
        row("its experts", Framework::deepspeed, 1, 8, "012");
        row("FSDP: NO_SHARD, SHARD_GRAD_OP, FULL_SHARD", Framework::fsdp, 1, 0, "023");
        row("its pipelines", Framework::fsdp, 2, 0, "023");
        row("DDP with ZeroRedundancyOptimizer", Framework::ddp, 1, 0, "01");
    }
    void frameworksHaveTheirStages()
    {
        QFETCH(int, framework);
        QFETCH(int, pipeline);
        QFETCH(int, experts);
        Scenario scenario;
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.parallel.pipeline = pipeline;
        scenario.model.experts.count = experts;
        QString stages;
        for (int stage = 0; stage <= 3; ++stage) {
            if (runsZeroStage(scenario, stage))
                stages += QString::number(stage);
            QVERIFY(!runsZeroStage(scenario, stage) || hasZeroStage(scenario.conventions.framework, stage));
        }
        QTEST(stages, "stages");
    }
};

QTEST_APPLESS_MAIN(TestZeroStages)
#include "tst_zero_stages.moc"
