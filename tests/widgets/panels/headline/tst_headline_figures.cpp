#include <QTest>

#include "tests/widgets/predicted_of.h"
#include "widgets/panels/headline/headline_figures.h"
#include "widgets/session/shown_text.h"

#include <algorithm>

using namespace shardscope;

namespace
{

const HeadlineFigure& figureOf(Figure figure)
{
    const auto all = headlineFigures();
    return *std::find_if(all.begin(), all.end(),
                         [figure](const HeadlineFigure& one) { return one.figure == figure; });
}

PredictedScenario shownScenario()
{
    PredictedScenario shown;
    shown.prediction.world_size = 32;
    shown.prediction.memory.peak_bytes = std::int64_t{20} << 30;
    shown.prediction.time.iteration_s = 2.0;
    shown.prediction.time.tokens_per_s = 64000.0;
    shown.prediction.time.bubble_ratio = 0.25;
    return shown;
}

} // namespace

class TestHeadlineFigures : public QObject
{
    Q_OBJECT
private slots:
    void eightFiguresInReadingOrder()
    {
        QStringList titles;
        for (const HeadlineFigure& figure : headlineFigures())
            titles << figure.title;
        QCOMPARE(titles.size(), 8);
        QCOMPARE(titles.first(), "Parameters");
        QCOMPARE(titles.last(), "Bubble");
    }

    void withoutAPinThereIsNoChange()
    {
        const HeadlineValue value = headlineValue(figureOf(Figure::iteration_time), shownScenario(), nullptr);
        QCOMPARE(value.value, "2 s");
        QCOMPARE(value.change, QString{});
    }

    // Two formulas give two times: that is no gain.
    void anotherTimeModelIsNoChange()
    {
        PredictedScenario pinned = shownScenario();
        pinned.scenario.time_model = TimeModel::li;
        pinned.prediction.time.iteration_s = 4.0;
        const HeadlineValue time = headlineValue(figureOf(Figure::iteration_time), shownScenario(), &pinned);
        QCOMPARE(time.change, "Li et al.: 4 s");
        QVERIFY2(time.detail.startsWith("now "), qPrintable(time.detail)); // not of the pinned one
        QCOMPARE(time.judgement, HeadlineValue::Judgement::neutral);
        const HeadlineValue gpus = headlineValue(figureOf(Figure::peak_memory), shownScenario(), &pinned);
        QCOMPARE(gpus.change, "= pinned"); // memory is of neither
    }

    // 27.2 % of 55 s and of 57 s.
    void whatReadsOtherwiseIsNotCalledThePinnedOne_data()
    {
        QTest::addColumn<double>("pinned_s");
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("detail");
        QTest::newRow("the same share of as long") << 15.0 << "= pinned"
                                                   << "15 s";
        QTest::newRow("the same share of longer") << 15.5 << "pinned 15.5 s"
                                                  << "now 15 s";
    }
    void whatReadsOtherwiseIsNotCalledThePinnedOne()
    {
        QFETCH(const double, pinned_s);
        PredictedScenario shown = shownScenario();
        shown.prediction.time.bubble_s = 15.0;
        PredictedScenario pinned = shown;
        pinned.prediction.time.bubble_s = pinned_s;
        const HeadlineValue value = headlineValue(figureOf(Figure::bubble_ratio), shown, &pinned);
        QTEST(value.change, "change");
        QTEST(value.detail, "detail");
        QCOMPARE(value.judgement, HeadlineValue::Judgement::neutral);
    }

    void aLongerBubbleThanTheSlowestStagesIsTold()
    {
        PredictedScenario shown = shownScenario();
        shown.prediction.time.bubble_s = 0.1;
        shown.prediction.stages.resize(2);
        shown.prediction.stages[0].use.fill_s = 0.1;
        shown.prediction.stages[1].stage = 1;
        shown.prediction.stages[1].use.imbalance_s = 0.5;
        QCOMPARE(headlineValue(figureOf(Figure::bubble_ratio), shown, nullptr).detail,
                 "100 ms; stage 1: 25.0 %");
        shown.prediction.stages[1].use.imbalance_s = 0.105;
        QCOMPARE(headlineValue(figureOf(Figure::bubble_ratio), shown, nullptr).detail, "100 ms");
    }

    void changesHaveSignArrowAndJudgement_data()
    {
        QTest::addColumn<double>("factor");
        QTest::addColumn<QString>("change");
        QTest::addColumn<int>("judgement");
        using enum HeadlineValue::Judgement;
        QTest::newRow("slower is worse") << 1.25 << "▲ +25.0 %" << static_cast<int>(worse);
        QTest::newRow("faster is better") << 0.5 << "▼ −50.0 %" << static_cast<int>(better);
        QTest::newRow("the same") << 1.0 << "= pinned" << static_cast<int>(neutral);
    }
    void changesHaveSignArrowAndJudgement()
    {
        QFETCH(double, factor);
        const PredictedScenario pinned = shownScenario();
        PredictedScenario shown = pinned;
        shown.prediction.time.iteration_s *= factor;
        const HeadlineValue value = headlineValue(figureOf(Figure::iteration_time), shown, &pinned);
        QTEST(value.change, "change");
        QTEST(static_cast<int>(value.judgement), "judgement");
    }

