#include <QApplication>
#include <QMainWindow>
#include <QMenu>
#include <QTest>

#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/main_window.h"
#include "widgets/main_window/picture_dock.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/session/session.h"

using namespace shardscope;

namespace
{

class CountingPanel : public PicturePanel
{
public:
    QString key() const override { return "counting"; }
    QString title() const override { return "Counting"; }
    void setContent(const Content&) override { ++contents; }
    void setSelection(const Selection&) override { ++selections; }
    QString csv() const override { return "a\n"; }
    bool isBusy() const override { return is_busy; }
    void paintTo(QPainter&, const QRectF&) override {}
    bool is_busy = false;
    int contents = 0;
    int selections = 0;
};

} // namespace

class TestPictureDock : public QObject
{
    Q_OBJECT
private slots:
    void hiddenPicturesComputeNothingAndCatchUp()
    {
        const Session session{shippedPresets()};
        auto* panel = new CountingPanel;
        PictureDock dock{panel};
        dock.setContent(session.content());
        dock.setContent(session.content());
        dock.setSelection({});
        QCOMPARE(panel->contents, 0);
        dock.show();
        QCOMPARE(panel->contents, 1);
        QCOMPARE(panel->selections, 1);
        dock.setContent(session.content());
        QCOMPARE(panel->contents, 2);
        dock.hide();
        dock.setContent(session.content());
        QCOMPARE(panel->contents, 2);
        dock.copyData(); // what is copied is new
        QCOMPARE(panel->contents, 3);
    }

    void whatIsStillComputedIsCopiedWhenItIsReady()
    {
        const Session session{shippedPresets()};
        auto* panel = new CountingPanel;
        PictureDock dock{panel};
        dock.setContent(session.content());
        panel->is_busy = true;
        int ready = 0;
        dock.whenReady([&] { ++ready; });
        QCOMPARE(panel->contents, 1);
        QTest::qWait(100);
        QCOMPARE(ready, 0);
        panel->is_busy = false;
        QTRY_COMPARE(ready, 1);
        dock.whenReady([&] { ++ready; });
        QCOMPARE(ready, 2);
    }

    void aDetachedPictureStandsAside()
    {
        QMainWindow window;
        window.resize(600, 400);
        auto* dock = new PictureDock{new CountingPanel};
        window.addDockWidget(Qt::TopDockWidgetArea, dock);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const QPoint docked = dock->mapToGlobal(QPoint{});
        for (QAction* action : dock->menu().actions())
            if (action->text().contains("Detach"))
                action->trigger();
        QVERIFY(dock->isFloating());
        QVERIFY(dock->pos().x() > docked.x() && dock->pos().y() > docked.y());
        const QImage picture = dock->grab().toImage();
        const QRgb edge = picture.pixel(0, picture.height() / 2);
        QCOMPARE(picture.pixel(picture.width() - 1, picture.height() / 2), edge);
        QVERIFY(edge != picture.pixel(picture.width() / 2, 3)); // the title's ground
        for (const QAction* action : dock->exports().actions())
            QVERIFY2(!action->text().contains("Detach") && action->text() != "Close",
                     qPrintable(action->text()));
    }

    void picturesBehindATabComputeNothing()
    {
        const Session session{shippedPresets()};
        QMainWindow window;
        auto* front = new CountingPanel;
        auto* behind = new CountingPanel;
        auto* front_dock = new PictureDock{front};
        auto* behind_dock = new PictureDock{behind};
        window.addDockWidget(Qt::TopDockWidgetArea, front_dock);
        window.tabifyDockWidget(front_dock, behind_dock);
        front_dock->raise();
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        for (PictureDock* dock : {front_dock, behind_dock})
            dock->setContent(session.content());
        QCOMPARE(front->contents, 1);
        QCOMPARE(behind->contents, 0);
        behind_dock->raise();
        QTRY_COMPARE(behind->contents, 1);
        front_dock->setContent(session.content());
        QCOMPARE(front->contents, 1);
    }

    void anEnlargedPictureHasTheKeys()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.enlarge("timeline");
        QTRY_VERIFY(QApplication::focusWidget());
        QVERIFY(window.panel("timeline")->isAncestorOf(QApplication::focusWidget()));
    }

    void picturesCatchUpOnceOneIsEnlargedNoLonger()
    {
        MainWindow window{shippedPresets(), false};
        window.resize(1600, 1000);
        window.show();
        window.begin({SHARDSCOPE_SOURCE_FOLDER "/sample_traces/sample.scenario.json"});
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const QStringList names{"messages", "heatmap", "memory", "time", "histogram"};
        QTRY_VERIFY(window.session().isSettled());
        window.enlarge("timeline");
        QTRY_VERIFY(!window.panel("messages")->isVisible());
        Scenario edited = window.session().scenario();
        edited.parallel.tensor = 1;
        edited.training.recompute = Recompute::full;
        window.session().editScenario(edited, "Tensor");
        QTRY_VERIFY(window.session().isSettled());
        QTest::keyClick(&window, Qt::Key_Escape);
        QTRY_VERIFY(window.panel("messages")->isVisible());
        QCoreApplication::processEvents();
        MainWindow fresh{shippedPresets(), false};
        for (const QString& name : names) {
            auto* panel = window.findChild<PictureDock*>(name);
            QVERIFY2(panel, qPrintable(name));
            fresh.findChild<PictureDock*>(name)->panel().setContent(window.session().content());
            QTRY_COMPARE(panel->panel().csv(), fresh.findChild<PictureDock*>(name)->panel().csv());
        }
    }
};

QTEST_MAIN(TestPictureDock)
#include "tst_picture_dock.moc"
