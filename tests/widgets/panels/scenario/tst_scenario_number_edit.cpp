#include <QSignalSpy>
#include <QTest>

#include "widgets/panels/scenario/scenario_number_edit.h"

#include <cmath>

using namespace shardscope;

class TestScenarioNumberEdit : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{".*"}); }

    void numbersAreReadAsPeopleWriteThem_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("value");
        QTest::newRow("digits") << "50257" << 50257.0;
        QTest::newRow("blanks between thousands") << "50 257" << 50257.0;
        QTest::newRow("commas between thousands") << "1,048,576" << 1048576.0;
        QTest::newRow("a power") << "2^13" << 8192.0;
        QTest::newRow("a product") << "8*1024" << 8192.0;
        QTest::newRow("a product of powers") << "3*2^10" << 3072.0;
        QTest::newRow("a fraction") << "0.565" << 0.565;
        QTest::newRow("an exponent") << "1.5e3" << 1500.0;
        QTest::newRow("a comma before the fraction") << "12,5" << 12.5;
        QTest::newRow("a comma before three digits of nothing but a fraction") << "0,125" << 0.125;
        QTest::newRow("a comma behind more than thousands") << "4096,125" << 4096.125;
        QTest::newRow("blanks between thousands, a comma before the fraction") << "50 257,5" << 50257.5;
        QTest::newRow("commas between thousands, a point before the fraction") << "1,024.5" << 1024.5;
        QTest::newRow("a product of fractions") << "2*12,5" << 25.0;
    }
    void numbersAreReadAsPeopleWriteThem()
    {
        QFETCH(QString, text);
        QTEST(parseNumber(text).value_or(-1.0), "value");
    }

    void otherTextsAreNone_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", "many", "12x", "2^", "2^3^4", "*3", "nan", "inf", "1e999", "1,2,3",
                                 "1.024,5", "1,024", "2*1,024"})
            QTest::newRow(text) << text;
    }
    void otherTextsAreNone()
    {
        QFETCH(QString, text);
        QVERIFY(!parseNumber(text));
    }

    void aCommaInAWholeNumberEndsThousands()
    {
        QCOMPARE(parseNumber("1,024", true).value_or(-1.0), 1024.0);
        QCOMPARE(parseNumber("12,5", true).value_or(-1.0), 12.5); // refused as a fraction, not read as 125
        QVERIFY(!parseNumber("1,024"));
        QVERIFY(hasUnclearComma("2 * 1,024"));
        QVERIFY(!hasUnclearComma("1,048,576"));
    }

    void whatIsRefusedIsToldWhy_data()
    {
        QTest::addColumn<bool>("whole");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("why");
        QTest::newRow("a word") << true << "many"
                                << "not a number";
        QTest::newRow("a fraction") << true << "12.5"
                                    << "has a fraction";
        QTest::newRow("too large") << true << "1e20"
                                   << "too large";
        QTest::newRow("a comma of two meanings") << false << "1,024"
                                                 << "leave it out";
    }
    void whatIsRefusedIsToldWhy()
    {
        QFETCH(bool, whole);
        ScenarioNumberEdit edit{whole, false};
        QString refusal;
        connect(&edit, &ScenarioNumberEdit::refused, this, [&](const QString& said) { refusal = said; });
        const QSignalSpy wished{&edit, &ScenarioNumberEdit::valueWished};
        QFETCH(QString, typed);
        QTest::keyClicks(&edit, typed);
        QTest::keyClick(&edit, Qt::Key_Return);
        QCOMPARE(wished.count(), 0);
        QFETCH(QString, why);
        QVERIFY2(refusal.contains(why), qPrintable(refusal));
    }

    void textReadsBackTheSame_data()
    {
        QTest::addColumn<double>("value");
        QTest::newRow("whole") << 131072.0;
        QTest::newRow("fraction") << 15.75;
        QTest::newRow("third") << 1.0 / 3.0;
    }
    void textReadsBackTheSame()
    {
        QFETCH(double, value);
        QCOMPARE(parseNumber(numberText(value)).value(), value);
    }

    void aLongFractionShowsItsFirstDigitsUntilItIsEdited_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("at_rest");
        QTest::newRow("a fitted constant") << 0.07987492835 << ""
                                           << "0.07987";
        QTest::newRow("with a unit") << 1.5625431 << "TFLOP/s"
                                     << "1.563";
        QTest::newRow("what has room stays as it is") << 1.5625 << "GB/s"
                                                      << "1.5625";
        QTest::newRow("whole numbers stay as they are") << 123456789012345.0 << ""
                                                        << "123456789012345";
    }
    void aLongFractionShowsItsFirstDigitsUntilItIsEdited()
    {
        QFETCH(double, value);
        QFETCH(QString, unit);
        QWidget window;
        ScenarioNumberEdit edit{false, false, &window};
        QLineEdit other{&window};
        other.setFocus();
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        edit.setUnit(unit);
        edit.setValue(value);
        QTEST(edit.text(), "at_rest");
        const QSignalSpy wished{&edit, &ScenarioNumberEdit::valueWished};
        edit.setFocus(Qt::TabFocusReason);
        QCOMPARE(edit.text(), numberText(value));
        other.setFocus(Qt::TabFocusReason);
        QTEST(edit.text(), "at_rest");
        QCOMPARE(wished.count(), 0); // looking at it changes nothing
    }

    void aNumberIsWishedOnceItIsComplete()
    {
        ScenarioNumberEdit edit{true, false};
        edit.setValue(24);
        const QSignalSpy wished{&edit, &ScenarioNumberEdit::valueWished};
        edit.selectAll();
        QTest::keyClicks(&edit, "48");
        QCOMPARE(wished.count(), 0);
        QTest::keyClick(&edit, Qt::Key_Return);
        QCOMPARE(wished.count(), 1);
        QCOMPARE(wished.front().front().toDouble(), 48.0);
    }

    void fractionsOfWholeThingsAreRefused()
    {
        ScenarioNumberEdit edit{true, false};
        edit.setValue(24);
        const QSignalSpy wished{&edit, &ScenarioNumberEdit::valueWished};
        const QSignalSpy refused{&edit, &ScenarioNumberEdit::refused};
        edit.selectAll();
        QTest::keyClicks(&edit, "2.5");
        QTest::keyClick(&edit, Qt::Key_Return);
        QCOMPARE(wished.count(), 0);
        QCOMPARE(refused.count(), 1);
        QCOMPARE(edit.text(), "2.5"); // stays, to be mended
        QTest::keyClick(&edit, Qt::Key_Escape);
        QCOMPARE(edit.text(), "24");
    }

    void whatIsUndoneIsNoLongerRefused()
    {
        ScenarioNumberEdit edit{true, false};
        edit.setValue(7);
        QString refusal;
        connect(&edit, &ScenarioNumberEdit::refused, this, [&](const QString& said) { refusal = said; });
        edit.selectAll();
        QTest::keyClicks(&edit, "abc");
        QTest::keyClick(&edit, Qt::Key_Return);
        QVERIFY(refusal.contains("not a number"));
        while (edit.isUndoAvailable())
            edit.undo();
        QCOMPARE(edit.text(), "7");
        QCOMPARE(refusal, QString{});
    }

    void anEmptyLineMeansDerivedWhereThatExists()
    {
        ScenarioNumberEdit edit{false, true};
        edit.setValue(3.2);
        const QSignalSpy wished{&edit, &ScenarioNumberEdit::valueWished};
        edit.selectAll();
        QTest::keyClick(&edit, Qt::Key_Delete);
        QTest::keyClick(&edit, Qt::Key_Return);
        QCOMPARE(wished.count(), 1);
        QVERIFY(std::isnan(wished.front().front().toDouble()));
    }

    void anEmptyLineIsRefusedWhereANumberMustStand()
    {
        ScenarioNumberEdit edit{true, false};
        edit.setAccessibleName("Layers");
        edit.setValue(24);
        QString refusal;
        connect(&edit, &ScenarioNumberEdit::refused, this, [&](const QString& said) { refusal = said; });
        edit.selectAll();
        QTest::keyClick(&edit, Qt::Key_Delete);
        QTest::keyClick(&edit, Qt::Key_Return);
        QCOMPARE(refusal, QString{"Layers is empty: type a number, or press Escape for 24."});
        QTest::keyClick(&edit, Qt::Key_Escape);
        QCOMPARE(edit.text(), QString{"24"});
        QCOMPARE(refusal, QString{});
    }

    // The scenario has taken a number that cannot stand.
    void escapeGoesBackToTheLastNumberThatCouldStand_data()
    {
        QTest::addColumn<bool>("is_emptied");
        QTest::newRow("from the number itself") << false;
        QTest::newRow("from an emptied line") << true;
    }
    void escapeGoesBackToTheLastNumberThatCouldStand()
    {
        QFETCH(const bool, is_emptied);
        ScenarioNumberEdit edit{true, false};
        edit.setAccessibleName("Layers");
        edit.setPossible(true);
        edit.setValue(12); // of another scenario: whoever opened this one told nothing of problems
        edit.setValue(24);
        edit.setValue(0);
        edit.setPossible(false);
        edit.setValue(-1);
        QString refusal;
        connect(&edit, &ScenarioNumberEdit::refused, this, [&](const QString& said) { refusal = said; });
        const QSignalSpy wished{&edit, &ScenarioNumberEdit::valueWished};
        if (is_emptied) {
            edit.selectAll();
            QTest::keyClick(&edit, Qt::Key_Delete);
            QTest::keyClick(&edit, Qt::Key_Return);
            QCOMPARE(refusal, QString{"Layers is empty: type a number, or press Escape for 24."});
        }
        QTest::keyClick(&edit, Qt::Key_Escape);
        QCOMPARE(wished.count(), 1);
        QCOMPARE(wished.front().front().toDouble(), 24.0);
        QCOMPARE(refusal, QString{});
    }

    void arrowsStep()
    {
        ScenarioNumberEdit edit{true, false};
        edit.setValue(24);
        const QSignalSpy steps{&edit, &ScenarioNumberEdit::stepWished};
        QTest::keyClick(&edit, Qt::Key_Up);
        QTest::keyClick(&edit, Qt::Key_Down);
        QCOMPARE(steps.count(), 2);
        QCOMPARE(steps[0].front().toInt(), 1);
        QCOMPARE(steps[1].front().toInt(), -1);
    }
};

QTEST_MAIN(TestScenarioNumberEdit)
#include "tst_scenario_number_edit.moc"
