#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/predicted_table3.h"
#include "tests/widgets/panels/sweep/sweep_controls.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/sweep/sweep_changes_view.h"
#include "widgets/plots/changes/change_chart.h"

#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

// The changes of a scenario, and those since another was pinned, as rows of the picture of sweeps.
class TestSweepChanges : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void aClickTakesAChange()
    {
        SweepPanel panel;
        panel.resize(900, 400);
        chooseStudy(panel, "changes");
        panel.setContent(contentOfTable3());
        panel.finish();
        const SingleChanges& changes = panel.answer().changes;
        QCOMPARE(panel.changes().scene().rows.size(), changes.changes.size());
        QCOMPARE(panel.changes().scene().invitation, "Click a row to take its change");
        QVERIFY(panel.csv().startsWith("change,of,iteration_s,device_bytes,fits\n"));
        QCOMPARE(panel.csv().trimmed().count('\n'), qsizetype(changes.changes.size() + 1));
        QSignalSpy wished{&panel, &PicturePanel::scenarioWished};
        QTest::keyClick(&panel.changes(), Qt::Key_Home);
        QTest::keyClick(&panel.changes(), Qt::Key_Return);
        QCOMPARE(wished.size(), 1);
        QVERIFY(wished.first().first().value<Scenario>() == changes.changes.front().point.scenario);
    }

    void aSentenceSaysWhatAChangeDoes()
    {
        SweepPanel panel;
        chooseStudy(panel, "changes");
        panel.setContent(contentOfTable3());
        panel.finish();
        const ChangeRow& first = panel.changes().scene().rows.front();
        const QString sentence = changeSentence(panel.answer(), 0);
        QVERIFY2(sentence.startsWith(first.name + ": "), qPrintable(sentence));
        QVERIFY(sentence.contains(first.cells.front()));
        QVERIFY(changeTip(panel.answer(), 0).contains("Click"));
        QVERIFY(changeSentence(panel.answer(), -1).isEmpty());
        QVERIFY(changeSentence(panel.answer(), 1000).isEmpty());
    }

    void withoutAPinThereIsAHint()
    {
        SweepPanel panel;
        chooseStudy(panel, "steps");
        panel.setContent(contentOfTable3());
        panel.finish();
        QVERIFY(panel.changes().scene().hint.contains("Pin"));
        Content content = contentOfTable3();
        content.pinned = content.predicted;
        panel.setContent(content);
        panel.finish();
        QVERIFY(panel.changes().scene().hint.contains("as pinned"));
    }

    void stepsGoFromThePinnedScenarioToThis()
    {
        Scenario after = predictedTable3()->scenario;
        after.training.recompute = Recompute::none;
        after.training.micro_batch_size = 16;
        Content content;
        content.pinned = predictedTable3();
        content.predicted = predictedOf(after);
        SweepPanel panel;
        chooseStudy(panel, "steps");
        panel.setContent(content);
        panel.finish();
        const ChangeScene& scene = panel.changes().scene();
        QCOMPARE(scene.rows.size(), std::size_t{4});
        QVERIFY(scene.rows.front().is_place && scene.rows.back().is_place);
        QCOMPARE(scene.rows[1].name, QString{"Micro-batch 32 → 16"});
        QCOMPARE(scene.rows[2].name, QString{"Recompute full → none"});
        QCOMPARE(scene.rows[1].from, content.pinned->prediction.time.iteration_s);
        QCOMPARE(scene.rows[2].from, scene.rows[1].to);
        QCOMPARE(scene.rows[3].to, content.predicted->prediction.time.iteration_s);
        QVERIFY(changeTip(panel.answer(), 2).contains("recompute: full → none"));

        QSignalSpy wished{&panel, &PicturePanel::scenarioWished};
        emit panel.changes().activated(1);
        Scenario half = content.pinned->scenario;
        half.training.micro_batch_size = 16;
        QVERIFY(wished.first().first().value<Scenario>() == half);
        emit panel.changes().activated(0);
        QVERIFY(wished.last().first().value<Scenario>() == content.pinned->scenario);
    }

    void aSavedPictureIsAsHighAsItsRows()
    {
        SweepPanel panel;
        panel.resize(900, 200);
        chooseStudy(panel, "changes");
        panel.setContent(contentOfTable3());
        panel.finish();
        const QSize whole = panel.wholeSize({900, 200});
        QCOMPARE(whole.width(), 900);
        QVERIFY(whole.height() >= panel.changes().wholeHeight(900));
        chooseStudy(panel, "weak");
        panel.finish();
        QCOMPARE(panel.wholeSize({900, 200}), QSize(900, 200));
    }
};

QTEST_MAIN(TestSweepChanges)
#include "tst_sweep_changes.moc"
