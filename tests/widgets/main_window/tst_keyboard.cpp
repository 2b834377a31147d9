#include <QComboBox>
#include <QLineEdit>
#include <QTest>

#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/main_window.h"
#include "widgets/main_window/picture_dock.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/session/session.h"

#include <set>

using namespace shardscope;

namespace
{

void show(MainWindow& window)
{
    window.resize(1600, 1000);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
}

const PictureDock* dockOf(const QWidget* widget)
{
    while (widget && !qobject_cast<const PictureDock*>(widget))
        widget = widget->parentWidget();
    return qobject_cast<const PictureDock*>(widget);
}

} // namespace

// The window without a mouse.
class TestKeyboard : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QCoreApplication::setOrganizationName("shardscope-test"); }

    void tabReachesTheControlsOfAllPicturesInSight()
    {
        MainWindow window{shippedPresets(), false};
        show(window);
        window.openSample();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 60000);
        std::set<const QWidget*> reached;
        for (int i = 0; i < 400; ++i) {
            QWidget* focus = window.focusWidget() ? window.focusWidget() : &window;
            QTest::keyClick(focus, Qt::Key_Tab);
            QVERIFY(window.focusWidget());
            const PictureDock* dock = dockOf(window.focusWidget());
            if (!reached.insert(window.focusWidget()).second || !dock)
                continue;
            QVERIFY2(dock->isInSight(), qPrintable(dock->windowTitle()));
        }
        int boxes = 0;
        for (const QString key : {"heatmap", "timeline"})
            for (const QComboBox* box : window.panel(key)->findChildren<QComboBox*>()) {
                if (!box->isVisible())
                    continue;
                ++boxes;
                QVERIFY2(reached.contains(box), qPrintable(box->accessibleName()));
            }
        QVERIFY(boxes >= 2); // what the squares show, how lanes are grouped
    }

    void theKeysStayWithAPictureThatGoesBack()
    {
        MainWindow window{shippedPresets(), false};
        show(window);
        window.enlarge("timeline");
        QWidget* view = window.focusWidget();
        QVERIFY(view);
        QTest::keyClick(view, Qt::Key_Escape);
        QTRY_VERIFY(window.panel("memory")->isVisible());
        QCOMPARE(window.focusWidget(), view);
    }

    void escapeClosesTheSearchBeforeTheEnlargement()
    {
        MainWindow window{shippedPresets(), false};
        show(window);
        window.openSample();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 60000);
        window.enlarge("timeline");
        QTest::keyClick(window.focusWidget(), Qt::Key_Slash);
        auto* field = qobject_cast<QLineEdit*>(window.focusWidget());
        QVERIFY(field);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!field->isVisible());
        QVERIFY(!window.panel("memory")->isVisible());
    }
};

QTEST_MAIN(TestKeyboard)
#include "tst_keyboard.moc"
