#include "tests/fail_on_warnings.h"
#include "widgets/plots/curves/curve_painting.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/theme.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>

using namespace shardscope;

// Curves under the mouse.
class TestCurveView : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { failOnWarnings(); }

    void init()
    {
        m_view = std::make_unique<CurveView>();
        CurveScene scene;
        CurveLine line;
        line.points = {{1.0, 2.0}, {10.0, 5.0}};
        scene.lines.push_back(line);
        scene.marks = {{{3.0, 4.0}, Qt::black}};
        scene.handles = {{{8.0, 5.0}, Qt::black, "drag"}};
        m_view->setScene(scene);
        m_view->setTip([](double x) { return QStringLiteral("at %1").arg(x); });
        m_view->resize(500, 300);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        QToolTip::hideText();
        m_view.reset();
    }

    void aMarkDrawsTheCursorToItself_data()
    {
        QTest::addColumn<QPoint>("beside"); // the mark, in pixels
        QTest::addColumn<bool>("is_drawn");
        QTest::newRow("on it") << QPoint{0, 0} << true;
        QTest::newRow("near it") << QPoint{-4, 4} << true;
        QTest::newRow("above it, in its column") << QPoint{1, -40} << false;
        QTest::newRow("far from it") << QPoint{60, 0} << false;
    }
    void aMarkDrawsTheCursorToItself()
    {
        QFETCH(QPoint, beside);
        QFETCH(bool, is_drawn);
        const QSignalSpy hovered{m_view.get(), &CurveView::hovered};
        QTest::mouseMove(m_view.get(), mark() + beside);
        QTRY_VERIFY(!hovered.isEmpty());
        QCOMPARE(hovered.last()[0].toDouble() == 3.0, is_drawn);
        QCOMPARE(QToolTip::text() == "at 3", is_drawn);
    }

    void theTipOfAMarkLeavesItInSight_data()
    {
        QTest::addColumn<QPoint>("beside");
        QTest::addColumn<bool>("is_low"); // at the lower edge of the screen
        QTest::newRow("from the upper left") << QPoint{-5, -5} << false;
        QTest::newRow("from the lower right") << QPoint{5, 5} << false;
        QTest::newRow("from the lower left, where the screen ends") << QPoint{-3, 7} << true;
    }
    void theTipOfAMarkLeavesItInSight()
    {
        QFETCH(QPoint, beside);
        QFETCH(bool, is_low);
        m_view->setTip([](double) { return QStringLiteral("one\ntwo\nthree\nfour\nfive"); });
        const QRect screen = m_view->screen()->geometry();
        m_view->move(20, is_low ? screen.bottom() - mark().y() - 20 : 20);
        QTest::mouseMove(m_view.get(), mark() + beside);
        const QWidget* tip = nullptr;
        QTRY_VERIFY((tip = tipLabel()) != nullptr);
        const QPoint place = m_view->mapToGlobal(mark());
        constexpr int radius = 5;
        QVERIFY(!tip->geometry().intersects(
            QRect{place - QPoint{radius, radius}, QSize{2 * radius, 2 * radius}}));
    }

    void aHandleStillSaysWhatItIsFor()
    {
        QTest::mouseMove(m_view.get(), m_view->handlePlace(0).toPoint());
        QTRY_COMPARE(m_view->toolTip(), QString{"drag"});
        QVERIFY(!QToolTip::text().startsWith("at "));
    }

    // Labels at the lines' ends leave little of a picture to its area.
    void titlesHaveTheWholePicture_data()
    {
        QTest::addColumn<QString>("title");
        QTest::addColumn<int>("more"); // pixels than the title needs
        QTest::addColumn<bool>("fits");
        const QString title = QStringLiteral("experts for each token");
        QTest::newRow("with room") << title << 200 << true;
        QTest::newRow("with just enough of it") << title << 20 << true;
        QTest::newRow("without room") << title << -20 << false;
    }
    void titlesHaveTheWholePicture()
    {
        QFETCH(QString, title);
        QFETCH(int, more);
        QFETCH(bool, fits);
        CurveScene scene = m_view->scene();
        scene.x_title = scene.y_title = title;
        scene.lines.front().label = QStringLiteral("a line with a long name");
        const QFont font = pixelFont(m_view->font());
        const QRectF picture{30.0, 40.0, QFontMetricsF{font}.horizontalAdvance(title) + more, 300.0};
        QVERIFY(curveArea(scene, picture, font).width() < picture.width() / 2.0 + 100.0);
        const CurveTitles titles = curveTitles(scene, picture, font);
        for (const CurveTitle& one : {titles.up, titles.along}) {
            QCOMPARE(one.text == title, fits);
            QVERIFY(picture.contains(one.box));
            QVERIFY(one.box.width() >= QFontMetricsF{font}.horizontalAdvance(one.text));
        }
        QVERIFY(titles.along.box.top() > titles.up.box.bottom());
    }

private:
    QPoint mark() const
    {
        const CurveScene& scene = m_view->scene();
        const CurveMapping mapping{scene, curveArea(scene, m_view->rect(), pixelFont(m_view->font()))};
        return mapping.place(scene.marks.front().at).toPoint();
    }

    static const QWidget* tipLabel()
    {
        for (const QWidget* widget : QApplication::topLevelWidgets())
            if (widget->isVisible() && widget->inherits("QTipLabel"))
                return widget;
        return nullptr;
    }

    std::unique_ptr<CurveView> m_view;
};

QTEST_MAIN(TestCurveView)
#include "tst_curve_view.moc"
