#include "widgets/panels/timeline_panel.h"
#include "widgets/plots/legend_chips.h"

#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace shardscope;

static std::shared_ptr<const PredictedScenario> twoStages()
{
    Scenario scenario;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.training.global_batch_size = 16;
    scenario.training.micro_batch_size = 4;
    Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    return std::make_shared<const PredictedScenario>(scenario, prediction.value());
}

class TestTimelinePanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void withoutAnythingItSaysWhatToDo()
    {
        TimelinePanel panel;
        QVERIFY(!panel.view().scene().hint.isEmpty());
    }

    void everyStageHasALane()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        QCOMPARE(panel.view().scene().predicted->stages.size(), 2U);
        QVERIFY(panel.view().scene().hint.isEmpty());
        const QString csv = panel.csv();
        QVERIFY(csv.contains("predicted,stage 0,,forward"));
        QVERIFY(csv.contains("predicted,stage 1,,bubble"));
    }

    void aRankMarksItsStage()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        Selection selection;
        selection.rank = 3; // tensor pairs are innermost: ranks 2 and 3 are stage 1
        panel.setSelection(selection);
        QCOMPARE(panel.view().scene().marked_stage, std::optional<std::size_t>{1});
        QSignalSpy wishes{&panel, &PicturePanel::selectionWished};
        emit panel.view().laneClicked(TimelineSection::predicted, 1);
        QCOMPARE(wishes.front().front().value<Selection>().rank, std::optional<std::int64_t>{2});
    }

    void theLegendAsksForItsKind()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        const auto& chips = panel.legend().chips();
        QVERIFY(std::ranges::find(chips, static_cast<int>(Kind::tp), &LegendChip::id) != chips.end());
        QSignalSpy wishes{&panel, &PicturePanel::selectionWished};
        emit const_cast<LegendChips&>(panel.legend()).clicked(static_cast<int>(Kind::tp));
        QCOMPARE(wishes.front().front().value<Selection>().kind, std::optional{Kind::tp});
    }

    void thePinStaysAsAGhost()
    {
        TimelinePanel panel;
        const auto pinned = twoStages();
        panel.setContent({twoStages(), pinned, {}, false});
        const auto ghost = panel.view().scene().pinned;
        QVERIFY(ghost);
        panel.setContent({twoStages(), pinned, {}, false});
        QCOMPARE(panel.view().scene().pinned, ghost); // not made anew
    }

    void itDrawsAtAnySize()
    {
        TimelinePanel panel;
        panel.setContent({twoStages(), {}, {}, false});
        for (const QSize size : {QSize{200, 120}, QSize{800, 300}, QSize{1600, 1000}}) {
            panel.resize(size);
            QCOMPARE(panel.grab().size(), size);
        }
    }
};

QTEST_MAIN(TestTimelinePanel)
#include "tst_timeline_panel.moc"
