#include "widgets/plots/note_lines.h"

#include <QGuiApplication>
#include <QTest>

#include <algorithm>

using namespace shardscope;

class TestNoteLines : public QObject
{
    Q_OBJECT
private slots:
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
        QTest::newRow("in three lines")
            << 3 << "time, each operator b"
            << "by its own law"
            << QStringList{"rank 0 without idle", "time, each operator", "by its own law"};
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

    void aLineBreaksBesideANumberAndNotWithin()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        const double wide = metrics.horizontalAdvance("of all layouts 13 5");
        const QStringList shown = noteWithin("of all layouts 13 578 were tried", metrics, wide, wide, 2);
        QCOMPARE(shown, (QStringList{"of all layouts", "13\u00a0578 were tried"}));
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
};

QTEST_MAIN(TestNoteLines)
#include "tst_note_lines.moc"
