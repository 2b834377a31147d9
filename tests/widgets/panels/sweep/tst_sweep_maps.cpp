#include "tests/widgets/panels/predicted_table3.h"
#include "tests/widgets/panels/sweep/sweep_controls.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/controls/elided_choice_box.h"
#include "widgets/panels/sweep/sweep_map_view.h"
#include "widgets/plots/maps/map_view.h"

#include "core/prediction/predict.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

Content contentWith(TimeModel model)
{
    auto predicted = predictedTable3();
    predicted->scenario.time_model = model;
    predicted->prediction = std::move(predict(predicted->scenario).value());
    Content content;
    content.predicted = std::move(predicted);
    return content;
}

} // namespace

// The picture of a time over two axes.
class TestSweepMaps : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void aMapTakesTheScenarioOfAClick()
    {
        SweepPanel panel;
        panel.resize(900, 320);
        panel.setContent(contentOfTable3());
        chooseMap(panel, SweepAxis::sequence_length, SweepAxis::network_bandwidth, MapModel::closed_form);
        panel.finish();
        const TimeMap& map = panel.answer().map;
        QVERIFY(map.cells.size() > 1000);
        QVERIFY(panel.map().scene().note.contains("Li et al."));
        // Ticks to the end: the last one is more than half of the longest sequence.
        const double last_tick = panel.map().scene().x_ticks.back().place;
        QVERIFY(last_tick > placeAmong(map.x_values, map.x_values.back() / 2.0));
        QSignalSpy wished{&panel, &SweepPanel::scenarioWished};
        emit panel.map().activated({3, 5});
        QCOMPARE(wished.count(), 1);
        const auto scenario = wished[0][0].value<Scenario>();
        QCOMPARE(double(scenario.model.sequence_length), map.x_values[3]);
        QCOMPARE(scenario.cluster.inter_node.bandwidth_GBps, map.y_values[5]);
    }

    // Axes that centred on it anew would carry the mark away from the mouse.
    void theMarkOfAMapGoesToTheClickAndTheAxesStay()
    {
        SweepPanel panel;
        panel.resize(900, 320);
        panel.setContent(contentOfTable3());
        chooseMap(panel, SweepAxis::sequence_length, SweepAxis::network_bandwidth, MapModel::closed_form);
        panel.finish();
        const MapScene before = panel.map().scene();
        connect(&panel, &SweepPanel::scenarioWished, &panel, [&](const Scenario& wished) {
            Content content = contentOfTable3();
            content.predicted = predictedOf(wished);
            panel.setContent(content);
        });
        for (const MapCellPlace place : {MapCellPlace{200, 30}, MapCellPlace{40, 180}}) {
            emit panel.map().activated(place);
            panel.finish();
            const MapScene& now = panel.map().scene();
            QCOMPARE(now.marks.back().column, double(place.column));
            QCOMPARE(now.marks.back().row, double(place.row));
            QCOMPARE(now.y_ticks.size(), before.y_ticks.size());
            for (std::size_t i = 0; i < now.y_ticks.size(); ++i) {
                QCOMPARE(now.y_ticks[i].label, before.y_ticks[i].label);
                QVERIFY(QRegularExpression{"^[125]0*$|^0\\.0*[125]$"}.match(now.y_ticks[i].label).hasMatch());
            }
        }
    }

    // Such axes begin at 1x of whichever scenario is shown: neither the cell nor its value are those that
    // were.
    void aClickLeavesNoOldCellBehind()
    {
        SweepPanel panel;
        panel.resize(900, 320);
        panel.QWidget::show();
        panel.setContent(contentOfTable3());
        chooseMap(panel, SweepAxis::flop_vs_bandwidth, SweepAxis::slower_links, MapModel::closed_form);
        panel.finish();
        QString status;
        connect(&panel, &SweepPanel::statusWished, &panel, [&](const QString& said) { status = said; });
        QSignalSpy wished{&panel, &SweepPanel::scenarioWished};
        const QPoint cell = panel.map().cellRectangle({3, 3}).center().toPoint();
        QTest::mouseMove(&panel.map(), {2, 2});
        QTest::mouseMove(&panel.map(), cell);
        QTRY_VERIFY(!status.isEmpty());
        QTest::mouseClick(&panel.map(), Qt::LeftButton, {}, cell);
        QCOMPARE(wished.count(), 1);
        QCOMPARE(status, QString{});
    }

    // Whose value is another one in another map.
    void aCellUnderTheMouseIsToldAnew()
    {
        SweepPanel panel;
        panel.resize(900, 320);
        panel.QWidget::show();
        panel.setContent(contentOfTable3());
        chooseMap(panel, SweepAxis::sequence_length, SweepAxis::network_bandwidth, MapModel::closed_form);
        panel.finish();
        QString status;
        connect(&panel, &SweepPanel::statusWished, &panel, [&](const QString& said) { status = said; });
        QTest::mouseMove(&panel.map(), {2, 2});
        QTest::mouseMove(&panel.map(), panel.map().cellRectangle({3, 3}).center().toPoint());
        QTRY_VERIFY(!status.isEmpty());
        const QString before = status;
        Content content = contentOfTable3();
        Scenario faster = content.predicted->scenario;
        faster.cluster.peak_tflops *= 3.0;
        content.predicted = predictedOf(faster);
        panel.setContent(content);
        panel.finish();
        QVERIFY(!status.isEmpty());
        QVERIFY(status != before);
    }

    void ticksOfAMapAreRoundWhereverTheScenarioStands_data()
    {
        QTest::addColumn<int>("length");
        QTest::newRow("a length of a click") << 750;
        QTest::newRow("a long one of a click") << 5964;
        QTest::newRow("a usual one") << 2048;
    }
    void ticksOfAMapAreRoundWhereverTheScenarioStands()
    {
        QFETCH(const int, length);
        Scenario scenario = predictedTable3()->scenario;
        scenario.model.sequence_length = length;
        SweepPanel panel;
        Content content;
        content.predicted = predictedOf(scenario);
        panel.setContent(content);
        chooseMap(panel, SweepAxis::sequence_length, SweepAxis::slower_links, MapModel::closed_form);
        panel.finish();
        const std::vector<MapTick>& ticks = panel.map().scene().x_ticks;
        QVERIFY(ticks.size() >= 4);
        for (const MapTick& tick : ticks) {
            const int value = QString{tick.label}.remove(QRegularExpression{"\\D"}).toInt();
            QVERIFY2(value > 0 && (value & (value - 1)) == 0, qPrintable(tick.label));
        }
        QCOMPARE(panel.map().scene().y_ticks.front().label, "1x");
    }

    // The closed box of a narrow panel.
    void anAxisThatIsCutEndsInAnEllipsis()
    {
        ElidedChoiceBox box;
        box.addItem("compute against network");
        box.resize(box.sizeHint());
        QCOMPARE(box.closedText(), "compute against network");
        box.resize(box.width() / 2, box.height());
        QVERIFY2(box.closedText().endsWith(QChar{0x2026}), qPrintable(box.closedText()));
        const SweepPanel panel;
        QCOMPARE(panel.findChildren<ElidedChoiceBox*>().size(), 3);
    }

    void whatDoesNotFitTheGpuIsPaleAndMemoryEndsInTheMiddle()
    {
        StudyAnswer answer;
        answer.question.predicted = predictedTable3();
        TimeMap& map = answer.map;
        map.model = MapModel::detailed;
        map.x_values = {1024, 2048};
        map.y_values = {12.5};
        map.cells.resize(2);
        for (std::size_t i = 0; i < 2; ++i) {
            map.cells[i].iteration_s = 1.0 + static_cast<double>(i);
            map.cells[i].memory_ratio = i == 0 ? 0.5 : 16.0;
        }
        const MapScene times = timeMapScene(answer, MapFigure::iteration);
        QVERIFY(!times.isPale(0, 0));
        QVERIFY(times.isPale(1, 0));
        QVERIFY(times.note.endsWith("faded: more memory than the GPU has"));
        const MapScene memory = timeMapScene(answer, MapFigure::memory);
        QVERIFY(!memory.isPale(1, 0));
        QCOMPARE(memory.span.valueAt(0.5), 1.0);
        map.cells[1].memory_ratio = 0.9;
        QVERIFY(timeMapScene(answer, MapFigure::iteration).pale.empty());
    }

    void aMapSaysWhichModelDrawsIt()
    {
        SweepPanel panel;
        panel.setContent(contentOfTable3());
        chooseMap(panel, SweepAxis::sequence_length, SweepAxis::micro_batch_size, MapModel::detailed);
        panel.finish();
        QVERIFY(panel.map().scene().note.contains("detailed"));
        chooseMap(panel, SweepAxis::sequence_length, SweepAxis::sequence_length, MapModel::detailed);
        panel.finish();
        QVERIFY(!panel.map().scene().hint.isEmpty());
    }

    void aMapFollowsTheTimeModel()
    {
        SweepPanel panel;
        chooseStudy(panel, "map");
        const auto noteFor = [&panel](TimeModel model) {
            panel.setContent(contentWith(model));
            panel.finish();
            return panel.map().scene().note;
        };
        QVERIFY(noteFor(TimeModel::detailed).contains("detailed"));
        QVERIFY(noteFor(TimeModel::li).contains("Li et al."));
        // Chosen by hand, it stays while the scenario's model does.
        chooseMap(panel, SweepAxis::sequence_length, SweepAxis::micro_batch_size, MapModel::detailed);
        QVERIFY(noteFor(TimeModel::li).contains("detailed"));
    }
};

QTEST_MAIN(TestSweepMaps)
#include "tst_sweep_maps.moc"
