#include "widgets/panels/timeline/timeline_help.h"

#include <QPointer>
#include <QTest>

using namespace shardscope;

class TestTimelineHelp : public QObject
{
    Q_OBJECT
private slots:
    void theSheetClosesOn_data()
    {
        QTest::addColumn<int>("key"); // 0: a click
        QTest::newRow("Escape") << static_cast<int>(Qt::Key_Escape);
        QTest::newRow("the key that opened it") << static_cast<int>(Qt::Key_Question);
        QTest::newRow("any other key") << static_cast<int>(Qt::Key_W);
        QTest::newRow("a click") << 0;
    }

    void theSheetClosesOn()
    {
        QFETCH(int, key);
        QWidget view;
        view.resize(300, 200);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        showTimelineHelp(view);
        auto* const found = view.findChild<QWidget*>("keySheet");
        QVERIFY(found);
        const QPointer<QWidget> sheet = found;
        if (key == 0)
            QTest::mouseClick(found, Qt::LeftButton, {}, {5, 5});
        else
            QTest::keyClick(found, static_cast<Qt::Key>(key));
        QTRY_VERIFY(!sheet);
    }

    void aKeyStillHeldDoesNotCloseIt()
    {
        QWidget view;
        view.show();
        showTimelineHelp(view);
        auto* const sheet = view.findChild<QWidget*>("keySheet");
        QVERIFY(sheet);
        QKeyEvent repeated{QEvent::KeyPress, Qt::Key_Question, Qt::ShiftModifier, "?", true};
        QCoreApplication::sendEvent(sheet, &repeated);
        QVERIFY(sheet->isVisible());
    }
};

QTEST_MAIN(TestTimelineHelp)
#include "tst_timeline_help.moc"
