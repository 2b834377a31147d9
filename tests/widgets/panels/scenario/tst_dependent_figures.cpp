#include "tests/widgets/panels/scenario/live_panel.h"

using namespace shardscope;

// What follows when one of several figures that make another is changed.
class TestDependentFigures : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void aModelCanBeTypedInAnyOrder_data()
    {
        QTest::addColumn<QList<QByteArray>>("keys");
        QTest::newRow("width first") << QList<QByteArray>{"model.hidden_size", "model.attention_heads"};
        QTest::newRow("heads first") << QList<QByteArray>{"model.attention_heads", "model.hidden_size"};
    }
    void aModelCanBeTypedInAnyOrder()
    {
        QFETCH(QList<QByteArray>, keys);
        Scenario scenario;
        scenario.model.hidden_size = 2000;
        scenario.model.attention_heads = scenario.model.kv_heads = 40;
        scenario.model.head_dim = 50;
        LivePanel live{scenario};
        for (const QByteArray& key : keys)
            live.type(key.constData(), key == "model.hidden_size" ? "8192" : "64");
        QCOMPARE(live.current.model.head_dim, 128);
        QCOMPARE(live.current.model.kv_heads, 64);
    }

    void aWidthOfHeadsFollowsOnceItsFieldIsEmptied()
    {
        LivePanel live{Scenario{}};
        live.panel.reveal("model.head_dim");
        live.type("model.head_dim", "50");
        live.type("model.hidden_size", "4096");
        QCOMPARE(live.current.model.head_dim, 50);
        live.edit("model.head_dim").selectAll();
        QTest::keyClick(&live.edit("model.head_dim"), Qt::Key_Delete);
        QTest::keyClick(&live.edit("model.head_dim"), Qt::Key_Return);
        QCOMPARE(live.current.model.head_dim, 256);
        QCOMPARE(live.edit("model.head_dim").text(), QString{"256"});
    }

    void headsThatDoNotMakeTheHiddenSizeAreSaid()
    {
        LivePanel live{Scenario{}};
        const auto said = [&](const char* key) { return live.panel.row(key)->accessibleDescription(); };
        QCOMPARE(said("model.attention_heads"), QString{});
        live.type("model.hidden_size", "2000"); // 16 heads
        QCOMPARE(said("model.attention_heads"), QString{});
        live.type("model.attention_heads", "64");
        QCOMPARE(said("model.attention_heads"),
                 QString{"64 heads do not divide the hidden size of 2\u00a0000: 64 heads of 31 are "
                         "1\u00a0984 wide."});
        live.panel.reveal("model.head_dim");
        QCOMPARE(said("model.head_dim"), said("model.attention_heads"));
        live.type("model.head_dim", "50");
        QVERIFY(said("model.attention_heads").startsWith("64 heads of 50 are 3\u00a0200 wide"));
        QVERIFY(said("model.head_dim").contains("h / a is"));
        live.type("model.hidden_size", "3200");
        QCOMPARE(said("model.attention_heads"), QString{});
    }

    void withoutTheLockTheWorldGrows()
    {
        LivePanel live{scenarioOf(2, 2, 4)};
        live.type("parallel.tensor", "4");
        QCOMPARE(live.current.worldSize(), 32);
        QCOMPARE(live.current.parallel.data, 4);
    }

    void withTheLockDataGivesWay_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<int>>("layout"); // p, t, d afterwards; 16 GPUs before
        QTest::newRow("tensor") << QByteArray{"parallel.tensor"} << "4" << QList<int>{2, 4, 2};
        QTest::newRow("pipeline") << QByteArray{"parallel.pipeline"} << "4" << QList<int>{4, 2, 2};
        QTest::newRow("data takes from pipeline")
            << QByteArray{"parallel.data"} << "8" << QList<int>{1, 2, 8};
        QTest::newRow("data takes from tensor last")
            << QByteArray{"parallel.data"} << "16" << QList<int>{1, 1, 16};
    }
    void withTheLockDataGivesWay()
    {
        QFETCH(QByteArray, key);
        QFETCH(QString, text);
        QFETCH(QList<int>, layout);
        LivePanel live{scenarioOf(2, 2, 4)};
        live.lockWorld();
        live.type(key.constData(), text);
        const Parallel& parallel = live.current.parallel;
        QCOMPARE(parallel.pipeline, layout[0]);
        QCOMPARE(parallel.tensor, layout[1]);
        QCOMPARE(parallel.data, layout[2]);
        QCOMPARE(live.current.worldSize(), 16);
    }

    void theLockRemembersItsNumber()
    {
        LivePanel live{scenarioOf(2, 2, 4)};
        live.lockWorld();
        live.type("parallel.tensor", "3"); // 16 cannot be divided by 6
        QCOMPARE(live.current.worldSize(), 12);
        live.type("parallel.tensor", "8");
        QCOMPARE(live.current.worldSize(), 16);
        QCOMPARE(live.current.parallel.data, 1);
    }

    void expertsAreSharedOutWhereTheLayoutIsMade()
    {
        LivePanel live{scenarioOf(2, 2, 8)};
        ScenarioRow& expert = *live.panel.row("parallel.expert");
        QVERIFY(expert.isHidden());
        QVERIFY(live.panel.row("parallel.context")->isVisible());
        Scenario scenario = scenarioOf(2, 2, 8);
        scenario.model.experts.count = 8;
        live.panel.setScenario(scenario);
        QVERIFY(expert.isVisible());
        live.type("parallel.expert", "4");
        QCOMPARE(live.current.parallel.expert, 4);
        scenario.model.experts.count = 0; // to be put right
        scenario.parallel.expert = 4;
        live.panel.setScenario(scenario);
        QVERIFY(expert.isVisible());
    }
};

QTEST_MAIN(TestDependentFigures)
#include "tst_dependent_figures.moc"
