#include <QTest>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"
#include "tests/app/cli/write_file.h"
#include "tests/two_steps_trace.h"

#include <cmath>

// `trace` and `compare` on the sample traces. The run: 4 layers of hidden size 64 on 2 stages, sequences of
// 64, micro-batches of 2, 4 of them for each replica, tensor and data parallelism 2, fp32. By hand, for each
// rank in one iteration: activations and their gradients are 64 * 2 * 64 * 4 = 32768 bytes; each of the 2
// layers of a stage all-reduces two of them forward and two backward, the embedding one forward on the first
// stage, the head one backward on the last: 4 * (2 * 4 + 1) = 36. The cross-entropy of the last stage sums
// three buffers of 64 * 2 * 4 = 512 bytes a micro-batch: 12. Each stage sends 4 messages and receives 4. The
// last stage reduces the loss, 4 bytes, for each micro-batch. Once a step: the word embedding's gradient,
// 1024 / 2 rows of 64 floats = 131072 bytes; the norm, 4 bytes; the gradients. A layer has 12 h^2 / 2 + 7 h /
// 2
// + 6 h = 25184 parameters a rank, so two layers, half the embedding (32768) and on the first stage 64 * 64
// positions, on the last the final norm's 128 make 87232 and 83264 parameters: 348928 and 333056 bytes.
class TestTraceCommand : public QObject
{
    Q_OBJECT

    static QString sample(const QString& name)
    {
        return QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/") + name;
    }

    static QJsonObject answer(const QStringList& arguments)
    {
        const CliRun run = runCli(arguments);
        if (run.status != 0)
            qWarning("%s", qPrintable(run.errors));
        return QJsonDocument::fromJson(run.output).object();
    }

    // "tp all_reduce 32768" -> calls
    static QMap<QString, qint64> calls(const QJsonObject& rank)
    {
        QMap<QString, qint64> counts;
        for (const QJsonValue value : rank["collectives"].toArray()) {
            const QJsonObject row = value.toObject();
            counts[QStringLiteral("%1 %2 %3")
                       .arg(row["kind"].toString(), row["op"].toString())
                       .arg(row["message_bytes"].toInteger())] += row["count"].toInteger();
        }
        return counts;
    }

    static QMap<QString, qint64> callsOfStage(bool last)
    {
        QMap<QString, qint64> counts{{"tp all_reduce 32768", 36},
                                     {"pp send 32768", 4},
                                     {"pp recv 32768", 4},
                                     {"emb all_reduce 131072", 1},
                                     {"mp all_reduce 4", 1}};
        counts[last ? "dp all_reduce 333056" : "dp all_reduce 348928"] = 1;
        if (last) {
            counts["tp all_reduce 512"] = 12;
            counts["dp all_reduce 4"] = 4;
        }
        return counts;
    }

private slots:
    // Twice the hidden size: products of matrices take four times as long, and nothing less than as long.
    void anIterationIsToldAtOtherSizesToo()
    {
        const QJsonObject resized =
            answer({"trace", sample("p2t2d2"), "--resize", "h=2,b=1", "--json"})["resized"].toObject();
        QCOMPARE(resized["h"].toDouble(), 2.0);
        QCOMPARE(resized["s"].toDouble(), 1.0);
        QCOMPARE(resized["ranks"].toArray().size(), 8);
        const QJsonObject rank = resized["ranks"][3].toObject();
        QCOMPARE(rank["rank"].toInt(), 3);
        const double ratio = rank["resized_compute_s"].toDouble() / rank["measured_compute_s"].toDouble();
        QVERIFY2(ratio > 1.0 && ratio <= 4.0, qPrintable(QString::number(ratio)));
        const CliRun text = runCli({"trace", sample("p2t2d2"), "--resize", "s=1.5"});
        QVERIFY(text.output.contains("An iteration at 1 h, 1.5 s and 1 b"));
        for (const char* wrong :
             {"h=0", "x=2", "h=2x", "h", "", "h= 2", "h=0x10", "h=2,", "h=1e300", "h=inf"}) {
            const CliRun run = runCli({"trace", sample("p2t2d2"), "--resize", wrong});
            QVERIFY2(run.errors.contains("as in h=2"), wrong);
        }
        const CliRun twice = runCli({"trace", sample("p2t2d2"), "--resize", "h=2,h=3"});
        QVERIFY(twice.errors.contains("h is named twice"));
    }

