#include "widgets/plots/bars/texts_above.h"

#include <QGuiApplication>
#include <QTest>

using namespace shardscope;

static BarMapping rowOf(double width)
{
    BarScene scene;
    scene.category_low = -0.5;
    scene.category_high = 0.5;
    return mappingOf(scene, Qt::Horizontal, {10.0, 0.0, width, 100.0});
}

// Captions above bars and the note above a chart, where there is little room.
class TestTextsAbove : public QObject
{
    Q_OBJECT
private slots:
    void aRemarkIsCutWhereItsLineEnds()
    {
        Bar bar;
        bar.caption = "Measured";
        bar.remark = "566 ms, mean of stage 1's 4 ranks";
        const QFont font = QGuiApplication::font();
        const CaptionAbove whole = captionAbove(bar, rowOf(2000.0), font);
        QVERIFY(!whole.is_cut);
        QCOMPARE(whole.remark, bar.remark);
        const CaptionAbove cut = captionAbove(bar, rowOf(150.0), font);
        QVERIFY(cut.is_cut);
        QVERIFY(cut.remark.endsWith(QChar{0x2026}));
        QVERIFY(cut.remark_left + QFontMetricsF{font}.horizontalAdvance(cut.remark) <= 160.0);
        QVERIFY(cut.rectangle.bottom() <= rowOf(150.0).categoryPixel(-0.4) + 1e-6); // the bar begins there
    }

    // The bars come first.
    void aLowChartKeepsItsNoteInFewLines()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        BarScene scene;
        QCOMPARE(linesOfNote(scene, metrics, 100.0, 400.0), 0);
        scene.note = "rank 0 without idle time, each operator by its own law";
        const double wide = metrics.horizontalAdvance("operator by its own law ");
        const double line = metrics.height();
        QCOMPARE(linesOfNote(scene, metrics, wide, 30.0 * line), 3);
        QCOMPARE(linesOfNote(scene, metrics, wide, 15.0 * line), 2);
        QCOMPARE(linesOfNote(scene, metrics, wide, 6.0 * line), 1);
        QCOMPARE(linesOfNote(scene, metrics, 2000.0, 30.0 * line), 1);
    }
};

QTEST_MAIN(TestTextsAbove)
#include "tst_texts_above.moc"
