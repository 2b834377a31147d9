#include <QTest>

#include "core/scenario/layer_form_words.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/scenario/megatron/deepspeed_scripts.h"
#include "tests/core/scenario/megatron/megatron_table.h"

using namespace shardscope;

namespace
{

const QString delta_net = QStringLiteral("experimental_attention_variant gated_delta_net");
const QString experts = QStringLiteral("num_experts 8");

} // namespace

// GPT models of Megatron-LM some of whose layers have gated delta rule in the place of attention, and lists
// of layers with experts that only a pattern says.
class TestRecurrenceArguments : public QObject
{
    Q_OBJECT
private slots:
    void layersHaveTheirForms_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("pattern");
        const auto row = [](const char* name, const QStringList& more, const QString& pattern) {
            QTest::newRow(name) << more << pattern;
        };
        row("all but every fourth", {delta_net, "linear_attention_freq 4"}, "M- M- M- *-");
        row("where that leaves some over", {delta_net, "num_layers 6", "linear_attention_freq 4"},
            "M- M- M- *- M- M-");
        row("where that leaves some over behind two", {delta_net, "num_layers 10", "linear_attention_freq 4"},
            "M- M- M- *-");
        row("none of every one", {delta_net, "linear_attention_freq 1"}, "");
        row("as an expression lists them", {delta_net, "linear_attention_freq ([1]*3+[0]*1)*6"},
            "M- M- M- *-");
        row("as a list lists them", {delta_net, "num_layers 4", "linear_attention_freq [1, 0, 0, 1]"},
            "M- *- *- M-");
        row("all", {delta_net, "linear_attention_freq [1]*24"}, "M-");
        row("by names of before and of forks", {"linear_attention_type gdn", "linear_attention_freq 2"},
            "M- *-");
        row("experts in all", {delta_net, "linear_attention_freq 4", experts}, "ME ME ME *E");
        row("experts in every other", {delta_net, "linear_attention_freq 4", experts, "moe_layer_freq 2"},
            "ME M- ME *-");
        row("dense layers first",
            {delta_net, "num_layers 8", "linear_attention_freq 4", experts, "moe_layer_freq ([0]*1+[1]*7)"},
            "M- ME ME *E ME ME ME *E");
        row("experts in no regular order",
            {delta_net, "num_layers 4", "linear_attention_freq 2", experts, "moe_layer_freq [1, 1, 0, 1]"},
            "ME *E M- *E");
        row("experts in no regular order, and attention in all",
            {"num_layers 4", experts, "moe_layer_freq [1, 1, 0, 1]"}, "*E *E *- *E");
        row("experts in an order that needs no pattern", {experts, "moe_layer_freq ([0]+[1])*12"}, "");
        row("nothing of this", {"linear_attention_freq None", "experimental_attention_variant None"}, "");
    }
    void layersHaveTheirForms()
    {
        QFETCH(QStringList, more);
        const MegatronRun run = runOf(small_gpt + more);
        QTEST(QString::fromStdString(layerPatternText(run.scenario.model.layer_pattern)), "pattern");
        QVERIFY(validate(run.scenario).empty());
    }

    void widthsAreRead()
    {
        const Model model =
            runOf(small_gpt
                  + Arguments{delta_net, "linear_attention_freq 4", "linear_num_value_heads 16",
                              "linear_value_head_dim 64", "linear_num_key_heads 8", "linear_key_head_dim 96",
                              "linear_conv_kernel_dim 3", "attention_output_gate True"})
                .scenario.model;
        QVERIFY(model.recurrence == (Recurrence{RecurrenceKind::gated_delta_net, 16, 64, 8, 96, 3}));
        QVERIFY(model.attention_gate);
        QVERIFY(!runOf(small_gpt).scenario.model.attention_gate);
    }

    void whatIsAmissIsASentence_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("note");
        const auto row = [](const QStringList& more, const char* note) {
            QTest::newRow(note) << more << QString{note};
        };
        row({delta_net}, "Which layers have gated_delta_net is not told");
        row({delta_net, "linear_attention_freq [1, 0]"}, "neither a number nor a list of the 24 layers");
        row({delta_net, "linear_attention_freq ([1]*"}, "linear_attention_freq is neither a number nor");
        row({"experimental_attention_variant dsa"},
            "experimental_attention_variant dsa is known to no scenario");
        row({"linear_attention_freq 4"}, "linear_attention_freq counts for nothing without");
        row({experts, "moe_layer_freq [1, 1]"}, "moe_layer_freq is neither a number nor a list of the 24");
        row({experts, "moe_layer_freq [0]*24"}, "moe_layer_freq gives no layer experts");
    }
    void whatIsAmissIsASentence()
    {
        QFETCH(QStringList, more);
        QFETCH(QString, note);
        const MegatronRun run = runOf(small_gpt + more);
        QVERIFY2(hasNote(run, note), qPrintable(notesOf(run).join('\n')));
        QVERIFY(run.scenario.model.layer_pattern.empty());
        QVERIFY(validate(run.scenario).empty());
    }

    // Qwen3-Next, as Megatron-LM is told it.
    void aScriptTellsAllOfIt()
    {
        const MegatronRun run = runOf(
            std::string{"torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 48 --hidden-size 2048 "
                        "--num-attention-heads 16 --seq-length 4096 --vocab-size 151936 --bf16 "
                        "--attention-output-gate --experimental-attention-variant gated_delta_net "
                        "--linear-attention-freq '([1]*3+[0]*1)*12' --num-experts 512 "
                        "--moe-layer-freq '([1]*48)'\n"});
        QCOMPARE(layerPatternText(run.scenario.model.layer_pattern), std::string{"ME ME ME *E"});
        QVERIFY(run.scenario.model.attention_gate);
        const auto figure = std::ranges::find(run.figures, "model.layer_pattern", &ArgumentFigure::key);
        QVERIFY(figure != run.figures.end());
        QCOMPARE(figure->evidence, std::string{"linear_attention_freq ([1]*3+[0]*1)*12"});
    }
};

QTEST_APPLESS_MAIN(TestRecurrenceArguments)
#include "tst_recurrence_arguments.moc"
