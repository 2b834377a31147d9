#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"
#include "tests/app/cli/write_file.h"

// `shardscope-cli study` as scripts call it.
class TestStudyCommand : public QObject
{
    Q_OBJECT
private slots:
    void theScenariosOwnPlaceIsItsPrediction()
    {
        const CliRun run = runCli({"study", "weak", example(), "--json"});
        QCOMPARE(run.errors, QString{});
        QCOMPARE(run.status, 0);
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QCOMPARE(answer["axis"].toString(), "gpus");
        QVERIFY(answer["group_axis"].isNull());
        const QJsonDocument prediction =
            QJsonDocument::fromJson(runCli({"predict", example(), "--json"}).output);
        int found = 0;
        for (const QJsonValue& each : answer["points"].toArray()) {
            const QJsonObject point = each.toObject();
            QCOMPARE(point["value"].toInt(), point["world_size"].toInt());
            if (point["value"].toInt() != prediction["world_size"].toInt())
                continue;
            ++found;
            QCOMPARE(point["iteration_s"].toDouble(), prediction["time"]["iteration_s"].toDouble());
            QCOMPARE(point["device_bytes"].toDouble(), prediction["memory"]["device_bytes"].toDouble());
        }
        QCOMPARE(found, 1);
    }

    void rowsAreForASpreadsheet()
    {
        const CliRun run = runCli({"study", "zero-gpus", example(), "--values", "1024,1000", "--csv"});
        QCOMPARE(run.status, 0);
        const QList<QByteArray> lines = run.output.trimmed().split('\n');
        QCOMPARE(lines.size(), 1 + 2 * 4);
        QVERIFY(lines[0].startsWith("gpus,zero_stage,problem,world_size,micro_batches,iteration_s"));
        QVERIFY(lines[1].startsWith("1024,0,,1024,"));
        QVERIFY2(lines[5].startsWith("1000,0,"),
                 lines[5].constData()); // cannot be laid out: why stands there
        QVERIFY(lines[5].split(',')[2].size() > 10);
        for (const QByteArray& line : lines)
            QCOMPARE(line.count(','), lines[0].count(','));
    }

    // Two GPUs of Polaris' mesh have one of a node's links between them, four have all.
    void aNetworkThatGetsBetterIsExplained()
    {
        const QString cheng = QStringLiteral(SHARDSCOPE_SOURCE_FOLDER
                                             "/resources/examples/cheng-2024-fig13-zero2.scenario.json");
        const CliRun run = runCli({"study", "zero-gpus", cheng, "--values", "2,4"});
        QVERIFY2(run.output.contains("above 100 %: more GPUs of a node have more links"),
                 run.output.constData());
        const CliRun other = runCli({"study", "zero-gpus", cheng, "--values", "8,16"});
        QVERIFY(!other.output.contains("above 100 %"));
    }

