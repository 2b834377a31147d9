#include <QTest>

#include "core/scenario/megatron/launch_script.h"

#include <QFile>

#include <algorithm>

using namespace shardscope;

namespace
{

QStringList argumentsOf(const LaunchScript& script)
{
    QStringList lines;
    for (const RunArgument& argument : script.arguments)
        lines << QString::fromStdString(argument.name + " " + argument.value);
    lines.sort();
    return lines;
}

QStringList notesOf(const LaunchScript& script)
{
    QStringList lines;
    for (const std::string& note : script.notes)
        lines << QString::fromStdString(note);
    return lines;
}

std::string scriptIn(const QString& name)
{
    QFile file{SHARDSCOPE_SOURCE_FOLDER "/tests/core/scenario/megatron/" + name};
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(file.fileName()));
    return file.readAll().toStdString();
}

} // namespace

// Scripts as they are written, and what no script is.
class TestWholeLaunchScripts : public QObject
{
    Q_OBJECT
private slots:
    void aScriptOfArraysIsRead()
    {
        const std::string text = scriptIn("torchrun_arrays.sh");
        QVERIFY(looksLikeLaunchScript(text));
        const LaunchScript script = readLaunchScript(text);
        const QStringList expected{
            "add_bias_linear False",
            "bf16 True",
            "expert_model_parallel_size 8",
            "ffn_hidden_size 14336",
            "global_batch_size 256",
            "group_query_attention True",
            "hidden_size 4096",
            "log_interval 10",
            "lr 3e-4",
            "max_position_embeddings 4096",
            "micro_batch_size 1",
            "min_lr 3e-5",
            "moe_ffn_hidden_size 1408",
            "moe_grouped_gemm True",
            "moe_layer_freq ([0]*1+[1]*31)",
            "moe_router_topk 6",
            "moe_token_dispatcher_type alltoall",
            "nnodes 8",
            "normalization RMSNorm",
            "nproc_per_node 8",
            "num_attention_heads 32",
            "num_experts 64",
            "num_layers 32",
            "num_query_groups 8",
            "overlap_grad_reduce True",
            "overlap_p2p_comm False",
            "overlap_param_gather True",
            "pipeline_model_parallel_size 4",
            "position_embedding_type rope",
            "profile True",
            "profile_ranks 0",
            "profile_step_start 4",
            "recompute_granularity selective",
            "recompute_modules moe_act layernorm",
            "save_interval 500",
            "seq_length 4096",
            "sequence_parallel True",
            "swiglu True",
            "tensor_model_parallel_size 2",
            "tokenizer_type NullTokenizer",
            "untie_embeddings_and_output_weights True",
            "use_distributed_optimizer True",
            "vocab_size 32000",
            "weight_decay 0.1",
        };
        QCOMPARE(argumentsOf(script), expected);
        QCOMPARE(notesOf(script),
                 QStringList{
                     "of branches that are taken to run: --profile, --profile-step-start, --profile-ranks"});
    }

    // Of the sizes the last counts, which the notes say.
    void aScriptOfStringsForSeveralSizesIsRead()
    {
        const std::string text = scriptIn("sbatch_sizes.sh");
        QVERIFY(looksLikeLaunchScript(text));
        const LaunchScript script = readLaunchScript(text);
        const QStringList expected{
            "bf16 True",
            "clip_grad 1.0",
            "ffn_hidden_size 32768",
            "fp8 hybrid",
            "fp8_recipe delayed",
            "global_batch_size 256",
            "hidden_size 8192",
            "lr 1.0e-4",
            "lr_decay_style cosine",
            "max_position_embeddings 2048",
            "micro_batch_size 2",
            "num_attention_heads 64",
            "num_layers 48",
            "recompute_granularity selective",
            "seq_length 2048",
            "split 98,2,0",
            "tensor_model_parallel_size 8",
        };
        QCOMPARE(argumentsOf(script), expected);
        const QStringList notes{
            "--num-layers is 48 by the last value of $LAYERS, which is set more than once",
            "--hidden-size is 8192 by the last value of $HIDDEN, which is set more than once",
            "--ffn-hidden-size is 32768 by the last value of $HIDDEN, which is set more than once",
            "--num-attention-heads is 64 by the last value of $HEADS, which is set more than once",
            "--pipeline-model-parallel-size is $PIPELINE, which the script does not set",
            "PRECISION is set more than once; the options of the last one count",
        };
        QCOMPARE(notesOf(script), notes);
    }

