#include <QTest>

#include "core/prediction/predict.h"
#include "core/report/launch/launch_export.h"
#include "core/scenario/layer_form_words.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/shipped_presets.h"

#include <algorithm>

using namespace shardscope;

namespace
{

ScenarioReading readingOf(const std::string& text)
{
    const auto reading = readScenario(text, shipped());
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value();
}

// Everything that the two say of the run, but for the cluster: what a rank sends, stores and computes.
void compareRuns(const Scenario& written, const Scenario& read)
{
    const auto before = predict(written);
    const auto after = predict(read);
    QVERIFY(before && after);
    QCOMPARE(after.value().world_size, before.value().world_size);
    QCOMPARE(after.value().parameters.total, before.value().parameters.total);
    QCOMPARE(after.value().flops.hardware, before.value().flops.hardware);
    QCOMPARE(after.value().memory.peak_bytes, before.value().memory.peak_bytes);
    QCOMPARE(after.value().stages.size(), before.value().stages.size());
    for (std::size_t stage = 0; stage < before.value().stages.size(); ++stage) {
        const StagePrediction& one = before.value().stages[stage];
        const StagePrediction& other = after.value().stages[stage];
        QCOMPARE(other.parameters, one.parameters);
        QCOMPARE(other.layers, one.layers);
        QCOMPARE(other.messages.size(), one.messages.size());
        for (std::size_t row = 0; row < one.messages.size(); ++row) {
            QCOMPARE(other.messages[row].what, one.messages[row].what);
            QCOMPARE(other.messages[row].count, one.messages[row].count);
            QCOMPARE(other.messages[row].message_bytes, one.messages[row].message_bytes);
        }
    }
    QCOMPARE(after.value().time.iteration_s, before.value().time.iteration_s);
}

} // namespace

// What is exported as a command of Megatron-LM is read back as the run that it was.
class TestLaunchRoundTrip : public QObject
{
    Q_OBJECT
private slots:
    void everyModelIsReadBackAsItWas_data()
    {
        QTest::addColumn<QString>("model");
        for (const ModelPreset& preset : shipped().models())
            if (isWritten(preset.model))
                QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
    }
    void everyModelIsReadBackAsItWas()
    {
        QFETCH(QString, model);
        const QString text = R"({"model": {"preset": "%1"}, "training": {"precision": "bf16"}})";
        roundTrip(text.arg(model).toStdString());
    }

