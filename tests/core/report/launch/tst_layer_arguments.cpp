#include <QTest>

#include <QRegularExpression>

#include "core/report/launch/launch_export.h"
#include "tests/core/report/launch/written_scenario.h"

using namespace shardscope;

// Patterns of layers, as a person would type them for Megatron-LM.
class TestLayerArguments : public QObject
{
    Q_OBJECT
private slots:
    void patternsHaveArguments_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("rest");
        QTest::addColumn<QStringList>("arguments");
        const QByteArray blocks = R"("layers": 4, "layer_pattern": "M-M*", "recurrence": {"heads": 64})";
        const QByteArray delta =
            R"("recurrence": {"kind": "gated_delta_net", "heads": 32, "value_dim": 128, "key_groups": 16})";
        QTest::newRow("of one block in each layer")
            << blocks << QByteArray{}
            << QStringList{"--num-layers 4",
                           "--is-hybrid-model",
                           "--hybrid-override-pattern 'M-M*'",
                           "--spec megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec",
                           "--mamba-state-dim 128",
                           "--mamba-head-dim 64",
                           "--mamba-num-groups 8",
                           "--mamba-num-heads 64"};
        QTest::newRow("with stages of their own")
            << blocks << QByteArray{R"(, "parallel": {"pipeline": 2, "stage_layers": [3, 1]})"}
            << QStringList{"--hybrid-layer-pattern 'M-M|*'", "--pipeline-model-parallel-size 2",
                           "--spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec"};
        QTest::newRow("with modules for further tokens")
            << blocks + R"(, "mtp_layers": 2)" << QByteArray{}
            << QStringList{"--hybrid-override-pattern 'M-M*/*-/*-'", "--mtp-num-layers 2"};
        QTest::newRow("of gated delta rule alone in its layers")
            << R"("layers": 4, "layer_pattern": "MMM*", )" + delta << QByteArray{}
            << QStringList{"--hybrid-layer-pattern 'GGG*'", "--linear-num-value-heads 32"};
        QTest::newRow("of gated delta rule and MLPs")
            << R"("layers": 8, "layer_pattern": "M- M- M- *-", "attention_gate": true, )" + delta
            << QByteArray{}
            << QStringList{"--num-layers 8",
                           "--attention-output-gate",
                           "--experimental-attention-variant gated_delta_net",
                           "--linear-attention-freq 4",
                           "--linear-conv-kernel-dim 4",
                           "--linear-key-head-dim 128",
                           "--linear-value-head-dim 128",
                           "--linear-num-key-heads 16",
                           "--linear-num-value-heads 32"};
        QTest::newRow("of gated delta rule in no regular order")
            << R"("layers": 6, "layer_pattern": "M- *- *-", )" + delta << QByteArray{}
            << QStringList{"--linear-attention-freq '([1]*1+[0]*2+[1]*1+[0]*2)'"};
        QTest::newRow("of experts in no regular order")
            << QByteArray{R"("layers": 6, "layer_pattern": "*E *E *-", "experts": {"count": 8})"}
            << QByteArray{} << QStringList{"--moe-layer-freq '([1]*2+[0]*1+[1]*2+[0]*1)'"};
        QTest::newRow("of Mamba and MLPs")
            << QByteArray{R"("layers": 2, "layer_pattern": "M- *-", "recurrence": {"heads": 64})"}
            << QByteArray{}
            << QStringList{"# Megatron-LM's hybrid models have one block in each layer: the 2 layers are 4 "
                           "there.",
                           "--num-layers 4", "--hybrid-override-pattern 'M-*-'"};
    }
    void patternsHaveArguments()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, rest);
        QFETCH(QStringList, arguments);
        const QByteArray text = R"({"model": {)" + model + "}" + rest + "}";
        const QStringList lines = linesOf(megatronArguments(scenarioOf(text.constData())));
        for (const QString& argument : arguments)
            QVERIFY2(lines.contains(argument), qPrintable(argument + "\n\n" + lines.join('\n')));
        const bool is_todays = lines.filter("--hybrid-layer-pattern").size() == 1;
        const bool is_of_before = lines.filter("--is-hybrid-model").size() == 1;
        QCOMPARE(lines.filter("pretrain_hybrid.py").size(), is_todays ? 1 : 0);
        QCOMPARE(lines.filter("--num-layers").size(), is_todays ? 0 : 1);
        QCOMPARE(lines.filter("pretrain_mamba.py").size(), is_of_before ? 1 : 0);
    }

    void whatMegatronDoesNotTakeIsAComment_data()
    {
        QTest::addColumn<QByteArray>("scenario");
        QTest::addColumn<QString>("comment");
        const QByteArray blocks = R"({"model": {"layers": 4, "layer_pattern": "M-M*", "recurrence": )";
        QTest::newRow("stages of a hybrid model's own")
            << blocks + R"({"heads": 64}}, "parallel": {"pipeline": 2, "stage_layers": [3, 1]}})"
            << "Versions of Megatron-LM of before 2026 know no G and no bars";
        QTest::newRow("a hybrid model that is recomputed")
            << blocks + R"({"heads": 64}}, "training": {"recompute": "full"}})"
            << "before May 2026 recompute no layers of hybrid models";
        QTest::newRow("a convolution of Mamba's") << blocks + R"({"heads": 64, "conv_kernel": 3}}})"
                                                  << "recurrence.conv_kernel 3";
        QTest::newRow("gated delta rule of parts of a sequence")
            << blocks + R"({"kind": "gated_delta_net", "heads": 64}}, "parallel": {"context": 2}})"
            << "older versions of Megatron-LM refuse it";
        QTest::newRow("windows of blocks")
            << QByteArray(R"({"model": {"layers": 4, "layer_pattern": "M- *-", "recurrence": {"heads": 64},
                              "sliding_window": 64, "full_attention_every": 2}})")
            << "full_attention_every, whose layers are not told among blocks";
    }
    void whatMegatronDoesNotTakeIsAComment()
    {
        QFETCH(QByteArray, scenario);
        QFETCH(QString, comment);
        const QStringList comments =
            linesOf(megatronArguments(scenarioOf(scenario.constData()))).filter(QRegularExpression{"^#"});
        QVERIFY2(comments.join('\n').contains(comment), qPrintable(comments.join('\n')));
    }
};

QTEST_APPLESS_MAIN(TestLayerArguments)
#include "tst_layer_arguments.moc"
