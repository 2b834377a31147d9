#include <QTest>

#include <QTextBlock>
#include <QTextDocument>

#include "widgets/panels/picture/explanation_html.h"

using namespace shardscope;

class TestExplanationHtml : public QObject
{
    Q_OBJECT
private slots:
    // A long line of parts goes on further in, so that the next one is seen to begin.
    void linesOfPartsHang()
    {
        Explanation explanation;
        explanation.title = "Activations";
        explanation.parts = "a layer = s * b\nnorms = 4 * e * h";
        QTextDocument document;
        document.setHtml(explanationHtml(explanation));
        QCOMPARE(document.blockCount(), 3);
        for (QTextBlock line = document.firstBlock().next(); line.isValid(); line = line.next()) {
            const QTextBlockFormat format = line.blockFormat();
            QVERIFY(format.leftMargin() > 0.0);
            QCOMPARE(format.textIndent(), -format.leftMargin());
        }
    }

    void numbersAreNotBroken_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown"); // ~ holds together
        QTest::newRow("thousands") << "3 * 2 * 18 432 = 110 592 B"
                                   << "3 * 2 * 18~432 = 110~592~B";
        QTest::newRow("size") << "2 * 1.2981 GiB = 2.596 GiB"
                              << "2 * 1.2981~GiB = 2.596~GiB";
        QTest::newRow("time and rate") << "48 MiB / 12.5 GB/s = 3.84 ms"
                                       << "48~MiB / 12.5~GB/s = 3.84~ms";
        QTest::newRow("words") << "14 layers, Table 2 and section 4.3"
                               << "14 layers, Table 2 and section 4.3";
    }
    void numbersAreNotBroken()
    {
        QFETCH(QString, text);
        QFETCH(QString, shown);
        Explanation explanation;
        explanation.with_values = text.toStdString();
        QVERIFY2(explanationHtml(explanation).contains(shown.replace('~', QChar{QChar::Nbsp})),
                 qPrintable(explanationHtml(explanation)));
    }
};

QTEST_MAIN(TestExplanationHtml)
#include "tst_explanation_html.moc"
