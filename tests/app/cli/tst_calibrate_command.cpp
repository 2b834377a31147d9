#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"
#include "tests/app/cli/write_file.h"

#include <cmath>

// `shardscope-cli calibrate` and `export-timeline` as scripts call them.
class TestCalibrateCommand : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        qputenv("SHARDSCOPE_PRESETS", m_folder.filePath("own").toUtf8());
        m_scenario = writeFile(m_folder, "a.scenario.json", "{\"cluster\": {\"preset\": \"dgx-a100\"}}");
    }

    // github stas00/ml-engineering network/README.md, 8 A100 on NVSwitch.
    void aTableOfNcclTestsIsFittedAndKept()
    {
        const QString table = writeFile(
            m_folder, "nccl.txt",
            "# Collective test starting: all_reduce_perf\n"
            "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
            "     1048576        262144     float     sum      -1   101.90   10.29   18.01      0\n"
            "    16777216       4194304     float     sum      -1   276.60   60.66  106.15      0\n"
            "   268435456      67108864     float     sum      -1  2420.60  110.90  194.07      0\n"
            "  1073741824     268435456     float     sum      -1  8203.90  130.88  229.04      0\n"
            "  8589934592    2147483648     float     sum      -1 64074.00  134.06  234.61      0\n");
        const CliRun run = runCli({"calibrate", m_scenario, table, "--save", "lab", "--json"});
        QCOMPARE(run.errors, QString{});
        QCOMPARE(run.status, 0);
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QCOMPARE(answer["points"].toArray().size(), 5);
        const QJsonObject error = answer["error"].toObject();
        QVERIFY(error["fitted"].toDouble() < 0.05);
        QVERIFY(error["fitted"].toDouble() < error["before"].toDouble());
        QVERIFY(error["left_out"].toDouble() > 0.0);
        QCOMPARE(error["folds"].toInt(), 5);

        const CliRun kept = runCli({"collective", "lab", "--op", "all_reduce", "--ranks", "8", "--per-node",
                                    "8", "--bytes", "8G", "--json"});
        QCOMPARE(kept.errors, QString{});
        const double time = QJsonDocument::fromJson(kept.output)["time_s"].toArray()[0].toDouble();
        QVERIFY(std::abs(time / 64074e-6 - 1) < 0.02);
        QVERIFY(runCli({"presets"}).output.contains("lab: lab (own)"));
    }

    void aTableForPeopleHasItsResiduals()
    {
        const QString table =
            writeFile(m_folder, "steps.csv", "data,gb,iteration_s\n1,64,20\n2,64,10.2\n4,64,5.3\n");
        const QString fitted = m_folder.filePath("fitted.scenario.json");
        const CliRun run = runCli({"calibrate", m_scenario, table, "-o", fitted});
        QCOMPARE(run.errors, QString{});
        QVERIFY(run.output.contains("cluster.compute.gemm_efficiency"));
        QVERIFY(run.output.contains("3 iterations"));
        QCOMPARE(runCli({"predict", fitted}).status, 0);
    }

    // The sample run was on processors, whose scenario knows no times.
    void aRunCalibratesTheClusterOfItsScenario()
    {
        const QString samples = QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/");
        const QString fitted = m_folder.filePath("run.scenario.json");
        const CliRun run =
            runCli({"calibrate", samples + "sample.scenario.json", samples + "p2t2d2", "-o", fitted});
        QCOMPARE(run.errors, QString{});
        QVERIFY(run.output.contains("an iteration of the scenario"));
        QVERIFY(run.output.contains("says nothing of other scenarios"));
        const CliRun beside = runCli({"compare", fitted, samples + "p2t2d2", "--json"});
        const QJsonObject comparison = QJsonDocument::fromJson(beside.output).object();
        QVERIFY(comparison["calibrated"].toBool());
        const QJsonObject time = comparison["time"].toObject();
        QVERIFY(time["predicted_iteration_s"].toDouble() > 0.5);
        QVERIFY(std::abs(time["iteration_residual"].toDouble(1.0)) < 0.005);
    }

    void mistakesAreExplained_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("error");
        QTest::newRow("nothing") << QStringList{} << 2 << "calibrate needs a scenario, then measurements";
        QTest::newRow("op") << QStringList{"S", "T", "--op", "dance"} << 2 << "is no collective";
        QTest::newRow("no scenario") << QStringList{"/nowhere/s.json", "T"} << 1 << "/nowhere/s.json: ";
        QTest::newRow("no table") << QStringList{"S", "/nowhere/t.csv"} << 1 << "/nowhere/t.csv";
        QTest::newRow("wrong column") << QStringList{"S", "W"} << 1 << "column \"tensr\" is no key";
        QTest::newRow("a table of no operation")
            << QStringList{"S", "N"} << 1 << "n.log: the table names no operation, and its bandwidths do not";
        QTest::newRow("shipped name") << QStringList{"S", "T", "--save", "dgx-a100"} << 1 << "that ships";
    }
    void mistakesAreExplained()
    {
        QFETCH(QStringList, arguments);
        if (int place = arguments.indexOf("S"); place >= 0)
            arguments[place] = m_scenario;
        if (int place = arguments.indexOf("T"); place >= 0)
            arguments[place] = writeFile(m_folder, "t.csv", "data,iteration_s\n1,20\n2,10\n");
        if (int place = arguments.indexOf("W"); place >= 0)
            arguments[place] = writeFile(m_folder, "w.csv", "tensr,iteration_s\n1,20\n");
        if (int place = arguments.indexOf("N"); place >= 0)
            arguments[place] = writeFile(m_folder, "n.log", alltoall);
        QFETCH(int, status);
        QFETCH(QString, error);
        QCOMPARE(amissInRefusal(runCli(QStringList{"calibrate"} + arguments), status, error), QString{});
    }

    void theOperationIsAskedForOrThatOfTheFilesName()
    {
        const CliRun told =
            runCli({"calibrate", m_scenario, writeFile(m_folder, "n.log", alltoall), "--op", "all_to_all"});
        QCOMPARE(told.errors, QString{});
        QVERIFY2(told.output.contains("all_to_all of 64 MiB over 16 ranks"), told.output.constData());
        const CliRun named =
            runCli({"calibrate", m_scenario, writeFile(m_folder, "16_alltoall_perf.log", alltoall)});
        QCOMPARE(named.errors, QString{});
        QVERIFY2(named.output.contains("all_to_all of 64 MiB over 16 ranks"), named.output.constData());
        QVERIFY2(named.output.contains("that of the file's name is taken: alltoall"),
                 named.output.constData());
    }

    void aFileThatIsNoneIsNamedBesideThoseThatAreRead()
    {
        const CliRun run =
            runCli({"calibrate", m_scenario, writeFile(m_folder, "16_alltoall_perf.log", alltoall),
                    writeFile(m_folder, "random.bin", "\x01\x02\x03 no trace of anything")});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.output.contains("random.bin: left out: this is no trace"), run.output.constData());
    }

    void aTimelineIsExportedAndReadBack()
    {
        const QString trace = m_folder.filePath("timeline.json.gz");
        QCOMPARE(runCli({"export-timeline", m_scenario}).status, 2);
        const CliRun run = runCli({"export-timeline", m_scenario, "-o", trace});
        QCOMPARE(run.errors, QString{});
        QCOMPARE(run.status, 0);
        const QJsonObject read = QJsonDocument::fromJson(runCli({"trace", trace, "--json"}).output).object();
        QCOMPARE(read["files"].toArray()[0].toObject()["status"].toString(), "ok");
        QCOMPARE(runCli({"export-timeline", m_scenario, "-o", "/nowhere/x.json"}).status, 1);
    }

private:
    static constexpr const char* alltoall =
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "    67108864      16777216     float    none      -1    769.1   87.26   81.81      0\n"
        "   268435456      67108864     float    none      -1   2866.2   93.66   87.80      0\n"
        "  1073741824     268435456     float    none      -1  11254.8   95.40   89.44      0\n";

    QTemporaryDir m_folder;
    QString m_scenario;
};

QTEST_APPLESS_MAIN(TestCalibrateCommand)
#include "tst_calibrate_command.moc"