    void ratiosChangeByPoints()
    {
        const PredictedScenario pinned = shownScenario();
        PredictedScenario shown = pinned;
        shown.prediction.time.bubble_ratio = 0.30;
        const HeadlineValue value = headlineValue(figureOf(Figure::bubble_ratio), shown, &pinned);
        QCOMPARE(value.change, "▲ +5.0 points");
        QCOMPARE(value.judgement, HeadlineValue::Judgement::worse);
    }

    void whatDoesNotFitIsMarked()
    {
        PredictedScenario shown = shownScenario();
        MemoryPrediction& memory = shown.prediction.memory;
        memory.fits = false;
        memory.capacity_bytes = std::int64_t{80} << 30;
        memory.device_bytes = 2 * memory.capacity_bytes;
        const HeadlineValue value = headlineValue(figureOf(Figure::peak_memory), shown, nullptr);
        QVERIFY(value.wrong);
        QVERIFY(value.value.startsWith("✕"));
        QCOMPARE(value.detail, "more than 80 GiB; 20 GiB allocated");
        memory.device_bytes = memory.capacity_bytes + (std::int64_t{1} << 20);
        QCOMPARE(headlineValue(figureOf(Figure::peak_memory), shown, nullptr).detail,
                 "1 MiB too much; 20 GiB allocated");
    }

    // Of a dense model a token uses them all.
    void parametersThatATokenUsesAreToldWhereTheyAreFewer_data()
    {
        QTest::addColumn<qint64>("experts");
        QTest::newRow("dense") << qint64{0};
        QTest::newRow("eight experts") << qint64{8};
    }
    void parametersThatATokenUsesAreToldWhereTheyAreFewer()
    {
        QFETCH(qint64, experts);
        Scenario scenario;
        scenario.model.experts.count = experts;
        const auto shown = predictedOf(scenario);
        const ParameterCount& parameters = shown->prediction.parameters;
        QCOMPARE(parameters.active<parameters.total, experts> 0);
        const QString active = countText(static_cast<double>(parameters.active)) + " active";
        const QString detail = headlineValue(figureOf(Figure::parameters_total), *shown, nullptr).detail;
        const QString of_rank = countText(static_cast<double>(parameters.per_rank_max)) + " on a rank";
        QCOMPARE(detail, experts > 0 ? of_rank + "; " + active : of_rank);
        const Explanation tip = explain(Figure::parameters_total, scenario, shown->prediction);
        const QString both = countText(static_cast<double>(parameters.total)) + " parameters, " + active;
        QCOMPARE(QString::fromStdString(tip.why).startsWith(both), experts > 0);
    }

    // The large figure is the one that is held against the capacity, as in the bars; small what the run's own
    // report counts of it.
    void memoryIsAllThatTheGpuHolds_data()
    {
        QTest::addColumn<int>("measure");
        QTest::addColumn<QString>("detail");
        QTest::newRow("tensors") << static_cast<int>(MemoryMeasure::allocated)
                                 << "fits 80 GiB; 20 GiB allocated";
        QTest::newRow("with the cache")
            << static_cast<int>(MemoryMeasure::reserved) << "fits 80 GiB; 20 GiB reserved";
        QTest::newRow("the device") << static_cast<int>(MemoryMeasure::device) << "fits 80 GiB";
    }
    void memoryIsAllThatTheGpuHolds()
    {
        QFETCH(int, measure);
        PredictedScenario shown = shownScenario();
        shown.prediction.memory.peak_bytes = std::int64_t{20} << 30;
        shown.prediction.memory.device_bytes = std::int64_t{23} << 30;
        shown.prediction.memory.capacity_bytes = std::int64_t{80} << 30;
        shown.scenario.conventions.memory_measure = static_cast<MemoryMeasure>(measure);
        const HeadlineValue value = headlineValue(figureOf(Figure::peak_memory), shown, nullptr);
        QCOMPARE(value.value, "23 GiB");
        QTEST(value.detail, "detail");
        QVERIFY(!value.warned);
    }

    // As sweeps have it.
    void memoryThatFitsByLessThanItsErrorIsNearlyFull()
    {
        PredictedScenario shown = shownScenario();
        shown.scenario.cluster.memory_GB = 24.0;
        shown.prediction.memory.device_bytes = std::int64_t{23} << 30;
        shown.prediction.memory.capacity_bytes = std::int64_t{24} << 30;
        const HeadlineValue value = headlineValue(figureOf(Figure::peak_memory), shown, nullptr);
        QCOMPARE(value.value, "23 GiB");
        QCOMPARE(value.detail, "nearly full: 24 GiB; 20 GiB allocated");
        QVERIFY(value.warned && !value.wrong);
    }

    void theBandSaysHowManyItHolds()
    {
        PredictedScenario shown = shownScenario();
        shown.scenario.time_model = TimeModel::detailed;
        shown.prediction.time.error_band = {-0.1, 0.1};
        QCOMPARE(headlineValue(figureOf(Figure::iteration_time), shown, nullptr).detail,
                 "± 10 % (4 of 5): 1.8 s to 2.2 s");
    }
};

QTEST_APPLESS_MAIN(TestHeadlineFigures)
#include "tst_headline_figures.moc"