    void everyLayoutIsReadBackAsItWas_data()
    {
        QTest::addColumn<QString>("rest");
        const auto row = [](const char* name, const char* rest) { QTest::newRow(name) << QString{rest}; };
        row("one GPU", R"("parallel": {})");
        row("three degrees", R"("parallel": {"pipeline": 4, "tensor": 2, "data": 8})");
        row("sequence parallel", R"("parallel": {"tensor": 8, "data": 2, "sequence_parallel": true})");
        row("context", R"("parallel": {"context": 4, "tensor": 2})");
        row("keys and values gathered", R"("parallel": {"context": 4, "context_method": "all_gather"})");
        row("Ulysses", R"("parallel": {"context": 4, "context_method": "ulysses"})");
        row("the other mapping", R"("parallel": {"pipeline": 4, "data": 4, "rank_order": "tp-pp-dp"})");
        row("interleaved", R"("parallel": {"pipeline": 4, "virtual_stages": 3})");
        row("uneven", R"("parallel": {"pipeline": 4, "stage_layers": [5, 7, 7, 5]})");
        row("uneven and interleaved",
            R"("parallel": {"pipeline": 2, "virtual_stages": 2, "stage_layers": [5, 7, 7, 5]})");
        row("ends that count", R"("parallel": {"pipeline": 4, "stage_balance": "ends_count"})");
        row("ZeRO 1", R"("parallel": {"data": 8, "zero_stage": 1})");
        row("ZeRO 2", R"("parallel": {"data": 8, "zero_stage": 2})");
        row("ZeRO 3", R"("parallel": {"data": 8, "zero_stage": 3})");
        row("gradients that wait", R"("parallel": {"data": 8, "zero_stage": 1},
                                      "conventions": {"dp_overlap": false})");
        row("gradients in buckets", R"("parallel": {"data": 8},
                                       "conventions": {"dp_overlap": true, "dp_bucket_bytes": 100000000})");
        row("fp16", R"("training": {"precision": "fp16"}, "parallel": {"data": 2})");
        row("fp16, summed in float", R"("training": {"precision": "fp16", "gradient_bytes": 4},
                                        "parallel": {"data": 2})");
        row("fp32", R"("training": {"precision": "fp32"}, "parallel": {"data": 2})");
        row("fp8", R"("training": {"precision": "fp8"}, "parallel": {"data": 2})");
        row("fp4", R"("training": {"precision": "fp4"}, "parallel": {"data": 2})");
        row("larger groups of micro-batches", R"("training": {"global_batch_size": 32, "micro_batch_size": 1},
            "parallel": {"pipeline": 2, "virtual_stages": 2, "micro_batch_group": 8})");
        row("graphs", R"("conventions": {"cuda_graphs": true})");
        row("bf16, summed in bf16", R"("training": {"gradient_bytes": 2}, "parallel": {"data": 2})");
        row("all recomputed", R"("training": {"recompute": "full"})");
        row("attention recomputed", R"("training": {"recompute": "selective"})");
        row("some layers of each stage recomputed",
            R"("training": {"recompute": "full", "recompute_layers": 3}, "parallel": {"pipeline": 2})");
        row("modules recomputed",
            R"("training": {"recompute": "selective", "recompute_modules": ["core_attn", "mlp"]})");
        row("fused attention", R"("training": {"flash_attention": true})");
        row("SGD", R"("training": {"optimizer": "sgd"})");
        row("offloaded", R"("training": {"offload": "optimizer"},
                            "parallel": {"data": 2, "zero_stage": 1})");
        row("moments in bf16", R"("training": {"master_bytes": 2, "exp_avg_bytes": 2, "exp_avg_sq_bytes": 2},
                                  "parallel": {"data": 2, "zero_stage": 1})");
        row("in two formats", R"("training": {"master_bytes": 2, "exp_avg_bytes": 1, "gradient_bytes": 2},
                                 "parallel": {"data": 2, "zero_stage": 1})");
        row("of a run that is sharded", R"("training": {"exp_avg_bytes": 2, "exp_avg_sq_bytes": 2},
                                           "parallel": {"data": 2, "zero_stage": 3})");
        row("a copy in fp16", R"("training": {"precision": "fp16", "master_bytes": 2},
                                 "parallel": {"data": 2, "zero_stage": 1})");
        row("tokens by DeepEP", R"("model": {"preset": "mixtral-8x7b"}, "parallel": {"data": 4, "expert": 4},
                                   "conventions": {"token_dispatcher": "deepep"})");
        row("whole experts", R"("model": {"preset": "mixtral-8x7b"},
                                "parallel": {"data": 2, "tensor": 2, "expert": 4, "sequence_parallel": true,
                                             "expert_tensor_parallel": false},
                                "conventions": {"sp_reduce_scatter_embedding": true})");
        row("windows of attention", R"("model": {"sliding_window": 1024,
                                                 "full_attention_every": 6})");
        row("no norm of gradients", R"("conventions": {"gradient_norm": false}, "parallel": {"data": 2})");
    }
    void everyLayoutIsReadBackAsItWas()
    {
        QFETCH(QString, rest);
        roundTrip("{" + rest.toStdString() + "}");
    }

    void everyPatternIsReadBackAsItWas_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("rest");
        const auto row = [](const char* name, const char* model, const char* rest = "") {
            QTest::newRow(name) << QString{model} << QString{rest};
        };
        const char* const blocks = R"("layers": 8, "layer_pattern": "M-M*", "recurrence": {"heads": 64})";
        row("one block in each layer", blocks);
        row("Mamba alone", R"("layers": 6, "layer_pattern": "M", "recurrence": {"heads": 32, "value_dim": 96,
                              "key_groups": 4, "key_dim": 64})");
        row("on tensor ranks", blocks, R"("parallel": {"tensor": 4, "sequence_parallel": true, "data": 2})");
        row("on ranks that share a sequence", blocks, R"("parallel": {"context": 2, "data": 2})");
        row("on stages", blocks, R"("parallel": {"pipeline": 4})");
        row("on stages of their own", blocks, R"("parallel": {"pipeline": 2, "stage_layers": [5, 3]})");
        row("on stages that do not divide them", blocks, R"("parallel": {"pipeline": 3})");
        row("on virtual stages", blocks, R"("parallel": {"pipeline": 2, "virtual_stages": 2},
            "training": {"global_batch_size": 32, "micro_batch_size": 1})");
        row("in larger groups of micro-batches", blocks,
            R"("parallel": {"pipeline": 2, "virtual_stages": 2, "micro_batch_group": 8},
               "training": {"global_batch_size": 32, "micro_batch_size": 1})");
        row("with all layers recomputed", blocks, R"("training": {"recompute": "full"})");
        row("with experts and modules for further tokens",
            R"("layers": 9, "layer_pattern": "MEM*EMEME", "recurrence": {"heads": 64}, "mtp_layers": 2,
               "experts": {"count": 8, "ffn_hidden_size": 512}, "position_embedding": "none")",
            R"("parallel": {"data": 4, "expert": 4, "zero_stage": 1})");
        row("with modules for further tokens and no experts",
            R"("layers": 4, "layer_pattern": "M-M*", "recurrence": {"heads": 64}, "mtp_layers": 1)");
        row("gated delta rule, one block in each layer",
            R"("layers": 8, "layer_pattern": "M-M-M-*-", "recurrence": {"kind": "gated_delta_net",
               "heads": 32, "value_dim": 64, "key_groups": 16}, "attention_gate": true)");
        const char* const delta = R"("layers": 8, "layer_pattern": "M- M- M- *-", "recurrence":
            {"kind": "gated_delta_net", "heads": 32, "value_dim": 64, "key_groups": 16, "conv_kernel": 3})";
        row("gated delta rule", delta);
        row("gated delta rule on stages", delta,
            R"("parallel": {"pipeline": 2, "virtual_stages": 2, "stage_layers": [1, 2, 2, 3]})");
        row("gated delta rule in no regular order", R"("layers": 7, "layer_pattern": "M- *- *- M-",
            "recurrence": {"kind": "gated_delta_net", "heads": 32, "value_dim": 64, "key_groups": 16})");
        row("gated delta rule and experts", R"("layers": 8, "layer_pattern": "ME ME M- *E", "recurrence":
            {"kind": "gated_delta_net", "heads": 32, "value_dim": 64, "key_groups": 16},
            "experts": {"count": 8, "ffn_hidden_size": 512, "shared": 1, "shared_gate": true})");
        row("experts in no regular order", R"("layers": 7, "layer_pattern": "*E *E *-",
            "experts": {"count": 8, "ffn_hidden_size": 512})");
        row("experts in all", R"("layers": 7, "layer_pattern": "*E",
            "experts": {"count": 8, "ffn_hidden_size": 512})");
        row("experts in none", R"("layers": 7, "layer_pattern": "*-", "experts": {"count": 8})");
    }
    void everyPatternIsReadBackAsItWas()
    {
        QFETCH(QString, model);
        QFETCH(QString, rest);
        const QString text = "{\"model\": {" + model + "}" + (rest.isEmpty() ? "" : ", ") + rest + "}";
        roundTrip(text.toStdString());
    }

    // Hybrids have one block in each layer: what is computed and stored is the same, the layers are more.
    void twoBlocksWithMambaAreTwoLayers_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("rest");
        QTest::addColumn<QString>("pattern");
        QTest::newRow("everywhere") << R"("layer_pattern": "M- M- M- *-")"
                                    << ""
                                    << "M - M - M - * -";
        QTest::newRow("beside single blocks") << R"("layer_pattern": "M- M ME *")"
                                              << ""
                                              << "M - M M E *";
        QTest::newRow("on stages") << R"("layer_pattern": "M- M ME *")"
                                   << R"(, "parallel": {"pipeline": 2})"
                                   << "M - M M E *";
        QTest::newRow("recomputed in part") << R"("layer_pattern": "M- M- M- *-")"
                                            << R"(, "training": {"recompute": "full", "recompute_layers": 3})"
                                            << "M - M - M - * -";
    }
    void twoBlocksWithMambaAreTwoLayers()
    {
        QFETCH(QString, model);
        QFETCH(QString, rest);
        QFETCH(QString, pattern);
        const QString all = R"({"model": {"layers": 8, "recurrence": {"heads": 64},
            "experts": {"count": 4}, )"
                            + model + "}" + rest + "}";
        const Scenario written = readingOf(all.toStdString()).scenario;
        const auto command = megatronArguments(written);
        QVERIFY(command);
        Scenario read = readingOf(command.value()).scenario;
        QCOMPARE(QString::fromStdString(layerPatternText(read.model.layer_pattern)), pattern);
        QCOMPARE(read.training.recompute_layers, 2 * written.training.recompute_layers);
        read.cluster = written.cluster;
        const auto before = predict(written);
        const auto after = predict(read);
        QVERIFY(before && after);
        QCOMPARE(after.value().parameters.total, before.value().parameters.total);
        QCOMPARE(after.value().flops.model, before.value().flops.model);
        QCOMPARE(after.value().stages.back().parameters, before.value().stages.back().parameters);
    }

    void theClusterIsReadBackFromItsComment_data()
    {
        QTest::addColumn<QString>("cluster");
        QTest::addColumn<QString>("comment"); // as it begins
        QTest::newRow("a preset") << R"({"preset": "dgx-h100"})"
                                  << "# shardscope cluster: dgx-h100\n";
        QTest::newRow("figures of a preset") << R"({"gpu": "H100-SXM5-80GB"})"
                                             << "# shardscope cluster: dgx-h100\n";
        QTest::newRow("an edited preset")
            << R"({"preset": "dgx-h100", "inter_node": {"bandwidth_GBps": 12.5}})"
            << "# shardscope cluster: {\"preset\":null,\"gpu\":";
        QTest::newRow("an unknown GPU") << R"({"gpu": "Intel Gaudi 2", "peak_tflops": 432})"
                                        << "# shardscope cluster: {\"preset\":null,\"gpu\":";
    }
    void theClusterIsReadBackFromItsComment()
    {
        QFETCH(QString, cluster);
        QFETCH(QString, comment);
        const Scenario written =
            readingOf(R"({"parallel": {"data": 8, "tensor": 2}, "cluster": )" + cluster.toStdString() + "}")
                .scenario;
        const std::string line = clusterComment(written.cluster, shipped());
        QVERIFY2(line.starts_with(comment.toStdString()), line.c_str());
        QCOMPARE(line.find('\n'), line.size() - 1);
        const auto command = megatronArguments(written);
        QVERIFY(command);
        Scenario read = readingOf(line + command.value()).scenario;
        read.cluster.preset = written.cluster.preset;
        QVERIFY(read.cluster == written.cluster);
        compareRuns(written, read);
        const Scenario elsewhere = readingOf(R"({"cluster": {"preset": "v100-pcie-100g-roce"}})").scenario;
        const auto over = readScenario(line + command.value(), shipped(), &elsewhere);
        QVERIFY(over);
        QVERIFY(over.value().assumed_cluster.empty());
        QCOMPARE(over.value().scenario.cluster.gpu, written.cluster.gpu);
    }

    void aClusterThatNobodyKnowsIsSaidAndLeftOut()
    {
        const auto command = megatronArguments(readingOf("{}").scenario);
        QVERIFY(command);
        const ScenarioReading reading = readingOf("# shardscope cluster: dgx-h1000\n" + command.value());
        QCOMPARE(reading.assumed_cluster, std::string{"dgx-a100"});
        QCOMPARE(reading.scenario.cluster.gpu, std::string{"A100-SXM4-80GB"});
        const bool is_said = std::ranges::any_of(reading.warnings, [](const std::string& one) {
            return one.find("\"dgx-h1000\", which is not taken") != std::string::npos;
        });
        QVERIFY(is_said);
    }

