#include <QtTest>

#include "core/import/json/json_scan.h"

#include <string>

using namespace shardscope;

namespace
{

struct Scanned {
    ScanResult result;
    std::vector<EventSpan> found;
    std::string text;
    std::string event(std::size_t i) const
    {
        return text.substr(found[i].begin, found[i].end - found[i].begin);
    }
};

Scanned scan(const std::string& text)
{
    Scanned scanned;
    scanned.text = text;
    const std::string padded = text + std::string(scan_padding, ' ');
    scanned.result = scanEvents(padded.data(), 0, text.size(), true, scanned.found);
    return scanned;
}

} // namespace

class TestJsonScan : public QObject
{
    Q_OBJECT

private slots:
    void eventsAreFoundWhateverTheirStringsHold();
    void containersEndAtTheirOwnBracket_data();
    void containersEndAtTheirOwnBracket();
    void whereTheScanStops_data();
    void whereTheScanStops();
    void theSameAtEveryAlignment();
    void commasBetweenEventsAreCounted();
};

void TestJsonScan::eventsAreFoundWhateverTheirStringsHold()
{
    const Scanned scanned = scan(R"({"name":"}, {","args":{"s":"\"]}"}},
  {"name":"a\\","args":[{},[{}]]} ,{}])");
    QCOMPARE(scanned.result.stop, ScanStop::array_ends);
    QCOMPARE(scanned.found.size(), std::size_t{3});
    QCOMPARE(scanned.event(0), std::string(R"({"name":"}, {","args":{"s":"\"]}"}})"));
    QCOMPARE(scanned.event(1), std::string(R"({"name":"a\\","args":[{},[{}]]})"));
    QCOMPARE(scanned.event(2), std::string("{}"));
}

void TestJsonScan::containersEndAtTheirOwnBracket_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("container"); // empty: there is none
    QTest::newRow("an object") << R"({"a":["}",{"c":"\\"}]}, {)"
                               << R"({"a":["}",{"c":"\\"}]})";
    QTest::newRow("an array") << R"([{},[[]],"]"],1])"
                              << R"([{},[[]],"]"])";
    QTest::newRow("cut within") << R"({"a":[1,2})"
                                << "";
    QTest::newRow("cut within a string") << R"({"a":"}})"
                                         << "";
    QTest::newRow("a control character in a string") << "{\"a\":\"\x01\"}"
                                                     << "";
    QTest::newRow("a quote in a string") << R"({"a":"x"y"})"
                                         << "";
    QTest::newRow("brackets that do not match") << R"({"a":1]])"
                                                << "";
}

void TestJsonScan::containersEndAtTheirOwnBracket()
{
    QFETCH(QString, text);
    QFETCH(QString, container);
    for (int blanks = 0; blanks < 130; ++blanks) { // behind the first bracket: other blocks of bytes
        const std::string spread =
            text.left(1).toStdString() + std::string(std::size_t(blanks), ' ') + text.mid(1).toStdString();
        const std::string padded = spread + std::string(scan_padding, ' ');
        const char* const behind = behindContainer(padded.data(), padded.data() + spread.size());
        QCOMPARE(behind == nullptr ? 0 : int(behind - padded.data()),
                 container.isEmpty() ? 0 : int(container.size()) + blanks);
    }
}

void TestJsonScan::whereTheScanStops_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<ScanStop>("stop");
    QTest::addColumn<int>("position");
    QTest::addColumn<int>("events");
    QTest::newRow("cut within an event") << R"({"a":1},{"b":)" << ScanStop::text_ends << 13 << 1;
    QTest::newRow("cut within a string") << R"({"a":1},{"b":"x]})" << ScanStop::text_ends << 17 << 1;
    QTest::newRow("a control character in a string")
        << "{\"a\":1},{\"b\":\"\x01\"}]" << ScanStop::odd << 14 << 1;
    QTest::newRow("a quote in a string") << R"({"a":1},{"b":"x"y"}])" << ScanStop::odd << 16 << 1;
    QTest::newRow("text between events") << R"({"a":1} x {"b":2}])" << ScanStop::odd << 10 << 1;
    QTest::newRow("an event that is not closed") << R"({"a":1,{"b":2}])" << ScanStop::odd << 7 << 0;
    QTest::newRow("a bracket too many") << R"({"a":1}},{"b":2}])" << ScanStop::odd << 7 << 1;
    QTest::newRow("arrays as events, nothing before the first")
        << "[[1]],[ [2]]]" << ScanStop::array_ends << 12 << 2;
    QTest::newRow("another trace within")
        << R"({"a":1},{"traceEvents": [{}]}])" << ScanStop::nested_array << 24 << 1;
}

void TestJsonScan::whereTheScanStops()
{
    QFETCH(QString, text);
    QFETCH(int, events);
    const Scanned scanned = scan(text.toStdString());
    QTEST(scanned.result.stop, "stop");
    QTEST(int(scanned.result.position), "position");
    QCOMPARE(int(scanned.found.size()), events);
}

void TestJsonScan::theSameAtEveryAlignment()
{
    const std::string event = R"({"name":"\\\\\"{[","args":{"x":"\\"},"ts":1})";
    for (std::size_t blanks = 0; blanks < 200; ++blanks) {
        const Scanned scanned = scan(std::string(blanks, ' ') + event + "," + event + "]");
        QCOMPARE(scanned.result.stop, ScanStop::array_ends);
        QCOMPARE(scanned.found.size(), std::size_t{2});
        QCOMPARE(scanned.event(1), event);
    }
}

void TestJsonScan::commasBetweenEventsAreCounted()
{
    const Scanned scanned = scan("{}{},,{},]");
    QCOMPARE(scanned.found.size(), std::size_t{3});
    QCOMPARE(scanned.result.missing_commas, std::int64_t{1});
    QCOMPARE(scanned.result.extra_commas, std::int64_t{2});
}

QTEST_APPLESS_MAIN(TestJsonScan)
#include "tst_json_scan.moc"
