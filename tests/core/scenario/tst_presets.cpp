#include <QTest>

#include <QDir>
#include <QTemporaryDir>

#include "core/prediction/predict.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/shipped_presets.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace shardscope;

class TestPresets : public QObject
{
    Q_OBJECT
private slots:
    void shippedPresetsLoad()
    {
        QVERIFY(shipped().models().size() >= 40);
        QVERIFY(shipped().clusters().size() >= 18);
        QVERIFY(shipped().problems().empty());
    }

    // Every number of a preset says where it is from; what nobody has published is null and so has no source.
    void everyFigureHasASource()
    {
        for (const char* kind : {"models", "clusters"}) {
            const QDir folder{QString{SHARDSCOPE_SOURCE_FOLDER} + "/resources/presets/" + kind};
            for (const QString& name : folder.entryList({"*.json"})) {
                std::ifstream stream{folder.filePath(name).toStdString()};
                const auto file = nlohmann::json::parse(stream);
                const auto& figures = file.contains("model") ? file["model"] : file["cluster"];
                checkSources(figures, "", file["sources"], name);
            }
        }
    }

    void everyShippedModelCanBeTrained_data()
    {
        QTest::addColumn<QString>("preset");
        for (const ModelPreset& preset : shipped().models())
            QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
    }
    void everyShippedModelCanBeTrained()
    {
        QFETCH(QString, preset);
        const auto reading =
            readScenario("{\"model\": {\"preset\": \"" + preset.toStdString() + "\"}}", shipped());
        QVERIFY(reading);
        QVERIFY(validate(reading.value().scenario).empty());
    }

    // Counts that the models' authors, or exact counts of their architectures, give.
    void everyModelHasItsPublishedParameters_data()
    {
        QTest::addColumn<qint64>("parameters");
        QTest::newRow("gpt2-1.5b") << qint64{1557611200};
        QTest::newRow("gpt-1.5b") << qint64{1557611200};
        QTest::newRow("gpt-3b") << qint64{2695970000};
        QTest::newRow("cheng-125m") << qint64{124439808};
        QTest::newRow("cheng-1.3b") << qint64{1333399728};
        QTest::newRow("cheng-2.7b") << qint64{2648931840};
        QTest::newRow("cheng-6.7b") << qint64{6654210048};
        QTest::newRow("cheng-13b") << qint64{12848143360};
        QTest::newRow("cheng-18.4b") << qint64{18437670912};
        QTest::newRow("gpt-22b") << qint64{22074273792};
        QTest::newRow("gpt3-175b") << qint64{174615846912};
        QTest::newRow("mt-nlg-530b") << qint64{529600819200};
        QTest::newRow("t-nlg-17b") << qint64{17176845728};
        // 8.63, 62.50 and 540.35 billion in the paper.
        QTest::newRow("palm-8b") << qint64{8632012800};
        QTest::newRow("palm-62b") << qint64{62495662080};
        QTest::newRow("palm-540b") << qint64{540356474880};
        QTest::newRow("gpt-1t") << qint64{1008038758400};
        QTest::newRow("narayanan-3.6b") << qint64{3562168320};
        QTest::newRow("narayanan-18.4b") << qint64{18449756160};
        QTest::newRow("narayanan-39.1b") << qint64{39096041472};
        QTest::newRow("gpt-neox-20b") << qint64{20554567680};
        QTest::newRow("pythia-1.4b") << qint64{1414647808};
        QTest::newRow("pythia-6.9b") << qint64{6857302016};
        QTest::newRow("pythia-12b") << qint64{11846072320};
        QTest::newRow("llama2-7b") << qint64{6738415616};
        QTest::newRow("llama2-13b") << qint64{13015864320};
        QTest::newRow("llama2-70b") << qint64{68976648192};
        QTest::newRow("llama3-8b") << qint64{8030261248};
        QTest::newRow("llama3-70b") << qint64{70553706496};
        QTest::newRow("llama3-405b") << qint64{405853388800};
        QTest::newRow("mixtral-8x7b") << qint64{46702792704};
        QTest::newRow("deepseek-v3") << qint64{671026419200};
        QTest::newRow("deepseek-v2") << qint64{235741434880};
        QTest::newRow("qwen3-8b") << qint64{8190735360};
        QTest::newRow("qwen3-32b") << qint64{32762123264};
        QTest::newRow("qwen3-30b-a3b") << qint64{30532122624};
        QTest::newRow("qwen3-235b-a22b") << qint64{235093634560};
        // Without the routers' biases and the attention's sinks: 6,912 and 2,304 less than the released
        // weights.
        QTest::newRow("gpt-oss-120b") << qint64{116829149760};
        QTest::newRow("gpt-oss-20b") << qint64{20914754880};
        // The released weights' (Nemotron-H 8B), and sums over the tensors of the architectures.
        QTest::newRow("nemotron-h-8b") << qint64{8100852736};
        QTest::newRow("nemotron-h-56b") << qint64{56324350464};
        QTest::newRow("nemotron-3-nano-30b-a3b") << qint64{31577940288};
        QTest::newRow("qwen3-next-80b-a3b") << qint64{79674391296};
        QTest::newRow("granite-4-h-small") << qint64{32207337984};
        QTest::newRow("vgg16") << qint64{138357544};
        QTest::newRow("resnet50") << qint64{25557032};
        QTest::newRow("resnet101") << qint64{44549160};
        QTest::newRow("bert-base-tensors") << qint64{110106428};
        QTest::newRow("bert-large-tensors") << qint64{336226108};
        QTest::newRow("bert-base") << qint64{110106428};
        QTest::newRow("bert-large") << qint64{336226108};
        QTest::newRow("t5-small") << qint64{60506624};
        QTest::newRow("t5-base") << qint64{222903552};
        QTest::newRow("t5-large") << qint64{737668096};
        QTest::newRow("t5-3b") << qint64{2851598336};
        QTest::newRow("t5-11b") << qint64{11307321344};
        QTest::newRow("bloom-176b") << qint64{176247271424};
        QTest::newRow("gpt3-125m") << qint64{125226240};
    }
    void everyModelHasItsPublishedParameters()
    {
        const ModelPreset* preset = shipped().model(QTest::currentDataTag());
        QVERIFY(preset != nullptr);
        Scenario scenario;
        scenario.model = preset->model;
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        QTEST(qint64{prediction.value().parameters.total}, "parameters");
    }

