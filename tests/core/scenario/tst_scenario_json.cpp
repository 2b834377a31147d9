#include <QTest>

#include <QFile>
#include <QTemporaryDir>

#include "core/scenario/presets.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

using namespace shardscope;

static Scenario read(const char* json)
{
    const auto reading = readScenario(json, shipped());
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value().scenario;
}

// A file with keys of every section, as people write them. docs/scenario.md has all keys.
static QByteArray everySection()
{
    QFile file{SHARDSCOPE_SOURCE_FOLDER "/tests/core/scenario/every_section.scenario.json"};
    if (!file.open(QIODevice::ReadOnly))
        qFatal("every_section.scenario.json is missing");
    return file.readAll();
}

class TestScenarioJson : public QObject
{
    Q_OBJECT
private slots:
    void aFileOfEverySectionIsReadKeyByKey()
    {
        const auto reading = readScenario(everySection().toStdString(), shipped());
        QVERIFY2(reading, reading ? "" : reading.error().sentence.c_str());
        QVERIFY(reading.value().warnings.empty());
        const Scenario& scenario = reading.value().scenario;
        QCOMPARE(scenario.model.layers, 54);
        QCOMPARE(scenario.model.experts.every, 2);
        QCOMPARE(scenario.training.recompute, Recompute::full);
        QCOMPARE(scenario.parallel.pipeline, 4);
        QCOMPARE(scenario.parallel.schedule, Schedule::one_f_one_b);
        QCOMPARE(scenario.cluster.inter_node.bandwidth_GBps, 1.56);
        QVERIFY(!scenario.cluster.effective.tp_GBps);
        QCOMPARE(scenario.microBatches(), 8);
        QCOMPARE(scenario.worldSize(), 32);
    }

