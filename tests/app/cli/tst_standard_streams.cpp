#include <QTest>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"

// What is read from standard input, and how much of the answer anybody takes.
class TestStandardStreams : public QObject
{
    Q_OBJECT
private slots:
    void everyCommandTakesItsScenarioFromStandardInput_data()
    {
        QTest::addColumn<QStringList>("arguments"); // where "-" stands for the scenario
        QTest::newRow("search") << QStringList{"search", "-", "--gpus", "8", "--top", "1"};
        QTest::newRow("study") << QStringList{"study", "schedule", "-"};
        QTest::newRow("steps") << QStringList{"study", "steps", "-", "sample"};
        QTest::newRow("map") << QStringList{"map",        "-",      "--x",        "sequence_length",
                                            "--y",        "tensor", "--x-values", "1024",
                                            "--y-values", "1",      "--csv"};
        QTest::newRow("export-timeline") << QStringList{"export-timeline", "-", "-o", "/nowhere/t.json.gz"};
        QTest::newRow("compare") << QStringList{"compare", "-", "traces", "--json"};
        QTest::newRow("calibrate") << QStringList{"calibrate", "-", "traces", "--json"};
        QTest::newRow("compare-runs") << QStringList{"compare-runs", "traces", "traces", "--scenario", "-"};
        QTest::newRow("an invalid one") << QStringList{"search", "-", "--gpus", "7", "--top", "1"};
    }
    void everyCommandTakesItsScenarioFromStandardInput()
    {
        QFETCH(QStringList, arguments);
        const QString samples = QString{SHARDSCOPE_SOURCE_FOLDER} + "/sample_traces/";
        const QString scenario = samples + "sample.scenario.json";
        arguments.replaceInStrings(QRegularExpression{"^traces$"}, samples + "p2t2d2");
        arguments.replaceInStrings(QRegularExpression{"^sample$"}, scenario);
        QFile file{scenario};
        QVERIFY(file.open(QIODevice::ReadOnly));
        const CliRun of_input = runCli(arguments, file.readAll());
        arguments.replaceInStrings(QRegularExpression{"^-$"}, scenario);
        CliRun of_file = runCli(arguments);
        QCOMPARE(of_input.status, of_file.status);
        QCOMPARE(of_input.output, of_file.output);
        QCOMPARE(of_input.errors, of_file.errors.replace(scenario, "standard input"));
        QVERIFY(runCli({arguments.front(), "--help"}).output.contains("may be -"));
    }

    void standardInputIsReadOnce()
    {
        const CliRun run = runCli({"study", "steps", "-", "-"}, R"({"model": {"preset": "gpt2-124m"}})");
        QCOMPARE(amissInRefusal(run, 1, "standard input: it holds one scenario"), QString{});
    }

    void aTimelineMayGoToStandardOutput()
    {
        QTemporaryDir folder;
        const QByteArray scenario = R"({"model": {"preset": "gpt2-124m"}, "parallel": {"pipeline": 2}})";
        const CliRun run = runCli({"export-timeline", "-", "-o", "-"}, scenario);
        QCOMPARE(run.status, 0);
        const QString file = folder.filePath("timeline.json");
        QCOMPARE(runCli({"export-timeline", "-", "-o", file}, scenario).status, 0);
        QFile written{file};
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(run.output, written.readAll());
        QVERIFY(QJsonDocument::fromJson(run.output)["traceEvents"].toArray().size() > 10);
    }

    // Where nobody is told of it by a signal, as under nohup.
    void whoeverHasEnoughOfAnAnswerMayCloseIt_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::newRow("lines") << "predict -";
        QTest::newRow("a timeline") << "export-timeline \"$0\" --layers -o -";
    }
    void whoeverHasEnoughOfAnAnswerMayCloseIt()
    {
        QFETCH(QString, arguments);
        const QString script =
            "trap '' PIPE; { '" SHARDSCOPE_CLI "' " + arguments + "; echo $? >&2; } | head -c 1 >/dev/null";
        QProcess shell;
        shell.start(
            "sh", {"-c", script, QString{SHARDSCOPE_SOURCE_FOLDER} + "/sample_traces/sample.scenario.json"});
        shell.write(QByteArray{"{\"model\": {\"preset\": \"gpt2-124m\"}}\n"}.repeated(200));
        shell.closeWriteChannel();
        QVERIFY(shell.waitForFinished());
        QCOMPARE(QString::fromUtf8(shell.readAllStandardError()), QString{"141\n"});
    }
};

QTEST_GUILESS_MAIN(TestStandardStreams)
#include "tst_standard_streams.moc"
