#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/plots/curves/scatter_view.h"

#include <QImage>
#include <QPainter>

using namespace shardscope;

namespace
{

// Where the only point of a view is drawn: amid all places that are near to it.
QPoint centreOf(const ScatterView& view)
{
    QRect near;
    for (int y = 0; y < view.height(); ++y)
        for (int x = 0; x < view.width(); ++x)
            if (view.pointAt(QPointF(x, y)) == 0)
                near |= QRect{x, y, 1, 1};
    return near.center();
}

QImage pictureOf(const ScatterView& view)
{
    QImage picture{view.size(), QImage::Format_RGB32};
    QPainter painter{&picture};
    view.paintTo(painter, picture.rect());
    return picture;
}

} // namespace

class TestScatterView : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void aHollowPointIsARingInItsGroupsColour_data()
    {
        QTest::addColumn<bool>("hollow");
        QTest::newRow("full") << false;
        QTest::newRow("hollow") << true;
    }
    void aHollowPointIsARingInItsGroupsColour()
    {
        QFETCH(bool, hollow);
        ScatterView view;
        view.resize(400, 400);
        const QImage empty = pictureOf(view);
        view.setPoints({{1.37, 3.9, 0, hollow}}); // off the diagonal, and off the lines of the grid
        const QPoint centre = centreOf(view);
        const QImage picture = pictureOf(view);
        QCOMPARE(picture.pixelColor(centre) == view.groupColour(0), !hollow);
        QCOMPARE(picture.pixelColor(centre) == empty.pixelColor(centre), hollow);
        QVERIFY(picture.pixelColor(centre + QPoint{3, 0}) != empty.pixelColor(centre));
    }
};

QTEST_MAIN(TestScatterView)
#include "tst_scatter_view.moc"
