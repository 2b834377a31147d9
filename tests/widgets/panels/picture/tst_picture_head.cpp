#include "widgets/panels/picture/picture_head.h"
#include "widgets/plots/bars/legend_chips.h"

#include <QTest>

using namespace shardscope;

class TestPictureHead : public QObject
{
    Q_OBJECT
private slots:
    void aLegendGivesWayToALowPicture_data()
    {
        QTest::addColumn<int>("height");
        QTest::addColumn<bool>("is_shown");
        QTest::newRow("high") << 400 << true;
        QTest::newRow("of one line") << low_picture - 2 << true;
        QTest::newRow("low") << 130 << false;
    }
    void aLegendGivesWayToALowPicture()
    {
        QFETCH(const int, height);
        QWidget panel;
        auto* legend = new LegendChips{LegendChips::Use::legend, &panel};
        legend->setChips({{.id = -1, .text = "weights", .colour = Qt::blue}});
        panel.resize(300, height);
        shortenLegend(panel, *legend);
        QTEST(!legend->isHidden(), "is_shown");
        panel.resize(300, 400); // and comes back
        shortenLegend(panel, *legend);
        QVERIFY(!legend->isHidden());
    }
};

QTEST_MAIN(TestPictureHead)
#include "tst_picture_head.moc"
