#include <QTest>

#include "core/scenario/defaults.h"

using namespace shardscope;

class TestDefaults : public QObject
{
    Q_OBJECT
private slots:
    void gradientsHaveTheFrameworksSize_data()
    {
        QTest::addColumn<Framework>("framework");
        QTest::addColumn<Precision>("precision");
        QTest::addColumn<int>("bytes");
        QTest::newRow("Megatron-LM sums bf16 in float") << Framework::megatron << Precision::bf16 << 4;
        QTest::newRow("Megatron-LM keeps fp16") << Framework::megatron << Precision::fp16 << 2;
        QTest::newRow("DeepSpeed keeps bf16") << Framework::deepspeed << Precision::bf16 << 2;
        QTest::newRow("FSDP keeps bf16") << Framework::fsdp << Precision::bf16 << 2;
        QTest::newRow("DDP in float") << Framework::ddp << Precision::fp32 << 4;
    }
    void gradientsHaveTheFrameworksSize()
    {
        QFETCH(Framework, framework);
        QFETCH(Precision, precision);
        QTEST(defaultGradientBytes(framework, precision), "bytes");
    }

    void mptAndMegatronFuseTheirLoss_data()
    {
        QTest::addColumn<Framework>("framework");
        QTest::addColumn<PositionEmbedding>("positions");
        QTest::addColumn<bool>("fused");
        QTest::newRow("llm-foundry's MPT") << Framework::fsdp << PositionEmbedding::alibi << true;
        QTest::newRow("torchtitan's Llama") << Framework::fsdp << PositionEmbedding::rope << false;
        QTest::newRow("Megatron-LM") << Framework::megatron << PositionEmbedding::learned << true;
        QTest::newRow("BLOOM's DeepSpeed") << Framework::deepspeed << PositionEmbedding::alibi << false;
    }
    void mptAndMegatronFuseTheirLoss()
    {
        QFETCH(Framework, framework);
        QFETCH(PositionEmbedding, positions);
        Model model;
        model.position_embedding = positions;
        QTEST(defaultConventions(framework, model, {}, {}).fused_cross_entropy, "fused");
        QTEST(defaultConventions(framework, model, {}, {}, true).fused_cross_entropy, "fused");
    }

    void attentionIsFusedSinceLlama_data()
    {
        QTest::addColumn<bool>("gated");
        QTest::addColumn<PositionEmbedding>("positions");
        QTest::addColumn<bool>("fused");
        QTest::newRow("GPT-3") << false << PositionEmbedding::learned << false;
        QTest::newRow("BLOOM") << false << PositionEmbedding::alibi << false;
        QTest::newRow("Llama") << true << PositionEmbedding::rope << true;
        QTest::newRow("Nemotron-4") << false << PositionEmbedding::rope << true;
    }
    void attentionIsFusedSinceLlama()
    {
        QFETCH(bool, gated);
        QFETCH(PositionEmbedding, positions);
        Model model;
        model.gated_mlp = gated;
        model.position_embedding = positions;
        QTEST(defaultFlashAttention(model), "fused");
    }

    // Beside 16-bit weights a float, whatever the framework.
    void floatsHaveNoCopy()
    {
        QCOMPARE(defaultMasterBytes(Precision::fp32), 0);
        for (const Precision precision : {Precision::fp16, Precision::bf16, Precision::fp8})
            QCOMPARE(defaultMasterBytes(precision), 4);
    }