    void everyShippedClusterIsValid_data()
    {
        QTest::addColumn<QString>("preset");
        for (const ClusterPreset& preset : shipped().clusters())
            QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
    }
    void everyShippedClusterIsValid()
    {
        QFETCH(QString, preset);
        const auto reading =
            readScenario("{\"cluster\": {\"preset\": \"" + preset.toStdString() + "\"}}", shipped());
        QVERIFY(reading);
        QVERIFY(validate(reading.value().scenario).empty());
    }

    // The programs' default is a DGX A100, whether the presets are at hand or not.
    void defaultClusterIsThePresetOfTheDgxA100()
    {
        Cluster cluster = shipped().cluster("dgx-a100")->cluster;
        cluster.preset.clear();
        ComputeLaw& law = cluster.compute; // bands come with the presets alone
        QVERIFY(law.time_error > 0.0);
        law.time_error = law.time_error_small = law.time_error_fp8 = 0.0;
        law.time_error_li = law.time_error_li_small = law.time_error_unlike = 0.0;
        QVERIFY(cluster == Cluster{});
    }

    void gpuIsMatchedByItsLongestKnownPrefix_data()
    {
        QTest::addColumn<QString>("gpu");
        QTest::addColumn<QString>("cluster");
        QTest::newRow("size not stated") << "A100-SXM4 (memory size not stated)"
                                         << "dgx-a100";
        QTest::newRow("80 GB") << "A100-SXM4-80GB"
                               << "dgx-a100";
        QTest::newRow("40 GB") << "A100-SXM4-40GB (DGX A100)"
                               << "thetagpu-a100-40gb";
        QTest::newRow("Polaris") << "A100-40GB (Polaris)"
                                 << "polaris-slingshot10";
        QTest::newRow("another H100") << "H100-96GB HBM2e 500W"
                                      << "dgx-h100";
        QTest::newRow("Grace Blackwell") << "GB200 NVL72"
                                         << "gb200-nvl72";
        QTest::newRow("Blackwell Ultra") << "GB300 NVL72"
                                         << "gb300-nvl72";
        QTest::newRow("vendor first") << "NVIDIA B200 SXM"
                                      << "aws-p6-b200";
        QTest::newRow("other case") << "rtx3090-24G PCIe3 x16"
                                    << "rtx3090-pcie-100g-roce";
        QTest::newRow("V100 with NVLink") << "V100-SXM2-16GB"
                                          << "v100-nvlink-100g-roce";
        QTest::newRow("V100 without") << "V100-PCIE-16GB"
                                      << "v100-pcie-100g-roce";
        QTest::newRow("unknown") << "Intel Gaudi 2" << QString{};
        QTest::newRow("nothing") << "" << QString{};
    }
    void gpuIsMatchedByItsLongestKnownPrefix()
    {
        QFETCH(QString, gpu);
        const ClusterPreset* preset = shipped().clusterOfGpu(gpu.toStdString());
        QTEST(preset == nullptr ? QString{} : QString::fromStdString(preset->name), "cluster");
    }

