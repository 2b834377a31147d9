#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>

#include "tests/widgets/panels/scenario/live_panel.h"
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

    void whatNoFieldCanHoldIsRefusedWithTheFieldsOwnRange()
    {
        LivePanel live{scenarioOf(1, 1, 1)};
        live.type("model.layers", "1e30");
        QCOMPARE(live.panel.row("model.layers")->accessibleDescription(),
                 QString::fromUtf8("“1e30” is too large: choose 1 to 10 000."));
    }

    void escapeTakesBackWhatTheScenarioRefuses()
    {
        LivePanel live{scenarioOf(1, 1, 1)};
        live.type("model.layers", "36");
        live.panel.setProblems(validate(live.current));
        live.type("model.layers", "0");
        live.panel.setProblems(validate(live.current));
        QVERIFY(!live.panel.row("model.layers")->problem().isEmpty());
        QTest::keyClick(&live.edit("model.layers"), Qt::Key_Escape);
        QCOMPARE(live.current.model.layers, 36);
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
            "No matrix units for fp8");
        row(
            "ZeRO 3 in a pipeline", "parallel.zero_stage", [](Scenario& s) { s.parallel.zero_stage = 3; },
            "distributed optimizer is stage 1");
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