    // reduce_bucket_size is 5e8 elements; stages 1 and 2 all-reduce each bucket, stage 3 reduce-scatters.
    void deepSpeedReducesBuckets()
    {
        Training training;
        training.gradient_bytes = 2;
        Parallel parallel;
        parallel.zero_stage = 1;
        const Conventions first = defaultConventions(Framework::deepspeed, {}, training, parallel);
        QCOMPARE(first.dp_bucket_bytes, 1'000'000'000);
        QCOMPARE(first.dp_reduction, DpReduction::buckets);
        QCOMPARE(first.zero_reduction, ZeroReduction::all_reduce);
        parallel.zero_stage = 3;
        QCOMPARE(defaultConventions(Framework::deepspeed, {}, training, parallel).zero_reduction,
                 ZeroReduction::reduce_scatter);
    }

    // DistributedDataParallelConfig: max(40 M, 1 M * data parallel size) parameters when overlapped, else one
    // buffer.
    void megatronUsesBucketsOnlyWhenItOverlaps()
    {
        Training training;
        training.gradient_bytes = 4;
        Parallel parallel;
        parallel.data = 64;
        QCOMPARE(defaultConventions(Framework::megatron, {}, training, parallel).dp_reduction,
                 DpReduction::flat);
        const Conventions overlapped = defaultConventions(Framework::megatron, {}, training, parallel, true);
        QCOMPARE(overlapped.dp_reduction, DpReduction::buckets);
        QCOMPARE(overlapped.dp_bucket_bytes, 64'000'000 * 4);
        parallel.data = 8;
        QCOMPARE(defaultConventions(Framework::megatron, {}, training, parallel, true).dp_bucket_bytes,
                 40'000'000 * 4);
    }

    // overlap_comm is on for stage 3 unless it is set; layers are gathered whole since runs have fused
    // attention.
    void deepspeedsThirdStageOverlaps()
    {
        Training training;
        training.flash_attention = true;
        Parallel parallel;
        for (const int stage : {0, 1, 2, 3}) {
            parallel.zero_stage = stage;
            const Conventions there = defaultConventions(Framework::deepspeed, {}, training, parallel);
            QCOMPARE(there.dp_overlap, stage == 3);
            QVERIFY(!there.zero3_by_tensor);
        }
        training.flash_attention = false;
        QVERIFY(defaultConventions(Framework::deepspeed, {}, training, parallel).zero3_by_tensor);
    }

    // overlap_comm: "Attempts to overlap the reduction of the gradients with backward computation".
    void deepspeedGathersParametersAfterTheStep()
    {
        Parallel parallel;
        parallel.zero_stage = 1;
        QVERIFY(!defaultConventions(Framework::deepspeed, {}, {}, parallel, true).param_overlap);
        QVERIFY(defaultConventions(Framework::megatron, {}, {}, parallel, true).param_overlap);
        QVERIFY(!defaultConventions(Framework::megatron, {}, {}, parallel, false).param_overlap);
    }

    void ddpOverlapsBucketsOf25MiB()
    {
        const Conventions conventions = defaultConventions(Framework::ddp, {}, {}, {});
        QCOMPARE(conventions.dp_bucket_bytes, 25 << 20);
        QVERIFY(conventions.dp_overlap);
        QCOMPARE(conventions.dp_reduction, DpReduction::buckets);
    }

    void globalBatchCanBeShared_data()
    {
        QTest::addColumn<qint64>("micro");
        QTest::addColumn<qint64>("data");
        QTest::addColumn<qint64>("global");
        QTest::newRow("usual") << qint64{4} << qint64{8} << qint64{512};
        QTest::newRow("three replicas") << qint64{4} << qint64{3} << qint64{516};
        QTest::newRow("many replicas") << qint64{4} << qint64{1024} << qint64{4096};
        QTest::newRow("nonsense stays nonsense for validate()") << qint64{0} << qint64{-1} << qint64{512};
        QTest::newRow("no overflow") << qint64{1} << std::numeric_limits<qint64>::max() << qint64{512};
    }
    void globalBatchCanBeShared()
    {
        QFETCH(qint64, micro);
        QFETCH(qint64, data);
        QTEST(static_cast<qint64>(defaultGlobalBatchSize(micro, data)), "global");
    }
};

QTEST_APPLESS_MAIN(TestDefaults)
#include "tst_defaults.moc"
