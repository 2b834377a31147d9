#include <QTest>

#include "core/import/text_fields.h"

using namespace shardscope;

class TestTextFields : public QObject
{
    Q_OBJECT
private slots:
    void aNumberBeginsTheText_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("is_number");
        QTest::addColumn<double>("number");
        QTest::newRow("alone") << QByteArray{"12.5"} << true << 12.5;
        QTest::newRow("with a unit behind blanks") << QByteArray{"  3 MB"} << true << 3.0;
        QTest::newRow("an exponent") << QByteArray{"1e3"} << true << 1000.0;
        QTest::newRow("none") << QByteArray{"N/A"} << false << 0.0;
        QTest::newRow("nothing") << QByteArray{} << false << 0.0;
        // A cell may hold them, and no count of bytes can.
        QTest::newRow("not a number") << QByteArray{"nan"} << false << 0.0;
        QTest::newRow("infinity") << QByteArray{"inf"} << false << 0.0;
        QTest::newRow("beyond what a double holds") << QByteArray{"1e999"} << false << 0.0;
    }
    void aNumberBeginsTheText()
    {
        QFETCH(QByteArray, text);
        const auto number = leadingNumber(text.toStdString());
        QTEST(number.has_value(), "is_number");
        QTEST(number.value_or(0.0), "number");
    }
};

QTEST_APPLESS_MAIN(TestTextFields)
#include "tst_text_fields.moc"
