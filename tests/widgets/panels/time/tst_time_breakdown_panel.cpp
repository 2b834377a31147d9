#include "core/prediction/predict.h"
#include "tests/fail_on_warnings.h"
#include "widgets/panels/time/time_breakdown_panel.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/session/shown_text.h"

#include "tests/widgets/sample_content.h"

#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

static Selection wished(const QSignalSpy& spy)
{
    return spy.last().at(0).value<Selection>();
}

class TestTimeBreakdownPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void withoutATraceItSaysWhatToDo()
    {
        TimeBreakdownPanel panel;
        QVERIFY(!panel.chart().scene().hint.isEmpty());
        panel.setContent(sample::content());
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.bars.size(), std::size_t{2});
        QCOMPARE(scene.bars[1].caption, "Measured");
        QVERIFY(scene.bars[1].segments.empty());
        QVERIFY(scene.bars[1].remark.contains("open a trace"));
    }

    void aTableOfCollectivesIsSaidToBeShownElsewhere()
    {
        TimeBreakdownPanel panel;
        Content content = sample::content();
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.points.push_back({"all_reduce", "float", 1 << 30, 8203.9e-6, 130.88, 229.04});
        content.measured = run;
        panel.setContent(content);
        QCOMPARE(panel.chart().scene().bars[1].remark, QString{"only calls of collectives: see Collectives"});
    }

    void aLogsIterationIsABarOnTheCommonAxis()
    {
        TimeBreakdownPanel panel;
        Content content = sample::content();
        const double predicted_s = content.predicted->prediction.time.iteration_s;
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.timers = {{std::string{iteration_timer}, 20, 3.0 * predicted_s}};
        content.measured = run;
        panel.setContent(content);
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.bars[1].segments.size(), std::size_t{1});
        QCOMPARE(scene.bars[1].segments[0].name, "not divided");
        QCOMPARE(scene.bars[1].segments[0].value, 3.0 * predicted_s);
        QVERIFY(scene.bars[1].remark.contains("median of 20 lines of the log"));
        QVERIFY(scene.value_high >= 3.0 * predicted_s);
        QVERIFY(panel.csv().contains("measured,not divided,"));
        // What is not divided has no shares.
        run = std::make_shared<MeasuredRun>(*run);
        run->measurement.timers[0].median_s = 30.0 * predicted_s;
        content.measured = run;
        panel.setContent(content);
        QCOMPARE(panel.chart().scene().unit, AxisUnit::seconds);
        QVERIFY(panel.chart().scene().note.endsWith("is this the trace's scenario?"));
    }

    // Of all ranks that were read, whatever the scenario's number of them.
    void aRunWithoutAScenarioOfItsOwnHasItsBarAlone()
    {
        Content content = sample::content(true);
        auto predicted = sample::predicted();
        predicted->scenario.parallel = {};
        predicted->prediction.time.iteration_s *= 1000.0;
        predicted->is_nobodys = true;
        content.predicted = predicted;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.bars.size(), std::size_t{1});
        QCOMPARE(scene.bars[0].caption, "Measured");
        const auto ranks = content.measured->measurement.ranks.size();
        QVERIFY2(scene.bars[0].remark.contains(QStringLiteral("mean of %1 ranks").arg(ranks)),
                 qPrintable(scene.bars[0].remark));
        QVERIFY(scene.note.isEmpty());
        QCOMPARE(scene.unit, AxisUnit::seconds);
        content.measured = std::make_shared<MeasuredRun>(); // as of a flight recorder
        panel.setContent(content);
        QCOMPARE(panel.chart().scene().hint, "Measured: this trace has no time to divide");
    }

    void predictedPinnedAndMeasuredShareAnAxis()
    {
        TimeBreakdownPanel panel;
        panel.setContent(sample::content(true, true));
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.bars.size(), std::size_t{3});
        QVERIFY(scene.value_high >= 31.2);
        QCOMPARE(scene.bars[0].segments[0].name, "compute");
        QVERIFY(scene.bars[0].remark.contains("10.0 % more than pinned"));
        QVERIFY(scene.bars[2].remark.contains("mean of stage 0's 8 ranks"));
        QVERIFY(!scene.bars[0].whisker);
    }

    void theRunThatIsPinnedHasABarBeneathTheMeasured()
    {
        Content content = sample::content(true);
        auto pinned = sample::measured();
        for (RankMeasurement& rank : pinned->measurement.ranks) {
            rank.idle_ns -= rank.window_ns / 2;
            rank.window_ns /= 2;
        }
        content.pinned_run = pinned;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.bars.size(), std::size_t{3});
        QCOMPARE(scene.bars[2].caption, "Pinned run");
        QVERIFY2(scene.bars[1].remark.contains("100.0 % more than the pinned run"),
                 qPrintable(scene.bars[1].remark));
        QVERIFY(panel.csv().contains("pinned run,iteration,"));
        content.pinned_run = content.measured; // just pinned
        panel.setContent(content);
        QCOMPARE(panel.chart().scene().bars.size(), std::size_t{2});
    }

    // Of four stages, whatever the scenario has by now.
    void theRunThatIsPinnedKeepsItsStages()
    {
        Content content = sample::content(true);
        auto pinned = sample::measured();
        pinned->layout = std::make_shared<Scenario>(content.predicted->scenario);
        content.pinned_run = pinned;
        auto predicted = sample::predicted();
        predicted->scenario.parallel.pipeline = 2;
        predicted->scenario.parallel.data = 8;
        content.predicted = predicted;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        const std::vector<Bar>& bars = panel.chart().scene().bars;
        QVERIFY2(bars[1].remark.contains("mean of stage 0's 16 ranks"), qPrintable(bars[1].remark));
        QVERIFY2(bars[2].remark.contains("mean of stage 0's 8 ranks"), qPrintable(bars[2].remark));
    }

    // A whole step is no prediction of them.
    void forwardPassesStandBesideThosePredicted()
    {
        Content content = sample::content(true);
        const Scenario scenario;
        content.predicted =
            std::make_shared<PredictedScenario>(PredictedScenario{scenario, predict(scenario).value()});
        const auto lengthOf = [](const Bar& bar) {
            double length = 0.0;
            for (const BarSegment& segment : bar.segments)
                length += segment.value;
            return length;
        };
        TimeBreakdownPanel panel;
        panel.setContent(content);
        const Bar whole = panel.chart().scene().bars[0];
        auto run = sample::measured();
        run->is_forward_only = true;
        content.measured = run;
        panel.setContent(content);
        const Bar forward = panel.chart().scene().bars[0];
        QVERIFY(!whole.remark.contains("forward"));
        QVERIFY2(forward.remark.contains("only forward passes"), qPrintable(forward.remark));
        QVERIFY(lengthOf(forward) > 0.0 && lengthOf(forward) < 0.5 * lengthOf(whole));
        QVERIFY(!forward.whisker);
    }

    void anErrorBandIsDrawnWhereThereIsOne()
    {
        Content content = sample::content();
        auto predicted = sample::predicted();
        predicted->prediction.time.error_band = {-0.1, 0.2};
        content.predicted = predicted;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        const double iteration_s = predicted->prediction.time.iteration_s;
        QCOMPARE(panel.chart().scene().bars[0].whisker->low, iteration_s * 0.9);
        QCOMPARE(panel.chart().scene().bars[0].whisker->high, iteration_s * 1.2);
    }

    void anUncalibratedClusterIsNamed()
    {
        Content content = sample::content(true);
        auto predicted = sample::predicted();
        predicted->scenario.cluster.calibrated = false;
        content.predicted = predicted;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        QVERIFY(panel.chart().scene().note.contains("shares, not times"));
        QCOMPARE(panel.chart().scene().unit, AxisUnit::share);
        QCOMPARE(panel.chart().scene().value_high, 1.0);
        panel.setContent(sample::content(true));
        QVERIFY(panel.chart().scene().note.isEmpty());
    }

    void timesOfDifferentThingsAreShares()
    {
        Content content = sample::content(true);
        auto predicted = sample::predicted();
        predicted->prediction.time.iteration_s *= 100.0;
        content.predicted = predicted;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        QVERIFY(panel.chart().scene().note.contains("apart"));
        QCOMPARE(panel.chart().scene().unit, AxisUnit::share);
    }

    void theErrorOfTimesIsNotDrawnOnAnAxisOfShares()
    {
        Content content = sample::content(true);
        auto predicted = sample::predicted();
        predicted->prediction.time.error_band = {-0.1, 0.5};
        predicted->scenario.cluster.calibrated = false;
        content.predicted = predicted;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        QCOMPARE(panel.chart().scene().unit, AxisUnit::share);
        QVERIFY(!panel.chart().scene().bars[0].whisker);
        QCOMPARE(panel.chart().scene().value_high, 1.0);
        QVERIFY(panel.chart().scene().bars[0].remark.contains(" – ")); // it is told
    }

    // The ranks wait at different places.
    void measuredPartsAddUp()
    {
        Content content = sample::content(true);
        auto run = std::make_shared<MeasuredRun>(*content.measured);
        for (std::size_t i = 0; i < run->measurement.ranks.size(); ++i) {
            RankMeasurement& rank = run->measurement.ranks[i];
            (i % 2 == 0 ? rank.idle_ns : rank.compute_ns) += 1'000'000'000;
            rank.busy_ns += i % 2 == 0 ? 0 : 1'000'000'000;
            rank.window_ns += 1'000'000'000;
        }
        content.measured = run;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        double sum_s = 0.0;
        for (const BarSegment& segment : panel.chart().scene().bars[1].segments)
            sum_s += segment.value;
        QVERIFY(panel.chart().scene().bars[1].remark.startsWith(secondsText(sum_s)));
    }

    void aSelectedKindStaysStrongAndOthersFade()
    {
        TimeBreakdownPanel panel;
        panel.setContent(sample::content(true));
        panel.setSelection({Kind::tp, std::nullopt, std::nullopt});
        for (const Bar& bar : panel.chart().scene().bars)
            for (const BarSegment& segment : bar.segments)
                QCOMPARE(segment.faded, segment.name != "tp");
    }

    void aSelectedRankShowsItsOwnTime()
    {
        TimeBreakdownPanel panel;
        panel.setContent(sample::content(true));
        panel.setSelection({std::nullopt, 7, std::nullopt});
        QVERIFY(panel.chart().scene().bars[1].remark.contains("rank 7"));
        panel.setSelection({std::nullopt, 77, std::nullopt}); // was not read
        QVERIFY(panel.chart().scene().bars[1].remark.contains("mean of stage 0's 8 ranks"));
    }

    void clicksWishAKindAndTakeItBack()
    {
        TimeBreakdownPanel panel;
        panel.resize(600, 400);
        panel.setContent(sample::content());
        panel.show();
        QTRY_VERIFY(!panel.chart().segmentRectangle(0, 1).isEmpty());
        const QSignalSpy spy{&panel, &PicturePanel::selectionWished};
        auto& chart = const_cast<BarChart&>(panel.chart());
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.segmentRectangle(0, 1).center().toPoint());
        QCOMPARE(wished(spy), (Selection{Kind::tp, std::nullopt, std::nullopt}));
        panel.setSelection(wished(spy));
        auto& legend = const_cast<LegendChips&>(panel.legend());
        QTest::mouseClick(&legend, Qt::LeftButton, {}, legend.chipRectangle(1).center().toPoint());
        QVERIFY(wished(spy).empty());
    }

    void csvHoldsEveryPart()
    {
        TimeBreakdownPanel panel;
        panel.setContent(sample::content(true));
        const QStringList lines = panel.csv().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines[0], "bar,part,kind,seconds,low_s,high_s");
        QCOMPARE(lines[1], "predicted,compute,,14.1,,"); // how sure a part is, is not known
        QCOMPARE(lines[2], "predicted,exposed communication,tp,6.2,,");
        QVERIFY(lines.contains("measured,memory,,0.4,0.4,0.4"));
    }

    void csvHasTheBandOfAnIteration()
    {
        Content content = sample::content();
        auto predicted = sample::predicted();
        predicted->prediction.time.iteration_s = 20.0;
        predicted->prediction.time.error_band = {-0.1, 0.5};
        content.predicted = predicted;
        TimeBreakdownPanel panel;
        panel.setContent(content);
        QVERIFY2(panel.csv().contains("predicted,iteration,,20,18,30"), qPrintable(panel.csv()));
        predicted->prediction.time.error_band = {0.0, 0.0};
        panel.setContent(content);
        QVERIFY2(panel.csv().contains("predicted,iteration,,20,,"), qPrintable(panel.csv()));
    }
};

QTEST_MAIN(TestTimeBreakdownPanel)
#include "tst_time_breakdown_panel.moc"