    void whatIsWrittenIsReadBackTheSame_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("every section") << everySection();
        QTest::newRow("nothing") << QByteArray{"{}"};
        QTest::newRow("custom mapping")
            << QByteArray{R"({"parallel": {"rank_order": "tp-pp-dp", "context": 2}})"};
        QTest::newRow("uneven stages")
            << QByteArray{R"({"parallel": {"pipeline": 2, "stage_layers": [11, 13]}})"};
        QTest::newRow("bandwidths") << QByteArray{
            R"({"cluster": {"effective_GBps": {"tp": 3.5, "dp": 0.1}}})"};
        QTest::newRow("not calibrated") << QByteArray{R"({"cluster": {"preset": "gloo-two-cores"}})"};
        QTest::newRow("list of parameters") << QByteArray{R"({"model": {"preset": "vgg16"}})"};
        QTest::newRow("mixture of experts") << QByteArray{R"({"model": {"preset": "deepseek-v3"}})"};
        QTest::newRow("multi-token prediction")
            << QByteArray{R"({"model": {"preset": "deepseek-v3", "mtp_layers": 1}})"};
        QTest::newRow("name with quotes") << QByteArray{"{\"name\": \"a \\\"b\\\" \\u00e4\\n\"}"};
    }
    void whatIsWrittenIsReadBackTheSame()
    {
        QFETCH(QByteArray, json);
        const Scenario scenario = read(json);
        for (const int indent : {-1, 2}) {
            const std::string text = writeScenario(scenario, indent);
            const auto again = readScenario(text, shipped());
            QVERIFY2(again, again ? "" : again.error().sentence.c_str());
            QVERIFY(again.value().scenario == scenario);
            QCOMPARE(text.find('\n') == std::string::npos, indent < 0);
        }
    }

    void emptyObjectIsTheDefaultScenario()
    {
        // Bands of its times come with the presets alone.
        Scenario expected;
        expected.cluster.compute = shipped().cluster("dgx-a100")->cluster.compute;
        QVERIFY(read("{}") == expected);
        QVERIFY(read(R"({"model": {}, "training": {}, "parallel": {}, "conventions": {}, "cluster": {}})")
                == expected);
    }

    void sizesFollowWhatTheFileGives_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<qint64>("heads");
        QTest::addColumn<qint64>("kvHeads");
        QTest::addColumn<qint64>("headDim");
        QTest::addColumn<qint64>("ffn");
        QTest::newRow("hidden size alone") << QByteArray{R"("hidden_size": 4096)"} << qint64{32} << qint64{32}
                                           << qint64{128} << qint64{16384};
        QTest::newRow("hidden size and heads") << QByteArray{R"("hidden_size": 1600, "attention_heads": 25)"}
                                               << qint64{25} << qint64{25} << qint64{64} << qint64{6400};
        QTest::newRow("heads of 64") << QByteArray{R"("hidden_size": 320)"} << qint64{5} << qint64{5}
                                     << qint64{64} << qint64{1280};
        QTest::newRow("preset") << QByteArray{R"("preset": "llama3-8b")"} << qint64{32} << qint64{8}
                                << qint64{128} << qint64{14336};
        QTest::newRow("wider preset") << QByteArray{R"("preset": "llama3-8b", "hidden_size": 8192)"}
                                      << qint64{32} << qint64{8} << qint64{256} << qint64{28672};
        QTest::newRow("preset with more heads")
            << QByteArray{R"("preset": "llama3-8b", "hidden_size": 8192, "attention_heads": 64)"}
            << qint64{64} << qint64{8} << qint64{128} << qint64{28672};
        QTest::newRow("preset without grouped heads")
            << QByteArray{R"("preset": "gpt-22b", "attention_heads": 48)"} << qint64{48} << qint64{48}
            << qint64{128} << qint64{24576};
        QTest::newRow("preset with heads that its groups do not divide")
            << QByteArray{R"("preset": "llama3-8b", "hidden_size": 4608, "attention_heads": 36)"}
            << qint64{36} << qint64{6} << qint64{128} << qint64{16128};
        QTest::newRow("latent attention keeps its head")
            << QByteArray{R"("preset": "deepseek-v3")"} << qint64{128} << qint64{128} << qint64{128}
            << qint64{18432};
    }
    void sizesFollowWhatTheFileGives()
    {
        QFETCH(QByteArray, model);
        const Model read_model = read("{\"model\": {" + model + "}}").model;
        QTEST(static_cast<qint64>(read_model.attention_heads), "heads");
        QTEST(static_cast<qint64>(read_model.kv_heads), "kvHeads");
        QTEST(static_cast<qint64>(read_model.head_dim), "headDim");
        QTEST(static_cast<qint64>(read_model.ffn_hidden_size), "ffn");
    }

    void frameworkSetsTheConventionsThatTheFileLeavesOut()
    {
        const Scenario scenario = read(R"({"training": {"precision": "bf16"}, "parallel": {"zero_stage": 2},
            "conventions": {"framework": "deepspeed", "report_loss": false}})");
        QCOMPARE(scenario.training.gradient_bytes, 2);
        QCOMPARE(scenario.conventions.dp_bucket_bytes, 1'000'000'000);
        QCOMPARE(scenario.conventions.zero_reduction, ZeroReduction::all_reduce);
        QVERIFY(!scenario.conventions.report_loss);
        QCOMPARE(read(R"({"conventions": {"framework": "fsdp"}})").parallel.zero_stage, 3);
        QCOMPARE(read(R"({"conventions": {"framework": "fsdp"}, "parallel": {"zero_stage": 2}})")
                     .parallel.zero_stage,
                 2);
    }

    void virtualStagesMeanInterleaving()
    {
        QCOMPARE(read(R"({"parallel": {"pipeline": 2, "virtual_stages": 2}})").parallel.schedule,
                 Schedule::interleaved);
        QCOMPARE(read(R"({"parallel": {"virtual_stages": 2, "schedule": "1f1b"}})").parallel.schedule,
                 Schedule::one_f_one_b);
    }

    void clusterStartsFromTheUsualSystemOfItsGpu()
    {
        const auto reading =
            readScenario(R"({"cluster": {"gpu": "H100-96GB HBM2e 500W", "memory_GB": 96}})", shipped());
        QVERIFY(reading);
        QCOMPARE(reading.value().warnings.size(), std::size_t{1}); // its memory's bandwidth may be another
        const Cluster& cluster = reading.value().scenario.cluster;
        QCOMPARE(cluster.peak_tflops, 989.0);
        QCOMPARE(cluster.memory_GB, 96.0);
        QCOMPARE(cluster.intra_node.bandwidth_GBps, 450.0);
        QCOMPARE(QString::fromStdString(cluster.gpu), "H100-96GB HBM2e 500W");
        QVERIFY(cluster.preset.empty());
    }

    void aNameSaysWhatTheUsualSystemHasNot_data()
    {
        QTest::addColumn<QByteArray>("gpu");
        QTest::addColumn<double>("memory_GB");
        QTest::addColumn<double>("peak_tflops");
        QTest::addColumn<bool>("is_known");
        QTest::newRow("its own name") << QByteArray{"A100-SXM4-80GB"} << 80.0 << 312.0 << true;
        QTest::newRow("no memory in the name") << QByteArray{"NVIDIA A100"} << 80.0 << 312.0 << true;
        QTest::newRow("less memory") << QByteArray{"Tesla V100-SXM2-16GB"} << 16.0 << 125.0 << false;
        QTest::newRow("another form") << QByteArray{"NVIDIA A100 80GB PCIe"} << 80.0 << 312.0 << false;
        QTest::newRow("both") << QByteArray{"NVIDIA A100-PCIE-40GB"} << 40.0 << 312.0 << false;
        QTest::newRow("a card of two") << QByteArray{"NVIDIA H100 NVL"} << 80.0 << 989.0 << false;
        QTest::newRow("a letter behind a number") << QByteArray{"A10G"} << 80.0 << 312.0 << false;
        QTest::newRow("a rack") << QByteArray{"GB200 NVL72"} << 186.0 << 2500.0 << true;
        QTest::newRow("of a type that has a usual system") << QByteArray{"A800"} << 80.0 << 312.0 << false;
    }
    void aNameSaysWhatTheUsualSystemHasNot()
    {
        QFETCH(QByteArray, gpu);
        QFETCH(bool, is_known);
        const auto reading =
            readScenario("{\"cluster\": {\"gpu\": \"" + gpu.toStdString() + "\"}}", shipped());
        QVERIFY(reading);
        QTEST(reading.value().scenario.cluster.memory_GB, "memory_GB");
        QTEST(reading.value().scenario.cluster.peak_tflops, "peak_tflops");
        const std::string expected = "\"" + gpu.toStdString() + "\" is not a known GPU";
        QCOMPARE(std::ranges::none_of(
                     reading.value().warnings,
                     [&](const std::string& warning) { return warning.find(expected) != std::string::npos; }),
                 is_known);
    }

    void figuresThatTheFileHasNeedNoWarning()
    {
        const auto reading = readScenario(
            R"({"cluster": {"gpu": "NVIDIA A100-PCIE-40GB", "peak_tflops": 312, "memory_bandwidth_GBps": 1555,
                            "memory_GB": 39, "intra_node": {"kind": "pcie4", "bandwidth_GBps": 31.5}}})",
            shipped());
        QVERIFY(reading);
        QVERIFY(reading.value().warnings.empty());
        QCOMPARE(reading.value().scenario.cluster.memory_GB, 39.0);
    }

    void anotherGpuInANamedClusterKeepsItsLinks()
    {
        const Cluster cluster =
            read(R"({"cluster": {"preset": "rtx3090-pcie-100g-roce", "gpu": "H100-SXM5-80GB"}})").cluster;
        QCOMPARE(cluster.peak_tflops, 989.0);
        QCOMPARE(cluster.memory_GB, 80.0);
        QCOMPARE(cluster.intra_node.bandwidth_GBps, 15.75);
        QCOMPARE(QString::fromStdString(cluster.preset), "rtx3090-pcie-100g-roce");
    }

    void assumptionsAreWarnings_data()
    {
        QTest::addColumn<QByteArray>("cluster");
        QTest::addColumn<QString>("part");
        QTest::newRow("unknown GPU") << QByteArray{R"("gpu": "Intel Gaudi 2")"}
                                     << "\"Intel Gaudi 2\" is not a known GPU";
        QTest::newRow("figure that nobody published")
            << QByteArray{R"("preset": "mi210-node")"} << "cluster.inter_node.bandwidth_GBps is not known";
        QTest::newRow("null") << QByteArray{R"("peak_tflops": null)"} << "312 is assumed";
    }
    void assumptionsAreWarnings()
    {
        QFETCH(QByteArray, cluster);
        QFETCH(QString, part);
        const auto reading = readScenario(("{\"cluster\": {" + cluster + "}}").toStdString(), shipped());
        QVERIFY(reading);
        QString all;
        for (const std::string& warning : reading.value().warnings)
            all += QString::fromStdString(warning) + '\n';
        QVERIFY2(all.contains(part), qPrintable(all));
    }

    void givenFiguresNeedNoWarning()
    {
        const auto reading = readScenario(
            R"({"cluster": {"preset": "mi210-node", "mu": 0.4,
                "inter_node": {"kind": "slingshot", "bandwidth_GBps": 25, "latency_us": 20}}})",
            shipped());
        QVERIFY(reading);
        QVERIFY(reading.value().warnings.empty());
    }

    void theCardsOfAnotherNetworkAreNotThePresets_data()
    {
        QTest::addColumn<QByteArray>("cluster");
        QTest::addColumn<qint64>("nics");
        QTest::newRow("the preset's network")
            << QByteArray{R"("inter_node": {"bandwidth_GBps": 3})"} << qint64{1};
        QTest::newRow("another one") << QByteArray{R"("inter_node": {"kind": "infiniband"})"} << qint64{0};
        QTest::newRow("another one that says so")
            << QByteArray{R"("nics_per_node": 4, "inter_node": {"kind": "infiniband"})"} << qint64{4};
    }
    void theCardsOfAnotherNetworkAreNotThePresets()
    {
        QFETCH(QByteArray, cluster);
        const QByteArray text = R"({"cluster": {"preset": "rtx3090-pcie-100g-roce", )" + cluster + "}}";
        const auto reading = readScenario(text.toStdString(), shipped());
        QVERIFY(reading);
        QTEST(static_cast<qint64>(reading.value().scenario.cluster.nics_per_node), "nics");
    }

    void ofMuIsWarnedWhereItCounts_data()
    {
        QTest::addColumn<QByteArray>("time_model");
        QTest::addColumn<bool>("is_warned");
        QTest::newRow("Li et al.'s formula") << QByteArray{"li"} << true;
        QTest::newRow("the detailed model") << QByteArray{"detailed"} << false;
    }
    void ofMuIsWarnedWhereItCounts()
    {
        QFETCH(QByteArray, time_model);
        QFETCH(bool, is_warned);
        const QByteArray text =
            "{\"time_model\": \"" + time_model + "\", \"cluster\": {\"preset\": \"gb200-nvl72\"}}";
        const auto reading = readScenario(text.toStdString(), shipped());
        QVERIFY(reading);
        const bool found = std::ranges::any_of(reading.value().warnings, [](const std::string& warning) {
            return warning.starts_with("cluster.mu is not known");
        });
        QCOMPARE(found, is_warned);
    }

    void calibrationIsAPropertyOfThePreset()
    {
        QVERIFY(!read(R"({"cluster": {"preset": "gloo-two-cores"}})").cluster.calibrated);
        QVERIFY(read(R"({"cluster": {"preset": "dgx-a100"}})").cluster.calibrated);
    }

    void mistakesBecomeSentences_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("part");
        QTest::newRow("empty") << QByteArray{""} << "nothing in it";
        QTest::newRow("blank") << QByteArray{" \n "} << "nothing in it";
        QTest::newRow("cut") << QByteArray{"{\n  \"name\": \"x\",\n"} << "line 3, column 1 (byte 18)";
        QTest::newRow("not JSON") << QByteArray{"layers = 3"} << "this is neither JSON nor a script";
        QTest::newRow("NaN") << QByteArray{R"({"cluster": {"mu": NaN}})"} << "not JSON";
        QTest::newRow("list") << QByteArray{"[1]"} << "not a list";
        QTest::newRow("number") << QByteArray{"7"} << "not 7";
        QTest::newRow("unknown key") << QByteArray{R"({"model": {"layrs": 3}})"}
                                     << "model.layrs is not a known key; the nearest one is model.layers";
        QTest::newRow("unknown section") << QByteArray{R"({"modle": {}})"} << "nearest one is model";
        QTest::newRow("key of another section")
            << QByteArray{R"({"model": {"tensor": 2}})"} << "parallel.tensor";
        QTest::newRow("unknown key in a link")
            << QByteArray{R"({"cluster": {"intra_node": {"speed": 1}}})"} << "cluster.intra_node.speed";
        QTest::newRow("key with a line break") << QByteArray{"{\"a\\nb\": 1}"} << "a\\nb is not";
        QTest::newRow("twice") << QByteArray{R"({"name": "a", "name": "b"})"} << "\"name\" is there twice";
        QTest::newRow("text for a number")
            << QByteArray{R"({"model": {"layers": "54"}})"}
            << "model.layers is \"54\"; it must be a whole number, without quotes";
        QTest::newRow("fraction") << QByteArray{R"({"model": {"layers": 5.5}})"} << "whole number";
        QTest::newRow("list for a number") << QByteArray{R"({"model": {"layers": [5]}})"} << "a list";
        QTest::newRow("number for text") << QByteArray{R"({"name": 5})"} << "name is 5; it must be text";
        QTest::newRow("number for a switch")
            << QByteArray{R"({"model": {"gated_mlp": 1}})"} << "true or false";
        QTest::newRow("number for a section") << QByteArray{R"({"model": 5})"} << "must be an object";
        QTest::newRow("null") << QByteArray{R"({"model": {"layers": null}})"} << "leave the key out";
        QTest::newRow("larger than 64 bits")
            << QByteArray{R"({"model": {"layers": 18446744073709551615}})"} << "out of every range";
        QTest::newRow("larger than a double") << QByteArray{R"({"cluster": {"mu": 1e999}})"} << "too large";
        QTest::newRow("larger than 2^53")
            << QByteArray{R"({"model": {"layers": 1e30}})"} << "out of every range";
        QTest::newRow("more digits than any integer has")
            << QByteArray{R"({"model": {"layers": 99999999999999999999}})"} << "out of every range";
        QTest::newRow("unknown word")
            << QByteArray{R"({"parallel": {"schedule": "1F1B"}})"}
            << "choose gpipe, 1f1b, interleaved, zb-h1, zb-h2, zb-v, v-half, v-min or dualpipe";
        QTest::newRow("unknown link") << QByteArray{R"({"cluster": {"inter_node": {"kind": "token-ring"}}})"}
                                      << "cluster.inter_node.kind is \"token-ring\"; choose nvlink2";
        QTest::newRow("unknown optimizer")
            << QByteArray{R"({"training": {"optimizer": "lion"}})"} << "adam, sgd or none";
        QTest::newRow("unknown order")
            << QByteArray{R"({"parallel": {"rank_order": "tp-xp"}})"} << "tp-dp-pp";
        QTest::newRow("unknown model")
            << QByteArray{R"({"model": {"preset": "llama-3-8b"}})"} << "nearest one is llama3-8b";
        QTest::newRow("unknown cluster")
            << QByteArray{R"({"cluster": {"preset": "dgx-a10"}})"} << "nearest one is dgx-a100";
        QTest::newRow("newer format") << QByteArray{R"({"shardscope": 2})"} << "reads version 1";
        QTest::newRow("heads leave a rest")
            << QByteArray{R"({"model": {"hidden_size": 1000, "attention_heads": 16}})"}
            << "attention_heads (16) does not divide hidden_size (1000)";
        QTest::newRow("tensor that is none")
            << QByteArray{R"({"model": {"tensors": [5]}})"} << "model.tensors[0] is 5";
        QTest::newRow("deep") << (QByteArray{R"({"name": )"} + QByteArray(100000, '[')) << "nested deeper";
    }
    void mistakesBecomeSentences()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, part);
        const auto reading =
            readScenario({json.constData(), static_cast<std::size_t>(json.size())}, shipped());
        QVERIFY(!reading);
        const QString sentence = QString::fromStdString(reading.error().sentence);
        QVERIFY2(sentence.contains(part), qPrintable(sentence));
        QVERIFY2(!sentence.contains('\n'), qPrintable(sentence));
    }

    void wholeNumbersMayBeWrittenWithAPoint()
    {
        QCOMPARE(read(R"({"training": {"global_batch_size": 1.024e3}})").training.global_batch_size, 1024);
    }

    void filesAreSavedAndOpened()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("mine.scenario.json").toStdString();
        Scenario scenario;
        scenario.name = "mine";
        QVERIFY(saveScenarioFile(file, scenario));
        const auto reading = readScenarioFile(file, shipped());
        QVERIFY(reading);
        QVERIFY(reading.value().scenario == scenario);
        scenario.name = "mine, again";
        QVERIFY(saveScenarioFile(file, scenario));
        QCOMPARE(QDir{folder.path()}.entryList(QDir::Files), QStringList{"mine.scenario.json"});
        QCOMPARE(readScenarioFile(file, shipped()).value().scenario.name, scenario.name);
    }

    void filesThatCannotBeReadOrWrittenAreSentences()
    {
        QVERIFY(!readScenarioFile("/nowhere/at.all", shipped()));
        QVERIFY(!readScenarioFile("/tmp", shipped()));
        const auto saved = saveScenarioFile("/nowhere/at.all", Scenario{});
        QVERIFY(!saved);
        QVERIFY(saved.error().sentence.starts_with("/nowhere/at.all: "));
    }
};

QTEST_APPLESS_MAIN(TestScenarioJson)
#include "tst_scenario_json.moc"
