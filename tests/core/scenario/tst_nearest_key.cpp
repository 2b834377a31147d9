#include <QTest>

#include "core/scenario/nearest_key.h"
#include "core/scenario/scenario_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace shardscope;

class TestNearestKey : public QObject
{
    Q_OBJECT
private slots:
    void editDistanceCountsSteps_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<int>("steps");
        QTest::newRow("same") << "layers"
                              << "layers" << 0;
        QTest::newRow("put in") << "layrs"
                                << "layers" << 1;
        QTest::newRow("leave out") << "layerss"
                                   << "layers" << 1;
        QTest::newRow("change") << "lazers"
                                << "layers" << 1;
        QTest::newRow("swap neighbours") << "lyaers"
                                         << "layers" << 1;
        QTest::newRow("from nothing") << ""
                                      << "mu" << 2;
        QTest::newRow("kitten") << "kitten"
                                << "sitting" << 3;
    }
    void editDistanceCountsSteps()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QTEST(editDistance(from.toStdString(), to.toStdString()), "steps");
    }

    void whereNoKeyIsNearAllOfTheSectionAreTold()
    {
        const QString hint = QString::fromStdString(hintAtKeys("training.numbers"));
        QVERIFY2(hint.startsWith("the nearest one is training."), qPrintable(hint));
        QVERIFY2(hint.contains("precision") && !hint.contains("cluster"), qPrintable(hint));
        QCOMPARE(hintAtKeys("model.layrs"), std::string{"the nearest one is model.layers"});
    }

    // Megatron-LM's, Hugging Face's and the papers', wherever they stand.
    void namesOfOtherToolsAreKnown_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("key");
        QTest::newRow("a length") << QByteArray{"seq_length"} << QByteArray{"model.sequence_length"};
        QTest::newRow("a batch") << QByteArray{"training.mbs"} << QByteArray{"training.micro_batch_size"};
        QTest::newRow("a degree") << QByteArray{"parallel.tp"} << QByteArray{"parallel.tensor"};
        QTest::newRow("layers") << QByteArray{"model.num_hidden_layers"} << QByteArray{"model.layers"};
    }
    void namesOfOtherToolsAreKnown()
    {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, key);
        QCOMPARE(nearestKey(path.toStdString()), key.toStdString());
        QCOMPARE(hintAtKeys(path.toStdString()), "the nearest one is " + key.toStdString());
    }

    void keysOfTheScenarioItselfAreToldApart()
    {
        const QString hint = QString::fromStdString(hintAtKeys("cluster.name"));
        QVERIFY2(
            hint.startsWith("the nearest one is name, of the scenario itself; cluster has preset, gpu, "),
            qPrintable(hint));
    }

    void whereNoKeyIsNearTheSectionsOwnAreListed()
    {
        const QString hint = QString::fromStdString(hintAtKeys("bad"));
        QVERIFY2(hint.startsWith("the nearest one is name; a scenario has shardscope, name, model, "),
                 qPrintable(hint));
        QVERIFY2(hint.endsWith(" and cluster"), qPrintable(hint));
    }

    void aMachineWithTheSameGpuIsNearest_data()
    {
        QTest::addColumn<QString>("wrong");
        QTest::addColumn<QString>("nearest");
        QTest::newRow("another maker's") << "dgx-h200"
                                         << "hgx-h200";
        QTest::newRow("at another place") << "h100-cluster"
                                          << "dgx-h100";
        QTest::newRow("a typing error") << "dgx-a10"
                                        << "dgx-a100";
    }
    void aMachineWithTheSameGpuIsNearest()
    {
        QFETCH(QString, wrong);
        QTEST(QString::fromStdString(
                  nearestMachine(wrong.toStdString(), {"dgx-a100", "dgx-h100", "hgx-h200", "rtx3090-pcie"})),
              "nearest");
    }

    void nearestKeyComesWithItsPath_data()
    {
        QTest::addColumn<QString>("wrong");
        QTest::addColumn<QString>("nearest");
        QTest::newRow("typing error") << "model.layrs"
                                      << "model.layers";
        QTest::newRow("longer") << "model.num_layers"
                                << "model.layers";
        QTest::newRow("shorter") << "model.hidden"
                                 << "model.hidden_size";
        QTest::newRow("wrong section") << "model.tensor"
                                       << "parallel.tensor";
        QTest::newRow("no section") << "micro_batch_size"
                                    << "training.micro_batch_size";
        QTest::newRow("two levels") << "cluster.intra_node.bandwith_GBps"
                                    << "cluster.intra_node.bandwidth_GBps";
        QTest::newRow("same key in two sections") << "model.experts.ffn_hiden_size"
                                                  << "model.experts.ffn_hidden_size";
        QTest::newRow("section") << "modle"
                                 << "model";
    }
    void nearestKeyComesWithItsPath()
    {
        QFETCH(QString, wrong);
        QTEST(QString::fromStdString(nearestKey(wrong.toStdString())), "nearest");
    }

    // The list of known keys is the one that is written.
    void everyWrittenKeyIsKnown()
    {
        Scenario scenario;
        scenario.model.kind = ModelKind::parameter_list;
        scenario.model.tensors = {{"fc6.weight", 102760448}};
        scenario.model.mtp_layers = scenario.model.sliding_window = scenario.model.full_attention_every = 1;
        scenario.model.attention_gate = true;
        scenario.model.recurrence.heads = 1;
        scenario.model.layer_pattern = {LayerForm::mlp};
        scenario.parallel.stage_layers = {24};
        scenario.training.recompute_layers = 1;
        scenario.training.recompute_modules = {RecomputeModule::mlp};
        std::vector<std::string> written;
        collect(nlohmann::json::parse(writeScenario(scenario)), "", written);
        std::vector<std::string> known = scenarioKeys();
        std::ranges::sort(written);
        std::ranges::sort(known);
        QCOMPARE(written, known);
    }

private:
    static void collect(const nlohmann::json& object, const std::string& prefix,
                        std::vector<std::string>& keys)
    {
        for (const auto& [key, value] : object.items()) {
            keys.push_back(prefix + key);
            if (value.is_object())
                collect(value, prefix + key + ".", keys);
        }
    }
};

QTEST_APPLESS_MAIN(TestNearestKey)
#include "tst_nearest_key.moc"
