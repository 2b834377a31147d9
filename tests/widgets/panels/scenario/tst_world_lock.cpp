#include "tests/widgets/panels/scenario/live_panel.h"
#include "widgets/panels/scenario/scenario_preset_list.h"
#include "widgets/panels/scenario/world_lock.h"

#include "core/scenario/own_presets.h"

using namespace shardscope;

// The padlock at the number of GPUs.
class TestWorldLock : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void aTypedNumberOfGpusIsKept_data()
    {
        QTest::addColumn<QString>("gpus");
        QTest::addColumn<QList<QByteArray>>("moves"); // "parallel.tensor=8"
        QTest::addColumn<QList<int>>("layout");       // p, t, d afterwards
        QTest::addColumn<QString>("remark");
        QTest::newRow("as it is typed") << "1024" << QList<QByteArray>{} << QList<int>{1, 1, 1024} << "";
        QTest::newRow("stages and tensor parallelism take from data")
            << "1024" << QList<QByteArray>{"parallel.pipeline=16", "parallel.tensor=8"}
            << QList<int>{16, 8, 8} << "";
        QTest::newRow("what does not divide it leaves GPUs unused")
            << "1024" << QList<QByteArray>{"parallel.tensor=3"} << QList<int>{1, 3, 341}
            << "1 024 GPUs cannot be divided like this; 1 023 are used.";
        QTest::newRow("the number comes back with what divides it")
            << "1024" << QList<QByteArray>{"parallel.tensor=3", "parallel.tensor=4"} << QList<int>{1, 4, 256}
            << "";
        QTest::newRow("more than there are")
            << "8" << QList<QByteArray>{"parallel.tensor=16"} << QList<int>{1, 16, 1}
            << "8 GPUs are too few for this; 16 are used.";
        QTest::newRow("a number that the layout does not divide")
            << "1000" << QList<QByteArray>{"parallel.pipeline=16", "parallel.pipeline=8"}
            << QList<int>{8, 1, 125} << "";
        QTest::newRow("one after another")
            << "64,128" << QList<QByteArray>{"parallel.tensor=4"} << QList<int>{1, 4, 32} << "";
    }
    void aTypedNumberOfGpusIsKept()
    {
        QFETCH(QString, gpus);
        QFETCH(QList<QByteArray>, moves);
        QFETCH(QList<int>, layout);
        QFETCH(QString, remark);
        LivePanel live{scenarioOf(1, 1, 8)};
        for (const QString& number : gpus.split(','))
            live.type("world_size", number);
        QVERIFY(lockOf(live).isChecked());
        for (const QByteArray& move : moves)
            live.type(move.split('=')[0].constData(), move.split('=')[1]);
        const Parallel& parallel = live.current.parallel;
        QCOMPARE(parallel.pipeline, layout[0]);
        QCOMPARE(parallel.tensor, layout[1]);
        QCOMPARE(parallel.data, layout[2]);
        QCOMPARE(live.panel.row("world_size")->accessibleDescription(), remark);
    }

    void aNumberThatIsDraggedIsKept()
    {
        LivePanel live{scenarioOf(1, 1, 8)};
        live.slider("world_size").setValue(7);
        QCOMPARE(live.current.worldSize(), 128);
        QVERIFY(lockOf(live).isChecked());
        QVERIFY(lockOf(live).toolTip().contains("128 GPUs, which you set"));
        live.type("parallel.tensor", "8");
        QCOMPARE(live.current.worldSize(), 128);
    }

    void otherEditsDoNotCloseIt()
    {
        LivePanel live{scenarioOf(1, 1, 8)};
        live.type("parallel.data", "16");
        live.type("parallel.tensor", "2");
        QVERIFY(!lockOf(live).isChecked());
        QCOMPARE(live.current.worldSize(), 32);
    }

    void itIsOpenedByAClick()
    {
        LivePanel live{scenarioOf(1, 1, 8)};
        live.type("world_size", "16");
        live.lockWorld();
        QVERIFY(!lockOf(live).isChecked());
        live.type("parallel.tensor", "4");
        QCOMPARE(live.current.worldSize(), 64);
        live.panel.setScenario(scenarioOf(1, 1, 16)); // undone: it stays as the user has it
        QVERIFY(!lockOf(live).isChecked());
    }

    void undoOpensWhatTheNumberHadClosedAndRedoClosesIt()
    {
        const Scenario before = scenarioOf(2, 1, 4);
        LivePanel live{before};
        live.type("world_size", "65"); // 64 are used
        const Scenario set = live.current;
        live.type("parallel.tensor", "5");
        live.panel.setScenario(set); // undone
        QVERIFY(lockOf(live).isChecked());
        live.panel.setScenario(before);
        QVERIFY(!lockOf(live).isChecked());
        QCOMPARE(live.panel.row("world_size")->accessibleDescription(), QString{});
        live.panel.setScenario(set); // done again
        QVERIFY(lockOf(live).isChecked());
        live.type("parallel.pipeline", "1");
        QCOMPARE(live.current.worldSize(), 65);
    }

    void whatIsClosedByAClickStaysClosed()
    {
        const Scenario before = scenarioOf(2, 1, 4);
        LivePanel live{before};
        live.lockWorld();
        QCOMPARE(live.panel.row("world_size")->accessibleDescription(), QString{}); // all 8 are used
        live.type("world_size", "64");
        live.panel.setScenario(before); // undone
        QVERIFY(lockOf(live).isChecked());
        live.type("parallel.pipeline", "4");
        QCOMPARE(live.current.worldSize(), 8);
    }

    void anotherDocumentOpensIt()
    {
        LivePanel live{scenarioOf(1, 1, 8)};
        live.type("world_size", "16");
        live.panel.beginDocument();
        live.panel.setScenario(scenarioOf(1, 1, 16)); // where 16 GPUs are nobody's wish
        QVERIFY(!lockOf(live).isChecked());
    }

    void aPresetLeavesItAsItIs()
    {
        LivePanel live{scenarioOf(1, 1, 8)};
        live.presets = loadPresets().value();
        live.panel.refillPresets();
        live.type("world_size", "16");
        for (auto* list : live.panel.findChildren<ScenarioPresetList*>())
            emit list->chosen(list->accessibleName() == "Model preset" ? "gpt3-175b" : "dgx-h100");
        QCOMPARE(live.current.model.layers, 96);
        QCOMPARE(live.current.cluster.preset, std::string{"dgx-h100"});
        QVERIFY(lockOf(live).isChecked());
        live.type("parallel.tensor", "8");
        QCOMPARE(live.current.worldSize(), 16);
    }

private:
    static WorldLock& lockOf(LivePanel& live) { return *live.panel.findChild<WorldLock*>(); }
};

QTEST_MAIN(TestWorldLock)
#include "tst_world_lock.moc"
