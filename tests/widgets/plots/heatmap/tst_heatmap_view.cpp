#include "tests/fail_on_warnings.h"
#include "tests/widgets/plots/mouse_drag.h"
#include "widgets/plots/heatmap/heatmap_axes.h"
#include "widgets/plots/heatmap/heatmap_layout.h"
#include "widgets/plots/heatmap/heatmap_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace shardscope;

namespace
{

// Every rank sends 1 KiB to the next one.
class Ring : public TrafficRows
{
public:
    explicit Ring(std::int64_t ranks) : m_ranks{ranks} {}
    std::int64_t ranks() const override { return m_ranks; }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override
    {
        entries.push_back({(sender + 1) % m_ranks, Kind::dp, 1024.0});
    }

private:
    std::int64_t m_ranks;
};

HeatmapScene ringOf(std::int64_t ranks)
{
    HeatmapScene scene;
    scene.squares.push_back({QStringLiteral("Predicted"), std::make_shared<Ring>(ranks), {{}, 8, ranks}});
    scene.ranks = ranks;
    scene.span = {1024.0, 1024.0, false, HeatScale::linear};
    return scene;
}

} // namespace

class TestHeatmapView : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        failOnWarnings();
        m_view = std::make_unique<HeatmapView>();
        m_view->resize(500, 420);
        m_view->setScene(ringOf(64));
        m_view->grab();
    }

    void narrowPlacesOfABandAreNumberedNowAndThen_data()
    {
        QTest::addColumn<double>("label_pixels");
        QTest::addColumn<double>("place_pixels");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<qint64>("step");
        QTest::newRow("each has room") << 12.0 << 20.0 << 16 << qint64{1};
        QTest::newRow("just") << 12.0 << 12.0 << 16 << qint64{1};
        QTest::newRow("two digits in the room of one") << 17.0 << 12.0 << 16 << qint64{2};
        QTest::newRow("next to no room") << 17.0 << 3.0 << 16 << qint64{8};
        QTest::newRow("room for the first alone") << 17.0 << 1.0 << 16 << qint64{0};
        QTest::newRow("each has room in every round") << 12.0 << 20.0 << 64 << qint64{1};
        QTest::newRow("numbers left out would come again") << 17.0 << 12.0 << 64 << qint64{0};
    }
    void narrowPlacesOfABandAreNumberedNowAndThen()
    {
        QFETCH(double, label_pixels);
        QFETCH(double, place_pixels);
        QFETCH(int, ranks);
        const AxisBand band{Dimension::pp, 1, 16};
        QTEST(static_cast<qint64>(bandLabelStep(label_pixels, place_pixels, band, ranks)), "step");
    }

    // Large pictures have room for them, small ones need it for the cells.
    void axesHaveTitlesWhereTheSquareStaysLarge()
    {
        HeatmapNeeds needs;
        needs.axis_titles = 50.0;
        QVERIFY(layOutHeatmap({0, 0, 500, 400}, needs).has_axis_titles);
        QVERIFY(!layOutHeatmap({0, 0, 240, 140}, needs).has_axis_titles);
        const HeatmapLayout layout = layOutHeatmap({0, 0, 320, 400}, needs);
        QVERIFY(layout.squares.front().left() >= needs.axis_titles);
        QVERIFY(layout.squares.front().top() >= layout.headline.bottom() + needs.line_height);
    }

    void theTableHasRoomBesideALargeSquare_data()
    {
        QTest::addColumn<double>("width");
        QTest::addColumn<double>("height");
        QTest::addColumn<bool>("has_table");
        QTest::newRow("there is room") << 1400.0 << 800.0 << true;
        QTest::newRow("the square gives up a little") << 1120.0 << 800.0 << true;
        QTest::newRow("it would give up too much") << 960.0 << 800.0 << false;
        QTest::newRow("below it") << 500.0 << 800.0 << true;
        QTest::newRow("small squares give up nothing") << 560.0 << 320.0 << false;
    }
    void theTableHasRoomBesideALargeSquare()
    {
        QFETCH(double, width);
        QFETCH(double, height);
        QFETCH(bool, has_table);
        HeatmapNeeds needs;
        needs.totals_width = 300.0;
        needs.totals_lines = 5;
        needs.links_lines = 3;
        const QRectF area{0.0, 0.0, width, height};
        const HeatmapLayout layout = layOutHeatmap(area, needs);
        QCOMPARE(!layout.totals.isEmpty(), has_table);
        QCOMPARE(!layout.links.isEmpty(), has_table);
        if (!has_table)
            return;
        QVERIFY(area.contains(layout.totals) && area.contains(layout.links));
        QVERIFY(!layout.totals.intersects(layout.links));
        QVERIFY(!layout.totals.intersects(layout.squares.front()));
        QVERIFY(!layout.totals.intersects(layout.colour_bar));
        needs.totals_lines = 0;
        const double most = layOutHeatmap(area, needs).squares.front().width();
        QVERIFY(layout.squares.front().width() >= 0.8 * most);
    }

    void largeCellsHoldTheirBytes_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("is_written");
        QTest::newRow("large cells") << 4 << true;
        QTest::newRow("small cells") << 64 << false;
    }
    void largeCellsHoldTheirBytes()
    {
        QFETCH(int, ranks);
        QFETCH(bool, is_written);
        m_view->setScene(ringOf(ranks));
        const QImage image = m_view->grab().toImage();
        const QRectF square = m_view->squareRectangle(0);
        const double cell = square.width() / ranks;
        QRectF hot{square.left() + cell, square.top(), cell, cell}; // from rank 0 to rank 1
        const QRect inside = hot.adjusted(3, 3, -3, -3).toAlignedRect() & hot.toRect();
        const QRgb ground = image.pixel(inside.topLeft());
        bool has_text = false;
        for (int y = inside.top(); y <= inside.bottom(); ++y)
            for (int x = inside.left(); x <= inside.right(); ++x)
                has_text = has_text || image.pixel(x, y) != ground;
        QCOMPARE(has_text, is_written);
    }

    void aNarrowPictureHasTheShortHeadline()
    {
        HeatmapScene scene = ringOf(64);
        scene.headline = QString{200, QChar{'m'}};
        m_view->setScene(scene);
        const QImage cut = m_view->grab().toImage();
        scene.short_headline = QStringLiteral("short");
        m_view->setScene(scene);
        const QImage shortened = m_view->grab().toImage();
        QVERIFY(cut != shortened);
        scene.headline = scene.short_headline;
        scene.short_headline.clear();
        m_view->setScene(scene);
        QCOMPARE(m_view->grab().toImage(), shortened);
    }

    void ctrlAndWheelZoomAtTheCursor()
    {
        const QPointF at = pointOf(48.0, 16.0);
        QWheelEvent event{
            at,   m_view->mapToGlobal(at), {}, {0, 360}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase,
            false};
        QApplication::sendEvent(m_view.get(), &event);
        QVERIFY(m_view->window().span < 64.0 * 0.6);
        // The rank under the mouse stays there.
        const QPointF now = pointOf(48.0, 16.0);
        QVERIFY((now - at).manhattanLength() < 1.0);
    }

    void draggingDrawsABandThenPans()
    {
        drag(*m_view, pointOf(8.0, 8.0), pointOf(24.0, 24.0));
        QVERIFY(std::abs(m_view->window().span - 16.0) <= 2.0);
        QVERIFY(std::abs(m_view->window().first_row - 8.0) <= 1.0);
        const RankWindow before = m_view->window();
        drag(*m_view, pointOf(20.0, 20.0), pointOf(16.0, 20.0));
        QCOMPARE(m_view->window().span, before.span);
        QVERIFY(m_view->window().first_row > before.first_row + 2.0);
        QCOMPARE(m_view->window().first_column, before.first_column);
    }

    void keysZoomAndMoveTheCursor()
    {
        QSignalSpy hovered{m_view.get(), &HeatmapView::hovered};
        QSignalSpy picked{m_view.get(), &HeatmapView::rankPicked};
        QTest::keyClick(m_view.get(), Qt::Key_Plus);
        QVERIFY(m_view->window().span < 64.0);
        QTest::keyClick(m_view.get(), Qt::Key_0);
        QCOMPARE(m_view->window(), wholeWorld(64));
        QTest::keyClick(m_view.get(), Qt::Key_Down); // the cursor appears at the first rank
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTest::keyClick(m_view.get(), Qt::Key_Right);
        const auto spot = hovered.back().front().value<std::optional<HeatmapSpot>>();
        QVERIFY(spot);
        QCOMPARE(spot->row, std::int64_t{1});
        QCOMPARE(spot->column, std::int64_t{1});
        QTest::keyClick(m_view.get(), Qt::Key_Return);
        QCOMPARE(picked.front().front().toLongLong(), 1LL);
    }

    void aClickPicksItsSender()
    {
        QSignalSpy picked{m_view.get(), &HeatmapView::rankPicked};
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, pointOf(10.5, 40.5).toPoint());
        QCOMPARE(picked.size(), 1);
        QCOMPARE(picked.front().front().toLongLong(), 10LL);
    }

    void anotherWorldIsShownWhole()
    {
        m_view->setWindow({8.0, 8.0, 16.0});
        m_view->setScene(ringOf(64));
        QCOMPARE(m_view->window().span, 16.0);
        m_view->setScene(ringOf(128));
        QCOMPARE(m_view->window(), wholeWorld(128));
    }

private:
    QPointF pointOf(double row, double column) const
    {
        const QRectF square = m_view->squareRectangle(0);
        const RankWindow& window = m_view->window();
        return {square.left() + pixelOfRank(column, window.first_column, window.span, square.width()),
                square.top() + pixelOfRank(row, window.first_row, window.span, square.height())};
    }

    std::unique_ptr<HeatmapView> m_view;
};

QTEST_MAIN(TestHeatmapView)
#include "tst_heatmap_view.moc"
