#include "tests/fail_on_warnings.h"
#include "widgets/main_window/about_dialog.h"

#include <QDialog>
#include <QScreen>
#include <QTest>
#include <QTextBrowser>
#include <QWidget>

using namespace shardscope;

class TestAboutDialog : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void aTextThatIsOpenComesToTheFront()
    {
        QWidget window;
        showKeys(&window);
        showKeys(&window);
        QCOMPARE(window.findChildren<QDialog*>().size(), 1);
        showGlossary(&window);
        QCOMPARE(window.findChildren<QDialog*>().size(), 2);
    }

    void allOfATextCanBeReached()
    {
        QWidget window;
        showGlossary(&window);
        const auto* text = window.findChild<QTextBrowser*>();
        QVERIFY(text->toPlainText().contains("ZeRO 0 to 3"));
        const QSize most = window.screen()->availableSize() * 3 / 4;
        QVERIFY(text->minimumWidth() <= most.width() && text->minimumHeight() <= most.height());
        const bool is_whole = text->minimumHeight() >= static_cast<int>(text->document()->size().height());
        QVERIFY(is_whole || text->verticalScrollBarPolicy() == Qt::ScrollBarAsNeeded);
    }
};

QTEST_MAIN(TestAboutDialog)
#include "tst_about_dialog.moc"
