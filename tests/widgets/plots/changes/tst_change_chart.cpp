#include "tests/fail_on_warnings.h"
#include "widgets/plots/changes/change_chart.h"

#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

// Rows that lead from 10 to 9, 8, 7 ...
static ChangeScene descending(int rows)
{
    ChangeScene scene;
    scene.headings = {"against now", "iteration", "memory"};
    scene.mark = 10.0;
    scene.mark_text = "now 10 s";
    for (int i = 0; i < rows; ++i) {
        ChangeRow row;
        row.name = QStringLiteral("change %1").arg(i);
        row.from = 10.0;
        row.to = 9.0 - i;
        row.colour = Qt::blue;
        row.cells = {"-10 %", "9 s", "80 GiB"};
        scene.rows.push_back(row);
    }
    return scene;
}

class TestChangeChart : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void barsLieOnOneAxis()
    {
        const ChangeScene scene = descending(3);
        const ChangeLayout layout = layOutChanges(scene, 600.0, QFont{});
        QVERIFY(layout.bars_left < layout.x(7.0));
        QVERIFY(layout.x(7.0) < layout.x(8.0) && layout.x(8.0) < layout.x(10.0));
        QVERIFY(layout.x(10.0) < layout.bars_right);
        QCOMPARE(layout.cell_rights.size(), std::size_t{3});
        QVERIFY(layout.cell_rights.back() <= 600.0);
    }

    void cellsGiveWayToBars()
    {
        const ChangeScene scene = descending(3);
        std::size_t before = 3;
        for (const double width : {400.0, 300.0, 240.0, 180.0}) {
            const ChangeLayout layout = layOutChanges(scene, width, QFont{});
            QVERIFY(layout.cell_rights.size() <= before);
            QVERIFY(layout.bars_right - layout.bars_left >= 90.0);
            before = layout.cell_rights.size();
        }
        QVERIFY(before < 3);
    }

    void aChangeOfNothingHasAPlaceToo()
    {
        ChangeScene scene = descending(1);
        scene.rows[0].to = scene.rows[0].from;
        const ChangeLayout layout = layOutChanges(scene, 400.0, QFont{});
        QVERIFY(layout.x(10.0) > layout.bars_left && layout.x(10.0) < layout.bars_right);
    }

    void rowsAnswerTheMouse()
    {
        ChangeChart chart;
        chart.resize(500, 200);
        chart.setScene(descending(3));
        chart.show();
        QSignalSpy hovered{&chart, &ChangeChart::hovered};
        QSignalSpy activated{&chart, &ChangeChart::activated};
        const QPoint second = chart.rowRectangle(1).center().toPoint();
        QTest::mouseMove(chart.viewport(), second);
        QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, second);
        QCOMPARE(hovered.last().first().toInt(), 1);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated.first().first().toInt(), 1);
        QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, {250, 3}); // the headings
        QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, {250, 190});
        QCOMPARE(activated.size(), 1);
    }

    // The frame that tells of the focus covers nothing.
    void rowsThatCannotBeHadStandInAFocusedChartToo()
    {
        ChangeChart chart;
        chart.resize(500, 300);
        ChangeScene scene = descending(3);
        scene.rows[2].is_hollow = true;
        chart.setScene(scene);
        chart.show();
        chart.activateWindow();
        chart.setFocus();
        QTRY_VERIFY(chart.hasFocus());
        const QImage image = chart.viewport()->grab().toImage();
        QCOMPARE(image.pixelColor(250, 280), Theme{chart.palette()}.background());
        QVERIFY(image.pixelColor(0, 280) != Theme{chart.palette()}.background());
    }

    // On screen alone: paper answers no clicks.
    void itSaysWhatAClickDoes()
    {
        ChangeChart chart;
        chart.resize(600, 200);
        ChangeScene scene = descending(3);
        scene.invitation = "Click a row to take its change";
        chart.setScene(scene);
        chart.show();
        const ChangeLayout layout = layOutChanges(scene, 600.0, pixelFont(chart.font()));
        const auto isWritten = [&](const QImage& image) {
            for (int x = 0; x < static_cast<int>(layout.name_right); ++x)
                for (int y = 0; y < static_cast<int>(layout.row_height); ++y)
                    if (image.pixelColor(x, y) != Theme{chart.palette()}.background())
                        return true;
            return false;
        };
        QVERIFY(isWritten(chart.viewport()->grab().toImage()));
        QImage picture{600, 200, QImage::Format_RGB32};
        QPainter painter{&picture};
        chart.paintTo(painter, QRectF{0.0, 0.0, 600.0, 200.0});
        painter.end();
        QVERIFY(!isWritten(picture));
    }

    void keysGoAlongAndScroll()
    {
        ChangeChart chart;
        chart.resize(500, 120);
        chart.setScene(descending(30));
        chart.show();
        QVERIFY(chart.verticalScrollBar()->maximum() > 0);
        QSignalSpy hovered{&chart, &ChangeChart::hovered};
        QSignalSpy activated{&chart, &ChangeChart::activated};
        QTest::keyClick(&chart, Qt::Key_Down);
        QCOMPARE(hovered.last().first().toInt(), 0);
        QTest::keyClick(&chart, Qt::Key_End);
        QCOMPARE(hovered.last().first().toInt(), 29);
        QVERIFY(chart.viewport()->rect().contains(chart.rowRectangle(29).center().toPoint()));
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(activated.last().first().toInt(), 29);
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(chart.verticalScrollBar()->value(), 0);
        QTest::keyClick(&chart, Qt::Key_Escape);
        QCOMPARE(hovered.last().first().toInt(), -1);
    }

    void fewerRowsLetTheCurrentOneGo()
    {
        ChangeChart chart;
        chart.resize(500, 300);
        chart.setScene(descending(5));
        QTest::keyClick(&chart, Qt::Key_End);
        chart.setScene(descending(2));
        QSignalSpy activated{&chart, &ChangeChart::activated};
        QTest::keyClick(&chart, Qt::Key_Return);
        QVERIFY(activated.isEmpty());
    }

    // Enlarged, it has other rows beneath the mouse.
    void anotherSizeLetsTheCurrentOneGo()
    {
        ChangeChart chart;
        chart.resize(500, 300);
        chart.setScene(descending(5));
        chart.show();
        QTest::keyClick(&chart, Qt::Key_Down);
        QSignalSpy hovered{&chart, &ChangeChart::hovered};
        chart.resize(900, 700);
        QCoreApplication::processEvents();
        QVERIFY(!hovered.isEmpty());
        QCOMPARE(hovered.last().first().toInt(), -1);
    }

    // An exported picture holds all rows, also where they are scrolled to on screen.
    void allRowsLeaveTheWindow()
    {
        ChangeChart chart;
        chart.resize(500, 100);
        const ChangeScene scene = descending(20);
        chart.setScene(scene);
        const int height = chart.wholeHeight(500);
        QImage image{500, height, QImage::Format_RGB32};
        QPainter painter{&image};
        chart.paintTo(painter, QRectF{0.0, 0.0, 500.0, double(height)});
        painter.end();
        const ChangeLayout layout = layOutChanges(scene, 500.0, pixelFont(chart.font()));
        for (int row = 0; row < 20; ++row) {
            const int x = static_cast<int>(layout.x(9.0 - row) + layout.x(10.0)) / 2;
            const int y = static_cast<int>(layout.row_height * (row + 1.5));
            QCOMPARE(image.pixelColor(x, y), QColor{Qt::blue});
        }
    }
};

QTEST_MAIN(TestChangeChart)
#include "tst_change_chart.moc"