private:
    // Forms that Megatron-LM has no arguments for; the export says so. Mamba-2 and what follows it become
    // layers of their own (tst_layer_arguments).
    static bool isWritten(const Model& model)
    {
        const auto is_cut = [&](LayerForm form) {
            return hasRecurrence(form) && blocksOf(form) == 2
                   && model.recurrence.kind == RecurrenceKind::mamba2;
        };
        if (std::ranges::any_of(model.layer_pattern, is_cut))
            return false;
        return model.kind == ModelKind::transformer && model.output_head == OutputHead::language_model
               && model.norms_per_layer == 2 && !model.head_bias && !model.embedding_norm && model.final_norm
               && model.token_types == 0 && model.position_embedding != PositionEmbedding::alibi;
    }

    static void roundTrip(const std::string& text)
    {
        const Scenario written = readingOf(text).scenario;
        QVERIFY(validate(written).empty());
        const auto command = megatronArguments(written);
        QVERIFY(command);
        QVERIFY(looksLikeScenario(command.value()));
        const ScenarioReading reading = readingOf(command.value());
        QCOMPARE(reading.source, ScenarioSource::launch_script);
        QCOMPARE(reading.scenario.model.preset.empty(), written.model.preset.empty());
        Scenario read = reading.scenario;
        read.cluster = written.cluster;
        compareRuns(written, read);
    }
};

QTEST_GUILESS_MAIN(TestLaunchRoundTrip)
#include "tst_launch_round_trip.moc"
