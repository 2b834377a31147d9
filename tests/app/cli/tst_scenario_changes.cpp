#include <QTest>

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"
#include "tests/app/cli/write_file.h"

// What --cluster, --deepspeed and --set make of a scenario, in every command that takes one.
class TestScenarioChanges : public QObject
{
    Q_OBJECT
private slots:
    void aPredictionNamesItsMachines_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArray>("gpus");
        QTest::addColumn<bool>("assumed");
        const QByteArray script = "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 "
                                  "--num-attention-heads 8 --seq-length 128 --micro-batch-size 1\n";
        const QByteArray model =
            R"({"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 512, "vocab_size": 1000})";
        const QByteArray deepspeed = R"({"zero_optimization": {"stage": 1}, "train_batch_size": 8})";
        const QByteArray scenario = R"({"cluster": {"gpu": "Intel Gaudi 2"}})";
        const QStringList h100{"--cluster", "dgx-h100"};
        const QByteArray a100s = "A100-SXM4-80GB, 8 a node, nvlink3 300 GB/s a GPU; infiniband 25 GB/s a GPU "
                                 "between nodes";
        const QByteArray h100s = "H100-SXM5-80GB, 8 a node, nvlink4 450 GB/s a GPU; infiniband 50 GB/s a GPU "
                                 "between nodes (dgx-h100)";
        QTest::newRow("a script") << "a.sh" << script << QStringList{} << a100s << true;
        QTest::newRow("a script and a cluster") << "a.sh" << script << h100 << h100s << false;
        QTest::newRow("a script that names one")
            << "a.sh"
            << "# shardscope cluster: dgx-h100\n" + script << QStringList{} << h100s << false;
        QTest::newRow("a model") << "config.json" << model << QStringList{} << a100s << true;
        QTest::newRow("a model and a cluster") << "config.json" << model << h100 << h100s << false;
        QTest::newRow("DeepSpeed's") << "ds.json" << deepspeed << QStringList{} << a100s << true;
        QTest::newRow("a scenario") << "a.json" << QByteArray{"{}"} << QStringList{} << a100s << false;
        QTest::newRow("a scenario and a cluster") << "a.json" << scenario << h100 << h100s << false;
    }
    void aPredictionNamesItsMachines()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, text);
        QFETCH(QStringList, options);
        QFETCH(QByteArray, gpus);
        QTemporaryDir folder;
        const CliRun run = runCli(QStringList{"predict", writeFile(folder, file, text)} + options);
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        QVERIFY2(run.output.contains("  cluster        " + gpus + '\n'), run.output);
        QTEST(run.output.contains("dgx-a100 is assumed; --cluster takes another"), "assumed");
        QVERIFY(!run.output.contains("Gaudi")); // of a cluster that is replaced nothing is said
    }

    // It tells which calls are whose, and no time.
    void aLayoutNeedsNoMachines()
    {
        QTemporaryDir folder;
        const QString script =
            writeFile(folder, "a.sh",
                      "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 "
                      "--seq-length 128 --micro-batch-size 1\n");
        const CliRun run = runCli({"trace", "/nowhere", "--scenario", script});
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("/nowhere") && !run.errors.contains("--cluster"),
                 qPrintable(run.errors));
    }

    void everyCommandTakesAClusterAndFiguresForItsScenario_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("search") << QStringList{"search", "-", "--gpus", "8", "--top", "1"};
        QTest::newRow("study") << QStringList{"study", "schedule", "-"};
        QTest::newRow("map") << QStringList{"map",        "-",      "--x",        "sequence_length",
                                            "--y",        "tensor", "--x-values", "1024",
                                            "--y-values", "1",      "--csv"};
        QTest::newRow("export-timeline") << QStringList{"export-timeline", "-", "-o", "/nowhere/t.json.gz"};
        QTest::newRow("compare") << QStringList{"compare", "-", "/nowhere"};
    }
    void everyCommandTakesAClusterAndFiguresForItsScenario()
    {
        QFETCH(QStringList, arguments);
        QTemporaryDir folder;
        arguments.replaceInStrings(QRegularExpression{"^-$"},
                                   writeFile(folder, "a.json", R"({"model": {"preset": "gpt2-124m"}})"));
        const CliRun unknown = runCli(arguments + QStringList{"--cluster", "dgx-h1000"});
        QCOMPARE(amissInRefusal(unknown, 1, "--cluster: dgx-h1000: there is no such file and no cluster"),
                 QString{});
        const CliRun known = runCli(arguments + QStringList{"--cluster", "dgx-h100"});
        QVERIFY2(!known.errors.contains("--cluster"), qPrintable(known.errors));
        const CliRun own = runCli(arguments);
        QCOMPARE(known.status, own.status);
        QCOMPARE(known.output == own.output, own.status != 0); // another cluster, other times
        const CliRun misspelt = runCli(arguments + QStringList{"--set", "tnsor=1"});
        QCOMPARE(amissInRefusal(misspelt, 1, "--set: tnsor is not a known key"), QString{});
        const CliRun set = runCli(arguments + QStringList{"--set", "sequence_length=512"});
        QCOMPARE(set.status, own.status);
        QCOMPARE(set.output == own.output, own.status != 0 || arguments.first() == "map"); // its own axis
        const CliRun impossible = runCli(arguments + QStringList{"--set", "layers=0"});
        const QString told = impossible.errors + QString::fromUtf8(impossible.output);
        QVERIFY2(told.contains("layers is 0"), qPrintable(told));
        const CliRun no_deepspeed = runCli(arguments + QStringList{"--deepspeed", "/nowhere.json"});
        QCOMPARE(amissInRefusal(no_deepspeed, 1, "--deepspeed: /nowhere.json: "), QString{});
    }

    void figuresAreSetBesideAFile_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("a scenario") << "a.json" << QByteArray{R"({"parallel": {"data": 2}})"};
        QTest::newRow("one a line") << "a.jsonl" << QByteArray{"{}\n"};
        QTest::newRow("a script") << "a.sh"
                                  << QByteArray{"torchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 "
                                                "--num-attention-heads 8 --seq-length 128\n"};
    }
    void figuresAreSetBesideAFile()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, text);
        QTemporaryDir folder;
        const CliRun run =
            runCli({"predict", writeFile(folder, file, text), "--json", "--cluster", "dgx-h100", "--set",
                    "tensor=2,data=16,global_batch_size=64", "--set=cluster.gpus_per_node=4"});
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        const QJsonObject answer = QJsonDocument::fromJson(run.output).object();
        QCOMPARE(answer["world_size"].toInt(), 32);
        QCOMPARE(answer["scenario"]["cluster"]["gpus_per_node"].toInt(), 4);
        QCOMPARE(answer["scenario"]["cluster"]["gpu"].toString(), "H100-SXM5-80GB");
    }

    // A model of Hugging Face in DeepSpeed's hands, on as many GPUs as are set: the batch follows from them.
    void deepSpeedTrainsWhatIsThere()
    {
        QTemporaryDir folder;
        const QString model = writeFile(
            folder, "config.json",
            R"({"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 512, "vocab_size": 1000})");
        const QString deepspeed = writeFile(
            folder, "ds_config.json",
            R"({"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 3, "bf16": {"enabled": true}})");
        const CliRun run = runCli({"predict", model, "--deepspeed", deepspeed, "--set",
                                   "data=16,reduce_each_micro_batch=false", "--json"});
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        const QJsonObject scenario = QJsonDocument::fromJson(run.output)["scenario"].toObject();
        QCOMPARE(scenario["model"]["hidden_size"].toInt(), 256);
        QCOMPARE(scenario["conventions"]["framework"].toString(), "deepspeed");
        QCOMPARE(scenario["parallel"]["zero_stage"].toInt(), 3);
        QCOMPARE(scenario["parallel"]["data"].toInt(), 16);
        QCOMPARE(scenario["training"]["global_batch_size"].toInt(), 2 * 3 * 16);
        QVERIFY(!scenario["conventions"]["reduce_each_micro_batch"].toBool());
    }

    // It works out its batch from the replicas that are set, whoever tells the model.
    void theBatchOfDeepSpeedFollowsWhatIsSet()
    {
        QTemporaryDir folder;
        const QString whole = writeFile(folder, "ds_config.json",
                                        R"({"zero_optimization": {"stage": 1}, "train_batch_size": 256})");
        for (const QStringList& files :
             {QStringList{whole}, QStringList{writeFile(folder, "a.json", "{}"), "--deepspeed", whole}}) {
            const CliRun run =
                runCli(QStringList{"predict"} + files + QStringList{"--set", "data=4", "--json"});
            QVERIFY2(run.status == 0, qPrintable(run.errors));
            const QJsonObject training =
                QJsonDocument::fromJson(run.output)["scenario"]["training"].toObject();
            QCOMPARE(training["global_batch_size"].toInt(), 256);
            QCOMPARE(training["micro_batch_size"].toInt(), 64);
            QVERIFY(!run.output.contains("On how many GPUs it runs is not told; 1"));
        }
    }

    void stepsOfOneScenarioNeedAFile()
    {
        const CliRun run = runCli({"study", "steps", "-", "--set", "tensor=2"}, "{}");
        QCOMPARE(amissInRefusal(run, 2, "standard input cannot be; name a file"), QString{});
    }

    void deepSpeedsConfigurationIsAskedFor_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("a scenario") << QByteArray{"{}"} << "this is no configuration of DeepSpeed";
        QTest::newRow("a slip") << QByteArray{R"({"zero_optimization": )"} << "line 1, column ";
    }
    void deepSpeedsConfigurationIsAskedFor()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, sentence);
        QTemporaryDir folder;
        const QString scenario = writeFile(folder, "a.json", "{}");
        const CliRun run =
            runCli({"predict", scenario, "--deepspeed", writeFile(folder, "ds_config.json", text)});
        QCOMPARE(amissInRefusal(run, 1, "--deepspeed: "), QString{});
        QCOMPARE(amissInRefusal(run, 1, sentence), QString{});
        const CliRun missing = runCli({"predict", scenario, "--deepspeed", "/nowhere.json"});
        QCOMPARE(amissInRefusal(missing, 1, "--deepspeed: /nowhere.json: "), QString{});
    }
};

QTEST_APPLESS_MAIN(TestScenarioChanges)
#include "tst_scenario_changes.moc"
