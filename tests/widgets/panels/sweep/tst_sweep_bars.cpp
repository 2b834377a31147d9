#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/predicted_table3.h"
#include "tests/widgets/panels/sweep/sweep_controls.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/sweep/sweep_bars_view.h"
#include "widgets/plots/bars/bar_chart.h"

#include "core/prediction/predict.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

std::shared_ptr<PredictedScenario> onOneNode()
{
    auto content = predictedTable3();
    content->scenario.parallel.pipeline = 1;
    content->scenario.parallel.data = 4;
    content->prediction = std::move(predict(content->scenario).value());
    return content;
}

} // namespace

// The bars of a study: what they show, tell and lead to.
class TestSweepBars : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void theScenariosOwnBarIsItsPrediction()
    {
        SweepPanel panel;
        chooseStudy(panel, "network");
        const Content content = contentOfTable3();
        panel.setContent(content);
        panel.finish();
        const auto& bars = panel.chart().scene().bars;
        const auto own = std::ranges::find_if(bars, &Bar::is_marked);
        QVERIFY(own != bars.end());
        double sum = 0.0;
        for (const BarSegment& segment : own->segments)
            sum += segment.value;
        QVERIFY(std::abs(sum / content.predicted->prediction.time.iteration_s - 1.0) < 1e-6);
    }

    void aPinnedScenarioIsAGhost()
    {
        SweepPanel panel;
        chooseStudy(panel, "length");
        panel.setContent(contentOfTable3(true));
        panel.finish();
        const auto& bars = panel.chart().scene().bars;
        QVERIFY(bars.front().is_ghost);
        QCOMPARE(std::ranges::count_if(bars, &Bar::is_ghost) * 2, std::ptrdiff_t(bars.size()));
    }

    void aClickedBarIsAWishForItsScenario()
    {
        SweepPanel panel;
        panel.resize(900, 320);
        chooseStudy(panel, "pipeline-data");
        panel.setContent(contentOfTable3());
        panel.finish();
        panel.show();
        QSignalSpy wished{&panel, &SweepPanel::scenarioWished};
        const auto& points = panel.answer().points;
        const auto first = std::ranges::find_if(points, &SweepPoint::isValid);
        emit panel.chart().activated(int(first - points.begin()), 0);
        QCOMPARE(wished.count(), 1);
        QVERIFY(wished[0][0].value<Scenario>() == first->scenario);
        emit panel.chart().activated(-1, -1);
        QCOMPARE(wished.count(), 1);
    }

    // Nine micro-batches do not divide by four stages, as the interleaved schedule needs.
    void whatCannotBeTrainedSaysWhyAndIsNoWish()
    {
        SweepPanel panel;
        chooseStudy(panel, "schedule");
        Content content;
        content.predicted = predictedTable3(25.0, 9 * 32 * 4);
        panel.setContent(content);
        panel.finish();
        const auto& points = panel.answer().points;
        const int bar = static_cast<int>(Schedule::interleaved);
        QVERIFY(!points[bar].isValid());
        QSignalSpy wished{&panel, &SweepPanel::scenarioWished};
        QSignalSpy told{&panel, &SweepPanel::statusWished};
        emit panel.chart().hovered(bar, 0);
        QVERIFY(told.last()[0].toString().contains("multiple of pipeline"));
        emit panel.chart().activated(bar, 0);
        QCOMPARE(wished.count(), 0);
    }

    // Over the bar each figure has room, in it not.
    void everyBarHasItsFigure()
    {
        SweepPanel panel;
        chooseStudy(panel, "strong");
        panel.setContent(contentOfTable3());
        chooseQuantity(panel, SweepQuantity::memory);
        panel.finish();
        QVERIFY(!panel.chart().scene().bars.empty());
        for (const Bar& bar : panel.chart().scene().bars)
            if (!bar.is_ghost && !bar.segments.front().faded) { // faded: it cannot be trained
                QVERIFY(bar.caption.contains("GiB"));
                QCOMPARE(bar.segments.front().name, QString{"weights"});
            }
        chooseQuantity(panel, SweepQuantity::mfu);
        for (const Bar& bar : panel.chart().scene().bars)
            if (!bar.is_ghost && !bar.segments.front().faded) {
                QCOMPARE(bar.segments.size(), std::size_t{1});
                QVERIFY(bar.segments.front().amount.isEmpty());
            }
    }

    // Each total alone: parts on one another have no lengths there.
    void aLogarithmicAxisShowsUndividedBars_data()
    {
        QTest::addColumn<int>("quantity");
        for (int i = 0; i < sweep_quantity_count; ++i)
            QTest::newRow(qPrintable(quantityName(static_cast<SweepQuantity>(i)))) << i;
    }
    void aLogarithmicAxisShowsUndividedBars()
    {
        QFETCH(int, quantity);
        const auto each = static_cast<SweepQuantity>(quantity);
        SweepPanel panel;
        panel.resize(900, 320);
        chooseStudy(panel, "strong");
        panel.setContent(contentOfTable3(true));
        panel.finish();
        auto& button = controlOf<SegmentButton>(panel, "log");
        button.setChecked(true);
        chooseQuantity(panel, each);
        QCOMPARE(!button.isHidden(), canBeLogarithmic(each));
        if (each == SweepQuantity::speedup)
            return;
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.is_logarithmic, canBeLogarithmic(each));
        QCOMPARE(scene.note.startsWith("logarithmic heights"), scene.is_logarithmic);
        if (!scene.is_logarithmic)
            return;
        for (const Bar& bar : scene.bars) {
            QCOMPARE(bar.segments.size(), std::size_t{1});
            QVERIFY(bar.segments[0].value <= scene.value_high);
            QVERIFY(bar.segments[0].value == 0.0 || bar.segments[0].value > scene.value_low);
        }
        panel.show();
        panel.chart().grab();
        for (int i = 0; i < static_cast<int>(scene.bars.size()); ++i)
            if (scene.bars[static_cast<std::size_t>(i)].segments[0].value > 0.0)
                QVERIFY(panel.chart().segmentRectangle(i, 0).height() > 4.0);
    }

    void aTipNamesContextAndExpertsWhereThereAreSome()
    {
        for (const std::int64_t context : {1, 2}) {
            const auto predicted = predictedTable3();
            predicted->scenario.parallel.context = context;
            predicted->prediction = std::move(predict(predicted->scenario).value());
            Content content;
            content.predicted = predicted;
            SweepPanel panel;
            chooseStudy(panel, "network");
            panel.setContent(content);
            panel.finish();
            const StudyAnswer& answer = panel.answer();
            const QString tip = sweepTip(answer, answer.points.front(), SweepQuantity::memory, 0);
            QVERIFY2(tip.contains(context == 2 ? "(p, t, c, d) = (4, 2, 2, 4)" : "(p, t, d) = (4, 2, 4)"),
                     qPrintable(tip));
        }
    }

    void aTipNamesWhatGoesWithAStage()
    {
        SweepPanel panel;
        chooseStudy(panel, "zero-gpus");
        panel.setContent(contentOfTable3());
        panel.finish();
        const StudyAnswer& answer = panel.answer();
        QVERIFY(!answer.points.empty());
        for (const SweepPoint& point : answer.points) {
            if (!point.isValid())
                continue;
            const QString tip = sweepTip(answer, point, SweepQuantity::memory, 0);
            QCOMPARE(tip.contains("Also another than on screen, as the framework's defaults do: "),
                     point.group_value > 0.0);
            QCOMPARE(tip.contains("Overlap gradients on (now off)"), point.group_value > 0.0);
            QVERIFY(!tip.contains("Overlap tensor") && !tip.contains("Overlap pipeline"));
        }
    }

    void aTipNamesWhatGoesWithTheHiddenSize()
    {
        SweepPanel panel;
        chooseStudy(panel, "hidden");
        panel.setContent(contentOfTable3());
        panel.finish();
        const StudyAnswer& answer = panel.answer();
        int others = 0;
        for (const SweepPoint& point : answer.points) {
            if (!point.isValid())
                continue;
            const bool is_own = point.scenario.model.hidden_size == answer.sweep.base.model.hidden_size;
            const QString tip = sweepTip(answer, point, SweepQuantity::memory, 0);
            QCOMPARE(tip.contains("With the hidden size go: "), !is_own);
            others += is_own ? 0 : 1;
        }
        QVERIFY(others > 0);
    }

    void aBarOfALogarithmicAxisAnswersAsAWhole()
    {
        SweepPanel panel;
        chooseStudy(panel, "strong");
        panel.setContent(contentOfTable3());
        panel.finish();
        QSignalSpy told{&panel, &SweepPanel::statusWished};
        emit panel.chart().hovered(0, 0);
        QVERIFY(told.last()[0].toString().contains(" of "));
        controlOf<SegmentButton>(panel, "log").setChecked(true);
        emit panel.chart().hovered(0, 0);
        QVERIFY2(!told.last()[0].toString().contains(" of "), qPrintable(told.last()[0].toString()));
    }

    void barsThatAreEqualInPairsSayWhy()
    {
        SweepPanel panel;
        chooseStudy(panel, "evolution");
        Content content;
        content.predicted = onOneNode();
        panel.setContent(content);
        panel.finish();
        QVERIFY(panel.chart().scene().note.contains("no all_reduce here crosses nodes"));
        panel.setContent(contentOfTable3());
        panel.finish();
        QVERIFY(!panel.chart().scene().note.contains("no all_reduce here crosses nodes"));
        content = contentOfTable3(); // replicas across nodes
        const auto by_formula = std::make_shared<PredictedScenario>(*content.predicted);
        by_formula->scenario.time_model = TimeModel::li;
        content.predicted = by_formula;
        panel.setContent(content);
        panel.finish();
        QVERIFY(panel.chart().scene().note.contains("Li et al.'s formula has no reduction"));
    }
};

QTEST_MAIN(TestSweepBars)
#include "tst_sweep_bars.moc"
