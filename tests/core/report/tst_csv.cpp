#include <QTest>

#include "core/report/csv.h"

using namespace shardscope;

class TestCsv : public QObject
{
    Q_OBJECT
private slots:
    void cellsThatWouldBreakALineAreQuoted_data()
    {
        QTest::addColumn<QString>("cell");
        QTest::addColumn<QString>("written");
        QTest::newRow("a word") << "gemm"
                                << "gemm";
        QTest::newRow("a comma") << "a, b"
                                 << "\"a, b\"";
        QTest::newRow("a quote") << "a \"b\""
                                 << "\"a \"\"b\"\"\"";
        QTest::newRow("a line feed") << "a\nb"
                                     << "\"a\nb\"";
        QTest::newRow("a carriage return") << "a\rb"
                                           << "\"a\rb\"";
    }
    void cellsThatWouldBreakALineAreQuoted()
    {
        QFETCH(QString, cell);
        QFETCH(QString, written);
        QCOMPARE(QString::fromStdString(csvLine({"1", cell.toStdString(), "2"})), "1," + written + ",2\n");
    }
};

QTEST_APPLESS_MAIN(TestCsv)
#include "tst_csv.moc"
