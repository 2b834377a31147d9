#include <QTest>
#include <QToolTip>

#include "widgets/panels/headline/headline_tile.h"

using namespace shardscope;

class TestHeadlineTile : public QObject
{
    Q_OBJECT
private slots:
    // Also after the button has been let go of, which hides any tip that was there before.
    void aClickTellsHowTheFigureCameAbout()
    {
        HeadlineTile tile{"Bubble"};
        tile.setExplanation([] { return QString{"(p - 1) / m"}; });
        tile.show();
        QTest::mouseClick(&tile, Qt::LeftButton);
        QCOMPARE(QToolTip::text(), "(p - 1) / m");
    }

    void whereAnActionIsSetAClickDoesIt()
    {
        HeadlineTile tile{"Iteration"};
        int times = 0;
        tile.setAction([&times] { ++times; });
        tile.show();
        QTest::mouseClick(&tile, Qt::LeftButton);
        QCOMPARE(times, 1);
        QTest::mousePress(&tile, Qt::LeftButton);
        QTest::mouseRelease(&tile, Qt::LeftButton, {}, tile.rect().bottomRight() + QPoint{20, 20});
        QCOMPARE(times, 1);
    }

    void aDetailWithoutRoomIsLeftOutAndTold_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("detail");
        QTest::addColumn<int>("characters"); // that the tile has room for
        QTest::addColumn<QString>("shown");
        QTest::newRow("room for all") << ""
                                      << "fits 80 GiB" << 20 << "fits 80 GiB";
        QTest::newRow("its beginning") << ""
                                       << "± 10 %: 26.9 s to 32.9 s" << 10 << "± 10 %";
        QTest::newRow("no half figure behind a change") << "+3.4 %"
                                                        << "4.232 K each GPU" << 12 << "";
    }
    void aDetailWithoutRoomIsLeftOutAndTold()
    {
        QFETCH(QString, change);
        QFETCH(QString, detail);
        QFETCH(int, characters);
        HeadlineTile tile{"Tokens/s"};
        tile.setExplanation([] { return QString{"<p>tokens / s</p>"}; });
        tile.setValue({.value = "33.9 K", .title = {}, .detail = detail, .change = change});
        tile.resize(20 + characters * QFontMetrics{tile.font()}.averageCharWidth(), 60);
        tile.show();
        QTEST(tile.shownDetail(), "shown");
        QTest::mouseClick(&tile, Qt::LeftButton);
        QCOMPARE(QToolTip::text().contains(detail), tile.shownDetail() != detail);
    }
};

QTEST_MAIN(TestHeadlineTile)
#include "tst_headline_tile.moc"
