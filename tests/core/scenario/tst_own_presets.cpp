#include <QTest>

#include <QFile>
#include <QTemporaryDir>

#include "core/scenario/own_presets.h"
#include "core/scenario/scenario_json.h"

#include <memory>

using namespace shardscope;

// Clusters that the user has saved.
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
        QVERIFY(reading.value().warnings.empty());
        // The GPU's usual system stays what ships.
        QCOMPARE(presets.clusterOfGpu("H100")->name, std::string{"dgx-h100"});
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

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestOwnPresets)
#include "tst_own_presets.moc"
