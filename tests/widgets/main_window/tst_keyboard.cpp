#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QHash>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
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

// "Export &picture": p; nothing: none.
QString mnemonicOf(const QString& text)
{
    static const QRegularExpression mark{QStringLiteral("&([^&])")};
    return mark.match(QString{text}.remove(QStringLiteral("&&"))).captured(1).toLower();
}

// Of the menu and all below it, those in which two items have the same.
QStringList doubledMnemonics(QMenu& menu)
{
    emit menu.aboutToShow(); // some are filled then
    QStringList doubled;
    QHash<QString, QString> items;
    for (QAction* action : menu.actions()) {
        if (const QString mnemonic = mnemonicOf(action->text()); !mnemonic.isEmpty()) {
            if (items.contains(mnemonic))
                doubled << QStringLiteral("%1: %2 and %3").arg(menu.title(), items[mnemonic], action->text());
            items[mnemonic] = action->text();
        }
        if (action->menu())
            doubled << doubledMnemonics(*action->menu());
    }
    return doubled;
}

} // namespace

// The window without a mouse.
class TestKeyboard : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QCoreApplication::setOrganizationName("shardscope-test"); }

    void noTwoItemsOfAMenuHaveTheSameMnemonic()
    {
        MainWindow window{shippedPresets(), false};
        show(window);
        window.openSample();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 60000);
        window.session().pinRun(); // which names it in the menu
        QMenu all;
        all.addActions(window.findChild<QMenuBar*>()->actions());
        QVERIFY(all.actions().size() >= 5);
        QCOMPARE(doubledMnemonics(all), QStringList{});
    }

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

    // Wherever the focus is, and though the form was closed.
    void controlFGoesToTheSearchAmongSettings()
    {
        MainWindow window{shippedPresets(), false};
        show(window);
        window.openSample();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 60000);
        for (const bool is_closed : {false, true}) {
            window.enlarge("timeline");
            auto& dock = *window.findChild<QDockWidget*>("scenario");
            dock.setVisible(!is_closed);
            QTest::keyClick(window.focusWidget(), Qt::Key_F, Qt::ControlModifier);
            auto* field = qobject_cast<QLineEdit*>(window.focusWidget());
            QVERIFY(field && dock.isAncestorOf(field) && field->isVisible());
            QTest::keyClicks(field, "norms_per_layer");
            QTest::keyClick(field, Qt::Key_Escape); // the search's, then the window's
            QCOMPARE(field->text(), QString{});
            QVERIFY(!window.panel("memory")->isVisible());
            QTest::keyClick(field, Qt::Key_Escape);
            QTRY_VERIFY(window.panel("memory")->isVisible());
        }
    }

    void noTwoEntriesOfTheMenusHaveOneKey()
    {
        MainWindow window{shippedPresets(), false};
        QHash<QString, QString> owner;
        for (const QAction* action : window.findChildren<QAction*>())
            for (const QKeySequence& keys : action->shortcuts()) {
                if (action->shortcutContext() != Qt::WindowShortcut)
                    continue;
                const QString older = owner.value(keys.toString());
                QVERIFY2(older.isEmpty(), qPrintable(keys.toString() + ": " + older + ", " + action->text()));
                owner.insert(keys.toString(), action->text());
            }
        QVERIFY(owner.contains("Ctrl+F"));
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
