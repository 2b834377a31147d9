#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"

// `shardscope-cli search` as scripts call it.
class TestSearchCommand : public QObject
{
    Q_OBJECT
private slots:
    void theBestScenarioIsPredictedAsItWasFound()
    {
        QTemporaryDir folder;
        const QString best = folder.filePath("best.scenario.json");
        const CliRun run = runCli({"search", example(), "--gpus", "64", "--top", "3", "-o", best, "--json"});
        QCOMPARE(run.errors, QString{});
        QCOMPARE(run.status, 0);
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QCOMPARE(answer["gpus"].toInt(), 64);
        QCOMPARE(answer["possible"].toInt(), answer["too_large"].toInt() + answer["fitting"].toInt());
        const QJsonArray layouts = answer["best"].toArray();
        QCOMPARE(layouts.size(), 3);
        QVERIFY(!answer["front"].toArray().isEmpty());
        const double found_s = layouts[0].toObject()["iteration_s"].toDouble();
        const CliRun again = runCli({"predict", best, "--json"});
        QCOMPARE(again.status, 0);
        const QJsonObject prediction = QJsonDocument::fromJson(again.output).object();
        QCOMPARE(prediction["time"].toObject()["iteration_s"].toDouble(), found_s);
        QCOMPARE(prediction["world_size"].toInt(), 64);
        const QString name = prediction["scenario"].toObject()["name"].toString();
        QVERIFY2(name.contains("(p, t, c, d) = ("),
                 qPrintable(name)); // not the name of the one it began with
    }

    void whereNothingFitsNothingIsWritten()
    {
        QTemporaryDir folder;
        const QString best = folder.filePath("best.scenario.json");
        const QStringList arguments{"search", example(), "--gpus", "2", "-o", best};
        QCOMPARE(amissInRefusal(runCli(arguments), 1, "fits into memory"), QString{});
        QVERIFY(!QFile::exists(best));
    }

    void timesOfAnUncalibratedClusterAreToldAsSuch()
    {
        const QString sample{SHARDSCOPE_SOURCE_FOLDER "/sample_traces/sample.scenario.json"};
        const CliRun run = runCli({"search", sample, "--gpus", "8"});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("not calibrated"));
        QVERIFY(!run.output.contains("~"));
    }

    void aTableIsForPeople()
    {
        const CliRun run = runCli({"search", example(), "--gpus", "64"});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("layouts on 64 GPUs"));
        QVERIFY(run.output.contains("recompute"));
        QVERIFY(run.output.contains("Varied: pipeline, tensor, context, data, micro-batch, "));
        QVERIFY(run.output.contains("Kept: global batch "));
        QVERIFY(!run.output.contains("set flash_attention"));
    }

    void whatKeepsItsContextSaysSo()
    {
        const CliRun run = runCli({"search", example("gpt3-175b-1024-a100"), "--gpus", "64"});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("Varied: pipeline, tensor, data, "));
        QVERIFY2(run.output.contains("context 1 (a ring would bring fused attention; set flash_attention)"),
                 run.output.constData());
    }

    // What scripts read of a layout has the names of scenario files.
    void degreesAreNamedAsInAScenario()
    {
        const CliRun run = runCli({"search", example(), "--gpus", "64", "--top", "1", "--json"});
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QVERIFY(answer["varied"].toArray().contains("parallel.context"));
        QVERIFY(answer["varied"].toArray().contains("training.recompute"));
        QVERIFY(!answer["varied"].toArray().contains("parallel.expert"));
        const QJsonObject best = answer["best"].toArray()[0].toObject()["scenario"].toObject();
        const QJsonObject parallel = best["parallel"].toObject();
        int gpus = 1;
        for (const char* degree : {"pipeline", "tensor", "context", "data"})
            gpus *= parallel[degree].toInt();
        QCOMPARE(gpus, 64);
    }

    // What the search does not vary, and is another with a layout all the same.
    void conventionsThatFollowTheLayoutAreNamed()
    {
        const QStringList arguments{"search", example("li-2024-table3"), "--gpus", "32", "--top", "3"};
        const CliRun table = runCli(arguments);
        QVERIFY2(table.output.contains("Following the layout, as the framework's defaults do: "),
                 table.output.constData());
        QVERIFY(table.output.contains("+dp"));
        const QJsonObject answer =
            QJsonDocument::fromJson(runCli(arguments + QStringList{"--json"}).output).object();
        QVERIFY(answer["followed"].toArray().contains("conventions.tp_overlap"));
        for (const QJsonValue& best : answer["best"].toArray()) {
            const QJsonArray followed = best["followed"].toArray();
            const QJsonValue overlap = best["scenario"]["conventions"]["dp_overlap"];
            QCOMPARE(followed.contains("conventions.dp_overlap"), overlap.toBool());
        }
    }

    void mistakesAreToldInASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("part");
        QTest::newRow("no number") << QStringList{example()} << 2 << "--gpus";
        QTest::newRow("no scenario") << QStringList{"--gpus", "8"} << 2 << "one scenario";
        QTest::newRow("not a number") << QStringList{example(), "--gpus", "many"} << 2 << "--gpus";
        QTest::newRow("impossible") << QStringList{example(), "--gpus", "1031"} << 1 << "cannot be laid out";
    }
    void mistakesAreToldInASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, part);
        QCOMPARE(amissInRefusal(runCli(QStringList{"search"} + arguments), status, part), QString{});
    }

private:
    static QString example(const QString& name = QStringLiteral("llama3-70b-64-h100"))
    {
        return QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/resources/examples/%1.scenario.json").arg(name);
    }
};

QTEST_APPLESS_MAIN(TestSearchCommand)
#include "tst_search_command.moc"
