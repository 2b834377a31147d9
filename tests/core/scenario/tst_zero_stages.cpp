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

    void weightsAreGatheredInFp8WhereZeroGathersAny_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("zero_stage");
        QTest::addColumn<int>("precision");
        QTest::addColumn<bool>("can");
        const auto row = [](const char* name, Framework framework, int stage, Precision precision, bool can) {
            QTest::newRow(name) << static_cast<int>(framework) << stage << static_cast<int>(precision) << can;
        };
        row("Megatron-LM's distributed optimizer", Framework::megatron, 1, Precision::fp8, true);
        row("whole replicas", Framework::megatron, 0, Precision::fp8, false);
        row("products in bf16", Framework::megatron, 1, Precision::bf16, false);
        row("FSDP", Framework::fsdp, 3, Precision::fp8, true);
        row("DeepSpeed", Framework::deepspeed, 3, Precision::fp8, false);
        row("DDP with ZeroRedundancyOptimizer", Framework::ddp, 1, Precision::fp8, false);
    }
    void weightsAreGatheredInFp8WhereZeroGathersAny()
    {
        QFETCH(int, framework);
        QFETCH(int, zero_stage);
        QFETCH(int, precision);
        Scenario scenario;
        scenario.conventions.framework = static_cast<Framework>(framework);
        scenario.parallel.zero_stage = zero_stage;
        scenario.training.precision = static_cast<Precision>(precision);
        QTEST(canGatherInFp8(scenario), "can");
    }
};

QTEST_APPLESS_MAIN(TestZeroStages)
#include "tst_zero_stages.moc"
