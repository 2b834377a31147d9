#include <QtTest>

#include "core/base/median.h"

#include <cstdint>

using namespace shardscope;

class TestMedian : public QObject
{
    Q_OBJECT

private slots:
    void theOneInTheMiddleOrTheMeanOfTwo_data()
    {
        QTest::addColumn<std::vector<double>>("values");
        QTest::addColumn<double>("expected");
        QTest::newRow("none") << std::vector<double>{} << 0.0;
        QTest::newRow("one") << std::vector<double>{3.0} << 3.0;
        QTest::newRow("an odd number, in any order") << std::vector<double>{9.0, 1.0, 2.0} << 2.0;
        QTest::newRow("an even number") << std::vector<double>{4.0, 1.0, 3.0, 9.0} << 3.5;
        QTest::newRow("two") << std::vector<double>{1.0, 2.0} << 1.5;
    }
    void theOneInTheMiddleOrTheMeanOfTwo()
    {
        QFETCH(const std::vector<double>, values);
        QTEST(median(values), "expected");
    }

    void wholeNumbersAreRoundedDown_data()
    {
        QTest::addColumn<std::vector<qint64>>("values");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("none") << std::vector<qint64>{} << qint64{0};
        QTest::newRow("a mean between them") << std::vector<qint64>{1001, 999, 1000, 400} << qint64{999};
        QTest::newRow("below zero") << std::vector<qint64>{-4, -1} << qint64{-3};
        QTest::newRow("far apart") << std::vector<qint64>{INT64_MIN, INT64_MAX} << qint64{-1};
    }
    void wholeNumbersAreRoundedDown()
    {
        QFETCH(const std::vector<qint64>, values);
        QTEST(median(values), "expected");
    }
};

QTEST_APPLESS_MAIN(TestMedian)
#include "tst_median.moc"
