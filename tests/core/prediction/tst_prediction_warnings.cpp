#include <QTest>

#include "core/prediction/prediction_warnings.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

#include <algorithm>

using namespace shardscope;

class TestPredictionWarnings : public QObject
{
    Q_OBJECT
private slots:
    void whatIsTakenOtherwiseIsSaid_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("said"); // empty: of what the row is about nothing is
        const auto row = [](const char* name, const char* file, const char* said) {
            QTest::newRow(name) << QByteArray{file} << QByteArray{said};
        };
        row("more tensor ranks than key-value heads",
            R"({"model": {"attention_heads": 16, "kv_heads": 2}, "parallel": {"tensor": 4}})",
            "tensor (4) is more than kv_heads (2)");
        row("as many", R"({"model": {"attention_heads": 16, "kv_heads": 4}, "parallel": {"tensor": 4}})", "");
        row("a list of parameters has no heads",
            R"({"model": {"kind": "parameter_list", "tensors": [{"name": "a", "parameters": 7}]}})",
            "does not tell what activations take");
        row("a list that tells no operations",
            R"({"model": {"kind": "parameter_list", "tensors": [{"name": "a", "parameters": 7}]}})",
            "flops_per_sample is not told");
        row("experts behind the last layer",
            R"({"model": {"layers": 24, "experts": {"count": 8, "first": 24}}})",
            "None of the 24 layers has experts");
        row("DeepEP of DeepSpeed",
            R"({"model": {"experts": {"count": 8}}, "parallel": {"data": 8, "expert": 8},
            "conventions": {"framework": "deepspeed", "token_dispatcher": "deepep"}})",
            "DeepSpeed's own MoE layer has no DeepEP");
        row("DeepEP on nodes that groups lie on in unlike ways",
            R"({"model": {"experts": {"count": 8}}, "parallel": {"data": 8, "tensor": 3, "expert": 8},
            "conventions": {"token_dispatcher": "deepep"}})",
            "do not lie on all nodes alike");
        row("overlap that needs sequence parallelism",
            R"({"parallel": {"tensor": 4}, "conventions": {"tp_overlap": true}})",
            "tp_overlap needs sequence_parallel");
        row("overlap that needs NVLink", R"({"parallel": {"tensor": 16, "sequence_parallel": true},
            "conventions": {"tp_overlap": true}})",
            "tensor groups leave their nodes");
        row("overlap of a rack's NVLink", R"({"parallel": {"tensor": 16, "sequence_parallel": true},
            "conventions": {"tp_overlap": true}, "cluster": {"gpus_per_node": 4, "scale_up_gpus": 16}})",
            "");
        row("a stage that FSDP has not",
            R"({"parallel": {"data": 8, "zero_stage": 1}, "conventions": {"framework": "fsdp"}})",
            "FSDP has no ZeRO stage 1");
        row("its own", R"({"parallel": {"data": 8, "zero_stage": 2}, "conventions": {"framework": "fsdp"}})",
            "");
        row("stages that DDP has not",
            R"({"parallel": {"data": 8, "zero_stage": 3}, "conventions": {"framework": "ddp"}})",
            "DDP has no ZeRO stages 2 and 3");
        row("the one beside it",
            R"({"parallel": {"data": 8, "zero_stage": 1}, "conventions": {"framework": "ddp"}})", "");
        row("experts without it", R"({"model": {"experts": {"count": 8}}, "parallel": {"tensor": 2}})",
            "every tensor rank dispatches all tokens");
        row("switches that add up", R"({"parallel": {"data": 8}, "cluster": {"in_network_reduction": true}})",
            "in_network_reduction is only in the times");
        row("parameters gathered tensor by tensor",
            R"({"parallel": {"data": 8, "zero_stage": 3}, "conventions": {"framework": "deepspeed"}})",
            "zero3_by_tensor is only in the times");
        row("the optimizer on the host", R"({"training": {"offload": "optimizer"}})",
            "offload is only in the memory");
        row("stages that cannot be equal", R"({"model": {"layers": 32}, "parallel": {"pipeline": 5}})",
            "pipeline (5) does not divide layers (32)");
        row("virtual ones", R"({"model": {"layers": 32}, "parallel": {"pipeline": 4, "virtual_stages": 3}})",
            "pipeline * virtual_stages (12) does not divide layers (32)");
        row("whose sizes are given",
            R"({"model": {"layers": 5}, "parallel": {"pipeline": 2, "stage_layers": [2, 3]}})", "");
        row("that DeepSpeed cuts where it likes",
            R"({"model": {"layers": 5}, "parallel": {"pipeline": 2}, "conventions": {"framework": "deepspeed"}})",
            "");
        row("further tokens with positions that Megatron-LM refuses", R"({"model": {"mtp_layers": 1}})",
            "mtp_layers with position_embedding rope or none alone");
        row("further tokens with rotary positions",
            R"({"model": {"mtp_layers": 1, "position_embedding": "rope"}})", "");
        row("further tokens in a framework without them",
            R"({"model": {"mtp_layers": 1, "position_embedding": "rope"}, "conventions": {"framework": "fsdp"}})",
            "mtp_layers are predicted as Megatron-LM has them");
        row("further tokens in Li et al.'s formula",
            R"({"model": {"mtp_layers": 1, "position_embedding": "rope"}, "time_model": "li"})",
            "shares mtp_layers out over all stages");
        row("a vocabulary that nobody padded", R"({"model": {"vocab_size": 50257, "vocab_padding": 1}})",
            "part of the vocabulary (50257) does not fill steps of 16 bytes: the products of its logits "
            "take about 2.5 times as long");
        row("padded, but to an odd part", R"({"model": {"vocab_padding": 1, "vocab_size": 50260},
            "parallel": {"tensor": 4}})",
            "part of the vocabulary (12565)");
        row("one that fills them by itself", R"({"model": {"vocab_size": 32000, "vocab_padding": 1}})", "");
        row("Li et al.'s formula knows no rows",
            R"({"model": {"vocab_size": 50257, "vocab_padding": 1}, "time_model": "li"})", "");
        row("weight gradients put off, all recomputed",
            R"({"training": {"recompute": "full"}, "parallel": {"pipeline": 4, "schedule": "zb-h1"}})",
            "ZB-H1 puts weight gradients off, and keeps for them what full recomputation would not keep");
        row("in a V",
            R"({"training": {"recompute": "full"}, "parallel": {"pipeline": 4, "schedule": "zb-v"}})",
            "ZB-V puts weight gradients off, and keeps for them what full recomputation would not keep");
        row("none recomputed", R"({"parallel": {"pipeline": 4, "schedule": "zb-h1"}})", "");
        row("hardly any put off",
            R"({"training": {"recompute": "full"}, "parallel": {"pipeline": 4, "schedule": "v-half"}})", "");
        row("none put off", R"({"training": {"recompute": "full"}, "parallel": {"pipeline": 4}})", "");
        row("fp32 with TF32", R"({"training": {"precision": "fp32"}})",
            "Products in fp32 are taken at up to 156 TFLOP/s, 0.5 of the 16-bit peak: as TF32");
        row("fp32 without it", R"({"training": {"precision": "fp32"}, "cluster": {"compute":
            {"fp32_speedup": 0.0625}}})",
            "Products in fp32 are taken at up to 19.5 TFLOP/s, 0.0625 of the 16-bit peak; cluster");
        row("fp32 of machines that are not calibrated",
            R"({"training": {"precision": "fp32"}, "cluster": {"preset": "gloo-two-cores"}})", "");
        row("16 bits have one rate", R"({"training": {"precision": "fp16"}})", "");
        row("fp8 that the GPU has not", R"({"training": {"precision": "fp8"}})",
            "A100-SXM4-80GB has no matrix units for fp8 that are known here");
        row("fp4 on a GPU without fp8", R"({"training": {"precision": "fp4"}})",
            "A100-SXM4-80GB has no matrix units for fp4 that are known here: products are taken to last as "
            "long "
            "as in bf16");
        row("fp4 on a GPU with fp8 alone",
            R"({"training": {"precision": "fp4"}, "cluster": {"preset": "dgx-h100"}})",
            "no matrix units for fp4 that are known here: products are taken to last as long as in fp8");
    }
    void whatIsTakenOtherwiseIsSaid()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, said);
        const auto reading = readScenario(file.toStdString(), shipped());
        QVERIFY(reading);
        const std::vector<std::string> warnings = warningsFor(reading.value().scenario);
        const auto is_said = [&](const char* words) {
            return std::ranges::any_of(warnings, [&](const std::string& warning) {
                return warning.find(words) != std::string::npos;
            });
        };
        QVERIFY(said.isEmpty() || is_said(said.constData()));
        for (const char* words :
             {"more than kv_heads", "part of the vocabulary", "mtp_layers", "Products in fp32", "as TF32",
              "for fp8", "full recomputation would not keep", "leave their nodes", "has no ZeRO"})
            QCOMPARE(is_said(words), said.contains(words));
    }
};

QTEST_APPLESS_MAIN(TestPredictionWarnings)
#include "tst_prediction_warnings.moc"
