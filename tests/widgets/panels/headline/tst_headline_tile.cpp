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
};

QTEST_MAIN(TestHeadlineTile)
#include "tst_headline_tile.moc"
