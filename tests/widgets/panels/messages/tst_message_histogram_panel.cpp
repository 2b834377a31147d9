#include "widgets/panels/messages/message_histogram_panel.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"

#include "tests/widgets/sample_content.h"

#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

static double heightOf(const Bar& bar)
{
    double height = 0.0;
    for (const BarSegment& segment : bar.segments)
        height += segment.value;
    return height;
}

static const Bar* barAt(const BarScene& scene, double centre)
{
    for (const Bar& bar : scene.bars)
        if (qFuzzyCompare(bar.centre, centre))
            return &bar;
    return nullptr;
}

class TestMessageHistogramPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void withoutMessagesItSaysWhy()
    {
        MessageHistogramPanel panel;
        QVERIFY(!panel.chart().scene().hint.isEmpty());
        Content content;
        auto alone = std::make_shared<PredictedScenario>();
        alone->prediction.world_size = 1;
        alone->prediction.stages.resize(1);
        content.predicted = alone;
        panel.setContent(content);
        QVERIFY(panel.chart().scene().hint.contains("One GPU"));
        panel.setContent(sample::content());
        QVERIFY(panel.chart().scene().note.contains("Open a trace"));
    }

    // 4 B are in [2^2, 2^3), 125 MiB in [2^26, 2^27), 741 MiB in [2^29, 2^30).
    void messagesStandAtTheirSize()
    {
        MessageHistogramPanel panel;
        panel.setLogarithmic(false);
        panel.setContent(sample::content());
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(heightOf(*barAt(scene, 2)), 32.0 + 8 * 8);
        QCOMPARE(heightOf(*barAt(scene, 29)), 32.0);
        panel.setHeight(HistogramHeight::bytes);
        QCOMPARE(heightOf(*barAt(panel.chart().scene(), 29)), 32.0 * 777492000);
        QVERIFY(!panel.chart().scene().is_logarithmic);
    }

    // The upper kinds of a stack would have next to no length there: 8 calls over thousands.
    void kindsOfASizeStandSideBySideOnALogarithmicAxis()
    {
        MessageHistogramPanel panel;
        for (const bool with_run : {false, true}) {
            panel.setContent(sample::content(with_run, with_run));
            std::vector<const Bar*> bars;
            for (const Bar& bar : panel.chart().scene().bars)
                if (std::abs(bar.centre - 2.0) < 0.5)
                    bars.push_back(&bar);
            QVERIFY(bars.size() >= 2);
            for (std::size_t i = 0; i < bars.size(); ++i) {
                QCOMPARE(bars[i]->segments.size(), std::size_t{1});
                for (std::size_t j = 0; j < i; ++j)
                    if (bars[i]->is_ghost == bars[j]->is_ghost)
                        QVERIFY(std::abs(bars[i]->centre - bars[j]->centre)
                                >= (bars[i]->thickness + bars[j]->thickness) / 2.0 - 1e-9);
            }
        }
    }

    void theAxesSayWhatTheyCountAndTheLargestSizeIsNamed()
    {
        MessageHistogramPanel panel;
        panel.setContent(sample::content());
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.category_title, QString{"message size"});
        QCOMPARE(scene.value_title, QString{"calls of all 32 ranks"});
        QCOMPARE(scene.category_labels.back().text, QString{"512 MiB"});
        QVERIFY(scene.keeps_last_label);
        panel.setHeight(HistogramHeight::bytes);
        Selection one;
        one.rank = 1;
        panel.setSelection(one);
        QCOMPARE(panel.chart().scene().value_title, QString{"bytes of rank 1"});
    }

    void predictedAndMeasuredStandSideBySide()
    {
        MessageHistogramPanel panel;
        panel.setContent(sample::content(true, true));
        const BarScene& scene = panel.chart().scene();
        const Bar* predicted = nullptr;
        const Bar* measured = nullptr;
        for (const Bar& bar : scene.bars) {
            if (bar.is_ghost || std::abs(bar.centre - 26.0) > 0.5)
                continue;
            (bar.segments[0].texture == BarTexture::striped ? measured : predicted) = &bar;
        }
        QVERIFY(predicted && measured);
        QVERIFY(predicted->centre < measured->centre);
        QCOMPARE(heightOf(*predicted), heightOf(*measured));
        QVERIFY(
            std::any_of(scene.bars.begin(), scene.bars.end(), [](const Bar& bar) { return bar.is_ghost; }));
    }

    void ranksThatTheScenarioDoesNotHaveAreSaid()
    {
        MessageHistogramPanel panel;
        Content content = sample::content(true);
        panel.setContent(content);
        QCOMPARE(panel.chart().scene().note, QString{});
        const auto smaller = sample::predicted();
        smaller->scenario.parallel.data = 1;
        content.predicted = smaller;
        panel.setContent(content);
        QCOMPARE(panel.chart().scene().note, QString{"24 of 32 ranks not predicted"});
        QCOMPARE(panel.chart().scene().value_title, QString{"calls of all ranks that were read"});
    }

    void aSelectedRankIsShownAlone()
    {
        MessageHistogramPanel panel;
        panel.setLogarithmic(false);
        panel.setContent(sample::content());
        panel.setSelection({std::nullopt, 31, std::nullopt}); // stage 3: the norm once, the loss eight times
        QCOMPARE(heightOf(*barAt(panel.chart().scene(), 2)), 9.0);
    }

    void aBarOfOneMessageWishesIt()
    {
        MessageHistogramPanel panel;
        panel.resize(900, 400);
        panel.setContent(sample::content());
        panel.show();
        int bar = -1;
        for (std::size_t i = 0; i < panel.chart().scene().bars.size(); ++i)
            if (panel.chart().scene().bars[i].centre == 29.0)
                bar = static_cast<int>(i);
        QTRY_VERIFY(!panel.chart().segmentRectangle(bar, 0).isEmpty());
        const QSignalSpy spy{&panel, &PicturePanel::selectionWished};
        auto& chart = const_cast<BarChart&>(panel.chart());
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.segmentRectangle(bar, 0).center().toPoint());
        const auto selection = spy.last().at(0).value<Selection>();
        QCOMPARE(selection.message, (std::optional{MessageKey{Kind::dp, Op::all_reduce, 777492000}}));
        QCOMPARE(selection.kind, std::optional{Kind::dp});
        panel.setSelection(selection);
        for (const Bar& other : panel.chart().scene().bars)
            QCOMPARE(other.segments[0].faded, other.centre != 29.0);
        auto& legend = const_cast<LegendChips&>(panel.legend());
        QTest::mouseClick(&legend, Qt::LeftButton, {}, legend.chipRectangle(0).center().toPoint());
        QCOMPARE(spy.last().at(0).value<Selection>(), (Selection{Kind::tp, std::nullopt, std::nullopt}));
    }

    void csvHoldsEverySize()
    {
        MessageHistogramPanel panel;
        panel.setContent(sample::content(true));
        const QStringList lines = panel.csv().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines[0], "series,kind,op,message_bytes,count,total_bytes");
        QVERIFY(lines.contains("predicted,dp,all_reduce,777492000,32,24879744000"));
        QVERIFY(lines.contains("measured,dp,all_reduce,777492000,24,18659808000"));
        QVERIFY(lines.contains("measured,dp,all_reduce,388746000,16,6219936000"));
    }
};

QTEST_MAIN(TestMessageHistogramPanel)
#include "tst_message_histogram_panel.moc"
