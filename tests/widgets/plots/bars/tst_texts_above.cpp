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

    void aNoteTakesTheLinesThatItMay_data()
    {
        QTest::addColumn<int>("lines");
        QTest::addColumn<QString>("wide_as"); // the lines above
        QTest::addColumn<QString>("last_as"); // what other texts leave of the last
        QTest::addColumn<QStringList>("expected");
        const QString note = "rank 0 without idle time, each operator by its own law";
        QTest::newRow("room for all") << 2 << note << note << QStringList{note};
        QTest::newRow("broken between words")
            << 2 << "rank 0 without idle time, each o" << note << QStringList{note};
        QTest::newRow("beside other texts, above them")
            << 2 << note << "rank 0 without" << QStringList{note, ""};
        QTest::newRow("in two lines")
            << 2 << "rank 0 without idle time, each o"
            << "operator by its own law of"
            << QStringList{"rank 0 without idle time, each", "operator by its own law"};
    }
    void aNoteTakesTheLinesThatItMay()
    {
        QFETCH(int, lines);
        QFETCH(QString, wide_as);
        QFETCH(QString, last_as);
        const QFontMetricsF metrics{QGuiApplication::font()};
        const QString note = "rank 0 without idle time, each operator by its own law";
        QTEST(noteWithin(note, metrics, metrics.horizontalAdvance(wide_as),
                         metrics.horizontalAdvance(last_as), lines),
              "expected");
    }

    void whatHasNoRoomInItsLinesEndsWithAnEllipsis()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        const QString note = "rank 0 without idle time, each operator by its own law";
        const double narrow = metrics.horizontalAdvance("rank 0 without");
        for (const int lines : {0, 1, 2}) {
            const QStringList shown = noteWithin(note, metrics, narrow, narrow, lines);
            QCOMPARE(shown.size(), std::max(1, lines));
            QVERIFY(shown.last().endsWith(QChar{0x2026}));
        }
    }

    // The bars come first.
    void aLowChartKeepsItsNoteInOneLine()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        BarScene scene;
        QCOMPARE(linesOfNote(scene, metrics, 100.0, 400.0), 0);
        scene.note = "rank 0 without idle time, each operator by its own law";
        QCOMPARE(linesOfNote(scene, metrics, 100.0, 400.0), 2);
        QCOMPARE(linesOfNote(scene, metrics, 100.0, 90.0), 1);
        QCOMPARE(linesOfNote(scene, metrics, 2000.0, 400.0), 1);
    }
};

QTEST_MAIN(TestTextsAbove)
#include "tst_texts_above.moc"