    void wordsAreValuesToo()
    {
        const CliRun run = runCli({"study", "schedule", example(), "--values", "1f1b,zb-h1", "--csv"});
        QCOMPARE(run.status, 0);
        const QList<QByteArray> lines = run.output.trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[1].startsWith("1f1b,"));
        QVERIFY(lines[2].startsWith("zb-h1,"));
    }

    void whatMfuIsAShareOfIsSaidWhereFormatsDiffer_data()
    {
        QTest::addColumn<QByteArray>("cluster");
        QTest::addColumn<QByteArray>("note"); // its end
        QTest::newRow("fp8") << QByteArray{"dgx-h100"}
                             << QByteArray{"989 TFLOP/s, that of fp32 too; that of fp8 of twice as much\n"};
        QTest::newRow("fp4") << QByteArray{"gb200-nvl72"}
                             << QByteArray{
                                    "2500 TFLOP/s, that of fp32 too; that of fp8 of twice as much; that of "
                                    "fp4 of 4 times as much\n"};
        QTest::newRow("no fp8") << QByteArray{"v100-nvlink-100g-roce"}
                                << QByteArray{"125 TFLOP/s, that of fp32 too\n"};
    }
    void whatMfuIsAShareOfIsSaidWhereFormatsDiffer()
    {
        QFETCH(QByteArray, cluster);
        QFETCH(QByteArray, note);
        const QStringList arguments{"study", "formats", example(), "--cluster", cluster};
        const CliRun run = runCli(arguments);
        QVERIFY2(run.output.contains("note: MFU is a share of the dense peak in 16 bits, " + note),
                 run.output);
        QCOMPARE(run.output.contains("\n            fp8 "), note.contains("fp8"));
        QCOMPARE(run.output.contains("\n            fp4 "), note.contains("fp4"));
        QVERIFY(run.output.contains("note, fp32: Products in fp32 are taken at up to "));
        const CliRun other = runCli({"study", "schedule", example(), "--cluster", cluster});
        QCOMPARE(other.status, 0);
        QVERIFY(!other.output.contains("MFU is a share"));
    }

    void whatGoesWithAValueIsSaid()
    {
        QTemporaryDir folder;
        const QString file = writeFile(
            folder, "a.json",
            R"({"parallel": {"tensor": 2, "data": 4, "sequence_parallel": true, "zero_stage": 1}})");
        const QStringList arguments{"study", "zero-gpus", file, "--values", "8,16"};
        const QByteArray text = runCli(arguments).output;
        QVERIFY2(
            text.contains("note, ZeRO 0: with it dp_reduction flat, dp_overlap false, param_overlap false, "
                          "as the framework has it by default there\n"),
            text);
        QVERIFY(!text.contains("note, ZeRO 1: with it") && !text.contains("tp_overlap"));
        const QJsonDocument json = QJsonDocument::fromJson(runCli(arguments + QStringList{"--json"}).output);
        QVERIFY(json["points"][0]["followed"].toArray().contains("conventions.dp_overlap"));
        QVERIFY(json["points"][1]["followed"].toArray().isEmpty());
    }

    // Fewer replicas cannot share the experts among as many.
    void expertRanksThatGoWithTheGpusAreSaid()
    {
        QTemporaryDir folder;
        const QString file =
            writeFile(folder, "a.json",
                      R"({"model": {"preset": "qwen3-30b-a3b"}, "parallel": {"data": 8, "expert": 8}})");
        const QStringList arguments{"study", "strong", file, "--values", "2,8"};
        const QByteArray text = runCli(arguments).output;
        QVERIFY2(text.contains("note, 2 GPUs: with it expert 2, the most of 8 that its ranks leave\n"), text);
        QVERIFY(!text.contains("note, 8 GPUs: with it expert"));
        const QJsonDocument json = QJsonDocument::fromJson(runCli(arguments + QStringList{"--json"}).output);
        QVERIFY(json["points"][0]["followed"].toArray().contains("parallel.expert"));
        QVERIFY(!json["points"][1]["followed"].toArray().contains("parallel.expert"));
    }

    // More of them, of the same width; at the scenario's own size nothing is another.
    void headsThatGoWithTheHiddenSizeAreSaid()
    {
        QTemporaryDir folder;
        const QString file = writeFile(
            folder, "a.json", R"({"model": {"hidden_size": 1024, "attention_heads": 16, "kv_heads": 16}})");
        const QStringList arguments{"study", "hidden", file, "--values", "1024,2048"};
        const QByteArray text = runCli(arguments).output;
        QVERIFY2(
            text.contains("note: with the hidden size go attention_heads, kv_heads, ffn_hidden_size: heads "
                          "stay 64 wide"),
            text);
        const QJsonDocument json = QJsonDocument::fromJson(runCli(arguments + QStringList{"--json"}).output);
        QVERIFY(json["points"][0]["followed"].toArray().isEmpty());
        QCOMPARE(json["points"][1]["followed"].toArray(),
                 (QJsonArray{"model.attention_heads", "model.kv_heads", "model.ffn_hidden_size"}));
    }

    void aTableIsForPeople()
    {
        const CliRun run = runCli({"study", "length", example()});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("exposed comm."));
        QVERIFY(runCli({"study", "list"}).output.contains("pipeline-data"));
    }

    void changesAreRankedBesideTheScenarioItself()
    {
        const CliRun run = runCli({"study", "changes", example(), "--json"});
        QCOMPARE(run.errors, QString{});
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        const double own_s = answer["own"].toObject()["iteration_s"].toDouble();
        const QJsonDocument prediction =
            QJsonDocument::fromJson(runCli({"predict", example(), "--json"}).output);
        QCOMPARE(own_s, prediction["time"]["iteration_s"].toDouble());
        const QJsonArray changes = answer["changes"].toArray();
        QVERIFY(changes.size() > 10);
        for (const QJsonValue& change : changes)
            QCOMPARE(change["ratio"].toDouble(), change["iteration_s"].toDouble() / own_s);
        const CliRun rows = runCli({"study", "changes", example(), "--csv"});
        QCOMPARE(rows.output.trimmed().count('\n'), changes.size() + 1);
        QVERIFY(runCli({"study", "changes", example()}).output.contains("selective recomputation"));
    }

    void stepsAddUpToTheDifference()
    {
        const QString other = example("korthikanti-2022-175b-selective");
        const CliRun run = runCli({"study", "steps", example(), other, "--json"});
        QCOMPARE(run.errors, QString{});
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        double time_s = answer["before"].toObject()["iteration_s"].toDouble();
        for (const QJsonValue& step : answer["steps"].toArray())
            time_s += step["added_s"].toDouble();
        const QJsonDocument prediction = QJsonDocument::fromJson(runCli({"predict", other, "--json"}).output);
        QCOMPARE(time_s, prediction["time"]["iteration_s"].toDouble());
        QVERIFY(runCli({"study", "steps", example(), other}).output.contains("recompute full → selective"));
        const CliRun rows = runCli({"study", "steps", example(), other, "--csv"});
        QVERIFY(rows.output.startsWith("differences,added_s,iteration_s,device_bytes,fits\n"));
    }

    void stepsLeadToWhatIsSet()
    {
        const CliRun run = runCli({"study", "steps", example(), "--set", "recompute=none,data=2", "--csv"});
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        QVERIFY2(run.output.contains("recompute full → none") && run.output.contains("data "), run.output);
    }

    void mistakesAreToldInASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("part");
        QTest::newRow("no scenario") << QStringList{"weak"} << 2 << "a question and a scenario";
        QTest::newRow("no such question") << QStringList{"week", example()} << 2 << "the nearest one is weak";
        QTest::newRow("a picture of another kind") << QStringList{"map", example()} << 2 << "no question";
        QTest::newRow("not a number") << QStringList{"weak", example(), "--values", "8,many"} << 2 << "many";
        QTest::newRow("not whole") << QStringList{"layers", example(), "--values", "1.5"} << 2 << "whole";
        QTest::newRow("not a word") << QStringList{"schedule", example(), "--values", "2f2b"} << 2 << "zb-h1";
        QTest::newRow("one end alone")
            << QStringList{"steps", example()} << 2 << "two scenarios, or one and --set";
        QTest::newRow("two scenarios") << QStringList{"changes", example(), example()} << 2 << "a scenario";
        QTest::newRow("no axis") << QStringList{"changes", example(), "--values", "1"} << 2 << "no axis";
        QTest::newRow("no second file")
            << QStringList{"steps", example(), "nothing.json"} << 1 << "nothing.json";
        QTest::newRow("no file") << QStringList{"weak", "nothing.json"} << 1 << "nothing.json";
    }
    void mistakesAreToldInASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, part);
        QCOMPARE(amissInRefusal(runCli(QStringList{"study"} + arguments), status, part), QString{});
    }

private:
    static QString example(const QString& name = QStringLiteral("gpt3-175b-1024-a100"))
    {
        return QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/resources/examples/%1.scenario.json").arg(name);
    }
};

QTEST_APPLESS_MAIN(TestStudyCommand)
#include "tst_study_command.moc"
