#include "widgets/plots/label_places.h"

#include <QTest>

using namespace shardscope;

using Places = std::vector<double>;

class TestLabelPlaces : public QObject
{
    Q_OBJECT
private slots:
    void labelsStandNearTheirWishesAndApart_data()
    {
        QTest::addColumn<Places>("wished");
        QTest::addColumn<Places>("expected");
        QTest::newRow("none") << Places{} << Places{};
        QTest::newRow("far apart they are where they wish") << Places{10, 50, 90} << Places{10, 50, 90};
        QTest::newRow("two on one another move both ways") << Places{50, 50} << Places{45, 55};
        QTest::newRow("one pushes the next") << Places{50, 50, 58} << Places{42.6667, 52.6667, 62.6667};
        QTest::newRow("at the lower end they move up") << Places{0, 1} << Places{0, 10};
        QTest::newRow("at the upper end they move down") << Places{99, 100} << Places{90, 100};
        QTest::newRow("without room they go on beyond the end")
            << Places{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
            << Places{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110};
    }
    void labelsStandNearTheirWishesAndApart()
    {
        QFETCH(Places, wished);
        QFETCH(Places, expected);
        const Places places = spreadApart(wished, 10.0, 0.0, 100.0);
        QCOMPARE(places.size(), expected.size());
        for (std::size_t i = 0; i < places.size(); ++i)
            QVERIFY2(qAbs(places[i] - expected[i]) < 1e-3, qPrintable(QString::number(places[i])));
    }
};

QTEST_APPLESS_MAIN(TestLabelPlaces)
#include "tst_label_places.moc"
