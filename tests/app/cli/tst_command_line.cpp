#include <QTest>

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"
#include "tests/app/cli/write_file.h"

// Exit statuses, streams and error lines, as scripts rely on them.
class TestCommandLine : public QObject
{
    Q_OBJECT
private slots:
    void statusTellsWhatWentWrong_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, QStringList arguments, int status, const char* error) {
            QTest::newRow(name) << arguments << status << error;
        };
        row("help", {"--help"}, 0, "");
        row("version", {"--version"}, 0, "");
        row("help of a command", {"predict", "--help"}, 0, "");
        row("presets", {"presets"}, 0, "");
        row("nothing", {}, 2, "no command");
        row("wrong command", {"predit"}, 2, "nearest one is predict");
        row("infer without traces", {"infer"}, 2, "needs traces");
        row("infer from a missing folder", {"infer", "/nowhere"}, 1, "/nowhere: ");
        row("no scenario", {"predict"}, 2, "no scenario is named; usage: shardscope-cli predict");
        row("wrong option", {"predict", "x.json", "--matrx"}, 2, "nearest one is --matrix");
        row("option without its value", {"predict", "x.json", "--ranks"}, 2, "--ranks needs a value");
        row("value without need", {"predict", "x.json", "--json=yes"}, 2, "--json takes no value");
        row("wrong ranks", {"predict", "x.json", "--ranks", "some"}, 2,
            "give all, none, or ranks like 0,8,16");
        row("two answers at once", {"study", "weak", "x.json", "--csv", "--json"}, 2, "choose one of them");
        row("a list as rows", {"study", "list", "--csv"}, 2, "text only");
        row("a file beside the answer", {"search", "x.json", "--gpus", "8", "-o", "-"}, 2,
            "-o -: standard output has the answer already");
        row("a timeline of nobody", {"export-timeline", "x.json", "-o", "y.json", "--ranks", "none"}, 2,
            "name ranks or all");
        row("presets of a file", {"presets", "x.json"}, 2, "presets takes no file");
        row("missing file", {"predict", "/nowhere/x.json"}, 1, "/nowhere/x.json: there is no such file");
        row("missing stream", {"predict", "/nowhere/x.jsonl"}, 1, "/nowhere/x.jsonl: ");
        row("folder", {"predict", "/tmp"}, 1, "/tmp: this is a folder");
    }
    void statusTellsWhatWentWrong()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, error);
        const CliRun run = runCli(arguments);
        QTEST(run.status, "status");
        if (error.isEmpty()) {
            QVERIFY(!run.output.isEmpty());
            QCOMPARE(run.errors, QString{});
            return;
        }
        QVERIFY(run.output.isEmpty());
        static const QRegularExpression one_line{"^shardscope-cli: error: [^\\n]+\\n$"};
        QVERIFY2(one_line.match(run.errors).hasMatch(), qPrintable(run.errors));
        QVERIFY2(run.errors.contains(error), qPrintable(run.errors));
    }

    void everySubcommandOfTheContractIsKnown_data()
    {
        QTest::addColumn<QString>("command");
        for (const char* command : {"predict", "trace", "compare", "infer", "calibrate", "digest", "search",
                                    "export-timeline", "collective", "presets", "lesson"})
            QTest::newRow(command) << command;
    }
    void everySubcommandOfTheContractIsKnown()
    {
        QFETCH(QString, command);
        const CliRun run = runCli({command, "--help"});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("shardscope-cli " + command.toUtf8()));
    }

    void badScenarioNamesItsFileAndTheWayOut()
    {
        QTemporaryDir folder;
        const QString file = writeFile(folder, "bad.scenario.json", R"({"parallel": {"tensor": 3}})");
        const CliRun run = runCli({"predict", file});
        QCOMPARE(run.status, 1);
        QCOMPARE(run.errors,
                 "shardscope-cli: error: " + file
                     + ": tensor (3) does not divide attention_heads (16); choose 1, 2, 4, 8 or 16\n");
    }

    void aScriptWhoseRunCannotBePredictedSaysWhatNoScenarioDoes()
    {
        QTemporaryDir folder;
        const QString file =
            writeFile(folder, "a.sh",
                      "torchrun --nproc-per-node 16 pretrain_gpt.py --num-layers 4 --hidden-size 512 --bf16 "
                      "--use-flash-attn "
                      "--num-attention-heads 8 --seq-length 128 --num-experts 16 --vocab-size 1000 "
                      "--tensor-model-parallel-size 2 --expert-model-parallel-size 16 "
                      "--expert-tensor-parallel-size 1 --moe-token-dispatcher-type alltoall\n");
        QCOMPARE(
            runCli({"predict", file}).errors,
            "shardscope-cli: error: " + file
                + ": expert (16) does not divide data (8); choose 1, 2, 4 or 8. Of the script: A scenario "
                  "splits experts over all tensor parallel ranks, or over none with sequence_parallel; the "
                  "run "
                  "has expert_tensor_parallel_size 1.\n");
    }

    // As a wrong type does.
    void aFigureOutOfItsRangeIsNamedWithItsSection_data()
    {
        QTest::addColumn<QStringList>("arguments"); // where "-" stands for the scenario
        QTest::newRow("predict") << QStringList{"predict", "-"};
        QTest::newRow("changes") << QStringList{"study", "changes", "-"};
        QTest::newRow("steps") << QStringList{"study", "steps", "-", "-"};
        QTest::newRow("export-timeline") << QStringList{"export-timeline", "-", "-o", "/nowhere/t.json"};
        QTest::newRow("compare") << QStringList{"compare", "-", "/nowhere"};
    }
    void aFigureOutOfItsRangeIsNamedWithItsSection()
    {
        QFETCH(QStringList, arguments);
        QTemporaryDir folder;
        const QString file = writeFile(folder, "a.json", R"({"model": {"layers": 0}})");
        arguments.replaceInStrings(QRegularExpression{"^-$"}, file);
        QCOMPARE(amissInRefusal(runCli(arguments), 1, file + ": model.layers is 0; choose"), QString{});
    }

    void namesOfOthersSteerNoTerminal()
    {
        QTemporaryDir folder;
        const QString file = writeFile(folder, "a.json", "{\"name\": \"\\u001b[31mred\"}");
        const CliRun run = runCli({"predict", file});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.startsWith("?[31mred"));
    }

    void severalFilesAnswerALineEachAndGoOnAfterABadOne()
    {
        QTemporaryDir folder;
        const QString good = writeFile(folder, "good.json", R"({"name": "good"})");
        const QString bad = writeFile(folder, "bad.json", "{");
        const CliRun run = runCli({"predict", good, bad, good, "--json"});
        QCOMPARE(run.status, 1);
        QCOMPARE(run.lines().size(), 2);
        QCOMPARE(nameOf(run.lines()[1]), "good");
    }

    void aStreamAnswersEachLineInOrder_data()
    {
        QTest::addColumn<bool>("fromFile");
        QTest::newRow("standard input") << false;
        QTest::newRow("file") << true;
    }
    void aStreamAnswersEachLineInOrder()
    {
        QFETCH(bool, fromFile);
        const QByteArray lines = "{\"name\": \"one\"}\n\n{\"name\": \n{\"name\": \"three\"}";
        QTemporaryDir folder;
        const QString path = fromFile ? writeFile(folder, "all.jsonl", lines) : QString{"-"};
        const CliRun run = runCli({"predict", path}, fromFile ? QByteArray{} : lines);
        QCOMPARE(run.status, 0);
        QCOMPARE(run.errors, QString{});
        QCOMPARE(run.lines().size(), 3);
        QCOMPARE(nameOf(run.lines()[0]), "one");
        const QJsonObject error = QJsonDocument::fromJson(run.lines()[1]).object();
        QCOMPARE(error.keys(), QStringList{"error"});
        QVERIFY(error["error"].toString().contains("not JSON"));
        QVERIFY(error["error"].toString().contains("line 3, column 10:"));
        QCOMPARE(nameOf(run.lines()[2]), "three");
    }

    void ranksAreChosen_data()
    {
        QTest::addColumn<QString>("choice");
        QTest::addColumn<QList<int>>("ranks");
        QTest::newRow("default") << "" << QList<int>{0, 64};
        QTest::newRow("none") << "none" << QList<int>{};
        QTest::newRow("listed") << "5,127" << QList<int>{5, 127};
    }
    void ranksAreChosen()
    {
        QFETCH(QString, choice);
        QStringList arguments{"predict", "-", "--json"};
        if (!choice.isEmpty())
            arguments << "--ranks" << choice;
        const CliRun run = runCli(arguments, R"({"parallel": {"pipeline": 2, "data": 64}})");
        QList<int> ranks;
        for (const auto rank : QJsonDocument::fromJson(run.output)["ranks"].toArray())
            ranks << rank.toObject()["rank"].toInt();
        QTEST(ranks, "ranks");
    }

    void aRankThatIsNotThereIsAnError()
    {
        const CliRun run = runCli({"predict", "-", "--ranks=8"}, R"({"parallel": {"data": 8}})");
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("there is no rank 8 among 8 GPUs"));
    }

    void assumptionsOfTheReaderAreInTheAnswer()
    {
        const CliRun run = runCli({"predict", "-"}, R"({"cluster": {"gpu": "Intel Gaudi 2"}})");
        const QJsonArray warnings = QJsonDocument::fromJson(run.output)["warnings"].toArray();
        QVERIFY(!warnings.isEmpty());
        QVERIFY(warnings[0].toString().contains("Intel Gaudi 2"));
    }

    void aTimelineGoesIntoAFileOrIntoAFolderOfRanks()
    {
        QVERIFY(runCli({"export-timeline", "--help"}).output.contains("-o OUT.json.gz|FOLDER|-"));
        QTemporaryDir folder;
        const QString scenario =
            writeFile(folder, "a.json", R"({"model": {"preset": "gpt2-124m"}, "parallel": {"pipeline": 2}})");
        const QDir out{folder.filePath("out")};
        QVERIFY(out.mkpath("."));
        QCOMPARE(runCli({"export-timeline", scenario, "-o", out.path()}).status, 0);
        QCOMPARE(out.entryList(QDir::Files), (QStringList{"rank-0.json.gz", "rank-1.json.gz"}));
    }

    void presetsAreListedWithTheirSources()
    {
        const QJsonDocument presets = QJsonDocument::fromJson(runCli({"presets", "--json"}).output);
        bool found = false;
        for (const auto model : presets["models"].toArray())
            if (model.toObject()["name"] == "gpt-3b") {
                found = true;
                QCOMPARE(model.toObject()["model"].toObject()["layers"].toInt(), 54);
                QVERIFY(model.toObject()["sources"].toObject()["layers"].toString().startsWith("Li et al."));
            }
        QVERIFY(found);
        QVERIFY(presets["gpus"].toArray().size() >= 13);
        for (const auto gpu : presets["gpus"].toArray()) {
            QVERIFY(gpu.toObject()["compute"].toObject()["gemm_efficiency"].toDouble() > 0.0);
            QVERIFY(!gpu.toObject()["sources"].toObject().isEmpty());
        }
        const QByteArray text = runCli({"presets"}).output;
        QVERIFY(text.contains("  h100: NVIDIA H100\n    gemm_efficiency "));
        QVERIFY(text.contains("gpt-3b: GPT 3B (Li et al. 2024)"));
        QVERIFY(text.contains("gloo-two-cores"));
    }

private:
    static QString nameOf(const QByteArray& line)
    {
        return QJsonDocument::fromJson(line)["scenario"]["name"].toString();
    }
};

QTEST_APPLESS_MAIN(TestCommandLine)
#include "tst_command_line.moc"
