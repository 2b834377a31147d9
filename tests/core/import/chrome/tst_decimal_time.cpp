#include <QtTest>

#include "core/import/chrome/decimal_time.h"

using namespace shardscope;

class TestDecimalTime : public QObject
{
    Q_OBJECT

private slots:
    void microsecondsBecomeNanosecondsExactly_data();
    void microsecondsBecomeNanosecondsExactly();
    void whatIsNoTimeIsToldApart_data();
    void whatIsNoTimeIsToldApart();
    void otherPowersOfTen();
};

void TestDecimalTime::microsecondsBecomeNanosecondsExactly_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("nanoseconds");
    QTest::newRow("whole") << "1000" << qint64{1000000};
    QTest::newRow("zero") << "0" << qint64{0};
    QTest::newRow("three decimals") << "4963042347283.123" << qint64{4963042347283123};
    QTest::newRow("one decimal") << "1712195495507783.5" << qint64{1712195495507783500};
    QTest::newRow("more digits than a double holds") << "1712195496004644.127" << qint64{1712195496004644127};
    QTest::newRow("below a nanosecond is cut off") << "111994.477997" << qint64{111994477};
    QTest::newRow("no digit before the point") << ".5" << qint64{500};
    QTest::newRow("no digit behind the point") << "5." << qint64{5000};
    QTest::newRow("leading zeros") << "000000000000000000000001" << qint64{1000};
    QTest::newRow("exponent") << "1.5e3" << qint64{1500000};
    QTest::newRow("negative exponent") << "1500E-3" << qint64{1500};
    QTest::newRow("zero with an exponent") << "0e300" << qint64{0};
    QTest::newRow("negative") << "-1.25" << qint64{-1250};
    QTest::newRow("plus") << "+2" << qint64{2000};
    QTest::newRow("the last that 64 bits hold")
        << "9223372036854775.807" << std::numeric_limits<qint64>::max();
    QTest::newRow("tiny") << "1e-30" << qint64{0};
}

void TestDecimalTime::microsecondsBecomeNanosecondsExactly()
{
    QFETCH(QString, text);
    TraceTime time = -1;
    QCOMPARE(parseMicroseconds(text.toStdString(), time), DecimalState::ok);
    QTEST(qint64{time}, "nanoseconds");
}

void TestDecimalTime::whatIsNoTimeIsToldApart_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("is_number");
    for (const char* text :
         {"", "abc", "1x", "1.2.3", "-", "+", ".", "1e", "1e+", "0x10", "NaN", "12 34", "null"})
        QTest::newRow(*text == '\0' ? "empty" : text) << text << false;
    for (const char* text : {"9223372036854775.808", "1e40", "99999999999999999999", "-1e300"})
        QTest::newRow(text) << text << true;
}

void TestDecimalTime::whatIsNoTimeIsToldApart()
{
    QFETCH(QString, text);
    QFETCH(bool, is_number);
    TraceTime time = 0;
    QCOMPARE(parseMicroseconds(text.toStdString(), time),
             is_number ? DecimalState::out_of_range : DecimalState::not_a_number);
}

void TestDecimalTime::otherPowersOfTen()
{
    std::int64_t nanoseconds = 0;
    QCOMPARE(parseDecimal("12.75", 6, nanoseconds), DecimalState::ok); // milliseconds
    QCOMPARE(nanoseconds, std::int64_t{12750000});
    QCOMPARE(parseDecimal("0.000000001", 9, nanoseconds), DecimalState::ok); // seconds
    QCOMPARE(nanoseconds, std::int64_t{1});
}

QTEST_APPLESS_MAIN(TestDecimalTime)
#include "tst_decimal_time.moc"
