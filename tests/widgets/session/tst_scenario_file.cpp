#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/session/scenario_file.h"

using namespace shardscope;

class TestScenarioFile : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void contentTells_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<bool>("scenario");
        QTest::newRow("a scenario under any name")
            << "a.json" << QByteArray{R"({"model": {"preset": "gpt-3b"}})"} << true;
        QTest::newRow("with the version alone")
            << "a.json" << QByteArray{R"({"shardscope": 1, "parallel": {}})"} << true;
        QTest::newRow("a model's config.json")
            << "config.json" << QByteArray{R"({"model_type": "llama", "hidden_size": 8})"} << true;
        QTest::newRow("a config.json that has lost its model_type")
            << "config.json" << QByteArray{R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 8})"}
            << true;
        QTest::newRow("a configuration of DeepSpeed")
            << "ds_config.json" << QByteArray{R"({"zero_optimization": {"stage": 3}})"} << true;
        QTest::newRow("a job of torchtitan")
            << "run.txt" << QByteArray{"[model]\nname = \"llama3\"\nflavor = \"8B\"\n"} << true;
        QTest::newRow("YAML, whose reader says that it is not read")
            << "nemo.yaml" << QByteArray{"name: gpt\ntrainer:\n  devices: 8\n"} << true;
        QTest::newRow("lines with a colon")
            << "a.log" << QByteArray{"WARNING: late\nloss 3.1: iteration 2\nloss 3.0\n"} << false;
        QTest::newRow("a name alone") << "a.json" << QByteArray{R"({"shardscope": 1, "name": "x"})"} << true;
        QTest::newRow("its name, though broken") << "a.scenario.json" << QByteArray{"{ \"model\": "} << true;
        QTest::newRow("with a comma too many")
            << "a.json" << QByteArray{R"({"shardscope": 1, "model": {"layers": 3,}})"} << true;
        QTest::newRow("cut off") << "a.json" << QByteArray{R"({"model": {"layers": 3})"} << true;
        QTest::newRow("a key twice") << "a.json" << QByteArray{R"({"model": {}, "model": {}})"} << true;
        QTest::newRow("a log of objects")
            << "a.json" << QByteArray{"{\"model\": 1}\n{\"model\": 2}\n"} << false;
        QTest::newRow("a trace that was cut off")
            << "a.json" << QByteArray{R"({"model": "x", "traceEvents": [{"ph": "X")"} << false;
        QTest::newRow("a trace") << "a.json" << QByteArray{R"({"traceEvents": [], "deviceProperties": []})"}
                                 << false;
        QTest::newRow("an array") << "a.json" << QByteArray{"[]"} << false;
        QTest::newRow("a trace summary")
            << "a.json" << QByteArray{R"({"shardscope": 1, "files": [], "ranks": {}})"} << false;
        QTest::newRow("a compressed trace of a scenario's name")
            << "a.scenario.json" << QByteArray::fromHex("1f8b0800") << false;
        QTest::newRow("not JSON") << "a.log" << QByteArray{"iteration 1/10"} << false;
        QTest::newRow("empty") << "a.json" << QByteArray{} << false;
    }
    void contentTells()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(bool, scenario);
        const QTemporaryDir folder;
        QFile file{folder.filePath(name)};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        QCOMPARE(isScenarioFile(file.fileName()), scenario);
    }

    void aFolderHasAScenarioIfItIsTheOnlyOne()
    {
        const QTemporaryDir folder;
        const auto write = [&](const QString& name) {
            QFile file{folder.filePath(name)};
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("{}");
        };
        write("rank0.json");
        QCOMPARE(scenarioIn(folder.path()), QString{});
        write("run.scenario.json");
        QCOMPARE(scenarioIn(folder.path()), folder.filePath("run.scenario.json"));
        QCOMPARE(scenarioIn(folder.filePath("run.scenario.json")), QString{});
        write("other.scenario.json");
        QCOMPARE(scenarioIn(folder.path()), QString{});
    }

    void foldersAreTraces()
    {
        const QTemporaryDir folder;
        QVERIFY(!isScenarioFile(folder.path()));
        QVERIFY(!isScenarioFile(folder.filePath("nothing.scenario.json")));
    }
};

QTEST_GUILESS_MAIN(TestScenarioFile)
#include "tst_scenario_file.moc"
