#include <QTest>

#include "core/scenario/micro_batch_groups.h"

using namespace shardscope;

class TestMicroBatchGroups : public QObject
{
    Q_OBJECT
private slots:
    void groupsAreThoseOfTheFramework_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("told");
        QTest::addColumn<int>("micro_batches");
        QTest::addColumn<int>("group"); // 0: they do not fill groups
        const auto row = [](const char* name, Framework framework, int told, int micro_batches, int group) {
            QTest::newRow(name) << static_cast<int>(framework) << told << micro_batches << group;
        };
        row("Megatron-LM: of four stages", Framework::megatron, 0, 12, 4);
        row("Megatron-LM: with a rest", Framework::megatron, 0, 10, 0);
        row("Megatron-LM: as told", Framework::megatron, 6, 12, 6);
        row("Megatron-LM: a last one that fills the stages", Framework::megatron, 8, 12, 8);
        row("Megatron-LM: a last one that does not", Framework::megatron, 8, 10, 0);
        row("Megatron-LM: fewer than stages", Framework::megatron, 3, 12, 0);
        row("Megatron-LM: more than there are", Framework::megatron, 16, 12, 0);
        row("PyTorch: rounds of four", Framework::fsdp, 0, 12, 4);
        row("PyTorch: two rounds of five", Framework::fsdp, 0, 10, 5);
        row("PyTorch: one round of fewer than stages", Framework::ddp, 0, 2, 2);
        row("PyTorch: rounds that are not alike", Framework::fsdp, 0, 9, 0);
    }
    void groupsAreThoseOfTheFramework()
    {
        QFETCH(int, framework);
        QFETCH(int, told);
        QFETCH(int, micro_batches);
        QFETCH(int, group);
        Parallel parallel;
        parallel.pipeline = 4;
        parallel.virtual_stages = 2;
        parallel.schedule = Schedule::interleaved;
        parallel.micro_batch_group = told;
        const auto of = static_cast<Framework>(framework);
        QCOMPARE(fillGroups(parallel, of, micro_batches), group > 0);
        if (group > 0)
            QCOMPARE(microBatchGroup(parallel, of, micro_batches), std::int64_t{group});
    }

    void noMicroBatchesFillNothing()
    {
        QVERIFY(!fillGroups(Parallel{}, Framework::megatron, 0));
        QVERIFY(!fillGroups(Parallel{}, Framework::fsdp, 0));
    }
};

QTEST_APPLESS_MAIN(TestMicroBatchGroups)
#include "tst_micro_batch_groups.moc"
