#include <QPushButton>
#include <QTest>

#include "widgets/main_window/message_line.h"

using namespace shardscope;

using Severity = MessageLine::Severity;

class TestMessageLine : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void itIsOnlyThereWithAMessage()
    {
        MessageLine line;
        QVERIFY(line.isHidden());
        line.add(Severity::error, "a.json: this is no trace");
        QVERIFY(!line.isHidden());
        line.dismissCurrent();
        QVERIFY(line.isHidden());
    }

    void theNewestIsShownAndNoneIsLost()
    {
        MessageLine line;
        line.add(Severity::note, "first");
        line.add(Severity::error, "second");
        QCOMPARE(line.currentText(), "second");
        QCOMPARE(line.count(), 2);
        line.dismissCurrent();
        QCOMPARE(line.currentText(), "first");
        line.dismissAll();
        QCOMPARE(line.count(), 0);
    }

    void theSameMessageStandsOnce()
    {
        MessageLine line;
        line.add(Severity::error, "again");
        line.add(Severity::error, "other");
        line.add(Severity::error, "again");
        QCOMPARE(line.count(), 2);
        QCOMPARE(line.currentText(), "again");
    }

    void whatCanBeDoneAboutItIsAButton()
    {
        MessageLine line;
        int done = 0;
        line.add(Severity::note, "another run", {"See it", [&done] { ++done; }});
        line.add(Severity::note, "no remedy");
        auto* button = line.findChild<QPushButton*>();
        QVERIFY(button && button->isHidden());
        line.dismissCurrent();
        QVERIFY(!button->isHidden());
        QCOMPARE(button->text(), "See it");
        button->click();
        QCOMPARE(done, 1);
        QCOMPARE(line.count(), 0);
    }
};

QTEST_MAIN(TestMessageLine)
#include "tst_message_line.moc"
