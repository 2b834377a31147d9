#include "tests/fail_on_warnings.h"
#include "widgets/plots/bars/bar_chart.h"

#include <QApplication>
#include <QBuffer>
#include <QHelpEvent>
#include <QPainter>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QTest>
#include <QToolTip>

using namespace shardscope;

static BarScene stages()
{
    BarScene scene;
    scene.category_low = -0.5;
    scene.category_high = 1.5;
    scene.category_labels = {{0.0, "0"}, {1.0, "1"}};
    scene.unit = AxisUnit::bytes;
    scene.value_high = 100.0;
    for (int i = 0; i < 2; ++i) {
        Bar bar;
        bar.centre = i;
        bar.caption = "all";
        bar.segments = {{50.0, Qt::red, BarTexture::solid, false, "weights", "50 B"},
                        {40.0, Qt::blue, BarTexture::striped, false, "optimizer", "40 B"}};
        scene.bars.push_back(bar);
    }
    scene.limit = BarLimit{95.0, "capacity"};
    return scene;
}

class TestBarChart : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void theMouseIsToldWhatItIsOn()
    {
        BarChart chart{Qt::Vertical};
        chart.resize(400, 300);
        chart.setScene(stages());
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(1, 1).isEmpty());
        QSignalSpy hovered{&chart, &BarChart::hovered};
        QSignalSpy activated{&chart, &BarChart::activated};
        const QPoint inside = chart.segmentRectangle(1, 1).center().toPoint();
        QTest::mouseMove(&chart, inside);
        QCOMPARE(hovered.count(), 1);
        QCOMPARE(hovered[0], (QVariantList{1, 1}));
        QTest::mouseClick(&chart, Qt::LeftButton, {}, inside);
        QCOMPARE(activated.last(), (QVariantList{1, 1}));
        QTest::mouseClick(&chart, Qt::LeftButton, {}, {395, 5});
        QCOMPARE(activated.last(), (QVariantList{-1, -1}));
    }

    void aLimitBeyondTheRangeHasALineOfItsOwnAboveTheBars()
    {
        BarChart chart{Qt::Vertical};
        chart.resize(400, 300);
        BarScene scene = stages();
        scene.limit.reset();
        chart.setScene(scene);
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(0, 1).isEmpty());
        const double within = chart.segmentRectangle(0, 1).top();
        scene.limit = BarLimit{1000.0, "capacity"};
        chart.setScene(scene);
        QTRY_VERIFY(chart.segmentRectangle(0, 1).top() > within + QFontMetricsF{chart.font()}.height() / 2.0);
    }

    void captionsOnTopHaveALineOfTheirOwn()
    {
        BarChart chart{Qt::Vertical};
        chart.resize(400, 120);
        BarScene scene = stages();
        scene.value_high = scene.bars[0].segments[0].value + scene.bars[0].segments[1].value;
        for (Bar& bar : scene.bars)
            bar.caption = "223 s";
        chart.setScene(scene);
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(0, 1).isEmpty());
        QTRY_VERIFY(chart.segmentRectangle(0, 1).top() >= QFontMetricsF{chart.font()}.height());
    }

    void aLowChartGivesTheLineOfItsTitleToTheBars()
    {
        BarChart chart{Qt::Vertical};
        BarScene scene = stages();
        scene.category_title = "stage";
        chart.resize(400, 90);
        chart.setScene(scene);
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(0, 0).isEmpty());
        const double without_title = 90.0 - chart.segmentRectangle(0, 0).bottom();
        chart.resize(400, 300);
        QTRY_VERIFY(300.0 - chart.segmentRectangle(0, 0).bottom()
                    > without_title + QFontMetricsF{chart.font()}.height() / 2.0);
    }

    // The note gives way first, then what stands over each bar.
    void barsKeepTheirHeightInALowChart_data()
    {
        QTest::addColumn<int>("height");
        for (const int height : {64, 80, 100, 120, 160, 300})
            QTest::addRow("%d pixels", height) << height;
    }
    void barsKeepTheirHeightInALowChart()
    {
        QFETCH(const int, height);
        BarChart chart{Qt::Vertical};
        chart.resize(240, height);
        BarScene scene = stages();
        scene.note = "a note on the bars that takes a line";
        scene.category_title = "stage";
        scene.bars[1].marks = {{93.0, Qt::green, false}};
        chart.setScene(scene);
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(1, 1).isEmpty());
        const double bar = chart.segmentRectangle(1, 0).bottom() - chart.segmentRectangle(1, 1).top();
        QVERIFY2(bar >= height / 3.0, qPrintable(QString::number(bar)));
        QCOMPARE(chart.scene().leaves_out_note, height < 120);
    }

    void aTitleIsBrokenInTheFrameThatHasNoRoomForIt()
    {
        BarChart chart{Qt::Vertical};
        BarScene scene = stages();
        scene.category_title =
            "from fastest to smallest: pipeline, tensor, data, micro-batch, virtual stages";
        chart.resize(900, 300);
        chart.setScene(scene);
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(0, 0).isEmpty());
        const double of_one_line = 300.0 - chart.segmentRectangle(0, 0).bottom();
        chart.resize(320, 300);
        QTRY_VERIFY(300.0 - chart.segmentRectangle(0, 0).bottom()
                    > of_one_line + QFontMetricsF{chart.font()}.height() / 2.0);
    }

    void theMouseMeetsTheNewSceneBeforeItIsPainted()
    {
        BarChart chart{Qt::Vertical};
        chart.resize(400, 300);
        chart.setScene(stages());
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(1, 1).isEmpty());
        const QPoint second = chart.segmentRectangle(1, 1).center().toPoint();
        QTest::mouseMove(&chart, second);
        QSignalSpy activated{&chart, &BarChart::activated};
        BarScene fewer = stages();
        fewer.bars.resize(1);
        fewer.bars[0].segments.resize(1);
        chart.setScene(fewer);
        QTest::mouseMove(&chart, second + QPoint{1, 0});
        QTest::mouseClick(&chart, Qt::LeftButton, {}, second);
        QCOMPARE(activated.last(), (QVariantList{-1, -1}));
        BarScene hint;
        hint.hint = "Open a trace";
        chart.setScene(hint);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rect().center());
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(activated.last(), (QVariantList{-1, -1}));
    }

    void aTipIsOfTheSceneThatIsShown()
    {
        BarChart chart{Qt::Vertical};
        chart.resize(400, 300);
        QString text = "before";
        chart.setTip([&text](int, int) { return text; });
        chart.setScene(stages());
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(1, 1).isEmpty());
        const QPoint second = chart.segmentRectangle(1, 1).center().toPoint();
        QTest::mouseMove(&chart, second);
        QTRY_COMPARE(QToolTip::text(), "before");
        text = "after";
        chart.setScene(stages());
        QTest::mouseMove(&chart, second + QPoint{1, 0});
        QTRY_COMPARE(QToolTip::text(), "after");
    }

    // Where the pointer rests, as Qt asks.
    static QString tipAt(BarChart& chart, const QPoint& point)
    {
        QToolTip::hideText();
        QHelpEvent asked{QEvent::ToolTip, point, chart.mapToGlobal(point)};
        QApplication::sendEvent(&chart, &asked);
        return QToolTip::text();
    }

    void whatIsCutIsToldWhereThePointerRests()
    {
        BarChart chart{Qt::Horizontal};
        chart.resize(240, 200);
        BarScene scene = stages();
        scene.limit.reset();
        scene.bars[1].centre = 1.2;
        scene.category_high = 2.0;
        for (Bar& bar : scene.bars)
            bar.thickness = 0.5;
        scene.bars[0].remark = "short";
        scene.bars[1].remark = "566 ms, mean of the four ranks of stage 1";
        scene.note = "Times are 21 times apart: is this the trace's scenario?";
        chart.setScene(scene);
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(1, 1).isEmpty());
        QCOMPARE(tipAt(chart, {120, 4}), scene.note);
        const auto above = [&](int bar) {
            return QPoint{100, static_cast<int>(chart.segmentRectangle(bar, 0).top()) - 6};
        };
        QCOMPARE(tipAt(chart, above(1)), "all: 566 ms, mean of the four ranks of stage 1");
        QVERIFY(!tipAt(chart, above(0)).contains("short"));
    }

    void aNoteTakesASecondLineWhereTheBarsCanSpareIt()
    {
        BarChart chart{Qt::Vertical};
        chart.resize(300, 400);
        BarScene scene = stages();
        scene.note = "It fits";
        chart.setScene(scene);
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(0, 0).isEmpty());
        QTest::qWait(50);
        const double before = chart.segmentRectangle(0, 1).top();
        scene.note = "It would fit with ZeRO stage 1, with half the micro-batch, or with recomputation";
        chart.setScene(scene);
        QTRY_VERIFY(chart.segmentRectangle(0, 1).top() > before + 5.0);
    }

    void theKeyboardReachesEverySegment()
    {
        BarChart chart{Qt::Vertical};
        chart.resize(400, 300);
        chart.setScene(stages());
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(0, 0).isEmpty());
        QSignalSpy activated{&chart, &BarChart::activated};
        for (const int key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Up, Qt::Key_Return})
            QTest::keyClick(&chart, static_cast<Qt::Key>(key));
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0], (QVariantList{1, 1}));
    }

    void barsArePaintedInTheirColours()
    {
        BarChart chart{Qt::Vertical};
        chart.resize(400, 300);
        chart.setScene(stages());
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(0, 0).isEmpty());
        const QImage image = chart.grab().toImage();
        const QRectF box = chart.segmentRectangle(0, 0);
        QCOMPARE(image.pixelColor(box.adjusted(3, 3, 0, 0).topLeft().toPoint()), QColor{Qt::red});
    }

    void aMarkIsALineAcrossItsBar()
    {
        BarScene scene = stages();
        const double height = scene.bars[0].segments[0].value;
        scene.bars[0].marks = {{height / 2.0, Qt::black, false}};
        BarChart chart{Qt::Vertical};
        chart.resize(400, 300);
        chart.setScene(scene);
        chart.show();
        QTRY_VERIFY(!chart.segmentRectangle(0, 0).isEmpty());
        const QImage image = chart.grab().toImage();
        const QRectF box = chart.segmentRectangle(0, 0);
        const int x = static_cast<int>(box.left()) + 3;
        int black = 0;
        for (int y = static_cast<int>(box.top()); y < static_cast<int>(box.bottom()); ++y)
            black += image.pixelColor(x, y) == QColor{Qt::black};
        QVERIFY2(black >= 1 && black <= 3, qPrintable(QString::number(black)));
    }

    void exportsAreVectors()
    {
        BarChart chart{Qt::Horizontal};
        chart.setScene(stages());
        QBuffer file;
        QSvgGenerator generator;
        generator.setOutputDevice(&file);
        generator.setSize({600, 400});
        QPainter painter{&generator};
        chart.paintTo(painter, {0.0, 0.0, 600.0, 400.0});
        painter.end();
        const QString svg = QString::fromUtf8(file.data());
        QVERIFY(svg.contains(">all</text>"));
        QVERIFY(svg.contains(">weights 50 B</text>"));
        QVERIFY(svg.contains("#ff0000"));
        QVERIFY(!svg.contains("<image"));
        QVERIFY(svg.contains("#0000ff"));    // stripes are lines: patterns have no place in it
        QVERIFY(!svg.contains("matrix(0.")); // as large as asked for, whatever the device's resolution
    }

    void aHintStandsInsteadOfEmptyAxes()
    {
        BarChart chart{Qt::Vertical};
        BarScene scene;
        scene.hint = "Open a trace";
        chart.setScene(scene);
        QBuffer file;
        QSvgGenerator generator;
        generator.setOutputDevice(&file);
        QPainter painter{&generator};
        chart.paintTo(painter, {0.0, 0.0, 300.0, 200.0});
        painter.end();
        QCOMPARE(QString::fromUtf8(file.data()).count("</text>"), 1);
    }
};

QTEST_MAIN(TestBarChart)
#include "tst_bar_chart.moc"
