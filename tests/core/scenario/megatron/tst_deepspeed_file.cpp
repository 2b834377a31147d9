#include <QTest>

#include <QDir>
#include <QTemporaryDir>

#include "tests/core/scenario/megatron/deepspeed_scripts.h"

#include <sys/stat.h>

using namespace shardscope;

// Which file a launch script hands to DeepSpeed, and what of it can be told.
class TestDeepSpeedFile : public QObject
{
    Q_OBJECT
private slots:
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
            writeTo(folder.filePath(name),
                    R"({"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}})");
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
        writeTo(folder.filePath("missing.json"), R"({"zero_optimization": {"stage": 3}})");
        const MegatronRun run =
            runOf(scriptWith({}, option + " --bf16 --micro-batch-size 1"), folder.filePath("scripts"));
        QCOMPARE(run.scenario.parallel.zero_stage, 0);
        const QStringList notes = notesOf(run);
        QVERIFY2(
            notes.contains("DeepSpeed's configuration missing.json cannot be read: no here-document of the "
                           "script writes it, and the script's folder has no such file."),
            qPrintable(notes.join('\n')));
        QVERIFY(anyHolds(notes, "ZeRO's stage"));
    }

    void aFileThatNothingTellsIsNamedByItsVariable()
    {
        const MegatronRun run =
            runOf(scriptWith({}, "--deepspeed_config $CONFIG --fp16 --micro-batch-size 1"));
        QVERIFY(
            notesOf(run).contains("DeepSpeed's configuration depends on $CONFIG, which the script does not "
                                  "set; it is left out."));
    }

    // A pipe waits for whoever writes into it, and a device has no end.
    void onlyFilesBelowTheFolderAreRead_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"pipe.json", "device.json", "link.json", "linked/ds.json", "folder.json"})
            QTest::newRow(name) << name;
    }
    void onlyFilesBelowTheFolderAreRead()
    {
        QFETCH(QString, name);
        const QTemporaryDir folder;
        const QTemporaryDir other;
        writeTo(other.filePath("ds.json"), R"({"zero_optimization": {"stage": 3}})");
        QCOMPARE(mkfifo(qPrintable(folder.filePath("pipe.json")), 0600), 0);
        QVERIFY(QFile::link("/dev/zero", folder.filePath("device.json")));
        QVERIFY(QFile::link(other.filePath("ds.json"), folder.filePath("link.json")));
        QVERIFY(QFile::link(other.path(), folder.filePath("linked")));
        QVERIFY(QDir{folder.path()}.mkdir("folder.json"));
        const MegatronRun run =
            runOf(scriptWith({}, "--fp16 --micro-batch-size 1 --deepspeed_config " + name), folder.path());
        QCOMPARE(run.scenario.parallel.zero_stage, 0);
        QVERIFY(anyHolds(notesOf(run), "has no such file"));
    }

    // Elsewhere a file of the same name is another.
    void anotherFoldersFileIsNotTaken()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir{folder.path()}.mkdir("train"));
        writeTo(folder.filePath("train/ds.json"), R"({"zero_optimization": {"stage": 3}})");
        const MegatronRun run =
            runOf(scriptWith("cat <<E > eval/ds.json\n{\"zero_optimization\": {\"stage\": 1}}\nE",
                             "--fp16 --micro-batch-size 1 --deepspeed_config train/../train/ds.json"),
                  folder.path());
        QCOMPARE(run.scenario.parallel.zero_stage, 3);
    }

    void commentsAreNoText()
    {
        const MegatronRun run =
            runOf(scriptWith("cat <<E | tee -a c-1.json > /dev/null\n{ // ZeRO\n\"zero_optimization\": "
                             "{\"stage\": 2,},\n# end\n}\nE",
                             "--fp16 --micro-batch-size 1 --deepspeed_config ./c-1.json"));
        QCOMPARE(run.scenario.parallel.zero_stage, 2);
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
        writeTo(folder.filePath("z1.json"), R"({"zero_optimization": {"stage": 1}})");
        writeTo(folder.filePath("z3.json"), R"({"zero_optimization": {"stage": 3}})");
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
        row("outputs, a long text", config(QString("$(").repeated(200'000)));
        row("variables, a long text", config(QString("${A}").repeated(200'000)));
        row("variables in a line", "A=1\n" + config(QString("${A}").repeated(16'000)));
        row("a file", "cat <<E > " + QString("$(").repeated(200'000) + "\n{}\nE");
        row("places of errors", "cat <<E " + QString("2> $(").repeated(100'000) + "\n{}\nE");
    }
    void textsOfOpenGroupsHaveAnEnd()
    {
        QFETCH(QString, before);
        const MegatronRun run =
            runOf(scriptWith(before, "--deepspeed_config c.json --fp16 --micro-batch-size 1"));
        QVERIFY(anyHolds(notesOf(run), "onfiguration c.json"));
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

    void aQuoteThatIsTextEndsNone()
    {
        const MegatronRun run =
            runOf(scriptWith("cat <<E > c.json\n{\"comment\": \"a \\\" b\", \"x\": \"$UNSET\",\n"
                             "\"zero_optimization\": {\"stage\": 2}}\nE",
                             "--deepspeed_config c.json --fp16 --micro-batch-size 1"));
        QCOMPARE(run.scenario.parallel.zero_stage, 2);
        QVERIFY(!anyHolds(notesOf(run), "UNSET"));
    }

    void quotesAndEscapesOfATextStay()
    {
        const MegatronRun run =
            runOf(scriptWith("N=a\"b\ncat <<E > c.json\n{\"x\": \"${UNSET} \\$N\", \"y\": \"'\", \\\n"
                             "\"zero_optimization\": {\"stage\": 1}}\nE",
                             "--deepspeed_config c.json --fp16 --micro-batch-size 1"));
        QCOMPARE(run.scenario.parallel.zero_stage, 1);
    }
};

QTEST_GUILESS_MAIN(TestDeepSpeedFile)
#include "tst_deepspeed_file.moc"