    void callsAreTheRunsOwn_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("kind_from");
        QTest::newRow("by annotations") << QStringList{"trace", sample("p2t2d2"), "--json"} << "annotation";
        QTest::newRow("by the layout alone")
            << QStringList{"trace", "--scenario", sample("sample.scenario.json"), sample("p2t2d2-plain"),
                           "--json"}
            << "layout";
    }
    void callsAreTheRunsOwn()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, kind_from);
        const QJsonObject summary = answer(arguments);
        QCOMPARE(summary["files"].toArray().size(), 8);
        const QJsonObject ranks = summary["ranks"].toObject();
        QCOMPARE(ranks.size(), 8);
        for (int rank = 0; rank < 8; ++rank) {
            const QJsonObject one = ranks[QString::number(rank)].toObject();
            QCOMPARE(calls(one), callsOfStage(rank >= 4));
            for (const QJsonValue row : one["collectives"].toArray()) {
                QCOMPARE(row.toObject()["kind_from"].toString(), kind_from);
                QCOMPARE(row.toObject()["sizes_from"].toString(), QStringLiteral("annotation"));
            }
        }
    }

    // Rank 0 all-reduces over tp 36 * 32768 bytes with rank 1: in a group of two it sends as much.
    void theLayoutMakesTheMatrix()
    {
        const QJsonObject matrix = answer({"trace", "--scenario", sample("sample.scenario.json"),
                                           sample("p2t2d2-plain"), "--json"})["matrix"]
                                       .toObject();
        QCOMPARE(matrix["tp"].toArray().first().toArray(), (QJsonArray{0, 1, 36 * 32768}));
        QCOMPARE(matrix["tp"].toArray().last().toArray(), (QJsonArray{7, 6, 36 * 32768 + 12 * 512}));
        QCOMPARE(matrix["pp"].toArray().first().toArray(), (QJsonArray{0, 4, 4 * 32768}));
        QCOMPARE(matrix["dp"].toArray().first().toArray(), (QJsonArray{0, 2, 348928}));
        QCOMPARE(matrix["emb"].toArray().size(), 8);
        QCOMPARE(matrix["mp"].toArray().first().toArray(), (QJsonArray{0, 1, 6})); // 2 * 3/4 * 4
    }

    void withoutScenarioOrAnnotationsKindsStayUnknown()
    {
        const QJsonObject summary = answer({"trace", sample("p2t2d2-plain"), "--json"});
        for (const QJsonValue row : summary["message_histogram"].toArray())
            QCOMPARE(row.toObject()["kind"].toString(), QStringLiteral("unknown"));
        QCOMPARE(summary["matrix"].toObject().size(), 0);
        QVERIFY(!summary["notes"].toArray().isEmpty());
    }

    void predictionAndMeasurementAreEqual_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::newRow("with annotations") << "p2t2d2";
        QTest::newRow("without") << "p2t2d2-plain";
    }
    void predictionAndMeasurementAreEqual()
    {
        QFETCH(QString, folder);
        const QJsonObject comparison =
            answer({"compare", sample("sample.scenario.json"), sample(folder), "--json"});
        QVERIFY(comparison["equal"].toBool());
        QVERIFY(!comparison["calibrated"].toBool(true));
        QCOMPARE(comparison["rows"].toArray().size(), 9);
        qint64 measured = 0;
        for (const QJsonValue value : comparison["rows"].toArray()) {
            const QJsonObject row = value.toObject();
            QCOMPARE(row["count_residual"].toInteger(-1), 0);
            QVERIFY(row["predicted_s"].isNull()); // the cluster is not calibrated
            measured += row["measured_count"].toInteger();
        }
        QCOMPARE(measured, 4 * 47 + 4 * 63); // of the first and the last stage's four ranks
    }

    void theTextSaysTheSame()
    {
        const CliRun run = runCli({"compare", sample("sample.scenario.json"), sample("p2t2d2")});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.startsWith(
            "Counts and sizes are equal in all 9 classes of messages (8 ranks, 1 iteration)\n"));
    }

    // The second run has no annotations: with the scenario's layout its calls have the same kinds.
    void twoRunsOfAScenarioDifferInTimesAlone()
    {
        const QJsonObject difference = answer({"compare-runs", sample("p2t2d2"), sample("p2t2d2-plain"),
                                               "--scenario", sample("sample.scenario.json"), "--json"});
        double parts_s = 0.0;
        for (const QJsonValue value : difference["parts"].toArray())
            parts_s += value.toObject()["added_s"].toDouble();
        QVERIFY(std::abs(parts_s - difference["added_s"].toDouble()) < 1e-7); // whole nanoseconds
        QCOMPARE(difference["after"].toObject()["ranks"].toInteger(), 8);
        QCOMPARE(difference["calls"].toArray().size(), 9);
        double calls = 0.0;
        for (const QJsonValue value : difference["calls"].toArray()) {
            const QJsonObject row = value.toObject();
            QCOMPARE(row["after_count"].toDouble(), row["before_count"].toDouble());
            calls += row["after_count"].toDouble();
        }
        QCOMPARE(calls, (47 + 63) / 2.0); // of the first and the last stage's ranks, as many of both
    }

    void twoStepsOfARunAreCompared()
    {
        const QTemporaryDir folder;
        const QString run = folder.filePath("rank0.json");
        QVERIFY(writeTwoSteps(run));
        const QJsonObject difference = answer({"compare-runs", run, run, "--steps", "1,2", "--json"});
        QCOMPARE(difference["before"].toObject()["iteration_s"].toDouble(), 100e-6);
        QCOMPARE(difference["after"].toObject()["iteration_s"].toDouble(), 200e-6);
        const QJsonObject kernel = difference["kernels"].toArray()[0].toObject();
        QCOMPARE(kernel["before_s"].toDouble(), 50e-6);
        QCOMPARE(kernel["after_s"].toDouble(), 150e-6);
        const QJsonObject both = answer({"compare-runs", run, run, "--json"});
        QCOMPARE(both["after"].toObject()["iterations"].toInteger(), 2);
        QCOMPARE(both["kernels"].toArray()[0].toObject()["after_s"].toDouble(), 100e-6);
    }

    void rulesCanBeGiven()
    {
        QTemporaryDir folder;
        QFile rules{folder.filePath("mine.rules")};
        QVERIFY(rules.open(QIODevice::WriteOnly));
        rules.write("communication ^gloo:send\nkind cp ^ptdp::pp.send\n");
        rules.close();
        const QJsonObject summary =
            answer({"trace", sample("p2t2d2"), "--json", "--rules", rules.fileName()});
        QCOMPARE(calls(summary["ranks"].toObject()["0"].toObject()),
                 (QMap<QString, qint64>{{"cp send 32768", 4}}));
    }

    // Tables of two sizes of groups stand one below the other.
    void tablesOfNcclTestsTellTheirRanks()
    {
        QTemporaryDir folder;
        QByteArray table = "# nThread 1 nGpus 1\n";
        for (int rank = 0; rank < 4; ++rank)
            table += "#  Rank  " + QByteArray::number(rank) + " Group  0 Pid  100 on node"
                     + QByteArray::number(rank / 2) + " device  " + QByteArray::number(rank % 2)
                     + " [0x07] NVIDIA A100\n";
        table += "#       size         count      type   redop    root     time   algbw   busbw\n"
                 "     8388608       2097152     float     sum      -1    177.0   47.39   71.08\n";
        const QString file = writeFile(folder, "all_reduce_perf.txt", table);
        const CliRun run = runCli({"trace", file});
        QVERIFY2(run.output.contains("ranks  on a host"), run.output);
        const QJsonDocument json = QJsonDocument::fromJson(runCli({"trace", file, "--json"}).output);
        QCOMPARE(json["points"][0]["ranks"].toInt(), 4);
        QCOMPARE(json["points"][0]["ranks_of_host"].toInt(), 2);
    }

    void whatIsWrongIsSaid_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* what, QStringList arguments, int status, const char* part) {
            QTest::newRow(what) << arguments << status << part;
        };
        row("no trace", {"trace"}, 2, "usage: shardscope-cli trace PATH...");
        row("wrong option", {"trace", sample("p2t2d2"), "--jsn"}, 2, "--json");
        row("option without a file", {"trace", sample("p2t2d2"), "--rules"}, 2, "--rules needs a value");
        row("no such trace", {"trace", "/nowhere/rank0.json"}, 1, "/nowhere/rank0.json");
        row("not a trace", {"trace", sample("README.md")}, 1, "README.md: ");
        row("no such rules", {"trace", sample("p2t2d2"), "--rules", "/nowhere/x.rules"}, 1,
            "/nowhere/x.rules: ");
        row("no such scenario", {"trace", sample("p2t2d2"), "--scenario", "/nowhere/x.json"}, 1,
            "/nowhere/x.json: ");
        row("compare without traces", {"compare", sample("sample.scenario.json")}, 2,
            "usage: shardscope-cli compare");
        row("compare-runs with one run", {"compare-runs", sample("p2t2d2")}, 2,
            "usage: shardscope-cli compare-runs");
        row("compare-runs with one step",
            {"compare-runs", sample("p2t2d2"), sample("p2t2d2"), "--steps", "2"}, 2,
            "two steps are expected");
        row("compare with a step that is not there",
            {"compare", sample("sample.scenario.json"), sample("p2t2d2"), "--step", "9"}, 1,
            "compare: --step: no trace has step 9; the only one is 2");
        row("compare-runs with a run that is not there", {"compare-runs", sample("p2t2d2"), "/nowhere/b"}, 1,
            "/nowhere/b");
        row("compare without a scenario", {"compare", sample("p2t2d2"), sample("p2t2d2")}, 1, "p2t2d2: ");
    }
    void whatIsWrongIsSaid()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, part);
        QCOMPARE(amissInRefusal(runCli(arguments), status, part), QString{});
    }
};

QTEST_APPLESS_MAIN(TestTraceCommand)
#include "tst_trace_command.moc"
