#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/app/cli_run.h"

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
        QVERIFY2(name.contains("(p, t, d) = ("), qPrintable(name)); // not the name of the one it began with
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
    static QString example()
    {
        return QStringLiteral(SHARDSCOPE_SOURCE_FOLDER
                              "/resources/examples/llama3-70b-64-h100.scenario.json");
    }
};

QTEST_APPLESS_MAIN(TestSearchCommand)
#include "tst_search_command.moc"
