#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/predicted_table3.h"
#include "tests/widgets/panels/sweep/sweep_controls.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/controls/marked_slider.h"
#include "widgets/panels/sweep/sweep_bars_view.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/maps/map_view.h"

#include "core/prediction/predict.h"
#include "core/report/scenario_line.h"

#include <QPainter>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace shardscope;

class TestSweepPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void withoutAScenarioThereIsNothingToDraw()
    {
        SweepPanel panel;
        panel.setContent({});
        QVERIFY(!panel.isBusy());
        QVERIFY(panel.csv().isEmpty());
    }

    void everyStudyAnswers_data()
    {
        QTest::addColumn<QString>("study");
        for (const Study& study : studies())
            QTest::newRow(study.key.data())
                << QString::fromUtf8(study.key.data(), qsizetype(study.key.size()));
    }
    void everyStudyAnswers()
    {
        QFETCH(QString, study);
        SweepPanel panel;
        panel.resize(900, 320);
        chooseStudy(panel, study);
        Content content = contentOfTable3(true);
        if (study == "experts") { // which a dense model has not to share out
            auto mixture = std::make_shared<PredictedScenario>(*content.predicted);
            mixture->scenario.model.experts.count = 8;
            mixture->prediction = std::move(predict(mixture->scenario).value());
            content.predicted = mixture;
        }
        panel.setContent(content);
        QVERIFY(panel.isBusy());
        panel.finish();
        QVERIFY(!panel.isBusy());
        const StudyPicture picture = panel.answer().question.study->picture;
        QVERIFY(picture == StudyPicture::measured || panel.csv().count('\n') > 2);
        if (picture == StudyPicture::bars) {
            QVERIFY2(panel.chart().scene().hint.isEmpty(), qPrintable(panel.chart().scene().hint));
            QCOMPARE(std::ranges::count_if(panel.chart().scene().bars, &Bar::is_marked), 1);
        }
        if (picture == StudyPicture::map || picture == StudyPicture::projection)
            QVERIFY2(panel.map().scene().hint.isEmpty(), qPrintable(panel.map().scene().hint));
        QImage image{900, 320, QImage::Format_RGB32};
        QPainter painter{&image};
        panel.paintTo(painter, QRectF{0, 0, 900, 320});
    }

    void everyQuantityIsDrawn_data()
    {
        QTest::addColumn<int>("quantity");
        for (int i = 0; i < sweep_quantity_count; ++i)
            QTest::newRow(qPrintable(quantityName(static_cast<SweepQuantity>(i)))) << i;
    }
    void everyQuantityIsDrawn()
    {
        QFETCH(int, quantity);
        SweepPanel panel;
        chooseStudy(panel, "weak");
        chooseQuantity(panel, static_cast<SweepQuantity>(quantity));
        panel.setContent(contentOfTable3());
        panel.finish();
        if (static_cast<SweepQuantity>(quantity) == SweepQuantity::speedup) {
            const CurveScene& scene = panel.curves().scene();
            QVERIFY(scene.hint.isEmpty());
            QCOMPARE(scene.lines.front().label, QString{"ideal"});
            QCOMPARE(scene.lines.back().label, QString{"predicted"});
            QVERIFY(panel.csv().startsWith("gpus,group,ideal,speedup,efficiency,network_efficiency"));
            return;
        }
        QVERIFY(panel.chart().scene().hint.isEmpty());
        QVERIFY(panel.csv().startsWith("gpus,"));
        QVERIFY(panel.csv().contains(",problem,world_size,micro_batches,iteration_s,"));
    }

    // By their names; bars that are too tall are explained.
    void schedulesAreNamedAndWhatDoesNotFitIsExplained()
    {
        SweepPanel panel;
        chooseStudy(panel, "schedule");
        chooseQuantity(panel, SweepQuantity::memory);
        panel.setContent(contentOfTable3());
        panel.finish();
        QStringList labels;
        for (const CategoryLabel& label : panel.chart().scene().category_labels)
            labels << label.text;
        QVERIFY2(labels.contains("1F1B") && labels.contains("Interleaved, v 2") && labels.contains("ZB-H1"),
                 qPrintable(labels.join(" | ")));
        const std::vector<LegendChip> chips =
            sweepLegend(panel.answer(), SweepQuantity::memory, Theme{panel.palette()});
        const bool none_fits_not = std::ranges::all_of(panel.answer().points, &SweepPoint::fits);
        QVERIFY(!none_fits_not);
        QVERIFY(std::ranges::find(chips, QString{"beyond the GPU's memory"}, &LegendChip::text)
                != chips.end());
    }

    void whatIsVariedIsNotSaidOfAnExportedPicture_data()
    {
        QTest::addColumn<QString>("study");
        QTest::addColumn<QStringList>("left_out");
        QTest::newRow("weak") << "zero-gpus" << QStringList{"GPU", " d ", "ZeRO", "gb "};
        QTest::newRow("length") << "length" << QStringList{" s "};
        QTest::newRow("network") << "network" << QStringList{};
        QTest::newRow("map") << "map" << QStringList{" s "};
    }
    void whatIsVariedIsNotSaidOfAnExportedPicture()
    {
        QFETCH(QString, study);
        QFETCH(QStringList, left_out);
        SweepPanel panel;
        const Content content = contentOfTable3();
        panel.setContent(content);
        chooseStudy(panel, study);
        panel.finish();
        const QString line = QString::fromStdString(
            scenarioLine(content.predicted->scenario, false, panel.variations().predicted));
        for (const char* figure : {"GPU", " p ", " t ", " d ", "ZeRO", " s ", " b ", "gb "})
            QVERIFY2(line.contains(figure) != left_out.contains(figure), qPrintable(line));
    }

    void everyStudySaysWhatItDoes()
    {
        SweepPanel panel;
        auto& box = controlOf<QComboBox>(panel, "The question");
        for (int i = 0; i < box.count(); ++i) {
            choose(box, i);
            const QString meaning = box.itemData(i, Qt::ToolTipRole).toString();
            QVERIFY(meaning.contains(". ") || meaning.endsWith('.'));
            QVERIFY(box.toolTip().contains(meaning.toHtmlEscaped()));
        }
    }

    // An exported picture names the pinned scenario where it is drawn.
    void thePinnedScenarioIsASourceWhereItIsDrawn()
    {
        SweepPanel panel;
        panel.setContent(contentOfTable3(true));
        panel.finish();
        QVERIFY(!panel.sources().pinned);
        chooseStudy(panel, "steps");
        panel.finish();
        QVERIFY(panel.sources().pinned);
        chooseStudy(panel, "strong");
        panel.finish();
        QVERIFY(panel.sources().pinned);
        chooseStudy(panel, "layouts");
        panel.finish();
        QVERIFY(!panel.sources().pinned);
        chooseStudy(panel, "map");
        panel.finish();
        QVERIFY(panel.sources().pinned);
    }

    void theSliderMovesTheFuture()
    {
        SweepPanel panel;
        chooseStudy(panel, "futures");
        panel.setContent(contentOfTable3());
        panel.finish();
        const double today_s = panel.answer().futures.times[0].compute_s;
        controlOf<MarkedSlider>(panel, "Compute against links").setValue(20);
        panel.finish();
        const double faster_s = panel.answer().futures.times[1].compute_s;
        QVERIFY(faster_s < 0.6 * today_s && faster_s > 0.45 * today_s);
        QCOMPARE(panel.answer().futures.times[0].compute_s, today_s);
    }

    void aListOfTensorsHasNoLayersToVary()
    {
        auto list = std::make_shared<PredictedScenario>();
        list->scenario.model.kind = ModelKind::parameter_list;
        list->scenario.model.tensors = {{"fc6.weight", 102760448}};
        list->scenario.model.flops_per_sample = 1e10;
        list->scenario.parallel.data = 8;
        list->prediction = std::move(predict(list->scenario).value());
        Content content;
        content.predicted = list;
        SweepPanel panel;
        chooseStudy(panel, "hidden");
        panel.setContent(content);
        panel.finish();
        QVERIFY(QString::fromStdString(panel.answer().problem).contains("list of tensors"));
        QVERIFY(panel.csv().isEmpty());
        chooseStudy(panel, "weak");
        panel.finish();
        QVERIFY(panel.answer().problem.empty());
        QVERIFY(panel.chart().scene().hint.isEmpty());
    }

    void theOldPictureAnswersNoMouseForTheNewQuestion()
    {
        SweepPanel panel;
        panel.resize(900, 320);
        chooseStudy(panel, "projection");
        panel.setContent(contentOfTable3());
        panel.finish();
        chooseStudy(panel, "map");
        QSignalSpy wished{&panel, &SweepPanel::scenarioWished};
        QSignalSpy told{&panel, &SweepPanel::statusWished};
        emit panel.map().hovered({2, 2});
        emit panel.map().activated({2, 2});
        emit panel.chart().hovered(0, 0);
        QCOMPARE(wished.count(), 0);
        QVERIFY(told.isEmpty() || told.last()[0].toString().isEmpty());
    }

    void aMovingSliderIsFollowed()
    {
        SweepPanel panel;
        chooseStudy(panel, "futures");
        panel.setContent(contentOfTable3());
        for (const int tenths : {12, 18, 25, 30})
            controlOf<MarkedSlider>(panel, "Compute against links").setValue(tenths);
        QVERIFY(panel.isBusy());
        panel.finish();
        QVERIFY(!panel.isBusy());
        QCOMPARE(panel.answer().question.evolution.flop_vs_bandwidth, 3.0);
    }

    // Three futures begin with one; other pictures have today's GPUs again, unless somebody moved on.
    void lookingAtFuturesMovesNoOtherPicture()
    {
        SweepPanel panel;
        panel.setContent(contentOfTable3());
        auto& slider = controlOf<MarkedSlider>(panel, "Compute against links");
        const int today = slider.value();
        chooseStudy(panel, "evolution");
        chooseStudy(panel, "futures");
        QVERIFY(slider.value() > today);
        chooseStudy(panel, "evolution");
        QCOMPARE(slider.value(), today);
        chooseStudy(panel, "futures");
        slider.setValue(25);
        chooseStudy(panel, "evolution");
        QCOMPARE(slider.value(), 25);
        panel.finish();
    }

    void anOlderQuestionIsNotAnswered()
    {
        SweepPanel panel;
        panel.setContent(contentOfTable3());
        chooseStudy(panel, "length");
        chooseStudy(panel, "layers");
        panel.finish();
        QCOMPARE(panel.answer().sweep.axis, SweepAxis::layers);
    }
};

QTEST_MAIN(TestSweepPanel)
#include "tst_sweep_panel.moc"
