#include <QPushButton>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/main_window/message_line.h"

using namespace shardscope;

class TestMessageLine : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void whatIsOfLessWeightIsReadLast()
    {
        MessageLine line;
        line.addBehind(Severity::note, "alone");
        QCOMPARE(line.currentText(), QStringLiteral("alone"));
        line.add(Severity::warning, "what hangs");
        line.addBehind(Severity::note, "what was found");
        QCOMPARE(line.count(), 3);
        QCOMPARE(line.currentText(), QStringLiteral("what hangs"));
        line.dismissCurrent();
        line.dismissCurrent();
        QCOMPARE(line.currentText(), QStringLiteral("what was found"));
    }

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

    void whatHoldsNoLongerIsTakenAway()
    {
        MessageLine line;
        line.add(Severity::note, "written");
        line.add(Severity::error, "a.scenario.json: broken", {}, Topic::scenario_file);
        line.add(Severity::warning, "of 8 GPUs", {}, Topic::traces);
        line.withdraw(Topic::traces);
        QCOMPARE(line.currentText(), "a.scenario.json: broken");
        line.withdraw(Topic::scenario_file);
        QCOMPARE(line.currentText(), "written");
        QCOMPARE(line.count(), 1);
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
        QCOMPARE(line.currentText(), "another run"); // still so
    }
};

QTEST_MAIN(TestMessageLine)
#include "tst_message_line.moc"
