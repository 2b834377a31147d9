#include <QTest>

#include "core/scenario/defaults.h"
#include "core/scenario/node_wiring.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/validation/validation.h"

#include <functional>

using namespace shardscope;

using Edit = std::function<void(Scenario&)>;
Q_DECLARE_METATYPE(Edit)

class TestScenarioChange : public QObject
{
    Q_OBJECT
private slots:
    void aScheduleAndItsVirtualStagesGoTogether_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<qint64>("stages_of_it");
        QTest::addColumn<Schedule>("with_three");
        QTest::newRow("1f1b has one") << Schedule::one_f_one_b << qint64{1} << Schedule::interleaved;
        QTest::newRow("interleaved has two or more")
            << Schedule::interleaved << qint64{2} << Schedule::interleaved;
        QTest::newRow("a V has two, and with three is none")
            << Schedule::v_half << qint64{2} << Schedule::interleaved;
        QTest::newRow("zb-h1 stays, to be put right") << Schedule::zb_h1 << qint64{1} << Schedule::zb_h1;
    }
    void aScheduleAndItsVirtualStagesGoTogether()
    {
        QFETCH(Schedule, schedule);
        const Scenario chosen = withSchedule(Scenario{}, schedule);
        QTEST(qint64{chosen.parallel.virtual_stages}, "stages_of_it");
        QTEST(withVirtualStages(chosen, 3).parallel.schedule, "with_three");
    }

    void aFormatBringsItsGradients_data()
    {
        QTest::addColumn<Framework>("framework");
        QTest::addColumn<Precision>("before");
        QTest::addColumn<int>("bytes_before");
        QTest::addColumn<Precision>("after");
        QTest::addColumn<int>("bytes_after");
        QTest::newRow("Megatron-LM sums bf16 in float")
            << Framework::megatron << Precision::fp16 << 2 << Precision::bf16 << 4;
        QTest::newRow("DeepSpeed keeps 16 bits")
            << Framework::deepspeed << Precision::fp32 << 4 << Precision::bf16 << 2;
        QTest::newRow("what was set stays")
            << Framework::megatron << Precision::bf16 << 2 << Precision::fp8 << 2;
        QTest::newRow("but not below a float's")
            << Framework::megatron << Precision::bf16 << 2 << Precision::fp32 << 4;
    }
    void aFormatBringsItsGradients()
    {
        QFETCH(Framework, framework);
        QFETCH(Precision, before);
        QFETCH(int, bytes_before);
        QFETCH(Precision, after);
        Scenario scenario;
        scenario.training.precision = before;
        scenario.training.gradient_bytes = bytes_before;
        scenario.conventions =
            defaultConventions(framework, scenario.model, scenario.training, scenario.parallel);
        const Scenario changed = withPrecision(scenario, after);
        QCOMPARE(changed.training.precision, after);
        QTEST(changed.training.gradient_bytes, "bytes_after");
        // With buckets of so many gradients.
        QVERIFY(changed.conventions
                == defaultConventions(framework, changed.model, changed.training, changed.parallel));
    }

    void aFormatBringsTheOptimizersCopy()
    {
        Scenario scenario; // bf16
        const Scenario in_floats = withPrecision(scenario, Precision::fp32);
        QCOMPARE(in_floats.training.master_bytes, 0);
        QCOMPARE(withPrecision(in_floats, Precision::fp16).training.master_bytes, 4);
        scenario.training.master_bytes = 2; // set to something else
        QCOMPARE(withPrecision(scenario, Precision::fp8).training.master_bytes, 2);
        QCOMPARE(withPrecision(scenario, Precision::fp32).training.master_bytes, 0);
    }

    void aFrameworkBringsItsConventionsAndGradients()
    {
        Scenario scenario; // Megatron-LM's, which sums bf16 in float
        const Scenario changed = withFramework(scenario, Framework::deepspeed);
        QCOMPARE(changed.training.gradient_bytes, 2);
        QCOMPARE(changed.conventions.dp_bucket_bytes, 1'000'000'000);
        QVERIFY(!changed.conventions.fused_cross_entropy);
        scenario.training.gradient_bytes = 6;
        QCOMPARE(withFramework(scenario, Framework::deepspeed).training.gradient_bytes, 6);
    }

    // PyTorch gathers keys and values where others let them go round; what was chosen stays.
    void aFrameworkBringsItsContextMethod()
    {
        Scenario scenario;
        scenario = withFramework(scenario, Framework::fsdp);
        QCOMPARE(scenario.parallel.context_method, ContextMethod::all_gather);
        QCOMPARE(withFramework(scenario, Framework::megatron).parallel.context_method, ContextMethod::ring);
        scenario.parallel.context_method = ContextMethod::ulysses;
        QCOMPARE(withFramework(scenario, Framework::megatron).parallel.context_method,
                 ContextMethod::ulysses);
    }

    void aPresetsModelBringsTheAttentionOfItsTime_data()
    {
        QTest::addColumn<PositionEmbedding>("positions");
        QTest::addColumn<bool>("fused");
        QTest::newRow("GPT-3") << PositionEmbedding::learned << false;
        QTest::newRow("Llama") << PositionEmbedding::rope << true;
    }
    void aPresetsModelBringsTheAttentionOfItsTime()
    {
        QFETCH(PositionEmbedding, positions);
        QFETCH(bool, fused);
        ModelPreset preset;
        preset.name = "chosen";
        preset.model.position_embedding = positions;
        Scenario scenario;
        scenario.training.flash_attention = !fused;
        scenario.training.micro_batch_size = 3;
        const Scenario changed = withModel(scenario, preset);
        QCOMPARE(changed.model.preset, std::string{"chosen"});
        QCOMPARE(changed.training.flash_attention, fused);
        QCOMPARE(changed.training.micro_batch_size, 3);
    }

    // An edited scenario is what a file of the same figures says.
    void conventionsFollowWhateverIsEdited_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::newRow("replicas, which make buckets larger")
            << Edit{[](Scenario& s) { s.parallel.data = 128; }};
        QTest::newRow("ZeRO 3, gathered by tensor before fused attention") << Edit{[](Scenario& s) {
            s.parallel.zero_stage = 3;
            s.training.flash_attention = false;
        }};
        QTest::newRow("fused attention") << Edit{[](Scenario& s) { s.training.flash_attention = true; }};
        QTest::newRow("a model with ALiBi")
            << Edit{[](Scenario& s) { s.model.position_embedding = PositionEmbedding::alibi; }};
    }
    void conventionsFollowWhateverIsEdited()
    {
        QFETCH(Edit, edit);
        for (const Framework framework : {Framework::megatron, Framework::deepspeed, Framework::fsdp}) {
            Scenario before;
            before.parallel.zero_stage = 1;
            before = withFramework(before, framework);
            Scenario edited = before;
            edit(edited);
            const Scenario settled = withFollowingConventions(before, edited);
            QVERIFY(settled.conventions
                    == defaultConventions(framework, edited.model, edited.training, edited.parallel));
            // What was set to something else stays.
            before.conventions.dp_bucket_bytes = 12'345;
            edited = before;
            edit(edited);
            QCOMPARE(withFollowingConventions(before, edited).conventions.dp_bucket_bytes,
                     std::int64_t{12'345});
        }
    }

    void overlapOfTensorRanksFollowsSequencesAlone()
    {
        Scenario before;
        before.parallel.tensor = 2;
        before.parallel.zero_stage = 1;
        before = withFramework(before, Framework::megatron);
        QVERIFY(!before.conventions.tp_overlap && before.conventions.pp_overlap);
        Scenario sequences = before;
        sequences.parallel.sequence_parallel = true;
        sequences = withFollowingConventions(before, sequences);
        QVERIFY(sequences.conventions.tp_overlap);
        Scenario unshared = sequences;
        unshared.parallel.zero_stage = 0;
        unshared = withFollowingConventions(sequences, unshared);
        QVERIFY(unshared.conventions.tp_overlap && unshared.conventions.pp_overlap);
        QVERIFY(!unshared.conventions.dp_overlap);
        Scenario back = unshared;
        back.parallel.zero_stage = 1;
        QVERIFY(withFollowingConventions(unshared, back) == sequences);
    }

    void theWorldIsFilledWithReplicas()
    {
        Scenario scenario;
        scenario.parallel.pipeline = 4;
        scenario.parallel.tensor = 2;
        QCOMPARE(withWorldSize(scenario, 32).parallel.data, 4);
        QCOMPARE(withWorldSize(scenario, 31).parallel.data, 3); // 24 GPUs: the rest cannot be used
        QCOMPARE(withWorldSize(scenario, 1).parallel.data, 1);
    }

    // 40 heads and 40 layers.
    void whatGivesWayToReplicasCanBeLaidOut_data()
    {
        QTest::addColumn<qint64>("gpus");
        QTest::addColumn<qint64>("data");
        QTest::addColumn<qint64>("pipeline");
        QTest::addColumn<qint64>("tensor");
        QTest::newRow("stages come out even") << qint64{48} << qint64{3} << qint64{4} << qint64{4};
        QTest::newRow("three stages share 40 layers") << qint64{48} << qint64{4} << qint64{3} << qint64{4};
        QTest::newRow("six parts of 40 heads do not") << qint64{48} << qint64{7} << qint64{1} << qint64{5};
        QTest::newRow("fewer GPUs than replicas") << qint64{8} << qint64{16} << qint64{1} << qint64{1};
    }
    void whatGivesWayToReplicasCanBeLaidOut()
    {
        QFETCH(const qint64, gpus);
        QFETCH(const qint64, data);
        Scenario scenario;
        scenario.model.layers = scenario.model.attention_heads = scenario.model.kv_heads = 40;
        scenario.model.hidden_size = 5120;
        scenario.model.ffn_hidden_size = 20480;
        scenario.parallel.pipeline = scenario.parallel.tensor = 4;
        scenario.parallel.data = data;
        scenario.training.global_batch_size = 16 * data * scenario.training.micro_batch_size;
        const Scenario kept = keepingWorldSize(scenario, gpus, Dimension::dp);
        QTEST(qint64{kept.parallel.pipeline}, "pipeline");
        QTEST(qint64{kept.parallel.tensor}, "tensor");
        QCOMPARE(kept.parallel.data, data);
        QVERIFY(validate(kept).empty());
    }

    // Eight MI300X: seven links of 64 GB/s each. Below 350 GB/s the figure alone would tell of a switch.
    void aNodeStaysWiredAsItsBandwidthMoves()
    {
        Scenario scenario;
        scenario.cluster.intra_node = {"infinity_fabric", 448.0, 6.0};
        const Scenario slower = withNodeBandwidth(scenario, 200.0);
        QCOMPARE(meshPeers(slower.cluster), 7);
        QVERIFY(withNodeBandwidth(slower, 448.0) == scenario);
        scenario.cluster.intra_node = {"infinity_fabric", 50.0, 6.0};
        QCOMPARE(meshPeers(withNodeBandwidth(scenario, 448.0).cluster), 0);
        scenario.cluster.node_wiring = NodeWiring::mesh;
        QCOMPARE(meshPeers(withNodeBandwidth(scenario, 448.0).cluster), 7);
        // What the user has set stays, also where the figures tell the same.
        scenario.cluster.intra_node = {"nvlink4", 450.0, 6.0};
        scenario.cluster.node_wiring = NodeWiring::switched;
        QCOMPARE(withNodeBandwidth(scenario, 300.0).cluster.node_wiring, NodeWiring::switched);
    }

    void absurdSizesAreBounded()
    {
        Scenario scenario;
        scenario.parallel.pipeline = scenario.parallel.tensor = scenario.parallel.data = std::int64_t{1}
                                                                                         << 52;
        QVERIFY(boundedWorldSize(scenario.parallel) >= std::int64_t{1} << 40);
        QCOMPARE(keepingWorldSize(scenario, 8, Dimension::tp).parallel.data, 1);
    }
};

QTEST_APPLESS_MAIN(TestScenarioChange)
#include "tst_scenario_change.moc"
