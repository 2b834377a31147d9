#include <QTest>

#include "core/report/launch/launch_export.h"
#include "core/scenario/megatron/launch_script.h"
#include "core/scenario/scenario_json.h"

using namespace shardscope;

namespace
{

// "num_layers 96", one a line.
QByteArray argumentsOf(const LaunchScript& script)
{
    QByteArray text;
    for (const RunArgument& argument : script.arguments)
        text +=
            (text.isEmpty() ? "" : "\n") + QByteArray::fromStdString(argument.name + " " + argument.value);
    return text;
}

QByteArray notesOf(const LaunchScript& script)
{
    QByteArray text;
    for (const std::string& note : script.notes)
        text += (text.isEmpty() ? "" : "\n") + QByteArray::fromStdString(note);
    return text;
}

LaunchScript readText(const QByteArray& text)
{
    return readLaunchScript(text.toStdString());
}

std::string valueOf(const LaunchScript& script, std::string_view name)
{
    for (const RunArgument& argument : script.arguments)
        if (argument.name == name)
            return argument.value;
    return "not set";
}

} // namespace

// Scripts that start Megatron-LM's training.
class TestLaunchScript : public QObject
{
    Q_OBJECT
private slots:
    void scriptsAreToldFromOtherTexts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("is_script");
        QTest::newRow("a command") << QByteArray("python a.py --num-layers 4 --hidden-size 8") << true;
        QTest::newRow("at the ends of lines") << QByteArray("A=(\n--num-layers\n4\n--hidden-size=8)") << true;
        QTest::newRow("of an encoder") << QByteArray("--encoder-num-layers 4 --hidden-size 8") << true;
        QTest::newRow("without layers") << QByteArray("--hidden-size 8 --num-layers-per-stage 3") << false;
        QTest::newRow("without a size") << QByteArray("--num-layers 8") << false;
        QTest::newRow("JSON") << QByteArray(" {\"a\": \"--num-layers 4 --hidden-size 8\"}") << false;
        QTest::newRow("a list") << QByteArray("[\"--num-layers\", \"4\", \"--hidden-size\", \"8\"]") << false;
        QTest::newRow("a log, which repeats its command")
            << QByteArray("+ python a.py --num-layers 4 --hidden-size 8\n- end of arguments -") << false;
        QTest::newRow("nothing") << QByteArray() << false;
        QTest::newRow("5 MiB") << "--num-layers 4 --hidden-size 8" + QByteArray(5 << 20, ' ') << false;
    }
    void scriptsAreToldFromOtherTexts()
    {
        QFETCH(QByteArray, text);
        QTEST(looksLikeLaunchScript(text.toStdString()), "is_script");
    }

    // Of two sizes in one script the one that a command is given counts.
    void optionsThatNothingUsesAreLeftOut()
    {
        const LaunchScript script = readLaunchScript("LARGE=(--num-layers 80)\nSMALL=(--num-layers 32)\n"
                                                     "python a.py ${LARGE[@]} --hidden-size 8\n");
        QCOMPARE(argumentsOf(script), QByteArray("num_layers 80\nhidden_size 8"));
        QCOMPARE(notesOf(script), QByteArray("nothing uses SMALL; its options are left out"));
        const LaunchScript elsewhere = readLaunchScript("ARGS=(--num-layers 80 --hidden-size 8)\n");
        QCOMPARE(argumentsOf(elsewhere), QByteArray("num_layers 80\nhidden_size 8"));
    }

    void optionsOfBranchesAreNamed()
    {
        const LaunchScript script = readLaunchScript("if [ $MOE = 1 ]; then X=\"--num-experts 8\"; fi\n"
                                                     "python a.py $X --num-layers 8\n");
        QCOMPARE(argumentsOf(script), QByteArray("num_experts 8\nnum_layers 8"));
        QCOMPARE(notesOf(script), QByteArray("of branches that are taken to run: --num-experts"));
    }

    // As launchers of Megatron-DeepSpeed put their options together.
    void aVariableThatIsEmptyIsNoValue()
    {
        const LaunchScript script = readLaunchScript("A=\"\"\nA=\" --deepspeed ${A}\"\n"
                                                     "A=\" --zero-stage=3 ${A}\"\npython a.py $A\n");
        QCOMPARE(argumentsOf(script), QByteArray("deepspeed True\nzero_stage 3"));
        QCOMPARE(notesOf(script), QByteArray());
    }

    void optionsAreReadWhereverTheyStand_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("arguments");
        QTest::newRow("behind a command")
            << QByteArray("python pretrain_gpt.py --num-layers 4 --seq-length=8")
            << QByteArray("num_layers 4\nseq_length 8");
        QTest::newRow("in lines that go on")
            << QByteArray("python a.py \\\n  --lr 1 \\\n\t--bf16\\\n  --seed 3\n")
            << QByteArray("lr 1\nbf16 True\nseed 3");
        QTest::newRow("in Windows' lines")
            << QByteArray("python a.py \\\r\n  --lr 1 \\\r\n --bf16\r\n") << QByteArray("lr 1\nbf16 True");
        QTest::newRow("in an array") << QByteArray(
            "ARGS=(\n  --num-layers 4\n  --some-flag # why\n  --seed\n 3 )")
                                     << QByteArray("num_layers 4\nsome_flag True\nseed 3");
        QTest::newRow("in an array that grows")
            << QByteArray("A=(--seed 3)\nA+=(--lr 1)\npython a.py ${A[@]}") << QByteArray("seed 3\nlr 1");
        QTest::newRow("in a string") << QByteArray(
            "OPTIONS=\" \\\n  --num-layers 4 \\\n  --some-flag\n --seed 3\"")
                                     << QByteArray("num_layers 4\nsome_flag True\nseed 3");
        QTest::newRow("in strings of one option")
            << QByteArray("A=\"--bf16\"; B='--seed=3'") << QByteArray("bf16 True\nseed 3");
        QTest::newRow("in a string that is run") << QByteArray(
            "srun -l --mpi=x bash -c \"cd /a && torchrun --nnodes 2 a.py --layout \\\"E|t\\\"\"")
                                                 << QByteArray("nnodes 2\nlayout E|t");
        QTest::newRow("in quotes of their own")
            << QByteArray("python a.py '--seed' \"3\" \"--lr=1\"") << QByteArray("seed 3\nlr 1");
        QTest::newRow("without a command")
            << QByteArray("--seed 3 --bf16") << QByteArray("seed 3\nbf16 True");
        QTest::newRow("once, where a variable that holds them is used")
            << QByteArray("A=\"--seed 3\"\nB=(--lr 1)\nC=\"$A --bf16\"\npython a.py $A ${B[@]} \"${C}\" $@")
            << QByteArray("seed 3\nlr 1\nbf16 True");
        QTest::newRow("behind comments")
            << QByteArray("# python a.py --seed 1\npython a.py --lr 2 # --bf16\n") << QByteArray("lr 2");
        QTest::newRow("between comments")
            << QByteArray("python a.py \\\n --lr 2 \\\n # don't \\\n --seed 3 \\\n")
            << QByteArray("lr 2\nseed 3");
        QTest::newRow("before what is printed")
            << QByteArray("python a.py --lr 1 --bf16 2>&1 | tee --append log")
            << QByteArray("lr 1\nbf16 True");
    }
    void optionsAreReadWhereverTheyStand()
    {
        QFETCH(QByteArray, text);
        QTEST(argumentsOf(readText(text)), "arguments");
        QCOMPARE(notesOf(readText(text)), QByteArray());
    }

    void valuesAreReadAsAShellReadsThem_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("arguments");
        QTest::newRow("a number below zero")
            << QByteArray("--lr -1e-5 --seed -1") << QByteArray("lr -1e-5\nseed -1");
        QTest::newRow("in quotes") << QByteArray("--moe-layer-freq '([0]*1+[1]*3)' --x \"a b\"")
                                   << QByteArray("moe_layer_freq ([0]*1+[1]*3)\nx a b");
        QTest::newRow("in quotes in a string")
            << QByteArray("A=\"--moe-layer-freq ([0]*1+[1]*3) --layout 'E|tL'\"")
            << QByteArray("moe_layer_freq ([0]*1+[1]*3)\nlayout E|tL");
        QTest::newRow("several") << QByteArray("--cp-comm-type p2p a2a --rampup-batch-size 16 8 300 --seed 3")
                                 << QByteArray("cp_comm_type p2p a2a\nrampup_batch_size 16 8 300\nseed 3");
        QTest::newRow("a variable's") << QByteArray("N=4\nexport M=\"5\"\n--a $N --b ${M} --c=$N --d \"x$N\"")
                                      << QByteArray("a 4\nb 5\nc 4\nd x4");
        QTest::newRow("by default") << QByteArray(
            "N=${N:-8}; M=${1:-9}; K=\n--a $N --b $M --c ${K:-7} --d ${J-6}")
                                    << QByteArray("a 8\nb 9\nc 7\nd 6");
        QTest::newRow("not by default")
            << QByteArray("N=4\n--a ${N:-8} --b ${N:+5} --c ${N:?message}") << QByteArray("a 4\nb 5\nc 4");
        QTest::newRow("a default that is set")
            << QByteArray(": ${N:=8} \"${M:=${N}}\"\n--a $N --b $M") << QByteArray("a 8\nb 8");
        QTest::newRow("of a variable of a variable")
            << QByteArray("A=4; B=$A; C=${B}0\n--a $C") << QByteArray("a 40");
        QTest::newRow("in the order of the script")
            << QByteArray("A=4; X=\"--a $A\"\nB=5; B=$((B+1))\n--b $B") << QByteArray("a 4\nb 6");
        QTest::newRow("set behind a function")
            << QByteArray("run() {\n python a.py --a $N\n}\nN=4\nrun") << QByteArray("a 4");
        QTest::newRow("arithmetic") << QByteArray(
            "N=4; M=3\n--a $((N*M)) --b $(( ($N + 8) / ${M} - -2 )) --c $((7%4))")
                                    << QByteArray("a 12\nb 6\nc 3");
        QTest::newRow("extended") << QByteArray("N=4; N+=0\n--a $N") << QByteArray("a 40");
        QTest::newRow("escaped in what is written for another shell")
            << QByteArray("N=4\ncat > job <<EOF\npython a.py --a \\$N\nEOF") << QByteArray("a 4");
        QTest::newRow("a flag that a variable names")
            << QByteArray("P=bf16\npython a.py --$P --a 1") << QByteArray("bf16 True\na 1");
        QTest::newRow("what sbatch is asked for") << QByteArray(
            "#SBATCH --job-name=x --nodes=4\n#SBATCH --ntasks-per-node 8\n#SBATCH --gres=gpu:h100:8\n"
            "--a $SLURM_NNODES --b $SLURM_NTASKS --c ${SLURM_GPUS_ON_NODE:-1}")
                                                  << QByteArray("a 4\nb 32\nc 8");
    }
    void valuesAreReadAsAShellReadsThem()
    {
        QFETCH(QByteArray, text);
        QTEST(argumentsOf(readText(text)), "arguments");
        QCOMPARE(notesOf(readText(text)), QByteArray());
    }

    void namesAreThoseOfTheTable_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("arguments");
        QTest::newRow("biases") << QByteArray("--disable-bias-linear --add-qkv-bias")
                                << QByteArray("add_bias_linear False\nadd_qkv_bias True");
        QTest::newRow("positions") << QByteArray("--no-position-embedding")
                                   << QByteArray("add_position_embedding False");
        QTest::newRow("overlap of stages")
            << QByteArray("--no-overlap-p2p-communication") << QByteArray("overlap_p2p_comm False");
        QTest::newRow("overlap of slices") << QByteArray("--tp-comm-overlap --disable-tp-comm-overlap-ag")
                                           << QByteArray("tp_comm_overlap True\ntp_comm_overlap_ag False");
        QTest::newRow("8 bits") << QByteArray("--fp8-format hybrid") << QByteArray("fp8 hybrid");
        QTest::newRow("a group of micro-batches")
            << QByteArray("--microbatch-group-size-per-virtual-pipeline-stage 4")
            << QByteArray("microbatch_group_size_per_vp_stage 4");
        QTest::newRow("an old name of tensor parallelism")
            << QByteArray("--model-parallel-size 8") << QByteArray("tensor_model_parallel_size 8");
        QTest::newRow("selective recomputation")
            << QByteArray("--recompute-activations") << QByteArray("recompute_granularity selective");
        QTest::newRow("an old name of full recomputation")
            << QByteArray("--checkpoint-activations")
            << QByteArray("recompute_granularity full\nrecompute_method uniform");
        QTest::newRow("flags before a variable that may be empty")
            << QByteArray("--bf16 $EXTRA --swiglu ${EXTRA:-}") << QByteArray("bf16 True\nswiglu True");
    }
    void namesAreThoseOfTheTable()
    {
        QFETCH(QByteArray, text);
        QTEST(argumentsOf(readText(text)), "arguments");
        QCOMPARE(notesOf(readText(text)), QByteArray());
    }

    // As Megatron-LM does.
    void recomputeActivationsOverridesTheGranularity()
    {
        const LaunchScript script = readText("--recompute-granularity full --recompute-activations");
        QCOMPARE(argumentsOf(script), QByteArray("recompute_granularity selective"));
        QCOMPARE(notesOf(script),
                 QByteArray("--recompute-activations counts: recompute_granularity is selective, not full"));
    }

    void onlyTheTrainingScriptsOptionsCount_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("arguments");
        QTest::newRow("torchrun's") << QByteArray(
            "torchrun --nnodes=2 --nproc-per-node 8 --max-restarts 3 a.py --seed 1")
                                    << QByteArray("nnodes 2\nnproc_per_node 8\nseed 1");
        QTest::newRow("torchrun's in an array") << QByteArray(
            "D=(--nproc_per_node 8 --nnodes 2 --node_rank $RANK --master_addr $HOST --rdzv_id 3)")
                                                << QByteArray("nproc_per_node 8\nnnodes 2");
        QTest::newRow("the older launcher's") << QByteArray(
            "A=1 python -m torch.distributed.launch --nproc_per_node 8 --use_env $D/a.py --seed 1")
                                              << QByteArray("nproc_per_node 8\nseed 1");
        QTest::newRow("srun's") << QByteArray("srun --ntasks $N --label python -u a.py --seed 1")
                                << QByteArray("seed 1");
        QTest::newRow("srun's before a string")
            << QByteArray("srun --ntasks 8 sh -c \"$RUN --seed 1\"") << QByteArray("seed 1");
        QTest::newRow("those of a script in a variable")
            << QByteArray("S=$DIR/a.py\ntorchrun --x 1 \"$S\" --seed 1") << QByteArray("x 1\nseed 1");
        QTest::newRow("other programs'")
            << QByteArray("pip install --upgrade x\nnvidia-smi --query-gpu=name\n--seed 1")
            << QByteArray("seed 1");
        QTest::newRow("compared or printed")
            << QByteArray("if [ \"$1\" == \"--help\" ]; then echo \"--seed N\"; fi") << QByteArray();
        QTest::newRow("the script's own")
            << QByteArray("case $1 in\n --layers | --num-layers) shift ;;\n -h) exit ;;\nesac")
            << QByteArray();
    }
    void onlyTheTrainingScriptsOptionsCount()
    {
        QFETCH(QByteArray, text);
        QTEST(argumentsOf(readText(text)), "arguments");
    }

    void pathsAndNamesAreLeftOut()
    {
        const LaunchScript script =
            readText("D=/data\n--data-path $D/corpus --vocab-file v.json --save $CHECKPOINTS "
                     "--load=$CHECKPOINTS --tokenizer-model m --wandb-exp-name my-run "
                     "--tensorboard-dir $OUT --other $D --another $OUT/x --seed 3");
        QCOMPARE(argumentsOf(script), QByteArray("seed 3"));
        QCOMPARE(notesOf(script), QByteArray());
    }

    void whatCannotBeToldIsLeftOutAndNamed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("note");
        QTest::newRow("a variable") << QByteArray("--a ${LAYERS}")
                                    << QByteArray("--a is $LAYERS, which the script does not set");
        QTest::newRow("a variable of another")
            << QByteArray("N=$LAYERS\n--a $N")
            << QByteArray("--a depends on $LAYERS, which the script does not set");
        QTest::newRow("an argument of the script")
            << QByteArray("--a $1") << QByteArray("--a is $1, which only a run of the script tells");
        QTest::newRow("a command") << QByteArray(
            "--a $(nproc)") << QByteArray("--a is the output of a command, which only running it tells");
        QTest::newRow("a command's output in a variable")
            << QByteArray("N=`wc -l \"$H\"`\n--a $((N * 2))")
            << QByteArray("--a depends on the output of a command, which only running it tells");
        QTest::newRow("a part of a variable")
            << QByteArray("N=x16\n--a ${N#x}")
            << QByteArray("--a is ${N#x}, which only running the script tells");
        QTest::newRow("no number") << QByteArray("--a $((4 / 0))")
                                   << QByteArray("--a is $((4 / 0)), which is no whole number");
        QTest::newRow("nothing") << QByteArray("N=\n--a $N") << QByteArray("--a is given nothing: $N");
        QTest::newRow("what a loop runs over") << QByteArray("L=(1 2)\nfor N in ${L[@]}; do\n--a $N\ndone")
                                               << QByteArray("--a is $N, which runs over a list");
    }
    void whatCannotBeToldIsLeftOutAndNamed()
    {
        QFETCH(QByteArray, text);
        const LaunchScript script = readText(text + "\n--seed 3");
        QCOMPARE(argumentsOf(script), QByteArray("seed 3"));
        QTEST(notesOf(script), "note");
    }

    void whatIsSetMoreThanOnceIsSaid_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<QByteArray>("note");
        QTest::newRow("an option") << QByteArray("--num-layers 12\n--num-layers 96")
                                   << QByteArray("num_layers 96")
                                   << QByteArray(
                                          "--num-layers is set more than once; the last one counts: 96");
        QTest::newRow("an option to the same")
            << QByteArray("--num-layers 96\n--num-layers 96") << QByteArray("num_layers 96") << QByteArray();
        QTest::newRow("a variable") << QByteArray("case $S in\n a) N=4 ;;\n b) N=8 ;;\nesac\n--a $((N * 2))")
                                    << QByteArray("a 16")
                                    << QByteArray(
                                           "--a is 16 by the last value of $N, which is set more than once");
        QTest::newRow("a variable to the same")
            << QByteArray("N=4\nif true; then N=4; fi\n--a $N") << QByteArray("a 4") << QByteArray();
        QTest::newRow("a variable, and then to what cannot be told")
            << QByteArray("N=4\nif [ $# -gt 0 ]; then N=$1; fi\n--a $N") << QByteArray("a 4")
            << QByteArray("--a is 4 by the last value of $N, which is set more than once");
        QTest::newRow("by a loop") << QByteArray("for N in 4 8; do python a.py --a $N; done")
                                   << QByteArray("a 8")
                                   << QByteArray(
                                          "--a is 8 by the last value of $N, which is set more than once");
        QTest::newRow("a variable that holds options")
            << QByteArray("if $X; then P=\"--fp16\"\nelse\n P=\"--bf16\"; fi\npython a.py $P")
            << QByteArray("bf16 True")
            << QByteArray("P is set more than once; the options of the last one count");
    }
    void whatIsSetMoreThanOnceIsSaid()
    {
        QFETCH(QByteArray, text);
        const LaunchScript script = readText(text);
        QTEST(argumentsOf(script), "arguments");
        QTEST(notesOf(script), "note");
    }

    void aCommentMayNameTheCluster_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("cluster");
        const auto row = [](const char* name, const char* text, const char* cluster) {
            QTest::newRow(name) << QByteArray{text} << QByteArray{cluster};
        };
        row("none", "# of a cluster\npython a.py", "");
        row("a preset", "#!/bin/bash\n# shardscope cluster: dgx-h100 \npython a.py", "dgx-h100");
        row("Windows's line ends", "# shardscope cluster: dgx-h100\r\n", "dgx-h100");
        row("the first of two", "# shardscope cluster: a\n# shardscope cluster: b", "a");
        row("within a line", "echo # shardscope cluster: a", "");
        row("nothing", "# shardscope cluster: \n", "");
    }
    void aCommentMayNameTheCluster()
    {
        QFETCH(QByteArray, text);
        QTEST(QByteArray::fromStdString(clusterOfScript(text.toStdString())), "cluster");
    }

    void theCommandThatIsExportedIsReadBack()
    {
        const auto reading =
            readScenario(R"({"model": {"layers": 32, "hidden_size": 4096, "attention_heads": 32},
            "parallel": {"tensor": 4, "pipeline": 4, "data": 2, "sequence_parallel": true},
            "training": {"micro_batch_size": 2, "global_batch_size": 64, "recompute": "full"}})",
                         Presets{});
        QVERIFY(reading);
        const auto command = megatronArguments(reading.value().scenario);
        QVERIFY(command);
        QVERIFY(looksLikeLaunchScript(command.value()));
        const LaunchScript script = readLaunchScript(command.value());
        QCOMPARE(notesOf(script), QByteArray());
        QCOMPARE(valueOf(script, "num_layers"), std::string{"32"});
        QCOMPARE(valueOf(script, "pipeline_model_parallel_size"), std::string{"4"});
        QCOMPARE(valueOf(script, "sequence_parallel"), std::string{"True"});
        QCOMPARE(valueOf(script, "global_batch_size"), std::string{"64"});
        QCOMPARE(valueOf(script, "recompute_granularity"), std::string{"full"});
        QCOMPARE(valueOf(script, "nnodes"), std::string{"4"});
        QCOMPARE(valueOf(script, "nproc_per_node"), std::string{"8"});
    }
};

QTEST_APPLESS_MAIN(TestLaunchScript)
#include "tst_launch_script.moc"
