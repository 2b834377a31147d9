#include "tests/fail_on_warnings.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/memory/memory_panel.h"
#include "widgets/panels/memory/memory_parts.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"

#include "core/prediction/predict.h"
#include "tests/widgets/sample_content.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace shardscope;

static BarChart& chartOf(const MemoryPanel& panel)
{
    return const_cast<BarChart&>(panel.chart());
}

class TestMemoryPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void everyStageStandsAgainstTheCapacity()
    {
        MemoryPanel panel;
        QVERIFY(!panel.chart().scene().hint.isEmpty());
        panel.setContent(sample::content());
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.bars.size(), std::size_t{4});
        QCOMPARE(scene.bars[2].segments[3].value, 6.0 * sample::gib);
        QCOMPARE(scene.limit->value, 24.0 * sample::gib);
        QVERIFY(scene.value_high >= 24.0 * sample::gib);
    }

    void thePinnedScenarioStandsBehindAsAGhost()
    {
        MemoryPanel panel;
        panel.setContent(sample::content(false, true));
        const BarScene& scene = panel.chart().scene();
        QCOMPARE(scene.bars.size(), std::size_t{8});
        QVERIFY(scene.bars[0].is_ghost);
        QVERIFY(!scene.bars[4].is_ghost);
        QVERIFY(scene.bars[0].caption.startsWith("pinned "));
    }

    void whatTheReportDoesNotCountIsNamed_data()
    {
        QTest::addColumn<int>("measure");
        QTest::addColumn<QString>("axis");
        QTest::newRow("tensors") << static_cast<int>(MemoryMeasure::allocated)
                                 << "stage; not allocated: cached, context";
        QTest::newRow("with the cache")
            << static_cast<int>(MemoryMeasure::reserved) << "stage; not reserved: context";
        QTest::newRow("the device") << static_cast<int>(MemoryMeasure::device) << "stage";
    }
    void whatTheReportDoesNotCountIsNamed()
    {
        QFETCH(int, measure);
        Content content = sample::content();
        auto predicted = sample::predicted();
        predicted->scenario.conventions.memory_measure = static_cast<MemoryMeasure>(measure);
        content.predicted = predicted;
        MemoryPanel panel;
        panel.setContent(content);
        QTEST(panel.chart().scene().category_title, "axis");
    }

    // Whatever is counted, and over whichever axis.
    void aPartHasOneColourInAllViews()
    {
        Content content = sample::content();
        auto predicted = sample::predicted();
        predicted->scenario.conventions.memory_measure = MemoryMeasure::allocated;
        content.predicted = predicted;
        MemoryPanel panel;
        panel.setContent(content);
        const std::vector<BarSegment> of_stages = panel.chart().scene().bars[0].segments;
        QCOMPARE(of_stages.size(), memory_parts.size());
        for (const MemoryView view : {MemoryView::sequence, MemoryView::micro_batch}) {
            panel.showView(view);
            const std::vector<BarSegment>& others = panel.chart().scene().bars[0].segments;
            for (std::size_t part = 0; part < of_stages.size(); ++part) {
                QCOMPARE(others[part].colour, of_stages[part].colour);
                QCOMPARE(others[part].faded, of_stages[part].faded);
            }
        }
    }

    void everyPartIsSeenOnItsGround()
    {
        const auto lightnessOf = [](const QColor& colour) { return colour.toHsl().lightness(); };
        for (const QColor window : {QColor{Qt::white}, QColor{40, 40, 44}}) {
            QPalette palette;
            palette.setColor(QPalette::Window, window);
            const Theme theme{palette};
            for (const MemoryPart& part : memory_parts)
                QVERIFY2(std::abs(lightnessOf(theme.colour(part.hue)) - lightnessOf(theme.background())) > 40,
                         part.name);
        }
    }

    void theViewsAreNamedWholeOrShortNeverCut()
    {
        Content content = sample::content();
        auto predicted = std::make_shared<PredictedScenario>(*sample::predicted());
        predicted->scenario.cluster.memory_GB = 2.0;
        predicted->prediction.memory.fits = false;
        content.predicted = predicted;
        MemoryPanel panel;
        panel.setContent(content);
        panel.show();
        const QList<SegmentButton*> buttons = panel.findChildren<SegmentButton*>();
        for (const int width : {240, 300, 340, 600}) {
            panel.resize(width, 180);
            QCoreApplication::processEvents();
            for (const SegmentButton* button : buttons)
                QVERIFY2(!button->shownText().contains(QChar{0x2026}), qPrintable(button->shownText()));
        }
        for (const SegmentButton* button : buttons)
            QCOMPARE(button->shownText(), button->text());
    }

    void whatDoesNotFitIsNamed()
    {
        Content content = sample::content();
        auto predicted = sample::predicted();
        predicted->prediction.memory.capacity_bytes = 16 * sample::gib;
        content.predicted = predicted;
        MemoryPanel panel;
        panel.setContent(content);
        QVERIFY(panel.chart().scene().bars[0].remark.contains("too much"));
        QVERIFY(panel.chart().scene().bars[3].remark.isEmpty());
    }

    void aFarCapacityDoesNotFlattenTheBars()
    {
        Content content = sample::content();
        auto predicted = sample::predicted();
        predicted->prediction.memory.capacity_bytes = 640 * sample::gib;
        content.predicted = predicted;
        MemoryPanel panel;
        panel.setContent(content);
        const BarScene& scene = panel.chart().scene();
        QVERIFY(scene.value_high < 30.0 * sample::gib);
        QVERIFY(scene.limit->text.contains("↑"));
    }

    void manyStagesKeepTheirBarsApart()
    {
        Content content = sample::content();
        auto predicted = sample::predicted();
        for (int stage = 4; stage < 128; ++stage) {
            predicted->prediction.memory.stages.push_back(predicted->prediction.memory.stages[0]);
            predicted->prediction.memory.stages.back().stage = stage;
        }
        content.predicted = predicted;
        MemoryPanel panel;
        panel.resize(300, 200);
        panel.setContent(content);
        panel.show();
        QTRY_VERIFY(!panel.chart().segmentRectangle(127, 3).isEmpty());
        for (int stage = 1; stage < 128; ++stage)
            QVERIFY(panel.chart().segmentRectangle(stage, 3).left()
                    > panel.chart().segmentRectangle(stage - 1, 3).right());
    }

    void aClickOnAStageWishesItsFirstRank()
    {
        MemoryPanel panel;
        panel.resize(500, 300);
        panel.setContent(sample::content(false, true));
        panel.show();
        QTRY_VERIFY(!panel.chart().segmentRectangle(6, 3).isEmpty());
        const QSignalSpy spy{&panel, &PicturePanel::selectionWished};
        const QPoint inside = panel.chart().segmentRectangle(6, 3).center().toPoint();
        QTest::mouseClick(&chartOf(panel), Qt::LeftButton, {}, inside);
        QCOMPARE(spy.last().at(0).value<Selection>().rank, std::optional<std::int64_t>{16});
        panel.setSelection(Selection{std::nullopt, 18, std::nullopt}); // another rank of the stage
        QVERIFY(panel.chart().scene().bars[6].is_marked);
        QVERIFY(panel.chart().scene().bars[5].segments[0].faded);
        QTest::mouseClick(&chartOf(panel), Qt::LeftButton, {}, inside);
        QVERIFY(spy.last().at(0).value<Selection>().empty());
    }

    void csvHoldsEveryStage()
    {
        MemoryPanel panel;
        panel.setContent(sample::content());
        const QStringList lines = panel.csv().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 5);
        QCOMPARE(lines[4],
                 "predicted,3,777492000,777492000,4664952000,3221225472,0,0,0,0,9441161472,25769803776");
    }

    void theFullestRankOfAStageIsAMarkOverItsBar()
    {
        MemoryPanel panel;
        panel.setContent(measuredContent({{8, 10 * sample::gib, 12 * sample::gib, MemoryFrom::log},
                                          {9, 11 * sample::gib, 11 * sample::gib, MemoryFrom::log},
                                          {31, -1, 30 * sample::gib, MemoryFrom::log}}));
        const BarScene& scene = panel.chart().scene();
        QVERIFY(scene.bars[0].marks.empty());
        QCOMPARE(scene.bars[1].marks.size(), std::size_t{2});
        QCOMPARE(scene.bars[1].marks[0].value, 11.0 * sample::gib);
        QVERIFY(!scene.bars[1].marks[0].is_dashed);
        QCOMPARE(scene.bars[1].marks[1].value, 12.0 * sample::gib);
        QVERIFY(scene.bars[1].marks[1].is_dashed);
        QCOMPARE(scene.bars[3].marks.size(), std::size_t{1});
        QVERIFY(scene.bars[3].marks[0].is_dashed);
        QVERIFY(scene.value_high > 30.0 * sample::gib);
        QCOMPARE(scene.note, "allocated, stage 1: 14.8 GiB predicted, 11 GiB measured");
        QVERIFY(panel.sources().measured);
    }

    void theLegendAndTheTipSayWhatMarksAre()
    {
        MemoryPanel panel;
        panel.setContent(measuredContent({{8, 10 * sample::gib, 12 * sample::gib, MemoryFrom::log}}));
        const auto* legend = panel.findChild<LegendChips*>();
        QVERIFY(legend);
        const std::vector<LegendChip>& chips = legend->chips();
        const LegendChip& allocated = chips.at(chips.size() - 2);
        QCOMPARE(allocated.text, "measured: allocated, 10 GiB on rank 8");
        QVERIFY(allocated.is_line && !allocated.is_dashed);
        QCOMPARE(chips.back().text, "measured: reserved, 12 GiB on rank 8");
        QVERIFY(chips.back().is_line && chips.back().is_dashed);
        const MemoryMarks marks{*sample::predicted(),
                                *measuredContent({{8, 10 * sample::gib, -1, {}}}).measured};
        QCOMPARE(marks.tip(1), "<br>Measured on rank 8 (training log): 10 GiB allocated; the parts up to the "
                               "buffers are 14.8 GiB (+47.9 %)");
        QVERIFY(marks.tip(0).isEmpty());
    }

    void measuredMemoryThatFitsNoStageIsSaid_data()
    {
        QTest::addColumn<qint64>("rank");
        QTest::addColumn<qint64>("world_size");
        QTest::addColumn<QString>("words");
        QTest::newRow("of a larger run")
            << qint64{8} << qint64{64} << "the run has 64 ranks and the scenario 32";
        QTest::newRow("of a rank without a name")
            << qint64{-1} << qint64{32} << "a rank that it does not name";
    }
    void measuredMemoryThatFitsNoStageIsSaid()
    {
        QFETCH(qint64, rank);
        QFETCH(qint64, world_size);
        QFETCH(QString, words);
        MemoryPanel panel;
        panel.setContent(measuredContent({{rank, sample::gib, sample::gib, MemoryFrom::log}}, world_size));
        const BarScene& scene = panel.chart().scene();
        QVERIFY2(scene.note.contains(words), qPrintable(scene.note));
        QVERIFY(std::ranges::all_of(scene.bars, [](const Bar& bar) { return bar.marks.empty(); }));
        QVERIFY(!panel.sources().measured);
    }

    void aRunWithoutMemoryChangesNothing()
    {
        MemoryPanel panel;
        panel.setContent(sample::content(true));
        QVERIFY(panel.chart().scene().note.isEmpty());
        QCOMPARE(panel.findChild<LegendChips*>()->chips().size(), std::size_t{4});
    }

    void otherViewsHaveNoMarks()
    {
        MemoryPanel panel;
        panel.setContent(measuredContent({{8, 10 * sample::gib, -1, MemoryFrom::log}}));
        panel.showView(MemoryView::years);
        QVERIFY(!panel.sources().measured);
        QVERIFY(std::ranges::none_of(panel.findChild<LegendChips*>()->chips(), &LegendChip::is_line));
    }

    void csvHoldsWhatWasMeasured()
    {
        MemoryPanel panel;
        Content content = measuredContent({{31, 5, 7, MemoryFrom::log}});
        content.pinned = sample::predicted(1.1);
        panel.setContent(content);
        const QStringList lines = panel.csv().split('\n', Qt::SkipEmptyParts);
        QVERIFY(lines[0].endsWith(",capacity_bytes,measured_allocated_bytes,measured_reserved_bytes"));
        QVERIFY2(lines[1].endsWith(",25769803776,,"), qPrintable(lines[1]));
        QVERIFY2(lines[4].endsWith(",25769803776,5,7"), qPrintable(lines[4]));
        QVERIFY2(lines[8].startsWith("pinned,3,") && lines[8].endsWith(",,"), qPrintable(lines[8]));
    }

    void theSequenceIsSweptAgainstTheCapacity()
    {
        MemoryPanel panel;
        panel.setContent(realContent(24.0));
        panel.showView(MemoryView::sequence);
        const BarScene& scene = panel.chart().scene();
        QVERIFY(scene.bars.size() >= 3);
        QVERIFY(scene.note.contains("fit"));
        QVERIFY(std::ranges::any_of(scene.bars, &Bar::is_marked));
        const QStringList lines = panel.csv().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), static_cast<qsizetype>(scene.bars.size()) + 1);
        QVERIFY(lines[0].startsWith("sequence_length,stage,weights_bytes"));
    }

    void theMicroBatchIsSweptToo()
    {
        MemoryPanel panel;
        panel.setContent(realContent(24.0));
        panel.showView(MemoryView::micro_batch);
        QVERIFY(panel.csv().startsWith("micro_batch_size,"));
        QCOMPARE(panel.chart().scene().category_labels[0].text, "1");
    }

    void aScenarioThatDoesNotFitIsToldWhatWould()
    {
        MemoryPanel panel;
        panel.setContent(realContent(24.0));
        QVERIFY(panel.chart().scene().note.isEmpty());
        panel.setContent(realContent(12.0));
        QVERIFY2(panel.chart().scene().note.startsWith("It would fit with"),
                 qPrintable(panel.chart().scene().note));
    }

    void oneClickMakesItFit()
    {
        MemoryPanel panel;
        auto* button = panel.findChild<QPushButton*>();
        QVERIFY(button);
        panel.setContent(realContent(24.0));
        QVERIFY(!button->isVisibleTo(&panel));
        const Content tight = realContent(12.0);
        panel.setContent(tight);
        QVERIFY(button->isVisibleTo(&panel));
        QVERIFY2(button->toolTip().startsWith("It would fit with"), qPrintable(button->toolTip()));
        const QSignalSpy wished{&panel, &MemoryPanel::scenarioWished};
        button->click();
        QCOMPARE(wished.count(), 1);
        const auto scenario = wished.front().front().value<Scenario>();
        QVERIFY(scenario != tight.predicted->scenario);
        QVERIFY(predict(scenario).value().memory.fits);
    }

    void theYearsStandBesideTheScenario()
    {
        MemoryPanel panel;
        panel.showView(MemoryView::years);
        const std::size_t published = panel.chart().scene().bars.size();
        QVERIFY(published > 10);
        panel.setContent(realContent(24.0));
        QCOMPARE(panel.chart().scene().bars.size(), published + 1);
        QVERIFY(panel.csv().contains("BERT,2018,false,1,"));
    }

private:
    // The hand-made run of 32 ranks, with this memory.
    static Content measuredContent(const std::vector<RankMemory>& memory, std::int64_t world_size = 32)
    {
        Content content = sample::content();
        auto run = sample::measured();
        run->traces.files.emplace_back().world_size = world_size;
        run->measurement.memory = memory;
        content.measured = run;
        return content;
    }

    static Content realContent(double memory_GB)
    {
        auto predicted = std::make_shared<PredictedScenario>();
        predicted->scenario.cluster.memory_GB = memory_GB;
        predicted->scenario.training.flash_attention = true;
        predicted->scenario.training.micro_batch_size = 1;
        predicted->scenario.model.layers = 12;
        const auto prediction = predict(predicted->scenario);
        if (!prediction)
            qFatal("%s", prediction.error().sentence.c_str());
        predicted->prediction = prediction.value();
        Content content;
        content.predicted = predicted;
        return content;
    }
};

QTEST_MAIN(TestMemoryPanel)
#include "tst_memory_panel.moc"
