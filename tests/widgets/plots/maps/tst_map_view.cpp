#include "tests/fail_on_warnings.h"
#include "widgets/plots/maps/map_painting.h"
#include "widgets/plots/maps/map_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>

#include <limits>

using namespace shardscope;

// Three columns and two rows; the last cell of the first row has no value.
static MapScene sixCells()
{
    MapScene scene;
    scene.columns = 3;
    scene.rows = 2;
    scene.values = {1.0, 2.0, std::numeric_limits<double>::quiet_NaN(), 4.0, 5.0, 6.0};
    scene.span = {1.0, 6.0, false, HeatScale::linear};
    scene.x_ticks = {{0.0, "a"}, {1.0, "b"}, {2.0, "c"}};
    scene.y_ticks = {{0.0, "low"}, {1.0, "high"}};
    scene.colour_ticks = {{0.0, "0"}, {1.0, "6"}};
    scene.x_title = "letters";
    scene.y_title = "heights";
    return scene;
}

class TestMapView : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void theFirstRowIsAtTheBottom()
    {
        const MapScene scene = sixCells();
        const Theme theme{QPalette{}};
        const QImage image = mapImage(scene, theme);
        QCOMPARE(image.size(), QSize(3, 2));
        const HeatColours& colours = sequentialColours(theme.isDark());
        QCOMPARE(image.pixel(2, 0), colours[255]);       // 6, of 6
        QCOMPARE(image.pixel(2, 1), theme.grid().rgb()); // none
        QCOMPARE(image.pixel(0, 1), colours[std::size_t(scene.span.colourOf(1.0))]);
    }

    void aLongNoteTakesTwoLinesAndIsToldWhereThePointerRests()
    {
        MapScene scene = sixCells();
        scene.note =
            "share of a layer's time that waits for its four all_reduces; all ranks on links of a node";
        const QFont font = QGuiApplication::font();
        QCOMPARE(layOutMap(scene, {0, 0, 2000, 400}, font).note_lines, QStringList{scene.note});
        const MapLayout layout = layOutMap(scene, {0, 0, 420, 400}, font);
        QCOMPARE(layout.note_lines.size(), 2);
        QVERIFY(layout.note.bottom() <= layout.cells.top());
        QCOMPARE(layOutMap(scene, {0, 0, 420, 120}, font).note_lines.size(), 1);
        MapView view;
        view.resize(420, 120);
        view.setScene(scene);
        view.show();
        const QPoint above{120, 8};
        QHelpEvent asked{QEvent::ToolTip, above, view.mapToGlobal(above)};
        QApplication::sendEvent(&view, &asked);
        QCOMPARE(QToolTip::text(), scene.note);
    }

    void placesAndRectanglesAgree_data()
    {
        QTest::addColumn<int>("column");
        QTest::addColumn<int>("row");
        QTest::newRow("bottom left") << 0 << 0;
        QTest::newRow("bottom right") << 2 << 0;
        QTest::newRow("top middle") << 1 << 1;
    }
    void placesAndRectanglesAgree()
    {
        QFETCH(int, column);
        QFETCH(int, row);
        const MapScene scene = sixCells();
        const QRectF cells{10, 20, 300, 100};
        const QRectF cell = mapCellRectangle(scene, cells, {column, row});
        QCOMPARE(mapCellAt(scene, cells, cell.center()), (MapCellPlace{column, row}));
        QVERIFY(mapCellAt(scene, cells, {5, 5}).isNone());
    }

    void theMouseIsToldWhatItIsOn()
    {
        MapView view;
        view.resize(500, 300);
        view.setScene(sixCells());
        QStringList tips;
        view.setTip([&](MapCellPlace place) {
            tips << QString::number(place.column);
            return QString{"tip"};
        });
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy hovered{&view, &MapView::hovered};
        QSignalSpy activated{&view, &MapView::activated};
        const QPoint inside = view.cellRectangle({1, 1}).center().toPoint();
        QTest::mouseMove(&view, inside);
        QCOMPARE(hovered.count(), 1);
        QCOMPARE(hovered[0][0].value<MapCellPlace>(), (MapCellPlace{1, 1}));
        QCOMPARE(tips, QStringList{"1"});
        QTest::mouseClick(&view, Qt::LeftButton, {}, inside);
        QCOMPARE(activated.count(), 1);
        QTest::mouseClick(&view, Qt::LeftButton, {}, {2, 2});
        QCOMPARE(activated.count(), 1);
    }

    void keysReachEveryCell()
    {
        MapView view;
        view.resize(500, 300);
        view.setScene(sixCells());
        QSignalSpy hovered{&view, &MapView::hovered};
        QSignalSpy activated{&view, &MapView::activated};
        for (int i = 0; i < 4; ++i)
            QTest::keyClick(&view, Qt::Key_Left);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(hovered.last()[0].value<MapCellPlace>(), (MapCellPlace{0, 0}));
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
    }

    void smallAreasLoseTheColourBarButDrawWithoutComplaint_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("usual") << QSize{600, 300};
        QTest::newRow("narrow") << QSize{160, 90};
        QTest::newRow("next to nothing") << QSize{20, 10};
    }
    void smallAreasLoseTheColourBarButDrawWithoutComplaint()
    {
        QFETCH(QSize, size);
        MapView view;
        view.setScene(sixCells());
        QImage image{size, QImage::Format_RGB32};
        image.fill(Qt::white);
        QPainter painter{&image};
        view.paintTo(painter, QRectF{QPointF{}, size});
        painter.end();
        const MapLayout layout = layOutMap(view.scene(), QRectF{QPointF{}, size}, view.font());
        QCOMPARE(layout.colour_bar.isEmpty(), size.width() < 260);
    }

    void aHintStandsInsteadOfThePicture()
    {
        MapView view;
        view.resize(400, 200);
        MapScene scene;
        scene.hint = "nothing yet";
        view.setScene(scene);
        QSignalSpy hovered{&view, &MapView::hovered};
        QTest::mouseMove(&view, {200, 100});
        QCOMPARE(hovered.count(), 0);
        QTest::keyClick(&view, Qt::Key_Left);
        QCOMPARE(hovered.count(), 0);
    }
};

QTEST_MAIN(TestMapView)
#include "tst_map_view.moc"
