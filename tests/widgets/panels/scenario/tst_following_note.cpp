#include <QSignalSpy>
#include <QTest>

#include "tests/widgets/panels/scenario/live_panel.h"
#include "widgets/panels/scenario/following_note.h"

#include "core/scenario/scenario_change.h"

using namespace shardscope;

class TestFollowingNote : public QObject
{
    Q_OBJECT
private slots:
    void whatAnEditTakesAlongIsNamed_data()
    {
        QTest::addColumn<Scenario>("before");
        QTest::addColumn<Scenario>("after");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* name, const Scenario& before, const char* key, auto change,
                            const char* note) {
            Scenario after = before;
            change(after);
            QTest::newRow(name) << before << withFollowingConventions(before, after) << key << note;
        };
        Scenario sequences = scenarioOf(1, 2, 4);
        sequences.parallel.sequence_parallel = true;
        row(
            "ZeRO with sequence parallelism", sequences, "parallel.zero_stage",
            [](Scenario& s) { s.parallel.zero_stage = 1; },
            "Also changed with ZeRO stage 1, under Advanced: Overlap gradients on, Overlap parameters on, "
            "Gradients go in buckets, Bucket size 160\u00a0000\u00a0000 B");
        Scenario shared = sequences;
        shared.parallel.sequence_parallel = false;
        shared.parallel.zero_stage = 1;
        row(
            "sequence parallelism alone", withFollowingConventions(sequences, shared),
            "parallel.sequence_parallel", [](Scenario& s) { s.parallel.sequence_parallel = true; },
            "Also changed with Sequence parallel on, under Advanced: Overlap tensor on");
        row(
            "nothing", scenarioOf(1, 2, 4), "parallel.tensor", [](Scenario& s) { s.parallel.tensor = 4; },
            "");
        row(
            "the edited convention itself", scenarioOf(1, 2, 4), "conventions.gradient_norm",
            [](Scenario& s) { s.conventions.gradient_norm = false; }, "");
        row(
            "a number format", scenarioOf(1, 2, 4), "training.precision",
            [](Scenario& s) { s = withPrecision(s, Precision::fp16); },
            "Also changed with Precision fp16, under Advanced: Gradient bytes 2");
        row(
            "sizes of a model", scenarioOf(1, 2, 4), "model.hidden_size",
            [](Scenario& s) {
                s.model.hidden_size *= 2;
                s.model.ffn_hidden_size *= 2;
            },
            "");
    }
    void whatAnEditTakesAlongIsNamed()
    {
        QFETCH(Scenario, before);
        QFETCH(Scenario, after);
        QFETCH(QString, key);
        QTEST(followingNote(before, after, key, "An edit"), "note");
    }

    void linesThatTheFormDoesNotShowAreLeftOut()
    {
        Scenario shared = scenarioOf(1, 1, 4);
        shared.parallel.zero_stage = 3; // parameters are gathered all the time
        const QString note =
            followingNote(scenarioOf(1, 1, 4), withFollowingConventions(scenarioOf(1, 1, 4), shared),
                          "parallel.zero_stage", "ZeRO stage");
        QVERIFY(note.contains("Overlap gradients on"));
        QVERIFY2(!note.contains("Overlap parameters"), qPrintable(note));
    }

    void aChosenPresetIsNamedByItsGesture()
    {
        Scenario after;
        after.training.flash_attention = !after.training.flash_attention;
        after.cluster.memory_GB = 1.0; // the preset's own
        QCOMPARE(followingNote({}, after, {}, "Model"),
                 QString{"Also changed with Model, under Advanced: Flash attention on"});
    }

    void theFormTellsItOnce()
    {
        LivePanel live{scenarioOf(1, 1, 4)};
        const QSignalSpy told{&live.panel, &ScenarioPanel::told};
        auto& stages = *live.panel.row("parallel.zero_stage");
        controlOf<QAbstractButton>(stages, "ZeRO stage: 1").click();
        QCOMPARE(told.count(), 1);
        QVERIFY(told[0][0].toString().startsWith("Also changed with ZeRO stage 1"));
        live.type("model.layers", "12");
        QCOMPARE(told.count(), 1);
    }
};

QTEST_MAIN(TestFollowingNote)
#include "tst_following_note.moc"
