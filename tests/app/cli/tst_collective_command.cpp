#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"
#include "tests/app/cli/write_file.h"

#include <cmath>

// `shardscope-cli collective` as scripts call it.
class TestCollectiveCommand : public QObject
{
    Q_OBJECT
private slots:
    void aPresetAnswersInTheOrderOfTheSizes()
    {
        const CliRun run = runCli({"collective", "dgx-h100", "--op", "all_gather", "--ranks", "8",
                                   "--per-node", "8", "--bytes", "1073741824,16MiB", "--json"});
        QCOMPARE(run.errors, QString{});
        QCOMPARE(run.status, 0);
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QCOMPARE(answer["op"].toString(), "all_gather");
        QCOMPARE(answer["ranks"].toInt(), 8);
        const QJsonArray times = answer["time_s"].toArray();
        const QJsonArray rates = answer["busbw_GBps"].toArray();
        QCOMPARE(times.size(), 2);
        // MooreThreads/SimuMax nccl_fit.py: 2734.1 us and 73.03 us
        QVERIFY(std::abs(times[0].toDouble() / 2734.1e-6 - 1) < 0.05);
        QVERIFY(std::abs(times[1].toDouble() / 73.03e-6 - 1) < 0.1);
        const double sent = 7.0 / 8 * 16 * 1048576;
        QVERIFY(std::abs(rates[1].toDouble() * times[1].toDouble() * 1e9 / sent - 1) < 1e-6);
    }

