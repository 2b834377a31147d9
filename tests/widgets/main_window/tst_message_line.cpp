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
};

QTEST_MAIN(TestMessageLine)
#include "tst_message_line.moc"
