#include <QTest>

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"
#include "tests/app/cli/write_file.h"

// `shardscope-cli infer` as scripts call it.
class TestInferCommand : public QObject
{
    Q_OBJECT
private slots:
    void everyFindingTellsItsEvidence()
    {
        const CliRun run = runCli({"infer", sample(), "--json"});
        QCOMPARE(run.errors, QString{});
        QCOMPARE(run.status, 0);
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QCOMPARE(answer["shardscope"].toInt(), 1);
        const QJsonObject parallel = answer["scenario"].toObject()["parallel"].toObject();
        QCOMPARE(parallel["pipeline"].toInt(), 2);
        QCOMPARE(parallel["tensor"].toInt(), 2);
        QCOMPARE(parallel["data"].toInt(), 2);
        const QJsonArray findings = answer["findings"].toArray();
        QVERIFY(findings.size() > 15);
        for (const QJsonValue& value : findings) {
            const QJsonObject finding = value.toObject();
            QVERIFY(!finding["key"].toString().isEmpty() && !finding["evidence"].toString().isEmpty());
            QVERIFY(finding["confidence"].toDouble() > 0.0 && finding["confidence"].toDouble() < 1.0);
        }
        const QJsonObject messages = answer["messages"].toObject();
        QCOMPARE(messages["as_predicted"].toInt(), messages["classes"].toInt());
    }

    void theSavedScenarioComparesAsEqual()
    {
        QTemporaryDir folder;
        const QString saved = folder.filePath("found.scenario.json");
        QCOMPARE(runCli({"infer", sample(), "-o", saved}).status, 0);
        const CliRun run = runCli({"compare", saved, sample()});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.output.contains("Counts and sizes are equal in all 9"), run.output.constData());
    }

    void aTableIsForPeople()
    {
        const CliRun run = runCli({"infer", sample()});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("parallel.tensor"));
        QVERIFY(run.output.contains("all 9 classes of messages are as predicted"));
    }

    // What the program exports for Megatron-LM is such a script too.
    void whatStartsARunHasTheScenarioThatPredictReads_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("evidence");
        QTest::newRow("a script of Megatron-LM")
            << "pretrain.sh"
            << QByteArray{"torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 512 "
                          "--bf16 --num-attention-heads 8 --seq-length 128 --tensor-model-parallel-size 2\n"}
            << "The scenario of the run that the script starts\n"
            << "tensor_model_parallel_size 2";
        QTest::newRow("a job of torchtitan")
            << "llama.toml"
            << QByteArray{"[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
                          "data_parallel_shard_degree = 4\ntensor_parallel_degree = 2\n"}
            << "The scenario of the job that the file configures\n"
            << "parallelism.tensor_parallel_degree = 2";
    }

    void whatStartsARunHasTheScenarioThatPredictReads()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, text);
        QFETCH(QString, title);
        QFETCH(QString, evidence);
        QTemporaryDir folder;
        const QString file = writeFile(folder, name, text);
        const CliRun run = runCli({"infer", file, "--json"});
        QCOMPARE(run.errors, QString{});
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        const CliRun predicted = runCli({"predict", file, "--json"});
        QCOMPARE(answer["scenario"], QJsonDocument::fromJson(predicted.output).object()["scenario"]);
        QCOMPARE(answer["scenario"].toObject()["name"].toString(), QFileInfo{name}.baseName());
        QStringList told;
        for (const QJsonValue& value : answer["findings"].toArray())
            told << value.toObject()["evidence"].toString();
        QVERIFY2(told.contains(evidence), qPrintable(told.join('\n')));
        const CliRun shown = runCli({"infer", file});
        QVERIFY2(shown.output.startsWith(title.toUtf8()), shown.output.constData());
        QVERIFY(!shown.output.contains("no messages"));
    }

    void whatPredictReadsIsNoTrace_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sentence");
        const QString of_predict = "this is a file that `predict` reads a scenario from, not a trace";
        QTest::newRow("DeepSpeed's configuration")
            << "ds_config.json" << QByteArray{R"({"zero_optimization": {"stage": 2}})"} << of_predict;
        QTest::newRow("a model's config.json")
            << "config.json" << QByteArray{R"({"model_type": "llama", "hidden_size": 64})"} << of_predict;
        QTest::newRow("a scenario under another name")
            << "run.json" << QByteArray{R"({"model": {"layers": 2}})"} << of_predict;
        QTest::newRow("YAML") << "nemo.yaml" << QByteArray{"name: gpt\ntrainer:\n  devices: 8\n"}
                              << "this is YAML, which no scenario is read from. Scenarios are read from";
    }
    void whatPredictReadsIsNoTrace()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, text);
        QFETCH(QString, sentence);
        QTemporaryDir folder;
        const QString file = writeFile(folder, name, text);
        for (const char* command : {"infer", "trace"}) {
            const CliRun run = runCli({command, file});
            QCOMPARE(run.status, 1);
            QVERIFY2(run.errors.contains(file + ": " + sentence), qPrintable(run.errors));
        }
    }

    void tracesWithoutShapesAreRefused()
    {
        QTemporaryDir folder;
        const QString file = writeFile(
            folder, "rank-0.json",
            R"({"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})");
        const CliRun run = runCli({"infer", file});
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("record_shapes=True"), qPrintable(run.errors));
    }

private:
    static QString sample() { return SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2"; }
};

QTEST_APPLESS_MAIN(TestInferCommand)
#include "tst_infer_command.moc"
