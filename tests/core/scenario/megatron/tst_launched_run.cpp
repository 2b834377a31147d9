#include <QTest>

#include <QFile>
#include <QTemporaryDir>

#include "core/scenario/megatron/launched_run.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation.h"
#include "tests/core/shipped_presets.h"

#include <algorithm>

using namespace shardscope;

namespace
{

// A run of Megatron-DeepSpeed on eight GPUs with what else the row says.
std::string scriptWith(const QString& before, const QString& options)
{
    const QString script = R"(#!/bin/bash
%1
deepspeed --num_nodes 1 pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
    --seq-length 1024 --max-position-embeddings 1024 --tensor-model-parallel-size 2 \
    --pipeline-model-parallel-size 1 --data-parallel-size 4 --use-flash-attn-v2 --vocab-size 50257 --deepspeed %2
)";
    return script.arg(before, options).toStdString();
}

MegatronRun runOf(const std::string& script, const QString& folder = {})
{
    auto run = launchedRun(script, Scenario{}, folder.toStdString());
    if (!run)
        qFatal("%s", run.error().sentence.c_str());
    return std::move(run).value();
}

QStringList notesOf(const MegatronRun& run)
{
    QStringList notes;
    for (const std::string& note : run.notes)
        notes << QString::fromStdString(note);
    return notes;
}

bool anyHolds(const QStringList& notes, const QString& words)
{
    return std::ranges::any_of(notes, [&](const QString& note) { return note.contains(words); });
}

