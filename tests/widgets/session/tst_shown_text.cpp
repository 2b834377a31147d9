#include "widgets/session/shown_text.h"

#include <QTest>

using namespace shardscope;

class TestShownText : public QObject
{
    Q_OBJECT
private slots:
    void thousandsHoldTogether()
    {
        QCOMPARE(groupedText(2695970), QString{"2~695~970"}.replace('~', QChar::Nbsp));
        QCOMPARE(groupedText(-1024), QString{"-1~024"}.replace('~', QChar::Nbsp));
        QCOMPARE(groupedText(999), QString{"999"});
    }

    void linesBreakBesideNumbersAlone_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown"); // ~ holds together
        QTest::newRow("thousands") << "b 1, gb 1 024, sel. recompute"
                                   << "b 1, gb 1~024, sel. recompute";
        QTest::newRow("millions at the end") << "ends with 1 234 567"
                                             << "ends with 1~234~567";
        QTest::newRow("a unit") << "of 80 GiB, 12.3 s"
                                << "of 80~GiB, 12.3~s";
        QTest::newRow("two numbers") << "ranks 2 and 300, 8 4096 and 16 12"
                                     << "ranks 2 and 300, 8 4096 and 16 12";
        QTest::newRow("nothing") << ""
                                 << "";
    }
    void linesBreakBesideNumbersAlone()
    {
        QFETCH(QString, text);
        QFETCH(QString, shown);
        QCOMPARE(withUnbrokenNumbers(text), shown.replace('~', QChar::Nbsp));
    }
};

QTEST_APPLESS_MAIN(TestShownText)
#include "tst_shown_text.moc"