    void whatNoShellWouldTakeIsRead_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("an open quote")
            << QByteArray("--a 1\nX=\"--b 2\n--c 3\n") << QStringList{"a 1", "b True", "c 3"};
        QTest::newRow("an open quote in a value")
            << QByteArray("--a \"1\" --b '2\n--c 3") << QStringList{"a 1", "b 2", "c 3"};
        QTest::newRow("an open substitution") << QByteArray("--a $(x \n--b ${y\n--c 3") << QStringList{"c 3"};
        QTest::newRow("an open array")
            << QByteArray("A=(--a 1\npython x.py --b 2") << QStringList{"a 1", "b 2"};
        QTest::newRow("closed and not opened") << QByteArray(") } --a 1 ))\n;; --b 2") << QStringList{"b 2"};
        QTest::newRow("a variable of itself")
            << QByteArray("A=$A\nB=$C\nC=$B\n--a $A --b $B --c 3") << QStringList{"c 3"};
        QTest::newRow("a default of itself")
            << QByteArray("A=${A:-${A:-${A:-4}}}\n--a $A") << QStringList{"a 4"};
        QTest::newRow("bytes of 0") << QByteArray("--a 1\0--b\0 2 --c x\0y", 21)
                                    << QStringList{"a 1", "b 2", "c x"};
        QTest::newRow("bytes of no letter")
            << QByteArray("--a \xff --b\x80 2 --c $\xc3 --d 4") << QStringList{"d 4"};
        QTest::newRow("a backslash at the end") << QByteArray("--a 1 \\") << QStringList{"a 1"};
        QTest::newRow("numbers that do not fit")
            << QByteArray("--a $((9223372036854775807 + 1)) --b $((-9223372036854775807 - 1)) "
                          "--c $(((-9223372036854775807 - 1) / -1)) --d $((9223372036854775808)) --e "
                          "$((3037000500 * 3037000500))")
            << QStringList{"b -9223372036854775808"};
        QTest::newRow("divisions by zero")
            << QByteArray("N=0\n--a $((1/0)) --b $((1%N)) --c $((0/1))") << QStringList{"c 0"};
        QTest::newRow("half an expression")
            << QByteArray("--a $((1 +)) --b $(()) --c $((2 3)) --d $((2)x)) --e $((1.5*2)) --f $((- 3))")
            << QStringList{"f -3"};
    }
    void whatNoShellWouldTakeIsRead()
    {
        QFETCH(QByteArray, text);
        QTEST(argumentsOf(readLaunchScript(text.toStdString())), "arguments");
    }

    // In seconds what would take hours if it were looked at again and again, or run out of the stack.
    void endlessNestingEnds_data()
    {
        QTest::addColumn<QByteArray>("unit");
        for (const char* unit : {"\"",
                                 "'",
                                 "`",
                                 "$(",
                                 "${",
                                 "$((",
                                 "(",
                                 ")",
                                 "A=(",
                                 "\\",
                                 "\"\\\"",
                                 "\" --a ",
                                 "\"$(",
                                 "--a $X ",
                                 "--cp-comm-type x ",
                                 "x ",
                                 "A=$A$A$A;",
                                 "A+=$A;",
                                 "${A:-",
                                 "<<E;",
                                 "--a$ \"b --c '",
                                 "A=(\"--b $A\" ",
                                 "for i in $A; ",
                                 "#SBATCH -N ",
                                 "--",
                                 "case x in a) "})
            QTest::newRow(unit) << QByteArray(unit);
    }
    void endlessNestingEnds()
    {
        QFETCH(QByteArray, unit);
        constexpr int size = 1 << 18;
        const std::string text =
            "A=11\n--cp-comm-type " + unit.repeated(size / int(unit.size())).toStdString();
        const LaunchScript script = readLaunchScript(text);
        QVERIFY(script.arguments.size() < 5);
        QVERIFY(script.notes.size() < 5);
    }

    void depthsHaveAnEnd()
    {
        const auto nested = [](int depth) {
            return "--a " + QByteArray("${A:-").repeated(depth) + "4" + QByteArray("}").repeated(depth)
                   + " --b $((" + QByteArray("(").repeated(depth) + "4" + QByteArray(")").repeated(depth)
                   + "))";
        };
        QCOMPARE(argumentsOf(readLaunchScript(nested(16).toStdString())), (QStringList{"a 4", "b 4"}));
        QCOMPARE(argumentsOf(readLaunchScript(nested(17).toStdString())), QStringList{});
        QCOMPARE(argumentsOf(readLaunchScript(nested(100'000).toStdString())), QStringList{});
    }

    void largeScriptsAreNotRead()
    {
        const LaunchScript script = readLaunchScript("--a 1 " + std::string(4 << 20, ' '));
        QVERIFY(script.arguments.empty());
        QCOMPARE(notesOf(script), QStringList{"the script is larger than 4 MiB and is not read"});
    }

    void notesStayReadable()
    {
        std::string text = "--a $" + std::string(1'000, 'x') + " --b ${x\xff\n}";
        for (int i = 0; i < 100; ++i)
            text += " --c" + std::to_string(i) + " $X";
        const QStringList notes = notesOf(readLaunchScript(text));
        QCOMPARE(notes.size(), 31);
        QCOMPARE(notes.back(), QString{"and 72 more notes"});
        QVERIFY(std::ranges::all_of(notes, [](const QString& note) { return note.size() < 250; }));
        QVERIFY2(notes[1].contains("${x??}"), qPrintable(notes[1]));
    }
};

QTEST_APPLESS_MAIN(TestWholeLaunchScripts)
#include "tst_whole_launch_scripts.moc"
