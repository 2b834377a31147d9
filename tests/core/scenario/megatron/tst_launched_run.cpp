#include <QTest>

#include <QTemporaryDir>

#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/scenario/megatron/deepspeed_scripts.h"
#include "tests/core/shipped_presets.h"

using namespace shardscope;

// Launch scripts that hand DeepSpeed its configuration.
class TestLaunchedRun : public QObject
{
    Q_OBJECT
private slots:
    // As the examples of Megatron-DeepSpeed do.
    void theScriptWritesTheConfigurationItself()
    {
        const QString before = R"(
ZERO_STAGE=${ZERO_STAGE:-2}
MICRO_BATCH=4
GLOBAL_BATCH=$((MICRO_BATCH*8))
script_dir=$(dirname $(realpath $0))
CONFIG_JSON="$script_dir/ds_config.json"
cat <<EOT > $CONFIG_JSON
{
  "train_batch_size" : $GLOBAL_BATCH,
  "train_micro_batch_size_per_gpu": $MICRO_BATCH,
  "steps_per_print": 1,
  "zero_optimization": {
    "stage": $ZERO_STAGE, "reduce_bucket_size": 1e8, "overlap_comm": true,
    "offload_optimizer": {"device": "cpu"}
  },
  "bf16": { "enabled": true },
  "data_types": { "grad_accum_dtype": "fp32" }
}
EOT
)";
        const MegatronRun run = runOf(scriptWith(
            before, "--deepspeed_config=${CONFIG_JSON} --bf16 --micro-batch-size $MICRO_BATCH "
                    "--global-batch-size $GLOBAL_BATCH --zero-stage $ZERO_STAGE --no-pipeline-parallel"));
        QCOMPARE(notesOf(run),
                 QStringList{"Gradients are predicted to be sent in fp32, the format of their sum; "
                             "DeepSpeed sends them in 16 bit."});
        const Scenario& scenario = run.scenario;
        QCOMPARE(scenario.parallel.zero_stage, 2);
        QCOMPARE(scenario.training.global_batch_size, std::int64_t{32});
        QCOMPARE(scenario.training.micro_batch_size, std::int64_t{4});
        QCOMPARE(scenario.training.precision, Precision::bf16);
        QCOMPARE(scenario.training.gradient_bytes, 4);
        QCOMPARE(scenario.training.offload, Offload::optimizer);
        QCOMPARE(scenario.conventions.framework, Framework::deepspeed);
        QVERIFY(scenario.conventions.dp_overlap);
        QCOMPARE(scenario.conventions.dp_bucket_bytes, std::int64_t{400'000'000});
        QVERIFY(validate(scenario).empty());
    }

    void aWholeScriptIsRead()
    {
        const auto reading = readScenarioFile(
            SHARDSCOPE_SOURCE_FOLDER "/tests/core/scenario/megatron/deepspeed.sh", shipped());
        QVERIFY(reading);
        const Scenario& scenario = reading.value().scenario;
        const auto& warnings = reading.value().warnings;
        QCOMPARE(warnings.size(), std::size_t{2});
        QVERIFY(warnings[0].find("DeepSpeed sends them in 16 bit") != std::string::npos);
        QVERIFY(warnings[1].find("have no effect on stage 1") != std::string::npos);
        QCOMPARE(scenario.parallel.data, std::int64_t{8});
        QCOMPARE(scenario.parallel.zero_stage, 1);
        QCOMPARE(scenario.microBatches(), std::int64_t{8});
        QCOMPARE(scenario.training.gradient_bytes, 4);
        QVERIFY(!scenario.conventions.dp_overlap);
        QCOMPARE(scenario.conventions.dp_bucket_bytes, std::int64_t{2'000'000'000});
    }

    // A script without --no-pipeline-parallel builds a PipelineModule, of one stage too.
    void pipelinesDoNotOverlap()
    {
        const QString config =
            "cat <<E > c.json\n{\"zero_optimization\": {\"stage\": 1, \"overlap_comm\": true}}\nE";
        const QString options = "--deepspeed_config c.json --fp16 --micro-batch-size 1";
        const MegatronRun pipeline = runOf(scriptWith(config, options));
        QVERIFY(!pipeline.scenario.conventions.dp_overlap);
        QVERIFY(anyHolds(notesOf(pipeline), "overlap_comm: DeepSpeed switches it off for pipelines, which"));
        const MegatronRun none = runOf(scriptWith(config, options + " --no-pipeline-parallel"));
        QVERIFY(none.scenario.conventions.dp_overlap);
        QCOMPARE(notesOf(none), QStringList{});
        const MegatronRun refused = runOf(scriptWith(QString{config}.replace("1", "2"), options));
        QVERIFY(refused.scenario.conventions.dp_overlap);
        QVERIFY(anyHolds(notesOf(refused), "DeepSpeed refuses those with ZeRO 2 and 3"));
    }

    void gpusAreCountedByDeepSpeedsLauncherOrByTheBatch_data()
    {
        QTest::addColumn<QString>("launcher");
        QTest::addColumn<qint64>("replicas");
        QTest::newRow("launcher") << "deepspeed --num_nodes 2 --num_gpus 8 a.py" << qint64{8};
        QTest::newRow("launcher of one node") << "deepspeed --num_gpus=4 a.py" << qint64{2};
        QTest::newRow("launcher in a variable") << "L='deepspeed --num_gpus 4'\n$L a.py" << qint64{2};
        QTest::newRow("listed GPUs") << "deepspeed --include localhost:0,1,2,3 a.py" << qint64{2};
        QTest::newRow("listed GPUs of nodes")
            << "deepspeed --include=a:0,1,2,3,4,5,6,7@b:0,1,2,3,4,5,6,7 a.py" << qint64{8};
        QTest::newRow("nodes of different GPUs") << "deepspeed --include a:0,1@b:2 a.py" << qint64{16};
        QTest::newRow("GPUs of the program") << "deepspeed a.py --num_gpus 4" << qint64{16};
        QTest::newRow("GPUs of another program")
            << "python check.py --num_gpus 4\ndeepspeed a.py" << qint64{16};
        QTest::newRow("batch") << "deepspeed --hostfile hosts a.py" << qint64{16};
    }
    void gpusAreCountedByDeepSpeedsLauncherOrByTheBatch()
    {
        QFETCH(QString, launcher);
        const QString script =
            "cat <<E > c.json\n{\"train_batch_size\": 64, \"gradient_accumulation_steps\": 2,"
            "\"train_micro_batch_size_per_gpu\": 2}\nE\n"
            + launcher
            + " --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 64 "
              "--tensor-model-parallel-size 2 --deepspeed --deepspeed_config c.json\n";
        const MegatronRun run = runOf(script.toStdString());
        QTEST(qint64{run.scenario.parallel.data}, "replicas");
        QVERIFY(!anyHolds(notesOf(run), "GPUs"));
        QCOMPARE(anyHolds(notesOf(run), "DeepSpeed refuses the sizes"), run.scenario.parallel.data != 16);
    }

    void whatTheScriptLeavesOutTheConfigurationSays()
    {
        const MegatronRun run = runOf(scriptWith(
            "cat <<EOT > ds.json\n{\"zero_optimization\": {\"stage\": 1}, \"fp16\": {\"enabled\": true},"
            "\"train_micro_batch_size_per_gpu\": 3, \"gradient_accumulation_steps\": 5}\nEOT",
            "--deepspeed_config ds.json --fp16"));
        QCOMPARE(run.scenario.parallel.zero_stage, 1);
        QCOMPARE(run.scenario.training.micro_batch_size, std::int64_t{3});
        QCOMPARE(run.scenario.training.global_batch_size, std::int64_t{60});
        QCOMPARE(notesOf(run), QStringList{});
    }

    void disagreementsAreSaid_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* options, const char* config, const char* note) {
            QTest::newRow(config) << QString(options) << QString(config) << QString(note);
        };
        row("--bf16 --no-pipeline-parallel --zero-stage 1",
            R"("zero_optimization": {"stage": 2}, "bf16": {"enabled": true})",
            "zero_stage is 1 in the script and 2 in DeepSpeed's configuration, which counts.");
        row("--fp16 --micro-batch-size 2",
            R"("train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true})",
            "micro_batch_size is 2 in the script, which counts, and train_micro_batch_size_per_gpu 4 in "
            "DeepSpeed's configuration.");
        row("--fp16 --micro-batch-size 2 --global-batch-size 64",
            R"("train_batch_size": 32, "fp16": {"enabled": true})",
            "global_batch_size is 64 in the script, which counts, and train_batch_size 32 in DeepSpeed's "
            "configuration.");
        row("--fp16 --micro-batch-size 2 --global-batch-size 64",
            R"("gradient_accumulation_steps": 2, "fp16": {"enabled": true})",
            "gradient_accumulation_steps is 2 in DeepSpeed's configuration; the sizes of batches come to 8, "
            "which count.");
        row("--fp16", R"("zero_optimization": {"stage": 1}, "bf16": {"enabled": true})",
            "The number format is fp16 in the script and bf16 in DeepSpeed's configuration, which counts.");
    }
    void disagreementsAreSaid()
    {
        QFETCH(QString, options);
        QFETCH(QString, config);
        QFETCH(QString, note);
        const MegatronRun run =
            runOf(scriptWith("cat <<E >c.json\n{" + config + "}\nE", "--deepspeed_config c.json " + options));
        QCOMPARE(notesOf(run), QStringList{note});
        QVERIFY(validate(run.scenario).empty());
    }

    // A stage that no value tells is the script's, not none.
    void aStageThatCannotBeToldIsTheScripts_data()
    {
        QTest::addColumn<QString>("config");
        QTest::newRow("a variable that nothing sets") << R"({"zero_optimization": {"stage": ${ZERO}}})";
        QTest::newRow("a section that nothing sets") << R"({"zero_optimization": $ZERO})";
        QTest::newRow("a number in quotes") << R"({"zero_optimization": {"stage": "3"}})";
        QTest::newRow("a number of no stage") << R"({"zero_optimization": {"stage": 7}})";
    }
    void aStageThatCannotBeToldIsTheScripts()
    {
        QFETCH(QString, config);
        const MegatronRun run =
            runOf(scriptWith("cat <<E >c.json\n" + config + "\nE",
                             "--deepspeed_config c.json --fp16 --micro-batch-size 1 --zero-stage 2"));
        QCOMPARE(run.scenario.parallel.zero_stage, 2);
        QVERIFY2(!anyHolds(notesOf(run), "zero_stage is 2"), qPrintable(notesOf(run).join('\n')));
    }

    // What Megatron has built in bf16 stays so where DeepSpeed is told of no format.
    void aConfigurationWithoutAFormatLeavesTheScripts()
    {
        const MegatronRun run = runOf(
            scriptWith("cat <<E >c.json\n{\"fp16\": {\"enabled\": false}, \"zero_optimization\": true}\nE",
                       "--deepspeed_config c.json --bf16 --micro-batch-size 1"));
        QCOMPARE(run.scenario.training.precision, Precision::bf16);
        QCOMPARE(notesOf(run), QStringList{});
    }

    void withoutDeepSpeedItsConfigurationIsNothing()
    {
        const std::string script = "python a.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
                                   "--seq-length 64 --deepspeed_config c.json\n";
        const MegatronRun run = runOf(script);
        QCOMPARE(run.scenario.conventions.framework, Framework::megatron);
        QVERIFY(!anyHolds(notesOf(run), "DeepSpeed"));
    }

    // From the file's own folder, as File > Open and predict read it.
    void scriptsBringTheFileBesideThem()
    {
        const QTemporaryDir folder;
        writeTo(folder.filePath("ds.json"),
                R"({"zero_optimization": {"stage": 2}, "bf16": {"enabled": true}})");
        writeTo(folder.filePath("run.sh"),
                QByteArray::fromStdString(scriptWith({}, "--bf16 --deepspeed_config ds.json")));
        const auto reading = readScenarioFile(folder.filePath("run.sh").toStdString(), shipped());
        QVERIFY(reading);
        QCOMPARE(reading.value().source, ScenarioSource::launch_script);
        QCOMPARE(reading.value().scenario.parallel.zero_stage, 2);
        QCOMPARE(reading.value().scenario.name, std::string{"run"});
    }

    void whatKeepsAScriptFromBeingReadIsSaid_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const char* script, const char* sentence) {
            QTest::newRow(name) << QByteArray{script} << QString{sentence};
        };
        row("sizes that are not there",
            "torchrun pretrain_gpt.py --hidden-size 768 --num-attention-heads 12 --seq-length 128\n",
            "read as a script that starts Megatron-LM: the arguments tell no num_layers");
        row("a number in words",
            "torchrun pretrain_gpt.py --num-layers twelve --hidden-size 768 --num-attention-heads 12\n",
            "read as a script that starts Megatron-LM: num_layers is \"twelve\", which is no whole number "
            "from 1 "
            "to 999 999 999; the arguments tell no seq_length");
        row("a quote that is not closed",
            "# it's a script\ntorchrun pretrain_gpt.py --num-layers '12' \\\n --hidden-size \"768 "
            "--num-attention-heads 12\n",
            "read as a script that starts Megatron-LM: the arguments tell no seq_length; a quote in line 3 "
            "is "
            "not closed");
        row("a size that nobody sets",
            "torchrun pretrain_gpt.py --num-layers $LAYERS --hidden-size 768 --num-attention-heads 12 "
            "--seq-length 128\n",
            "read as a script that starts Megatron-LM: the arguments tell no num_layers; --num-layers is "
            "$LAYERS");
        row("a script of something else", "#!/bin/bash\npython train.py --lr 3\n",
            "this is neither JSON nor a script that starts Megatron-LM: it sets none of the options "
            "--num-layers, ");
        row("a log", "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64\nn1:9:9 [0] NCCL INFO x\n",
            "this is the log of a run; a scenario is needed here");
        row("JSON with a slip", "{\"model\": --num-layers}", "this is not JSON: line 1, column 12");
        row("nothing", " \n", "there is nothing in it");
    }
    void whatKeepsAScriptFromBeingReadIsSaid()
    {
        QFETCH(QByteArray, script);
        QFETCH(QString, sentence);
        const auto reading = readScenario(script.toStdString(), shipped());
        QVERIFY(!reading);
        QVERIFY2(QString::fromStdString(reading.error().sentence).startsWith(sentence),
                 reading.error().sentence.c_str());
    }
};

QTEST_GUILESS_MAIN(TestLaunchedRun)
#include "tst_launched_run.moc"