void write(const QString& path, const QByteArray& content)
{
    QFile file{path};
    if (!file.open(QIODevice::WriteOnly))
        qFatal("cannot write %s", qPrintable(path));
    file.write(content);
}

} // namespace

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
        const MegatronRun run = runOf(
            scriptWith(before, "--deepspeed_config=${CONFIG_JSON} --bf16 --micro-batch-size $MICRO_BATCH "
                               "--global-batch-size $GLOBAL_BATCH --zero-stage $ZERO_STAGE"));
        QCOMPARE(notesOf(run), QStringList{});
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
        QVERIFY(reading.value().warnings.empty());
        QCOMPARE(scenario.parallel.data, std::int64_t{8});
        QCOMPARE(scenario.parallel.zero_stage, 1);
        QCOMPARE(scenario.microBatches(), std::int64_t{8});
        QCOMPARE(scenario.training.gradient_bytes, 4);
        QCOMPARE(scenario.conventions.dp_bucket_bytes, std::int64_t{800'000'000});
    }

    void gpusAreCountedByDeepSpeedsLauncherOrByTheBatch_data()
    {
        QTest::addColumn<QString>("launcher");
        QTest::addColumn<qint64>("replicas");
        QTest::newRow("launcher") << "deepspeed --num_nodes 2 --num_gpus 8 a.py" << qint64{8};
        QTest::newRow("launcher of one node") << "deepspeed --num_gpus=4 a.py" << qint64{2};
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

    void theFileIsFound_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("option");
        const auto row = [](const char* name, const char* before, const char* option) {
            QTest::newRow(name) << QString(before) << QString(option);
        };
        row("beside the script", "", "--deepspeed_config ds.json");
        row("by its other spelling", "", "--deepspeed-config=./ds.json");
        row("by a variable", "C=ds.json", "--deepspeed_config \"${C}\"");
        row("in a folder that only a run tells", "D=$(cd $(dirname $0); pwd)\nC=$D/ds.json",
            "--deepspeed_config=$C");
        row("in a folder of the environment", "", "--deepspeed_config ${HOME_OF_RUNS}/ds.json");
        row("in a folder below", "", "--deepspeed_config configs/ds.json");
        row("as Hugging Face's trainer is told", "", "--deepspeed ds.json");
        row("in the options that a variable holds", "A=\"--deepspeed_config ds.json\"", "$A");
        row("not the here-document of another file",
            "cat <<E > other.json\n{\"zero_optimization\": false}\nE", "--deepspeed_config ds.json");
    }
    void theFileIsFound()
    {
        QFETCH(QString, before);
        QFETCH(QString, option);
        const QTemporaryDir folder;
        QVERIFY(QDir{folder.path()}.mkdir("configs"));
        for (const char* name : {"ds.json", "configs/ds.json"})
            write(folder.filePath(name), R"({"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}})");
        const MegatronRun run = runOf(scriptWith(before, option + " --bf16"), folder.path());
        QCOMPARE(run.scenario.parallel.zero_stage, 3);
        QVERIFY2(!anyHolds(notesOf(run), "onfiguration"), qPrintable(notesOf(run).join('\n')));
    }

    void whatIsNotFoundIsSaid_data()
    {
        QTest::addColumn<QString>("option");
        QTest::newRow("not there") << "--deepspeed_config missing.json";
        QTest::newRow("elsewhere on a machine") << "--deepspeed_config /home/me/missing.json";
        QTest::newRow("above the folder") << "--deepspeed_config ../missing.json";
        QTest::newRow("above it in the end") << "--deepspeed_config a/../../missing.json";
    }
    void whatIsNotFoundIsSaid()
    {
        QFETCH(QString, option);
        const QTemporaryDir folder;
        QVERIFY(QDir{folder.path()}.mkdir("scripts"));
        write(folder.filePath("missing.json"), R"({"zero_optimization": {"stage": 3}})");
        const MegatronRun run =
            runOf(scriptWith({}, option + " --bf16 --micro-batch-size 1"), folder.filePath("scripts"));
        QCOMPARE(run.scenario.parallel.zero_stage, 0);
        const QStringList notes = notesOf(run);
        QVERIFY2(
            notes.contains("DeepSpeed's configuration missing.json is not written by the script and does "
                           "not lie beside it."),
            qPrintable(notes.join('\n')));
        QVERIFY(anyHolds(notes, "ZeRO's stage"));
    }

    void disagreementsAreSaid_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* options, const char* config, const char* note) {
            QTest::newRow(config) << QString(options) << QString(config) << QString(note);
        };
        row("--bf16 --zero-stage 1", R"("zero_optimization": {"stage": 2}, "bf16": {"enabled": true})",
            "zero_stage is 1 in the script and 2 in DeepSpeed's configuration, which counts.");
        row("--bf16 --micro-batch-size 2",
            R"("train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": true})",
            "micro_batch_size is 2 in the script, which counts, and train_micro_batch_size_per_gpu 4 in "
            "DeepSpeed's configuration.");
        row("--bf16 --micro-batch-size 2 --global-batch-size 64",
            R"("train_batch_size": 32, "bf16": {"enabled": true})",
            "global_batch_size is 64 in the script, which counts, and train_batch_size 32 in DeepSpeed's "
            "configuration.");
        row("--bf16 --micro-batch-size 2 --global-batch-size 64",
            R"("gradient_accumulation_steps": 2, "bf16": {"enabled": true})",
            "gradient_accumulation_steps is 2 in DeepSpeed's configuration; the sizes of batches come to 8, "
            "which count.");
        row("--fp16", R"("zero_optimization": {}, "bf16": {"enabled": true})",
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

    // It is an option like any other: that of the command that runs, of several the last.
    void theOptionThatCountsNamesTheFile_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("options");
        QTest::addColumn<int>("stage");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* before, const char* options, int stage, const char* note) {
            QTest::newRow(note) << QString(before) << QString(options) << stage << QString(note);
        };
        row("A=\"--deepspeed --deepspeed_config z1.json\"\nB=\"--deepspeed --deepspeed_config z3.json\"",
            "$A", 1, "nothing uses B; its options are left out");
        row("A=\"--deepspeed_config z3.json\"\nA=\"--deepspeed_config z1.json\"", "$A", 1,
            "A is set more than once; the options of the last one count");
        row("", "--deepspeed_config z1.json\npython eval.py --deepspeed_config z3.json", 3,
            "--deepspeed_config is set more than once; the last one counts: z3.json");
        row("if x; then C=z3.json; else C=z1.json; fi", "--deepspeed_config $C", 1,
            "--deepspeed_config is z1.json by the last value of $C, which is set more than once");
        row("if x; then A=\"--deepspeed_config z3.json\"; fi", "$A", 3,
            "of branches that are taken to run: --deepspeed_config");
    }
    void theOptionThatCountsNamesTheFile()
    {
        QFETCH(QString, before);
        QFETCH(QString, options);
        QFETCH(QString, note);
        const QTemporaryDir folder;
        write(folder.filePath("z1.json"), R"({"zero_optimization": {"stage": 1}})");
        write(folder.filePath("z3.json"), R"({"zero_optimization": {"stage": 3}})");
        const MegatronRun run =
            runOf(scriptWith(before, "--fp16 --micro-batch-size 1 " + options), folder.path());
        QTEST(run.scenario.parallel.zero_stage, "stage");
        QVERIFY2(notesOf(run).contains(note), qPrintable(notesOf(run).join('\n')));
    }

    // Where each piece looks through all that follows these take minutes.
    void textsOfOpenGroupsHaveAnEnd_data()
    {
        QTest::addColumn<QString>("before");
        const auto row = [](const char* name, const QString& before) { QTest::newRow(name) << before; };
        const auto config = [](const QString& text) { return "cat <<E > c.json\n{\"a\": " + text + "}\nE"; };
        row("outputs", config(QString("$(").repeated(30'000)));
        row("defaults", config(QString("${U:-").repeated(12'000)));
        row("outputs, a long text", config(QString("$(").repeated(500'000)));
        row("variables, a long text", config(QString("${A}").repeated(500'000)));
        row("variables in a line", "A=1\n" + config(QString("${A}").repeated(16'000)));
        row("a file", "cat <<E > " + QString("$(").repeated(500'000) + "\n{}\nE");
        row("places of errors", "cat <<E " + QString("2> $(").repeated(300'000) + "\n{}\nE");
    }
    void textsOfOpenGroupsHaveAnEnd()
    {
        QFETCH(QString, before);
        const MegatronRun run =
            runOf(scriptWith(before, "--deepspeed_config c.json --fp16 --micro-batch-size 1"));
        QVERIFY(anyHolds(notesOf(run), "onfiguration c.json"));
    }

    // What Megatron has built in bf16 stays so where DeepSpeed is told of no format.
    void aConfigurationWithoutAFormatLeavesTheScripts()
    {
        const MegatronRun run = runOf(scriptWith("cat <<E >c.json\n{\"fp16\": {\"enabled\": false}}\nE",
                                                 "--deepspeed_config c.json --bf16 --micro-batch-size 1"));
        QCOMPARE(run.scenario.training.precision, Precision::bf16);
        QCOMPARE(notesOf(run), QStringList{});
    }

    void textsThatCannotBeToldAreSaid_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* name, const char* before, const char* note) {
            QTest::newRow(name) << QString(before) << QString(note);
        };
        row("a variable of nobody", "cat <<E > c.json\n{\"zero_optimization\": {\"stage\": $Z}}\nE",
            "DeepSpeed's configuration depends on $Z, which the script does not set; what it sets is left "
            "out.");
        row("the output of a command", "cat <<E > c.json\n{\"train_batch_size\": $(nproc)}\nE",
            "DeepSpeed's configuration depends on the output of a command, which only running it tells; what "
            "it sets is left out.");
        row("a variable of several values",
            "Z=1\nif x; then Z=2; fi\ncat <<E > c.json\n"
            "{\"zero_optimization\": {\"stage\": ${Z}}}\nE",
            "DeepSpeed's configuration has the last value of $Z, which is set more than once.");
        row("two texts", "cat <<E > c.json\n{\"zero_optimization\": true}\nE\ncat <<E > c.json\n{}\nE",
            "DeepSpeed's configuration is written more than once; the last one counts.");
        row("no JSON", "cat <<E > c.json\n{\"train_batch_size\": GBS}\nE",
            "DeepSpeed's configuration c.json is not read: this is not JSON: line 1, column 22");
        row("a part of a text", "cat <<E > c.json\n{\"data_types\": {\"grad_accum_dtype\": \"fp$B\"}}\nE",
            "data_types.grad_accum_dtype is \"fp?\", not fp32, fp16 or bf16; it is left out.");
        row("a value of another type", "cat <<E > c.json\n{\"train_batch_size\": []}\nE",
            "train_batch_size is a list, not a whole number; it is left out.");
    }
    void textsThatCannotBeToldAreSaid()
    {
        QFETCH(QString, before);
        QFETCH(QString, note);
        const QStringList notes =
            notesOf(runOf(scriptWith(before, "--deepspeed_config c.json --fp16 --micro-batch-size 1")));
        QVERIFY2(anyHolds(notes, note), qPrintable(notes.join('\n')));
    }

    void quotesAndEscapesOfATextStay()
    {
        const MegatronRun run =
            runOf(scriptWith("N=a\"b\ncat <<E > c.json\n{\"x\": \"${UNSET} \\$N\", \"y\": \"'\", \\\n"
                             "\"zero_optimization\": {\"stage\": 1}}\nE",
                             "--deepspeed_config c.json --fp16 --micro-batch-size 1"));
        QCOMPARE(run.scenario.parallel.zero_stage, 1);
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
        write(folder.filePath("ds.json"),
              R"({"zero_optimization": {"stage": 2}, "bf16": {"enabled": true}})");
        write(folder.filePath("run.sh"),
              QByteArray::fromStdString(scriptWith({}, "--bf16 --deepspeed_config ds.json")));
        const auto reading = readScenarioFile(folder.filePath("run.sh").toStdString(), shipped());
        QVERIFY(reading);
        QCOMPARE(reading.value().source, ScenarioSource::launch_script);
        QCOMPARE(reading.value().scenario.parallel.zero_stage, 2);
        QCOMPARE(reading.value().scenario.name, std::string{"run"});
    }
};

QTEST_GUILESS_MAIN(TestLaunchedRun)
#include "tst_launched_run.moc"