    void aFileHoldsTheClusterOrAScenario_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("cluster") << QByteArray{R"({"gpu": "A100-SXM4-80GB"})"};
        QTest::newRow("scenario") << QByteArray{R"({"shardscope": 1, "cluster": {"gpu": "A100-SXM4-80GB"}})"};
    }
    void aFileHoldsTheClusterOrAScenario()
    {
        QFETCH(QByteArray, text);
        const CliRun run = ask(text);
        QCOMPARE(run.errors, QString{});
        // github stas00/ml-engineering network/README.md: 64074 us
        const double time = QJsonDocument::fromJson(run.output)["time_s"].toArray()[0].toDouble();
        QVERIFY(std::abs(time / 64074e-6 - 1) < 0.03);
    }

    // As of those that ship, and of those that the window saves.
    void aPresetsFileIsAnsweredLikeItsName_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("not calibrated") << "gloo-two-cores";
        QTest::newRow("calibrated") << "dgx-a100";
    }
    void aPresetsFileIsAnsweredLikeItsName()
    {
        QFETCH(const QString, name);
        const auto askOf = [](const QString& cluster) {
            return runCli({"collective", cluster, "--op", "all_reduce", "--ranks", "16", "--per-node", "8",
                           "--bytes", "1M,16M", "--json"});
        };
        const CliRun of_file =
            askOf(QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/resources/presets/clusters/%1.json").arg(name));
        QCOMPARE(of_file.errors, QString{});
        QCOMPARE(of_file.output, askOf(name).output);
    }

    void whatIsWrongInAPresetsFileIsSaid_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("error");
        QTest::newRow("of the preset")
            << QByteArray{R"({"title": "Own", "cluster": {"gpus_per_nod": 8}})"}
            << "cluster.gpus_per_nod is not a known key; the nearest one is cluster.";
        QTest::newRow("of a scenario")
            << QByteArray{R"({"cluster": {"gpus_per_nod": 8}})"} << "cluster.gpus_per_nod is not a known key";
    }
    void whatIsWrongInAPresetsFileIsSaid()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, error);
        const CliRun run = ask(text);
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains(error), qPrintable(run.errors));
    }

    void aRankAloneTakesNoTimeForCertain()
    {
        const CliRun run = runCli({"collective", "dgx-a100", "--op", "all_reduce", "--ranks", "1",
                                   "--per-node", "1", "--bytes", "16M", "--json"});
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QCOMPARE(answer["time_s"].toArray(), (QJsonArray{0}));
        QCOMPARE(answer["error_band"].toArray(), (QJsonArray{QJsonArray{0, 0}}));
    }

    void operationsHaveTheWordsOfNcclToo()
    {
        const auto ask_for = [](const char* op) {
            return runCli(
                {"collective", "dgx-a100", "--op", op, "--ranks", "16", "--per-node", "8", "--bytes", "16M"});
        };
        QCOMPARE(ask_for("allreduce").output, ask_for("all_reduce").output);
        QCOMPARE(ask_for("AllToAll").output, ask_for("all_to_all").output);
    }

    // A rack is a node of the preset's; of a file with trays as nodes, fast links join them.
    void traysOfARackAreJoined()
    {
        const QStringList asked{"--op", "all_reduce", "--ranks", "32", "--per-node", "4", "--bytes", "8G"};
        const CliRun preset = runCli(QStringList{"collective", "gb200-nvl72"} + asked);
        QVERIFY2(preset.output.contains("with 4 ranks on each tray of one rack, say --per-node 32"),
                 preset.output);
        QVERIFY(!preset.output.contains("mu is not known"));
        QTemporaryDir folder;
        const QString file = writeFile(
            folder, "trays.json", R"({"preset": "gb200-nvl72", "gpus_per_node": 4, "scale_up_gpus": 72})");
        const CliRun trays = runCli(QStringList{"collective", file} + asked);
        QVERIFY2(trays.output.contains("fast links join the nodes of 72 GPUs: 32 of the ranks"),
                 trays.output);
        QVERIFY2(trays.output.contains("all_reduce over 32 ranks, 32 on a node"), trays.output);
    }

    void aTableIsForPeople()
    {
        const CliRun run = runCli({"collective", "dgx-a100", "--op", "all_reduce", "--ranks", "16",
                                   "--per-node", "8", "--bytes", "16M"});
        QVERIFY(run.output.contains("all_reduce over 16 ranks, 8 on a node"));
        QVERIFY(run.output.contains("16 MiB"));
        QVERIFY(run.output.contains("± 12 %"));
    }

    void aClusterThatIsNotCalibratedSaysSo()
    {
        const CliRun run = runCli({"collective", "gloo-two-cores", "--op", "all_reduce", "--ranks", "2",
                                   "--per-node", "2", "--bytes", "16M"});
        QVERIFY(run.output.contains("not calibrated"));
        QVERIFY(!run.output.contains("±"));
    }

    void mistakesAreExplained_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, QStringList changed, int status, const char* error) {
            QStringList all{"collective", "dgx-a100",   "--op", "all_reduce", "--ranks",
                            "8",          "--per-node", "8",    "--bytes",    "1024"};
            for (int i = 0; i + 1 < changed.size(); i += 2)
                all[changed[i].toInt()] = changed[i + 1];
            QTest::newRow(name) << all << status << error;
        };
        row("unknown cluster", {"1", "dgx-a10"}, 1, "the nearest one is dgx-a100");
        row("no file", {"1", "nowhere/cluster.json"}, 1, "cluster.json: there is no such file; give one");
        row("a cluster of another name with the same GPU", {"1", "dgx-h200"}, 1,
            "the nearest one is hgx-h200");
        row("unknown op", {"3", "allreduced"}, 2, "the nearest one is all_reduce");
        row("ranks", {"5", "none"}, 2, "--ranks: \"none\" is not a whole number");
        row("no ranks", {"5", "0"}, 2, "--ranks: \"0\" is not a whole number");
        row("per node", {"7", "-1"}, 2, "--per-node");
        row("sizes", {"9", "1024,,2"}, 2, "--bytes: \"\" is not a size");
        row("huge size", {"9", "9999999999G"}, 2, "is not a size");
        row("broken size", {"9", "12Q"}, 2, "is not a size");
    }
    void mistakesAreExplained()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, error);
        QCOMPARE(amissInRefusal(runCli(arguments), status, error), QString{});
    }

    void whatIsMissingIsNamed()
    {
        const CliRun run = runCli({"collective", "dgx-a100", "--op", "all_reduce"});
        QCOMPARE(run.status, 2);
        QVERIFY(run.errors.contains("collective needs --ranks; usage:"));
    }

    void impossibleFiguresOfAFileAreRefused()
    {
        const CliRun run = ask(R"({"intra_node": {"bandwidth_GBps": -1}})");
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("bandwidth_GBps is -1"), qPrintable(run.errors));
    }

private:
    static CliRun ask(const QByteArray& cluster)
    {
        QTemporaryDir folder;
        const QString file = writeFile(folder, "cluster.json", cluster);
        return runCli({"collective", file, "--op", "all_reduce", "--ranks", "8", "--per-node", "8", "--bytes",
                       "8G", "--json"});
    }
};

QTEST_APPLESS_MAIN(TestCollectiveCommand)
#include "tst_collective_command.moc"