    // The A100 stands in DGX nodes, unless the network says otherwise.
    void aNetworkMayTellTheUsualSystemOfAGpu()
    {
        using nlohmann::json;
        const auto cluster = [](const char* kind, json figures = json::object()) {
            figures["gpu"] = "A100-SXM4-80GB";
            figures["inter_node"] = {{"kind", kind}};
            const auto reading = readScenario(json{{"cluster", figures}}.dump(), shipped());
            return std::pair{reading.value().scenario.cluster, reading.value().warnings};
        };
        QCOMPARE(shipped().clusterOfGpu("A100", "omnipath")->name, std::string{"jean-zay-a100"});
        QCOMPARE(shipped().clusterOfGpu("A100", "roce")->name, std::string{"dgx-a100"});
        QCOMPARE(shipped().clusterOfGpu("A100-SXM4-40GB", "omnipath")->name,
                 std::string{"thetagpu-a100-40gb"}); // the longer name
        QCOMPARE(shipped().clusterOfGpu("H100", "omnipath")->name, std::string{"dgx-h100"});
        const auto [jean_zay, told] = cluster("omnipath");
        QVERIFY(jean_zay.launch_blocking);
        QCOMPARE(jean_zay.inter_node.bandwidth_GBps, 6.25);
        QCOMPARE(jean_zay.nics_per_node, 4);
        QCOMPARE(told.size(), std::size_t{1});
        QVERIFY(told.front().starts_with("cluster.launch_blocking is not said; true"));
        const auto [other, nothing] = cluster("omnipath", {{"launch_blocking", false}});
        QVERIFY(!other.launch_blocking && nothing.empty());
        QVERIFY(!cluster("infiniband").first.launch_blocking);
    }

    // Figures of Li et al.'s cluster, as their paper has them.
    void clusterOfLiEtAl()
    {
        const Cluster& cluster = shipped().cluster("rtx3090-pcie-100g-roce")->cluster;
        QCOMPARE(cluster.gpus_per_node, 8);
        QCOMPARE(cluster.memory_GB, 24.0);
        QCOMPARE(cluster.mu, 0.3);
        QCOMPARE(cluster.inter_node.bandwidth_GBps * 8, 12.5);
        QCOMPARE(cluster.nics_per_node, 1);
        QCOMPARE(QString::fromStdString(cluster.inter_node.kind), "roce");
    }

    void convolutionalNetworksAreExact()
    {
        const Model& vgg = shipped().model("vgg16")->model;
        std::int64_t largest = 0;
        std::int64_t sum = 0;
        for (const ParameterTensor& tensor : vgg.tensors) {
            largest = std::max(largest, tensor.parameters);
            sum += tensor.parameters;
        }
        QCOMPARE(sum, 138357544);         // torchvision's published count
        QCOMPARE(largest * 4, 392 << 20); // Li et al.: the largest message is 392 MiB
    }

    void wrongPresetsAreLeftOutAndTold()
    {
        QTemporaryDir folder;
        QVERIFY(QDir{folder.path()}.mkdir("models"));
        QVERIFY(QDir{folder.path()}.mkdir("clusters"));
        write(folder.filePath("models/mine.json"), R"({"model": {"layer": 2}})");
        write(folder.filePath("models/broken.json"), "{");
        write(folder.filePath("models/yours.json"), R"({"model": {"layers": 2}})");
        const auto presets = Presets::load(folder.path().toStdString());
        QVERIFY(presets);
        QVERIFY(presets.value().model("yours") != nullptr);
        QCOMPARE(presets.value().models().size(), std::size_t{1});
        const std::vector<std::string>& problems = presets.value().problems();
        QCOMPARE(problems.size(), std::size_t{2});
        QVERIFY(QString::fromStdString(problems[0]).contains("broken.json"));
        const QString sentence = QString::fromStdString(problems[1]);
        QVERIFY2(sentence.contains("mine.json") && sentence.contains("model.layers"), qPrintable(sentence));
    }

    void missingFolderIsAnError()
    {
        const auto presets = Presets::load("/nowhere/at/all");
        QVERIFY(!presets);
        QVERIFY(presets.error().sentence.starts_with("/nowhere/at/all"));
    }

private:
    static void checkSources(const nlohmann::json& figures, const std::string& prefix,
                             const nlohmann::json& sources, const QString& file)
    {
        for (const auto& [key, figure] : figures.items()) {
            if (figure.is_object())
                checkSources(figure, prefix + key + ".", sources, file);
            else if (figure.is_number())
                QVERIFY2(sources.contains(prefix + key), qPrintable(file + ": " + (prefix + key).c_str()));
        }
    }

    static void write(const QString& path, const char* text)
    {
        std::ofstream stream{path.toStdString()};
        stream << text;
    }
};

QTEST_APPLESS_MAIN(TestPresets)
#include "tst_presets.moc"
