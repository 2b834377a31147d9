#include <QtTest>

#include "core/import/json/json_repair.h"

using namespace shardscope;

class TestJsonRepair : public QObject
{
    Q_OBJECT

private slots:
    void brokenEventsArePutRight_data();
    void brokenEventsArePutRight();
    void whatCannotBeRepairedIsLeft_data();
    void whatCannotBeRepairedIsLeft();
    void theNextEventIsFound_data();
    void theNextEventIsFound();
};

void TestJsonRepair::brokenEventsArePutRight_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("repaired");
    QTest::newRow("a quote") << R"({"name": "a "b" c", "pid": 0}, x)"
                             << R"({"name":"a \"b\" c","pid":0})";
    QTest::newRow("one quote alone") << R"({"name": "5" disk", "ts": 1},)"
                                     << R"({"name":"5\" disk","ts":1})";
    QTest::newRow("quotes and commas") << R"x({"name": "f("a", "b")", "pid": 0}])x"
                                       << R"x({"name":"f(\"a\", \"b\")","pid":0})x";
    QTest::newRow("control characters") << "{\"name\": \"a\x01\n\", \"ts\": 1}"
                                        << R"({"name":"a\u0001\u000a","ts":1})";
    QTest::newRow("commas at the end") << R"({"a": [1, 2,], "b": {"c": 1,},})"
                                       << R"({"a":[1,2],"b":{"c":1}})";
    QTest::newRow("bare words") << R"({"a": ncclFloat32, "b": 0x1f, "c": "x"y"})"
                                << R"({"a":ncclFloat32,"b":0x1f,"c":"x\"y"})";
}

void TestJsonRepair::brokenEventsArePutRight()
{
    QFETCH(QString, text);
    std::string repaired;
    const Repair repair = repairEvent(text.toStdString(), true, repaired);
    QCOMPARE(repair.state, RepairState::repaired);
    QTEST(QString::fromStdString(repaired), "repaired");
    QVERIFY(text.at(qsizetype(repair.length) - 1) == '}');
}

void TestJsonRepair::whatCannotBeRepairedIsLeft_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("is_all");
    QTest::addColumn<RepairState>("state");
    QTest::newRow("cut, and more may come") << R"({"name": "x"y)" << false << RepairState::needs_more_text;
    QTest::newRow("cut for good") << R"({"name": "x"y)" << true << RepairState::hopeless;
    QTest::newRow("another event begins")
        << R"({"name": "foo{"ph": "X"}, {"ph": "X"}])" << true << RepairState::hopeless;
    QTest::newRow("no colon") << R"({"name" "x"})" << true << RepairState::hopeless;
    QTest::newRow("wrong bracket") << R"({"a": [1}])" << true << RepairState::hopeless;
    QTest::newRow("absurd nesting") << QString("{\"a\":") + QString("[").repeated(100000) << true
                                    << RepairState::hopeless;
}

void TestJsonRepair::whatCannotBeRepairedIsLeft()
{
    QFETCH(QString, text);
    QFETCH(bool, is_all);
    std::string repaired;
    QTEST(repairEvent(text.toStdString(), is_all, repaired).state, "state");
}

void TestJsonRepair::theNextEventIsFound_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("place"); // -1: none
    QTest::newRow("behind rubbish") << R"(xyz"}, {"ph": "X"})" << 7;
    QTest::newRow("not an object that is a value") << R"("args": {"name": 1}}, {"name": "x"})" << 22;
    QTest::newRow("not with other keys") << R"([{"numSms": 1}, {"cat": 1}])" << 16;
    QTest::newRow("none") << R"([{"a": 1}, {}])" << -1;
}

void TestJsonRepair::theNextEventIsFound()
{
    QFETCH(QString, text);
    const std::size_t found = findEventStart(text.toStdString(), 0);
    QTEST(found == std::string_view::npos ? -1 : int(found), "place");
}

QTEST_APPLESS_MAIN(TestJsonRepair)
#include "tst_json_repair.moc"
