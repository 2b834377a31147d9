#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/app/cli/cli_run.h"

// `shardscope-cli map` as scripts call it.
class TestMapCommand : public QObject
{
    Q_OBJECT
private slots:
    void thePlaceOfTheScenarioIsItsPrediction()
    {
        const CliRun run = runCli({"map", example(), "--x", "zero_stage", "--y", "network_GBps", "--x-values",
                                   "0,1,2,3", "--y-values", "25,50", "--json"});
        QCOMPARE(run.errors, QString{});
        QCOMPARE(run.status, 0);
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QCOMPARE(answer["x_axis"].toString(), "zero_stage");
        QCOMPARE(answer["time_model"].toString(), "detailed");
        const QJsonArray points = answer["points"].toArray();
        QCOMPARE(points.size(), 8);
        const QJsonDocument prediction =
            QJsonDocument::fromJson(runCli({"predict", example(), "--json"}).output);
        const int own = prediction["scenario"]["parallel"]["zero_stage"].toInt();
        const QJsonObject point = points[4 + own].toObject();
        QCOMPARE(point["y"].toDouble(),
                 prediction["scenario"]["cluster"]["inter_node"]["bandwidth_GBps"].toDouble());
        QCOMPARE(point["iteration_s"].toDouble(), prediction["time"]["iteration_s"].toDouble());
        QCOMPARE(point["error_band"].toArray(), prediction["time"]["error_band"].toArray());
    }

    void headsThatGoWithTheHiddenSizeAreSaid_data()
    {
        QTest::addColumn<QStringList>("axes");
        QTest::addColumn<bool>("said");
        QTest::newRow("across") << QStringList{"--x", "hidden_size", "--y", "tensor"} << true;
        QTest::newRow("down") << QStringList{"--x", "tensor", "--y", "hidden_size"} << true;
        QTest::newRow("another axis") << QStringList{"--x", "tensor", "--y", "sequence_length"} << false;
    }
    void headsThatGoWithTheHiddenSizeAreSaid()
    {
        QFETCH(QStringList, axes);
        const CliRun run = runCli(QStringList{"map", example(), "--points", "3"} + axes);
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        QTEST(run.output.contains("note: with the hidden size go attention_heads, kv_heads, ffn_hidden_size"),
              "said");
    }

    void rowsAreForASpreadsheetAndATableForPeople()
    {
        const QStringList words{"map",    example(),    "--x", "pipeline",   "--y",
                                "tensor", "--x-values", "1,3", "--y-values", "8"};
        const QList<QByteArray> lines = runCli(words + QStringList{"--csv"}).output.trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[0].startsWith("pipeline,tensor,problem,iteration_s"));
        QVERIFY(lines[1].startsWith("1,8,,"));
        QVERIFY2(lines[2].startsWith("3,8,the GPUs do not divide"), lines[2].constData());
        const QByteArray table = runCli(words).output;
        QVERIFY2(table.contains("the first, pipeline p 3, tensor t 8: the GPUs do not divide"),
                 table.constData());
    }

    void mistakesAreToldInASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("part");
        QTest::newRow("no axis") << QStringList{example(), "--x", "layers"} << "--y is missing";
        QTest::newRow("no such axis")
            << QStringList{example(), "--x", "depth", "--y", "layers"} << "there are";
        QTest::newRow("one axis twice")
            << QStringList{example(), "--x", "weak", "--y", "strong"} << "both axes";
        QTest::newRow("not a value") << QStringList{example(), "--x",        "layers", "--y",
                                                    "weak",    "--x-values", "1.5"}
                                     << "whole";
        QTest::newRow("points") << QStringList{example(), "--x", "layers", "--y", "weak", "--points", "0"}
                                << "--points";
    }
    void mistakesAreToldInASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, part);
        QCOMPARE(amissInRefusal(runCli(QStringList{"map"} + arguments), 2, part), QString{});
    }

private:
    static QString example()
    {
        return QStringLiteral(SHARDSCOPE_SOURCE_FOLDER
                              "/resources/examples/llama3-70b-64-h100.scenario.json");
    }
};

QTEST_APPLESS_MAIN(TestMapCommand)
#include "tst_map_command.moc"
