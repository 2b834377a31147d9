#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include "tests/widgets/control_of.h"
#include "widgets/panels/controls/marked_slider.h"
#include "widgets/panels/scenario/collective_law_note.h"
#include "widgets/panels/scenario/scenario_number_edit.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/panels/scenario/scenario_row.h"

#include "core/scenario/own_presets.h"
#include "core/scenario/preset_origin.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario_change.h"

#include <algorithm>
#include <cmath>
#include <memory>

using namespace shardscope;

namespace
{

// A panel whose wishes come true at once, as the session makes them.
struct LivePanel {
    explicit LivePanel(const Scenario& scenario)
    {
        panel.setScenario(scenario);
        QObject::connect(&panel, &ScenarioPanel::scenarioWished, &panel,
                         [this](const Scenario& wished, const QString& gesture, int drag_id) {
                             current = wished;
                             gestures << gesture;
                             drags << drag_id;
                             panel.setScenario(wished);
                         });
        panel.resize(330, 800);
        panel.show();
    }
    QSlider& slider(const char* key) { return *panel.row(key)->findChild<QSlider*>(); }
    ScenarioNumberEdit& edit(const char* key) { return *panel.row(key)->findChild<ScenarioNumberEdit*>(); }
    void lockWorld() { controlOf<QToolButton>(panel, "Lock the number of GPUs").click(); }
    void type(const char* key, const QString& text)
    {
        edit(key).selectAll();
        QTest::keyClicks(&edit(key), text);
        QTest::keyClick(&edit(key), Qt::Key_Return);
    }

    Presets presets;
    ScenarioPanel panel{presets};
    Scenario current;
    QStringList gestures;
    QList<int> drags;
};

Scenario scenarioOf(std::int64_t p, std::int64_t t, std::int64_t d)
{
    Scenario scenario;
    scenario.parallel.pipeline = p;
    scenario.parallel.tensor = t;
    scenario.parallel.data = d;
    return scenario;
}

const ScenarioRow* rowAt(const ScenarioPanel& panel, const QPoint& place)
{
    QWidget* part = panel.childAt(panel.mapFromGlobal(place));
    while (part && !qobject_cast<ScenarioRow*>(part))
        part = part->parentWidget();
    return static_cast<ScenarioRow*>(part);
}

} // namespace

class TestScenarioPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    // With tensor-parallel ranks that split the sequence, gathering once saves bytes; another switch saves
    // none.
    void whatASwitchDoesToTheBytesStandsBelowIt()
    {
        const Presets presets;
        ScenarioPanel panel{presets};
        Scenario scenario;
        scenario.parallel.tensor = 2;
        scenario.parallel.sequence_parallel = true;
        panel.setScenario(scenario);
        panel.resize(420, 900);
        panel.show();
        ScenarioRow* regather = panel.row("conventions.sp_regather");
        QVERIFY(regather != nullptr);
        QTRY_VERIFY(regather->accessibleDescription().startsWith("off: -"));
        QVERIFY(panel.row("conventions.zero_unit")->accessibleDescription().isEmpty());
    }

    void aTypedNumberIsWished()
    {
        LivePanel live{scenarioOf(2, 2, 2)};
        live.type("model.layers", "48");
        QCOMPARE(live.current.model.layers, 48);
        QCOMPARE(live.gestures, QStringList{"Layers"});
    }

    void nonsenseIsRefusedBesideItsField()
    {
        LivePanel live{scenarioOf(2, 2, 2)};
        live.type("model.layers", "many");
        QVERIFY(live.gestures.isEmpty());
        const auto* sentence = live.panel.row("model.layers")->findChild<QLabel*>();
        QVERIFY(sentence && sentence->text().contains("not a number"));
        live.type("model.layers", "12");
        QVERIFY(sentence->isHidden());
    }

    void aNoteStandsWhereTheChoiceIsMade_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<Scenario>("scenario");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* name, const char* key, auto change, const char* note) {
            Scenario scenario = scenarioOf(2, 2, 2);
            change(scenario);
            QTest::newRow(name) << QString{key} << scenario << QString{note};
        };
        row(
            "an efficiency that the detailed model does not use", "cluster.mu",
            [](Scenario& s) { s.time_model = TimeModel::detailed; }, "Only Li et al.'s formula");
        row(
            "one that the formula uses", "cluster.mu", [](Scenario& s) { s.time_model = TimeModel::li; }, "");
        row(
            "fp8 without gain", "training.precision",
            [](Scenario& s) {
                s.training.precision = Precision::fp8;
                s.cluster.compute.fp8_speedup = 1.0;
            },
            "No gain of fp8");
        row(
            "ZeRO 3 in a pipeline", "parallel.zero_stage", [](Scenario& s) { s.parallel.zero_stage = 3; },
            "0 and 1 alone");
        row(
            "ZeRO 1 in a pipeline", "parallel.zero_stage", [](Scenario& s) { s.parallel.zero_stage = 1; },
            "");
    }
    void aNoteStandsWhereTheChoiceIsMade()
    {
        QFETCH(QString, key);
        QFETCH(Scenario, scenario);
        QFETCH(QString, note);
        LivePanel live{scenario};
        ScenarioRow& row = *live.panel.row(key);
        const auto* sentence = row.findChild<QLabel*>();
        QCOMPARE(sentence && !sentence->isHidden(), !note.isEmpty());
        if (!note.isEmpty())
            QVERIFY2(sentence->text().contains(note), qPrintable(sentence->text()));
        if (key == "cluster.mu")
            QCOMPARE(live.slider("cluster.mu").isEnabled(), note.isEmpty());
    }

    void oneDragIsOneGesture()
    {
        LivePanel live{scenarioOf(1, 1, 1)};
        QSlider& slider = live.slider("model.layers");
        slider.setSliderDown(true);
        for (int stop = 3; stop < 9; ++stop)
            slider.setValue(stop);
        slider.setSliderDown(false);
        QCOMPARE(live.drags.size(), 6);
        QCOMPARE(QSet<int>(live.drags.begin(), live.drags.end()).size(), 1);
        QVERIFY(live.drags.first() >= 0);
        slider.setSliderDown(true);
        slider.setValue(20);
        slider.setSliderDown(false);
        QVERIFY(live.drags.last() != live.drags.first());
    }

    void aSliderIsDraggedByTheMouse()
    {
        LivePanel live{scenarioOf(1, 1, 1)};
        QSlider& slider = live.slider("model.hidden_size");
        const std::int64_t before = 2048;
        const QPoint middle = slider.rect().center();
        QTest::mousePress(&slider, Qt::LeftButton, {}, middle);
        QTest::mouseMove(&slider, QPoint{slider.width() - 8, middle.y()});
        QTest::mouseRelease(&slider, Qt::LeftButton, {}, QPoint{slider.width() - 8, middle.y()});
        QVERIFY(live.current.model.hidden_size != before);
        QCOMPARE(live.current.model.ffn_hidden_size, 4 * live.current.model.hidden_size);
        QCOMPARE(live.current.model.head_dim * live.current.model.attention_heads,
                 live.current.model.hidden_size);
    }

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
                 QString{"64 heads do not divide the hidden size of 2 000: 64 heads of 31 are 1 984 wide."});
        live.panel.reveal("model.head_dim");
        QCOMPARE(said("model.head_dim"), said("model.attention_heads"));
        live.type("model.head_dim", "50");
        QVERIFY(said("model.attention_heads").startsWith("64 heads of 50 are 3 200 wide"));
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

    void aProblemStandsBesideItsSlider()
    {
        LivePanel live{scenarioOf(2, 3, 2)};
        live.panel.setProblems({{"parallel.tensor", "3 does not divide 16 heads; choose 2 or 4."}});
        ScenarioRow* row = live.panel.row("parallel.tensor");
        QCOMPARE(row->problem(), "3 does not divide 16 heads; choose 2 or 4.");
        QVERIFY(row->findChild<QLabel*>()->isVisible());
        QCOMPARE(live.panel.row("parallel.data")->problem(), QString{});
        live.panel.setProblems({});
        QCOMPARE(row->problem(), QString{});
        QVERIFY(row->findChild<QLabel*>()->isHidden());
    }

    void aProblemOfAnAdvancedFigureIsShownAbove()
    {
        LivePanel live{scenarioOf(2, 2, 2)};
        live.panel.setProblems({{"model.ffn_hidden_size", "It is 0; a width is at least 1."}});
        bool shown = false;
        for (const QLabel* label : live.panel.findChildren<QLabel*>())
            shown = shown || (label->isVisible() && label->text().contains("a width is at least 1"));
        QVERIFY(shown);
        live.panel.reveal("model.ffn_hidden_size");
        QVERIFY(live.panel.row("model.ffn_hidden_size")->isVisible());
    }

    void thePinnedScenarioIsMarkedOnTheSliders()
    {
        LivePanel live{scenarioOf(2, 4, 2)};
        const MarkedSlider& slider = *live.panel.row("parallel.tensor")->findChild<MarkedSlider*>();
        QVERIFY(std::isnan(slider.mark()));
        live.panel.setPinned(std::make_shared<PredictedScenario>(PredictedScenario{scenarioOf(2, 2, 2), {}}));
        QCOMPARE(slider.mark(), 1.0); // 1, 2, 4, 8, 16
        live.panel.setPinned(std::make_shared<PredictedScenario>(PredictedScenario{scenarioOf(2, 3, 2), {}}));
        QCOMPARE(slider.mark(), 1.5);
        live.panel.setPinned(nullptr);
        QVERIFY(std::isnan(slider.mark()));
    }

    void otherConstantsOfCollectivesAreSaidAndTakenBack()
    {
        LivePanel live{Scenario{}};
        live.presets = loadPresets().value();
        live.panel.refillPresets();
        const ClusterPreset& preset = *live.presets.cluster("dgx-h100");
        Scenario scenario = withCluster(Scenario{}, preset);
        live.panel.setScenario(scenario);
        auto& note = *live.panel.findChild<CollectiveLawNote*>();
        QVERIFY(note.isHidden());
        scenario.cluster.collectives.intra_efficiency /= 2.0;
        scenario.cluster.preset.clear();
        live.panel.setScenario(scenario);
        QVERIFY(!note.isHidden());
        QVERIFY(!note.text().contains("Li et al."));
        scenario.time_model = TimeModel::li; // does not use them
        live.panel.setScenario(scenario);
        QVERIFY(note.text().contains("Li et al."));
        emit note.linkActivated("#");
        QCOMPARE(live.current.cluster, preset.cluster);
        QVERIFY(note.isHidden());
    }

    void sentencesTakeTheColoursOfTheAppearance()
    {
        LivePanel live{Scenario{}};
        ScenarioRow& row = *live.panel.row("model.layers");
        row.setRemark("A remark");
        QLabel* sentence = nullptr;
        for (QLabel* label : row.findChildren<QLabel*>())
            if (label->text() == "A remark")
                sentence = label;
        QVERIFY(sentence);
        const QColor light = sentence->palette().color(QPalette::WindowText);
        QPalette dark = row.palette();
        dark.setColor(QPalette::Window, Qt::black);
        dark.setColor(QPalette::Base, Qt::black);
        dark.setColor(QPalette::WindowText, Qt::white);
        dark.setColor(QPalette::Text, Qt::white);
        row.setPalette(dark);
        QVERIFY(sentence->palette().color(QPalette::WindowText) != light);
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

    // Wherever the form stands and however high it is: a second click at the same place is for the same line.
    void aLineStaysBeneathTheMouseWhileNotesComeAndGo_data()
    {
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("scrolled"); // %
        for (const int height : {300, 700, 1'400})
            for (const int scrolled : {0, 3, 50, 100})
                QTest::addRow("%d high, at %d %%", height, scrolled) << height << scrolled;
    }
    void aLineStaysBeneathTheMouseWhileNotesComeAndGo()
    {
        QFETCH(int, height);
        QFETCH(int, scrolled);
        LivePanel live{scenarioOf(2, 2, 4)};
        live.panel.resize(330, height);
        QCoreApplication::processEvents();
        const auto& form = *live.panel.findChild<QScrollArea*>();
        QScrollBar& bar = *form.verticalScrollBar();
        bar.setValue(bar.maximum() * scrolled / 100);
        QCoreApplication::processEvents();
        const QPoint low = form.viewport()->mapToGlobal(form.viewport()->rect().center());
        for (int y = 10; y < std::min(height, 700); y += 40) {
            const QPoint mouse{low.x(), form.viewport()->mapToGlobal(QPoint{0, y}).y()};
            QCursor::setPos(mouse);
            const ScenarioRow* pointed = rowAt(live.panel, mouse);
            if (pointed == nullptr)
                continue;
            const auto stays = [&](const char* when) {
                QCoreApplication::processEvents();
                const ScenarioRow* row = rowAt(live.panel, mouse); // none: the sentence above them all
                QVERIFY2(row == pointed || (row == nullptr && y < 60),
                         qPrintable(QString{"%1 at %2, %3"}.arg(pointed->key()).arg(y).arg(when)));
            };
            live.panel.setProblems({{"model.layers", "A long sentence that takes more than one line of it."},
                                    {"training.micro_batch_size", "Another."},
                                    {"conventions.framework", "One that no line shows, above them all."}});
            stays("with problems");
            Scenario other = scenarioOf(2, 2, 4);
            other.parallel.zero_stage = 3;
            live.panel.setScenario(other);
            stays("with a note");
            live.panel.setProblems({});
            stays("without problems");
            live.panel.setScenario(scenarioOf(2, 2, 4));
            stays("without notes");
        }
        const int lines = form.widget()->sizeHint().height();
        QCursor::setPos(live.panel.mapToGlobal(QPoint{-20, -20}));
        QEvent left{QEvent::Leave};
        QCoreApplication::sendEvent(&live.panel, &left);
        QVERIFY(form.widget()->sizeHint().height() <= lines);
        QCOMPARE(form.widget()->layout()->contentsMargins().top(), 0);
    }

    void absurdNumbersDoNoHarm()
    {
        LivePanel live{scenarioOf(2, 2, 2)};
        live.lockWorld();
        for (const char* key :
             {"parallel.pipeline", "parallel.tensor", "model.hidden_size", "model.attention_heads",
              "training.global_batch_size", "parallel.data", "world_size"}) {
            live.type(key, "9000000000000000");
            live.type(key, "0");
            live.type(key, "-5");
        }
        QVERIFY(!live.gestures.isEmpty());
    }

    void theWheelScrollsPastASlider()
    {
        LivePanel live{scenarioOf(2, 2, 2)};
        QSlider& slider = live.slider("model.layers");
        const int before = slider.value();
        slider.clearFocus();
        QWheelEvent turned{slider.rect().center(),
                           slider.mapToGlobal(slider.rect().center()),
                           {},
                           {0, 120},
                           Qt::NoButton,
                           Qt::NoModifier,
                           Qt::NoScrollPhase,
                           false};
        QCoreApplication::sendEvent(&slider, &turned);
        QCOMPARE(slider.value(), before);
    }
};

QTEST_MAIN(TestScenarioPanel)
#include "tst_scenario_panel.moc"
