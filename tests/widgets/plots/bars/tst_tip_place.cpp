#include <QTest>

#include "widgets/plots/bars/tip_place.h"

using namespace shardscope;

class TestTipPlace : public QObject
{
    Q_OBJECT
private slots:
    // QToolTip puts its left edge 2 beside the place that it is given.
    void tipsStandBesideThePointer_data()
    {
        QTest::addColumn<int>("pointer");
        QTest::addColumn<int>("left_edge");
        QTest::newRow("right") << 100 << 114;
        QTest::newRow("the last with room on the right") << 786 << 800;
        QTest::newRow("left") << 787 << 787 - 12 - 566;
        QTest::newRow("at the screen's edge") << 1365 << 1365 - 12 - 566;
    }
    void tipsStandBesideThePointer()
    {
        QFETCH(int, pointer);
        const QRect screen{0, 0, 1366, 768};
        QTEST(tipPlace({pointer, 500}, {566, 680}, screen).x() + 2, "left_edge");
    }

    void widerTipsStartAtTheScreensEdge()
    {
        QCOMPARE(tipPlace({300, 500}, {566, 680}, {0, 0, 800, 600}).x(), 0);
    }
};

QTEST_APPLESS_MAIN(TestTipPlace)
#include "tst_tip_place.moc"
