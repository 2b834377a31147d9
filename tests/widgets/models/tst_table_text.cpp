#include "widgets/models/table_text.h"

#include <QTest>

using namespace shardscope;

class TestTableText : public QObject
{
    Q_OBJECT
private slots:
    void csvQuotesWhatNeedsIt()
    {
        QCOMPARE(csvText({{"kind", "what"}, {"tp", "a, b"}, {"dp", "said \"so\""}}),
                 "kind,what\ntp,\"a, b\"\ndp,\"said \"\"so\"\"\"\n");
        QCOMPARE(csvText({}), "");
    }

    void markdownAlignsNumbersToTheRight()
    {
        QCOMPARE(markdownText({{"Kind", "Count"}, {"a|b", "680"}}, {false, true}),
                 "| Kind | Count |\n| --- | ---: |\n| a\\|b | 680 |\n");
    }

    void percentsHaveATenthAndASign()
    {
        QCOMPARE(percentText(0.0342), "3.4 %");
        QCOMPARE(signedPercentText(0.0342), "+3.4 %");
        QCOMPARE(signedPercentText(-0.25), "−25.0 %");
        QCOMPARE(signedPercentText(-0.0004), "0.0 %");
    }
};

QTEST_APPLESS_MAIN(TestTableText)
#include "tst_table_text.moc"
