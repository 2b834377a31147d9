#include <QtTest>

#include "core/trace/name_table.h"
#include "core/trace/natural_order.h"

#include <string>

using namespace shardscope;

class TestNameTable : public QObject
{
    Q_OBJECT

private slots:
    void theEmptyStringIsRowZero();
    void equalTextsShareARow();
    void textsStayWhereTheyAreWhileTheTableGrows();
    void numbersInTextsAreOrderedByValue_data();
    void numbersInTextsAreOrderedByValue();
};

void TestNameTable::theEmptyStringIsRowZero()
{
    NameTable names;
    QVERIFY(names.intern("") == no_name);
    QCOMPARE(names.size(), std::size_t{1});
    QVERIFY(names.text(no_name).empty());
}

void TestNameTable::equalTextsShareARow()
{
    NameTable names;
    const NameId gemm = names.intern("gemm");
    QVERIFY(names.intern("nccl") != gemm);
    QVERIFY(names.intern(std::string("ge") + "mm") == gemm);
    QCOMPARE(names.size(), std::size_t{3});
}

void TestNameTable::textsStayWhereTheyAreWhileTheTableGrows()
{
    NameTable names;
    const NameId first = names.intern("first");
    const char* where = names.text(first).data();
    for (int i = 0; i < 20000; ++i)
        names.intern("name " + std::to_string(i));
    names.intern(std::string(1 << 20, 'x')); // longer than a block
    QCOMPARE(names.text(first).data(), where);
    QCOMPARE(names.size(), std::size_t{20003});
    QVERIFY(names.text(names.intern("name 12345")) == "name 12345");
    QCOMPARE(names.size(), std::size_t{20003});
}

void TestNameTable::numbersInTextsAreOrderedByValue_data()
{
    QTest::addColumn<QString>("left");
    QTest::addColumn<QString>("right");
    QTest::addColumn<bool>("before");
    QTest::newRow("streams") << "stream 7"
                             << "stream 24" << true;
    QTest::newRow("streams the other way") << "stream 24"
                                           << "stream 7" << false;
    QTest::newRow("equal") << "7"
                           << "7" << false;
    QTest::newRow("prefix") << "a"
                            << "a1" << true;
    QTest::newRow("numbers before words") << "12"
                                          << "Spans" << true;
    QTest::newRow("leading zeros do not count") << "rank007"
                                                << "rank8" << true;
    QTest::newRow("longer than a machine word") << "99999999999999999999998"
                                                << "99999999999999999999999" << true;
}

void TestNameTable::numbersInTextsAreOrderedByValue()
{
    QFETCH(QString, left);
    QFETCH(QString, right);
    QTEST(naturallyBefore(left.toStdString(), right.toStdString()), "before");
}

QTEST_APPLESS_MAIN(TestNameTable)
#include "tst_name_table.moc"
