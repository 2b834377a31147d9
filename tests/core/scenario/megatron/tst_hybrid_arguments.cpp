#include <QTest>

#include "core/scenario/layer_form_words.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/scenario/megatron/deepspeed_scripts.h"
#include "tests/core/scenario/megatron/megatron_table.h"

using namespace shardscope;

namespace
{

QString patternOf(const MegatronRun& run)
{
    return QString::fromStdString(layerPatternText(run.scenario.model.layer_pattern));
}

// "M M * -" of "MM*-".
QString spaced(const QString& letters)
{
    QStringList words;
    for (const QChar letter : letters)
        words << QString{letter};
    return words.join(' ');
}

const QString two_stages = QStringLiteral("pipeline_model_parallel_size 2");

} // namespace

// Megatron-LM's hybrid models: each layer is one block.
class TestHybridArguments : public QObject
{
    Q_OBJECT
private slots:
    void lettersAreLayers_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("pattern");
        const auto row = [](const char* name, const QStringList& more, const QString& pattern) {
            QTest::newRow(name) << more << pattern;
        };
        row("one by one", {"num_layers 5", "hybrid_override_pattern M-M*-"}, "M - M * -");
        row("over and over", {"num_layers 8", "hybrid_override_pattern M-*-M-*-"}, "M - * -");
        row("of today's name, which tells the number of layers",
            {"hybrid_layer_pattern MM*E", "num_experts 4"}, "M M * E");
        row("without what parts stages and modules", {"hybrid_layer_pattern M-|M*-/*-/*-"}, "M - M * -");
        row("without what groups them", {"hybrid_layer_pattern M[*-]M"}, "M * - M");
        row("gated delta rule", {"hybrid_layer_pattern GGG*"}, "M M M *");
        row("attention of other kinds", {"hybrid_layer_pattern MDMW"}, "M *");
        row("by shares, attention's alone", {"num_layers 10", "hybrid_attention_ratio 0.2"},
            spaced("MMM*MM*MMM"));
        row("by shares, MLPs' alone", {"num_layers 4", "hybrid_mlp_ratio 0.5"}, "M -");
        row("by both", {"num_layers 24", "hybrid_attention_ratio 0.08", "hybrid_mlp_ratio 0.5"},
            spaced("M-M-M--*M-M-M-M-*M--M-M-"));
        row("by both, of other shares",
            {"num_layers 24", "hybrid_attention_ratio 0.125", "hybrid_mlp_ratio 0.25"},
            spaced("MMM-M*M-MMM-*MM-MM*M-MM-"));
        row("halves that are rounded to even numbers",
            {"num_layers 10", "hybrid_attention_ratio 0.25", "hybrid_mlp_ratio 0.25"}, spaced("MMM*-M*MM-"));
        row("by shares, of no Mamba", {"num_layers 12", "hybrid_attention_ratio 0.5", "hybrid_mlp_ratio 0.5"},
            spaced("-*-*-**-*-*-"));
        row("all Mamba's where nothing else is told", {"is_hybrid_model True"}, "M");
        row("all Mamba's by the spec alone",
            {"spec [megatron.core.models.mamba.mamba_layer_specs, mamba_stack_spec]"}, "M");
        row("of no hybrid", {"is_hybrid_model False", "hybrid_attention_ratio 0.0", "mamba_state_dim 128"},
            "");
    }
    void lettersAreLayers()
    {
        QFETCH(QStringList, more);
        const MegatronRun run = runOf(small_gpt + more);
        QTEST(patternOf(run), "pattern");
        QVERIFY(validate(run.scenario).empty());
    }

    void sizesFollowThePattern()
    {
        const MegatronRun run = runOf(small_gpt + Arguments{"hybrid_layer_pattern M-M*-/*-/*-"});
        QCOMPARE(run.scenario.model.layers, std::int64_t{5});
        QCOMPARE(run.scenario.model.mtp_layers, std::int64_t{2});
        QVERIFY(hasNote(run, "num_layers is 24, and hybrid_layer_pattern has 5 layers, which are taken"));
        QVERIFY(!hasNote(run, "modules"));
    }

    void recurrencesHaveTheirWidths_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<Recurrence>("expected");
        const QString mamba = "hybrid_layer_pattern M-M*-";
        const RecurrenceKind delta = RecurrenceKind::gated_delta_net;
        QTest::newRow("Mamba-2's defaults") << QStringList{mamba} << Recurrence{.heads = 32};
        QTest::newRow("Mamba-2's as told")
            << QStringList{mamba, "mamba_num_heads 64", "mamba_head_dim 80", "mamba_num_groups 4",
                           "mamba_state_dim 256"}
            << Recurrence{.heads = 64, .value_dim = 80, .key_groups = 4, .key_dim = 256};
        QTest::newRow("as many heads as their width leaves")
            << QStringList{mamba, "mamba_head_dim 128"} << Recurrence{.heads = 16, .value_dim = 128};
        QTest::newRow("gated delta rule's defaults")
            << QStringList{"hybrid_layer_pattern G-G*-"}
            << Recurrence{.kind = delta, .heads = 32, .value_dim = 128, .key_groups = 16};
        QTest::newRow("gated delta rule's as told")
            << QStringList{"hybrid_layer_pattern G-G*-", "linear_num_value_heads 16",
                           "linear_value_head_dim 64",   "linear_num_key_heads 8",
                           "linear_key_head_dim 96",     "linear_conv_kernel_dim 3"}
            << Recurrence{delta, 16, 64, 8, 96, 3};
    }
    void recurrencesHaveTheirWidths()
    {
        QFETCH(QStringList, more);
        QFETCH(Recurrence, expected);
        const MegatronRun run = runOf(small_gpt + more);
        QVERIFY(run.scenario.model.recurrence == expected);
        QVERIFY(validate(run.scenario).empty());
    }

    void barsPartStages_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<qint64>("virtual_stages");
        QTest::addColumn<QList<qint64>>("layers");
        QTest::addColumn<QString>("note"); // empty: none
        const auto row = [](const char* name, const QStringList& more, qint64 virtual_stages,
                            const QList<qint64>& layers, const char* note) {
            QTest::newRow(name) << more << virtual_stages << layers << QString{note};
        };
        row("two", {two_stages, "hybrid_layer_pattern M-M-|M*-"}, 1, {4, 3}, "");
        row("virtual ones", {two_stages, "global_batch_size 16", "hybrid_layer_pattern M-|M*-|M-|M"}, 2,
            {2, 3, 2, 1}, "");
        row("a segment without layers", {two_stages, "hybrid_layer_pattern M-|"}, 1, {2, 0}, "");
        row("no multiple of the stages", {two_stages, "hybrid_layer_pattern M-|M-|M-"}, 1, {},
            "hybrid_layer_pattern parts the layers into 3 segments, no multiple of");
        row("of one stage", {"hybrid_layer_pattern M-|M-"}, 1, {}, "one stage has them all");
        row("none where layers divide", {two_stages, "hybrid_layer_pattern M-M-"}, 1, {}, "");
        row("none where they do not", {two_stages, "hybrid_layer_pattern M-M"}, 1, {},
            "The 3 layers of the hybrid model are no multiple of 2 stages, which Megatron-LM refuses");
        row("ends of their own",
            {two_stages, "hybrid_layer_pattern M-M", "decoder_first_pipeline_num_layers 1"}, 1, {1, 2}, "");
        row("virtual stages without bars",
            {two_stages, "global_batch_size 16", "hybrid_layer_pattern M-M-",
             "virtual_pipeline_model_parallel_size 2"},
            2, {}, "by bars in hybrid_layer_pattern alone");
    }
    void barsPartStages()
    {
        QFETCH(QStringList, more);
        QFETCH(QList<qint64>, layers);
        QFETCH(QString, note);
        const MegatronRun run = runOf(small_gpt + more);
        const Parallel& parallel = run.scenario.parallel;
        QTEST(qint64{parallel.virtual_stages}, "virtual_stages");
        QCOMPARE(QList<qint64>(parallel.stage_layers.begin(), parallel.stage_layers.end()), layers);
        QCOMPARE(parallel.schedule == Schedule::interleaved, parallel.virtual_stages > 1);
        QVERIFY(note.isEmpty() || hasNote(run, note));
        QVERIFY(!note.isEmpty() || (!hasNote(run, "bars") && !hasNote(run, "segments")));
        QVERIFY(validate(run.scenario).empty());
    }

    void whatNoScenarioHasIsASentence_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("note");
        const auto row = [](const QStringList& more, const char* note) {
            QTest::newRow(note) << more << QString{note};
        };
        row({"hybrid_layer_pattern MX*"},
            "hybrid_layer_pattern: 'X' is no layer there; write M, G, *, - or E");
        row({"hybrid_override_pattern M[*-"}, "hybrid_override_pattern: brackets do not close");
        row({"hybrid_layer_pattern /MM"}, "hybrid_layer_pattern: no layers are told");
        row({"hybrid_layer_pattern True"}, "'T' is no layer there");
        row({"hybrid_layer_pattern MD-C"},
            "hybrid_layer_pattern: D, C is attention of a kind that no scenario");
        row({"hybrid_layer_pattern M+M-"}, "hybrid_layer_pattern: + is attention of a kind");
        row({"hybrid_layer_pattern M[*-]"}, "layers in brackets are predicted one by one");
        row({"hybrid_layer_pattern MMG*"}, "all are predicted as Mamba-2");
        row({"hybrid_layer_pattern GMG*"}, "all are predicted as gated delta rule");
        row({"hybrid_layer_pattern MEM*"}, "has layers of experts (E), and num_experts tells none");
        row({"hybrid_layer_pattern M-/MM/MM"}, "modules for further tokens are predicted as *-");
        row({"hybrid_layer_pattern ME/*-", "num_experts 4"}, "are predicted as *E, attention and experts");
        row({"hybrid_layer_pattern M-/*-/MM"}, "modules for further tokens differ");
        row({"hybrid_layer_pattern M-/*-/*-", "mtp_num_layers 1"}, "mtp_num_layers is 1, and");
        row({"hybrid_layer_pattern M-", "mtp_num_layers 1", "mtp_hybrid_override_pattern MM"},
            "mtp_hybrid_override_pattern: modules for further tokens are predicted as *-");
        row({"hybrid_attention_ratio 2"}, "hybrid_attention_ratio is no share of the layers from 0 to 1");
        row({"hybrid_attention_ratio 0.5", "hybrid_mlp_ratio 0.75"}, "hybrid_mlp_ratio is no share of the");
        row({"is_hybrid_model True", "hybrid_mlp_ratio some"}, "hybrid_mlp_ratio is no share of the layers");
        row({"is_hybrid_model True", "mamba_head_dim 96"},
            "mamba_head_dim 96 does not divide twice the hidden");
        row({"is_hybrid_model True", "mamba_state_dim x"},
            "mamba_state_dim is \"x\", which is no whole number");
        row({"is_hybrid_model True", "recompute_granularity full"},
            "older ones take the argument and recompute");
        row({"is_hybrid_model True", "decoder_num_layers 4"}, "A hybrid model has no encoder");
        row({"is_hybrid_model True", "disable_mamba_mem_eff_path True"}, "Mamba's path of little memory");
    }
    void whatNoScenarioHasIsASentence()
    {
        QFETCH(QStringList, more);
        QFETCH(QString, note);
        const MegatronRun run = runOf(small_gpt + more);
        QVERIFY2(hasNote(run, note), qPrintable(notesOf(run).join('\n')));
    }

    void nothingThatAPatternMayHoldIsTooMuch_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::newRow("nothing") << QString{};
        QTest::newRow("bars alone") << QStringLiteral("|||");
        QTest::newRow("slashes alone") << QStringLiteral("///");
        QTest::newRow("brackets alone") << QStringLiteral("[]");
        QTest::newRow("more layers than models have") << QString{200'000, 'M'};
        QTest::newRow("as many as can be read, over and over but for the last")
            << QString{99'999, 'M'} + QStringLiteral("*");
        QTest::newRow("letters that nobody sees") << QString{"M\x01\x1b*"};
    }
    void nothingThatAPatternMayHoldIsTooMuch()
    {
        QFETCH(QString, pattern);
        const MegatronRun run = runOf(
            small_gpt
            + Arguments{two_stages, "hybrid_layer_pattern " + pattern, "hybrid_override_pattern " + pattern});
        QVERIFY(run.scenario.model.layers >= 1);
    }

    void aScriptNeedsNoNumberOfLayersBesideAPattern()
    {
        const auto script = [](const char* pattern) {
            return std::string{
                       "torchrun --nproc-per-node 8 pretrain_hybrid.py --hidden-size 1024 "
                       "--num-attention-heads 16 --seq-length 1024 --bf16 --vocab-size 50257 "
                       "--mtp-use-repeated-layer --spec megatron.core.models.hybrid.hybrid_layer_specs "
                       "hybrid_stack_spec --hybrid-layer-pattern "}
                   + pattern + "\n";
        };
        const MegatronRun run = runOf(script("M-M*-/*-/*-"));
        QCOMPARE(patternOf(run), QStringLiteral("M - M * -"));
        QCOMPARE(run.scenario.model.mtp_layers, std::int64_t{2});
        QVERIFY(anyHolds(notesOf(run), "mtp_use_repeated_layer"));
        QVERIFY(anyHolds(notesOf(runOf(script("$PATTERN/*E --num-layers 4"))),
                         "--hybrid-layer-pattern depends on"));
        const auto amiss = launchedRun(script("MX"), Scenario{}, {});
        QVERIFY(!amiss);
        QVERIFY2(amiss.error().sentence.find("hybrid_layer_pattern: 'X' is no layer") != std::string::npos,
                 amiss.error().sentence.c_str());
    }
};

QTEST_APPLESS_MAIN(TestHybridArguments)
#include "tst_hybrid_arguments.moc"
