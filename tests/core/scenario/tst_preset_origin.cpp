#include <QTest>

#include "core/scenario/model_sizes.h"
#include "core/scenario/preset_origin.h"
#include "core/scenario/scenario_change.h"
#include "tests/core/shipped_presets.h"

using namespace shardscope;

namespace
{

Scenario started()
{
    Scenario scenario = withModel({}, *shipped().model("gpt3-175b"));
    scenario = withCluster(scenario, *shipped().cluster("dgx-a100"));
    scenario.model.preset.clear(); // as edits and files without a name leave it
    scenario.cluster.preset.clear();
    return scenario;
}

Scenario withSizes(Scenario scenario, std::int64_t hidden_size, std::int64_t attention_heads)
{
    const Model before = scenario.model;
    scenario.model.hidden_size = hidden_size;
    scenario.model.attention_heads = attention_heads;
    deriveSizes(scenario.model, before, {});
    return scenario;
}

using Change = Scenario (*)(Scenario);

} // namespace

Q_DECLARE_METATYPE(Change)

class TestPresetOrigin : public QObject
{
    Q_OBJECT
private slots:
    void aModelIs_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("edited");
        const auto row = [](const char* name, Change change, const char* preset, bool edited) {
            QTest::newRow(name) << change << QString{preset} << edited;
        };
        row(
            "a preset whose figures it has", [](Scenario s) { return s; }, "gpt3-175b", false);
        row(
            "that preset's, edited, after a move", [](Scenario s) { return withSizes(s, 6144, 96); },
            "gpt3-175b", true);
        row(
            "its own where an opened one has other sizes",
            [](Scenario s) {
                s.model.layers = 2;
                s.model.vocab_size = 256;
                s.model.sequence_length = 64;
                return withSizes(s, 64, 4);
            },
            "", false);
        row(
            "the edited preset that a file names",
            [](Scenario s) {
                s.model.preset = "gpt3-175b";
                s.model.layers = 2;
                s.model.vocab_size = 256;
                s.model.sequence_length = 64;
                return withSizes(s, 64, 4);
            },
            "gpt3-175b", true);
        row(
            "another preset whose figures it has",
            [](Scenario s) { return withModel(s, *shipped().model("gpt-3b")); }, "gpt-3b", false);
        row(
            "the preset that it has, whatever it says",
            [](Scenario s) {
                s = withModel(s, *shipped().model("gpt-3b"));
                s.model.preset = "gpt3-175b";
                return s;
            },
            "gpt-3b", false);
    }
    void aModelIs()
    {
        QFETCH(Change, change);
        QFETCH(QString, name);
        QFETCH(bool, edited);
        const Scenario before = started();
        const PresetOrigin origin = originOf(before.model, {}, {}, shipped());
        const PresetOrigin now = originOf(change(before).model, before.model, origin, shipped());
        QCOMPARE(QString::fromStdString(now.name), name);
        QCOMPARE(now.edited, edited);
    }

    void aLinkMovedElsewhereEditsTheCluster()
    {
        const Scenario before = started();
        const PresetOrigin origin = originOf(before.cluster, {}, {}, shipped());
        QCOMPARE(QString::fromStdString(origin.name), QString{"dgx-a100"});
        Scenario moved = before;
        moved.cluster.preset = "dgx-a100"; // whoever moved it left the name
        moved.cluster.inter_node.bandwidth_GBps = 68.0;
        const PresetOrigin edited = originOf(moved.cluster, before.cluster, origin, shipped());
        QCOMPARE(edited, (PresetOrigin{"dgx-a100", true}));
        QCOMPARE(originOf(before.cluster, moved.cluster, edited, shipped()), origin);
    }

    void aCalibratedClusterIsThePresetsEditedAlsoFromAFile()
    {
        Cluster calibrated = started().cluster;
        calibrated.mu = 0.4;
        calibrated.collectives.intra_efficiency = 0.5;
        QCOMPARE(originOf(calibrated, {}, {}, shipped()), (PresetOrigin{"dgx-a100", true}));
        calibrated.memory_GB = 1.0;
        QCOMPARE(originOf(calibrated, {}, {}, shipped()), PresetOrigin{});
    }

    void aLongWayBySmallStepsEndsInFiguresOfItsOwn()
    {
        Scenario scenario = started();
        PresetOrigin origin = originOf(scenario.cluster, {}, {}, shipped());
        const auto step = [&](auto move) {
            const Cluster before = scenario.cluster;
            move(scenario.cluster);
            origin = originOf(scenario.cluster, before, origin, shipped());
        };
        step([](Cluster& cluster) { cluster.mu = 0.111; });
        QVERIFY(origin.edited);
        step([](Cluster& cluster) {
            cluster = {};
            cluster.memory_GB = 1.0;
        });
        QCOMPARE(origin, PresetOrigin{});
    }
};

QTEST_APPLESS_MAIN(TestPresetOrigin)
#include "tst_preset_origin.moc"
