#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "tests/widgets/panels/collectives/measured_tables.h"
#include "widgets/panels/collectives/collective_panel.h"
#include "widgets/panels/controls/short_choice_box.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/curves/end_labels.h"

#include "core/scenario/own_presets.h"

#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <cmath>

using namespace shardscope;

class TestCollectivePanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void withoutAScenarioItSaysWhatToDo()
    {
        const CollectivePanel panel;
        QVERIFY(!panel.view().scene().hint.isEmpty());
    }

    void theScenariosFirstGroupIsShown()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(false));
        const CurveScene& scene = panel.view().scene();
        QVERIFY(scene.hint.isEmpty());
        QCOMPARE(scene.lines.back().label, QString{"tp"});
        QCOMPARE(scene.handles.size(), std::size_t{2});
        QCOMPARE(scene.x_title, QString{"message"});
        QVERIFY(panel.csv().startsWith("series,op,message_bytes,time_s,busbw_GBps,error_low,error_high"));
    }

    void howFarItMayBeOffLiesBeneathTheCurve()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(false));
        for (const auto up : {CollectivePanel::Up::time, CollectivePanel::Up::bandwidth}) {
            panel.setUp(up);
            const CurveScene& scene = panel.view().scene();
            QCOMPARE(scene.bands.size(), std::size_t{1});
            const CurveBand& band = scene.bands.front();
            const std::vector<QPointF>& main = scene.lines.back().points;
            QCOMPARE(band.low.size(), main.size());
            for (std::size_t i = 0; i < main.size(); ++i) {
                QVERIFY(band.low[i].y() < main[i].y());
                QVERIFY(band.high[i].y() > main[i].y());
            }
        }
        panel.setAlong(CollectivePanel::Along::nodes);
        const CurveScene& over_nodes = panel.view().scene();
        QVERIFY(!over_nodes.bands.empty());
        QCOMPARE(over_nodes.bands.size(), over_nodes.lines.size());
    }

    void aBoxWithoutRoomWritesTheShortNameOfItsChoice()
    {
        ShortChoiceBox box;
        box.addItem(QStringLiteral("tp: 8 ranks, 8 on a node"));
        box.resize(box.sizeHint());
        QCOMPARE(box.closedText(), QStringLiteral("tp: 8 ranks, 8 on a node"));
        box.resize(box.minimumSizeHint());
        QCOMPARE(box.closedText(), QStringLiteral("tp"));
        QVERIFY(box.minimumSizeHint().width() < box.sizeHint().width() / 2);
    }

    void aNarrowPanelKeepsItsBoxesLegible()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(true));
        panel.resize(310, 150);
        panel.setVisible(true);
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        for (const ShortChoiceBox* box : panel.findChildren<ShortChoiceBox*>())
            if (box->isVisible())
                QVERIFY2(box->width() >= box->minimumSizeHint().width(), qPrintable(box->toolTip()));
    }

    void wholeWordsComeBeforeTheLegend()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(true));
        panel.setVisible(true);
        const auto* box = panel.findChild<ShortChoiceBox*>();
        const auto* legend = panel.findChild<LegendChips*>();
        panel.resize(1000, 400);
        QTRY_VERIFY(legend->isVisible());
        panel.resize(340, 220);
        QTRY_VERIFY(!legend->isVisible());
        QTRY_VERIFY(box->width() > box->fontMetrics().horizontalAdvance(box->currentText()) + 20);
    }

    void aSelectedMessageShowsItsGroupAndOperation()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(false));
        Selection selection;
        selection.message = MessageKey{Kind::dp, Op::all_gather, 1024};
        panel.setSelection(selection);
        QCOMPARE(panel.view().scene().lines.back().label, QString{"dp"});
        QVERIFY(panel.csv().contains("dp,all_gather,1024,"));
    }

    void measuredPointsLieOverTheCurveOfTheirGroup()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(true));
        panel.show(Op::all_reduce, "4 nodes");
        QVERIFY(panel.view().scene().marks.empty());
        QVERIFY(panel.view().scene().note.contains("No timed all_reduce"));
        panel.show(Op::all_reduce, "1 node:");
        const CurveScene& scene = panel.view().scene();
        QCOMPARE(scene.marks.size(), std::size_t{2});
        QCOMPARE(scene.marks[1].at.x(), 1073741824.0);
        QVERIFY(std::abs(scene.marks[1].at.y() / 229.04 - 1) < 1e-3);
        panel.setUp(CollectivePanel::Up::time);
        QCOMPARE(panel.view().scene().marks[1].at.y(), 8203.9e-6);
    }

    void everyCurveHasALabelAndALookOfItsOwn_data()
    {
        QTest::addColumn<QString>("group");
        QTest::addColumn<bool>("is_dark");
        QTest::newRow("tp, on light ground") << "tp" << false;
        QTest::newRow("dp, on dark ground") << "dp" << true;
    }
    void everyCurveHasALabelAndALookOfItsOwn()
    {
        QFETCH(QString, group);
        QFETCH(bool, is_dark);
        CollectivePanel panel;
        QPalette palette;
        palette.setColor(QPalette::Window, is_dark ? Qt::black : Qt::white);
        panel.setPalette(palette);
        Content content = contentOf(false);
        content.pinned = content.predicted;
        panel.setContent(content);
        panel.show(Op::all_reduce, group);
        const CurveScene& scene = panel.view().scene();
        QCOMPARE(scene.lines.size(), std::size_t{7}); // 1 to 256 nodes, pinned, the group
        QVERIFY2(scene.y_title.contains("over whole nodes"), qPrintable(scene.y_title));
        for (std::size_t i = 0; i < scene.lines.size(); ++i)
            for (std::size_t other = 0; other < i; ++other) {
                QVERIFY(scene.lines[i].colour != scene.lines[other].colour);
                QVERIFY(scene.lines[i].label != scene.lines[other].label);
                QVERIFY(scene.lines[i].dashes != scene.lines[other].dashes
                        || scene.lines[i].is_dashed != scene.lines[other].is_dashed
                        || scene.lines[i].width != scene.lines[other].width);
            }
        const CurveMapping mapping{scene, curveArea(scene, {0, 0, 800, 500}, panel.font())};
        const std::vector<EndLabel> labels = endLabels(scene, mapping, 800, panel.font());
        QCOMPARE(labels.size(), scene.lines.size());
    }

    // Of every curve, and how the law comes to the time.
    void aPlaceIsExplained()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(false));
        QSignalSpy told{&panel, &CollectivePanel::statusWished};
        emit const_cast<CurveView&>(panel.view()).hovered(double(16 << 20));
        const QString status = told.last()[0].toString();
        QVERIFY2(status.contains("bus bandwidth; latency ") && status.contains("GB/s inside the node"),
                 qPrintable(status));
        const auto told_before = told.size();
        panel.setContent(contentOf(false)); // as an undone fit does: the figure beside the mouse is another
        QCOMPARE(told.size(), told_before + 1);
        QCOMPARE(told.last()[0].toString(), status);
        const QString tip = panel.tipAt(double(16 << 20));
        for (const char* part : {"4 nodes: ", "A ring: ", "T = (L^p + (w / B)^p)^(1 / p)",
                                 "latency L = ", "bandwidth B = ", "Drag a handle"})
            QVERIFY2(tip.contains(part), qPrintable(tip));
        panel.setAlong(CollectivePanel::Along::nodes);
        const QString over_nodes = panel.tipAt(4.0);
        for (const char* part : {"1 MiB: ", "4 GiB: ", "trees for small messages"})
            QVERIFY2(over_nodes.contains(part), qPrintable(over_nodes));
        QCOMPARE(panel.tipAt(0.0), QString{});
    }

    void withLiEtAlsModelItSaysWhoseTimesTheseAre()
    {
        CollectivePanel panel;
        Content content = contentOf(false);
        auto li = std::make_shared<PredictedScenario>(*content.predicted);
        li->scenario.time_model = TimeModel::li;
        content.predicted = li;
        panel.setContent(content);
        QVERIFY2(panel.view().scene().note.startsWith("These times are the detailed model's"),
                 qPrintable(panel.view().scene().note));
    }

    void nodesStandAlongWithALineForEachSize()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(true));
        panel.setAlong(CollectivePanel::Along::nodes);
        const CurveScene& scene = panel.view().scene();
        QCOMPARE(scene.lines.size(), std::size_t{4});
        QCOMPARE(scene.lines[0].label, QString{"1 MiB"});
        QCOMPARE(scene.x_title, QString{"nodes"});
        QCOMPARE(scene.lines[0].points.front().x(), 1.0);
        QCOMPARE(scene.lines[0].points.back().x(), 512.0);
        QVERIFY(scene.handles.empty());
        QVERIFY(panel.csv().contains("nodes"));
    }

    void aDraggedHandleWishesForOtherConstants()
    {
        CollectivePanel panel;
        panel.resize(600, 400);
        panel.setContent(contentOf(false));
        panel.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QSignalSpy wishes{&panel, &PicturePanel::scenarioWished};
        auto* view = panel.findChild<CurveView*>();
        const QPoint handle = view->handlePlace(0).toPoint();
        QTest::mousePress(view, Qt::LeftButton, {}, handle);
        QTest::mouseMove(view, handle + QPoint{0, 10});
        QTest::mouseMove(view, handle + QPoint{0, 30});
        QTest::mouseRelease(view, Qt::LeftButton, {}, handle + QPoint{0, 30});
        QVERIFY(wishes.size() >= 2);
        const auto wished = wishes.last()[0].value<Scenario>();
        QVERIFY(wished.cluster.collectives.intra_efficiency < Cluster{}.collectives.intra_efficiency);
        // Moves of one drag are one step of the undo stack.
        QCOMPARE(wishes[0][2].toInt(), wishes.last()[2].toInt());
        QVERIFY(wishes[0][2].toInt() >= 0);
    }

    // What is dragged changes the curves, and with them the axes that fit them.
    void aDraggedHandleStaysUnderTheMouse_data()
    {
        QTest::addColumn<int>("handle");
        QTest::addColumn<bool>("time");
        QTest::addColumn<int>("way"); // pixels, down
        QTest::newRow("bandwidth of bandwidths") << 0 << false << 5;
        QTest::newRow("bandwidth of bandwidths, up") << 0 << false << -2;
        QTest::newRow("latency of bandwidths") << 1 << false << 5;
        QTest::newRow("bandwidth of times") << 0 << true << 5;
        QTest::newRow("latency of times, which end at the axis below") << 1 << true << -5;
    }

    void aDraggedHandleStaysUnderTheMouse()
    {
        QFETCH(int, handle);
        QFETCH(bool, time);
        QFETCH(int, way);
        CollectivePanel panel;
        panel.resize(600, 400);
        panel.setUp(time ? CollectivePanel::Up::time : CollectivePanel::Up::bandwidth);
        panel.setContent(contentOf(false));
        panel.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        Content shown;
        connect(&panel, &PicturePanel::scenarioWished, &panel, [&](const Scenario& wished) {
            auto predicted = std::make_shared<PredictedScenario>();
            predicted->scenario = wished;
            shown.predicted = predicted;
            panel.setContent(shown);
        });
        auto* view = panel.findChild<CurveView*>();
        const QPoint grabbed = view->handlePlace(handle).toPoint() + QPoint{3, 3};
        const CurveAxes axes = view->scene();
        QTest::mousePress(view, Qt::LeftButton, {}, grabbed);
        const double beside = view->handlePlace(handle).y() - grabbed.y();
        for (int i = 1; i <= 8; ++i) {
            const int y = i * way;
            QTest::mouseMove(view, grabbed + QPoint{0, y});
            const double at = view->handlePlace(handle).y() - beside;
            QVERIFY2(std::abs(at - grabbed.y() - y) < 2.0, qPrintable(QString::number(at)));
            QVERIFY(axes == view->scene());
        }
        QTest::mouseRelease(view, Qt::LeftButton, {}, grabbed + QPoint{0, 8 * way});
        const CurveAxes after = view->scene();
        panel.setContent(shown); // nothing is held any more
        QVERIFY(after == view->scene());
    }

    void keysMoveAHandleToo()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(false));
        QSignalSpy wishes{&panel, &PicturePanel::scenarioWished};
        auto* view = panel.findChild<CurveView*>();
        QTest::keyClick(view, Qt::Key_Up);
        QCOMPARE(wishes.size(), 0); // none is chosen yet
        QTest::keyClick(view, Qt::Key_H);
        QTest::keyClick(view, Qt::Key_Up);
        QCOMPARE(wishes.size(), 1);
        QVERIFY(wishes[0][0].value<Scenario>().cluster.collectives.intra_efficiency
                > Cluster{}.collectives.intra_efficiency);
        QSignalSpy sentences{&panel, &PicturePanel::statusWished};
        QTest::keyClick(view, Qt::Key_Right);
        QVERIFY(sentences.last()[0].toString().contains("GB/s bus bandwidth"));
    }

    void theFitOfMeasuredPointsIsOffered()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(true));
        panel.show(Op::all_reduce, "1 node:");
        QSignalSpy wishes{&panel, &PicturePanel::scenarioWished};
        for (QToolButton* button : panel.findChildren<QToolButton*>())
            if (button->text() == "fit")
                button->click();
        QTRY_COMPARE(wishes.size(), 1);
        QVERIFY(!(wishes[0][0].value<Scenario>().cluster == Cluster{}));
    }

    void systemsAreComparedInOnePicture()
    {
        CollectivePanel panel;
        panel.setPresets(loadPresets().value());
        panel.setContent(contentOf(false));
        panel.compare({"polaris-slingshot10", "no such system", "thetagpu-a100-40gb"});
        const CurveScene sizes = panel.view().scene();
        QCOMPARE(sizes.lines.size(), std::size_t{3});
        QCOMPARE(sizes.lines[0].label, QString{"polaris-slingshot10"});
        QCOMPARE(sizes.lines[2].label, QString{"scenario"});
        QVERIFY(sizes.lines[0].colour != sizes.lines[1].colour);
        QCOMPARE(sizes.handles.size(), std::size_t{2}); // the scenario's own stay
        // Cheng et al. 2024: a node of ThetaGPU has eight times the network of one of Polaris.
        panel.setAlong(CollectivePanel::Along::nodes);
        auto& sizes_box = controlOf<QComboBox>(panel, "Size of the messages");
        choose(sizes_box, sizes_box.findData(QVariant::fromValue(std::int64_t{1} << 32)));
        const CurveScene nodes = panel.view().scene();
        QCOMPARE(nodes.lines.size(), std::size_t{3});
        // Their nodes differ in size, so it is GPUs that stand along.
        QCOMPARE(nodes.x_title, QString{"GPUs"});
        QCOMPARE(nodes.lines[0].points.front().x(), 4.0);
        QCOMPARE(nodes.lines[1].points.front().x(), 8.0);
        const double ratio = nodes.lines[1].points[4].y() / nodes.lines[0].points[4].y();
        QVERIFY2(ratio > 5.0 && ratio < 9.0, qPrintable(QString::number(ratio)));
        QVERIFY(panel.csv().contains("thetagpu-a100-40gb,all_reduce,128,"));
        panel.compare({});
        QCOMPARE(panel.view().scene().lines.size(), std::size_t{4});
    }

    // Li et al. 2024, section 4: all_reduce of 8 workers over RoCE; two machines of 4 GPUs (V100), one of 8.
    void theirThreePlatformsDifferAsMeasured()
    {
        CollectivePanel panel;
        panel.setPresets(loadPresets().value());
        panel.setContent(contentOf(false));
        panel.show(Op::all_reduce, "1 node:");
        panel.compare({"v100-nvlink-100g-roce", "v100-pcie-100g-roce", "rtx3090-pcie-100g-roce"});
        const CurveScene& scene = panel.view().scene();
        const double nvlink = scene.lines[0].points.back().y();
        const double over_pcie = nvlink / scene.lines[1].points.back().y();
        const double over_rtx = nvlink / scene.lines[2].points.back().y();
        QVERIFY2(std::abs(over_pcie / 2.2 - 1) < 0.05, qPrintable(QString::number(over_pcie)));
        QVERIFY2(std::abs(over_rtx / 3.7 - 1) < 0.05, qPrintable(QString::number(over_rtx)));
    }

    void itIsDrawnWithVectorsInAnySize()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(true));
        for (const QSizeF size : {QSizeF{40, 30}, QSizeF{300, 200}, QSizeF{2000, 900}}) {
            QImage image{size.toSize(), QImage::Format_ARGB32};
            image.fill(Qt::white);
            QPainter painter{&image};
            const QImage blank = image.copy();
            panel.paintTo(painter, {QPointF{0, 0}, size});
            painter.end();
            QVERIFY(image != blank);
        }
    }
};

QTEST_MAIN(TestCollectivePanel)
#include "tst_collective_panel.moc"
