#include "widgets/plots/bars/bar_scene.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace shardscope;

static BarScene twoBars()
{
    BarScene scene;
    scene.category_low = 0.0;
    scene.category_high = 2.0;
    scene.value_high = 100.0;
    Bar bar;
    bar.thickness = 0.5;
    bar.segments = {{60.0, Qt::red, BarTexture::solid, false, {}, {}},
                    {0.0, Qt::green, BarTexture::solid, false, {}, {}},
                    {20.0, Qt::blue, BarTexture::solid, false, {}, {}}};
    bar.centre = 0.5;
    scene.bars.push_back(bar);
    bar.centre = 1.5;
    scene.bars.push_back(bar);
    return scene;
}

class TestBarScene : public QObject
{
    Q_OBJECT
private slots:
    // Whose caption it would cross.
    void aWhiskerOfAThinBarDoesNotReachTheNext()
    {
        const BarScene scene = twoBars();
        for (const double row : {12.0, 20.0, 28.0, 36.0}) {
            const BarMapping mapping = mappingOf(scene, Qt::Horizontal, {0.0, 0.0, 300.0, 2.0 * row});
            const double thickness = 0.5 * row;
            const double offset = whiskerOffset(scene.bars[0], mapping);
            QVERIFY(offset >= 0.0);
            QVERIFY2(offset + half_whisker_cap <= std::max(half_whisker_cap, thickness / 2.0),
                     qPrintable(QString::number(row)));
        }
    }

    void verticalSegmentsStackUpwards()
    {
        const BarScene scene = twoBars();
        const auto placed = placeSegments(scene, mappingOf(scene, Qt::Vertical, {10.0, 20.0, 200.0, 100.0}));
        QCOMPARE(placed.size(), std::size_t{4}); // nothing of no length
        QCOMPARE(placed[0].rectangle, QRectF(35.0, 60.0, 50.0, 60.0));
        QCOMPARE(placed[1].rectangle, QRectF(35.0, 40.0, 50.0, 20.0));
        QCOMPARE(placed[1].segment, 2);
        QCOMPARE(placed[2].rectangle.left(), 135.0);
    }

    void horizontalSegmentsFollowEachOther()
    {
        const BarScene scene = twoBars();
        const auto placed =
            placeSegments(scene, mappingOf(scene, Qt::Horizontal, {10.0, 20.0, 200.0, 100.0}));
        QCOMPARE(placed[0].rectangle, QRectF(10.0, 32.5, 120.0, 25.0));
        QCOMPARE(placed[1].rectangle, QRectF(130.0, 32.5, 40.0, 25.0));
        QCOMPARE(placed[2].rectangle.top(), 82.5);
    }

    void aLogarithmicAxisStartsAtItsLowEnd()
    {
        BarScene scene = twoBars();
        scene.is_logarithmic = true;
        scene.value_low = 1.0;
        const BarMapping mapping = mappingOf(scene, Qt::Vertical, {0.0, 0.0, 100.0, 100.0});
        QCOMPARE(mapping.valuePixel(10.0), 50.0);
        QCOMPARE(mapping.valuePixel(0.0), 100.0);
    }

    void whatIsSmallStaysVisible()
    {
        BarScene scene = twoBars();
        scene.bars.resize(1);
        scene.bars[0].segments = {{1e-9, Qt::red, BarTexture::solid, false, {}, {}}};
        const auto placed = placeSegments(scene, mappingOf(scene, Qt::Vertical, {0.0, 0.0, 100.0, 100.0}));
        QCOMPARE(placed[0].rectangle.height(), 1.0);
    }

    void barsGetNoThickerThanTheyMay()
    {
        BarScene scene = twoBars();
        scene.bars[0].most_pixels = 20.0;
        const auto placed = placeSegments(scene, mappingOf(scene, Qt::Vertical, {0.0, 0.0, 200.0, 100.0}));
        QCOMPARE(placed[0].rectangle.width(), 20.0);
        QCOMPARE(placed[0].rectangle.center().x(), 50.0);
    }

    // As many alike as there are experts: no stripes between them.
    void thinBarsStandEdgeToEdgeOnWholePixels_data()
    {
        QTest::addColumn<Qt::Orientation>("orientation");
        QTest::addColumn<double>("length"); // of the axis
        for (const Qt::Orientation orientation : {Qt::Vertical, Qt::Horizontal})
            for (const double length : {281.0, 590.0, 1000.0})
                QTest::addRow("%s, %g pixels", orientation == Qt::Vertical ? "upright" : "lying", length)
                    << orientation << length;
    }
    void thinBarsStandEdgeToEdgeOnWholePixels()
    {
        QFETCH(Qt::Orientation, orientation);
        QFETCH(double, length);
        BarScene scene = twoBars();
        scene.closes_thin_gaps = true;
        const Bar bar = scene.bars.front();
        scene.bars.assign(128, bar);
        for (std::size_t i = 0; i < scene.bars.size(); ++i) {
            scene.bars[i].centre = static_cast<double>(i);
            scene.bars[i].thickness = 0.8;
            scene.bars[i].segments.resize(1);
        }
        scene.category_low = -0.6;
        scene.category_high = 127.6;
        const QRectF area =
            orientation == Qt::Vertical ? QRectF{10.0, 0.0, length, 100.0} : QRectF{0.0, 10.0, 100.0, length};
        const auto placed = placeSegments(scene, mappingOf(scene, orientation, area));
        QCOMPARE(placed.size(), scene.bars.size());
        const auto edges = [&](std::size_t i) {
            const QRectF& box = placed[i].rectangle;
            return orientation == Qt::Vertical ? std::pair{box.left(), box.right()}
                                               : std::pair{box.top(), box.bottom()};
        };
        for (std::size_t i = 0; i < placed.size(); ++i) {
            QCOMPARE(edges(i).first, std::round(edges(i).first));
            QVERIFY(edges(i).second >= edges(i).first + 1.0);
            if (i > 0)
                QCOMPARE(edges(i).first, edges(i - 1).second);
        }
    }

    void barsWithRoomStayApart()
    {
        BarScene scene = twoBars(); // each takes half of its category
        scene.closes_thin_gaps = true;
        const auto placed = placeSegments(scene, mappingOf(scene, Qt::Vertical, {0.0, 0.0, 200.0, 100.0}));
        QCOMPARE(placed[0].rectangle.width(), 50.0);
    }

    void aPointFindsItsSegmentButNoGhost()
    {
        BarScene scene = twoBars();
        Bar ghost = scene.bars[0];
        ghost.is_ghost = true;
        ghost.thickness = 1.0;
        scene.bars.push_back(ghost);
        const auto placed = placeSegments(scene, mappingOf(scene, Qt::Vertical, {0.0, 0.0, 200.0, 100.0}));
        QCOMPARE(placed[0].bar, 2); // ghosts are drawn first
        const PlacedSegment* hit = segmentAt(placed, scene, {50.0, 90.0});
        QVERIFY(hit);
        QCOMPARE(hit->bar, 0);
        QCOMPARE(hit->segment, 0);
        QCOMPARE(segmentAt(placed, scene, {50.0, 30.0})->segment, 2);
        QVERIFY(segmentAt(placed, scene, {77.0, 90.0})); // near enough
        QVERIFY(!segmentAt(placed, scene, {85.0, 90.0}));
    }
};

QTEST_APPLESS_MAIN(TestBarScene)
#include "tst_bar_scene.moc"
