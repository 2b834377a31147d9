#include <QTest>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "core/scenario/own_presets.h"
#include "core/scenario/portable_scenario.h"
#include "core/scenario/scenario_json.h"

#include <memory>

using namespace shardscope;

// Models and clusters that the user has saved.
class TestOwnPresets : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("SHARDSCOPE_PRESETS", m_folder->path().toUtf8());
    }

    void aSavedClusterIsFoundAgain()
    {
        Cluster cluster = loadPresets().value().cluster("dgx-h100")->cluster;
        cluster.collectives.intra_efficiency = 0.625;
        const auto file = saveOwnCluster("lab", cluster, "measured in the lab", loadPresets().value());
        QVERIFY2(file, file ? "" : file.error().sentence.c_str());
        const Presets presets = loadPresets().value();
        const ClusterPreset* found = presets.cluster("lab");
        QVERIFY(found != nullptr);
        QVERIFY(found->is_own);
        cluster.preset = "lab";
        QVERIFY(found->cluster == cluster);
        QVERIFY(presets.problems().empty());
        // It stands in scenarios like any other, without a word about what was assumed.
        const auto reading = readCluster("{\"preset\": \"lab\"}", presets);
        QVERIFY(reading);
        QVERIFY(reading.value().cluster == cluster);
        QVERIFY(reading.value().assumptions.empty());
        // The GPU's usual system stays what ships.
        QCOMPARE(presets.clusterOfGpu("H100")->name, std::string{"dgx-h100"});
    }

    void aSavedModelIsFoundAgain()
    {
        const auto moved = [](Model model) {
            model.layers += 3;
            return model;
        };
        const Presets shipped = loadPresets().value();
        for (const ModelPreset& preset : shipped.models()) {
            const auto file = saveOwnModel("my-" + preset.name, moved(preset.model), "by hand", shipped);
            QVERIFY2(file, file ? "" : file.error().sentence.c_str());
        }
        const Presets presets = loadPresets().value();
        QVERIFY(presets.problems().empty());
        for (const ModelPreset& preset : shipped.models()) {
            const ModelPreset* found = presets.model("my-" + preset.name);
            QVERIFY2(found != nullptr && found->is_own, preset.name.c_str());
            Model expected = moved(preset.model);
            expected.preset = found->name;
            QVERIFY2(found->model == expected, preset.name.c_str());
        }
    }

    void savingAgainReplaces()
    {
        const Presets shipped = loadPresets().value();
        Cluster cluster;
        QVERIFY(saveOwnCluster("lab", cluster, "", shipped));
        cluster.mu = 0.25;
        QVERIFY(saveOwnCluster("lab", cluster, "", loadPresets().value()));
        QCOMPARE(loadPresets().value().cluster("lab")->cluster.mu, 0.25);
    }

    void namesThatCannotBeAreRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("empty") << "";
        QTest::newRow("a path") << "../lab";
        QTest::newRow("hidden") << ".lab";
        QTest::newRow("shipped") << "dgx-a100";
    }
    void namesThatCannotBeAreRefused()
    {
        QFETCH(QString, name);
        QVERIFY(!saveOwnCluster(name.toStdString(), Cluster{}, "", loadPresets().value()));
    }

    void whatIsOwnIsRenamedAndRemoved()
    {
        const auto is_there = [](const char* name) { return loadPresets().value().model(name) != nullptr; };
        QVERIFY(saveOwnModel("first", Model{}, "", loadPresets().value()));
        QVERIFY(saveOwnModel("second", Model{}, "", loadPresets().value()));
        QVERIFY(!renameOwnPreset(PresetKind::model, "first", "second", loadPresets().value()));
        QVERIFY(renameOwnPreset(PresetKind::model, "first", "third", loadPresets().value()));
        QVERIFY(!is_there("first") && is_there("second") && is_there("third"));
        QVERIFY(removeOwnPreset(PresetKind::model, "third"));
        QVERIFY(!is_there("third"));
        QVERIFY(!removeOwnPreset(PresetKind::model, "third"));
        QVERIFY(!removeOwnPreset(PresetKind::cluster, "../models/second"));
        QVERIFY(is_there("second"));
    }

    // A file that names a preset of this machine alone could be read nowhere else.
    void filesNameOnlyWhatShips()
    {
        Scenario scenario;
        scenario.model = loadPresets().value().models().front().model;
        scenario.cluster = loadPresets().value().clusters().front().cluster;
        QVERIFY(portable(scenario, loadPresets().value()) == scenario);
        QVERIFY(saveOwnModel("mine", Model{}, "", loadPresets().value()));
        QVERIFY(saveOwnCluster("lab", Cluster{}, "", loadPresets().value()));
        scenario.model = loadPresets().value().model("mine")->model;
        scenario.cluster = loadPresets().value().cluster("lab")->cluster;
        const std::string text = writeScenario(portable(scenario, loadPresets().value()));
        QVERIFY(removeOwnPreset(PresetKind::model, "mine"));
        QVERIFY(removeOwnPreset(PresetKind::cluster, "lab"));
        const auto reading = readScenario(text, loadPresets().value());
        QVERIFY2(reading, reading ? "" : reading.error().sentence.c_str());
        scenario.model.preset.clear();
        scenario.cluster.preset.clear();
        QVERIFY(reading.value().scenario == scenario);
    }

    void aWrongFileIsToldAndLeftOut()
    {
        QVERIFY(saveOwnCluster("good", Cluster{}, "", loadPresets().value()));
        QFile bad{m_folder->filePath("clusters/bad.json")};
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write("{");
        bad.close();
        const Presets presets = loadPresets().value();
        QVERIFY(presets.cluster("good") != nullptr);
        QCOMPARE(presets.problems().size(), std::size_t{1});
        QVERIFY(presets.problems().front().find("bad.json") != std::string::npos);
    }

    void withoutAFolderOnlyWhatShipsIsThere()
    {
        qputenv("SHARDSCOPE_PRESETS", "/nowhere/presets");
        QVERIFY(loadPresets().value().problems().empty());
    }

    // Not in the folder that one happens to stand in, and from there neither.
    void withoutAHomeNothingIsSavedOrFound()
    {
        const QTemporaryDir elsewhere;
        const QString before = QDir::currentPath();
        QVERIFY(saveOwnModel("lab", Model{}, "", loadPresets().value()));
        qputenv("SHARDSCOPE_PRESETS", "");
        qunsetenv("HOME");
        qunsetenv("XDG_DATA_HOME");
        QVERIFY(QDir::setCurrent(m_folder->path())); // with the preset that was saved
        QVERIFY(loadPresets().value().model("lab") == nullptr);
        QVERIFY(!removeOwnPreset(PresetKind::model, "lab"));
        QVERIFY(QDir::setCurrent(elsewhere.path()));
        const auto saved = saveOwnCluster("lab", Cluster{}, "", loadPresets().value());
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(!saved);
        QVERIFY(saved.error().sentence.find("XDG_DATA_HOME") != std::string::npos);
        QVERIFY(QDir{elsewhere.path()}.isEmpty());
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestOwnPresets)
#include "tst_own_presets.moc"
