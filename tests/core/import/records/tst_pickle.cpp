#include <QtTest>

#include "core/import/records/pickle.h"

#include <nlohmann/json.hpp>

using namespace shardscope;
using Json = nlohmann::json;

namespace
{

Result<PickleOutcome> read(const QByteArray& hex, Json& value)
{
    return readPickle(QByteArray::fromHex(hex).toStdString(), value);
}

} // namespace

class TestPickle : public QObject
{
    Q_OBJECT

private slots:
    void plainDataOfEveryProtocolIsRead_data();
    void plainDataOfEveryProtocolIsRead();
    void codeIsRefusedAndNothingRuns_data();
    void codeIsRefusedAndNothingRuns();
    void circlesAndMultiplicationsEnd();
    void whatCameBeforeTheCutIsThere();
    void cutOrBrokenAnywhereItNeverCrashes();
};

// Made by Python's pickle.dumps of one value, whose two lists are the same object.
void TestPickle::plainDataOfEveryProtocolIsRead_data()
{
    QTest::addColumn<QByteArray>("hex");
    QTest::newRow("protocol 2") << QByteArray("80027d71002858010000006171015d7102284b014afeffffff47400c000000"
                                              "0000004e88896558010000006271034b014b024b0386710429"
                                              "87710558010000006371065802000000c3a9710758010000006471085d7109"
                                              "28580100000078710a580100000079710b65580100000065"
                                              "710c68095803000000626967710d8a0600000000000158030000006e656771"
                                              "0e8a060000000000ff4b075805000000736576656e710f752e");
    QTest::newRow("protocol 4") << QByteArray("80049574000000000000007d94288c0161945d94284b014afeffffff47400c"
                                              "0000000000004e8889658c0162944b014b024b038694298794"
                                              "8c0163948c02c3a9948c0164945d94288c0178948c017994658c0165946809"
                                              "8c03626967948a060000000000018c036e6567948a060000"
                                              "000000ff4b078c05736576656e94752e");
}

void TestPickle::plainDataOfEveryProtocolIsRead()
{
    QFETCH(QByteArray, hex);
    Json value;
    const Result<PickleOutcome> outcome = read(hex, value);
    QVERIFY2(outcome, outcome ? "" : outcome.error().sentence.c_str());
    QVERIFY(!outcome.value().is_cut);
    const Json expected =
        Json::parse(R"({"a":[1,-2,3.5,null,true,false],"b":[1,[2,3],[]],"c":"\u00e9","d":["x","y"],
        "e":["x","y"],"big":1099511627776,"neg":-1099511627776,"7":"seven"})");
    QVERIFY2(value == expected, value.dump().c_str());
}

void TestPickle::codeIsRefusedAndNothingRuns_data()
{
    QTest::addColumn<QByteArray>("hex");
    // {"a": os.system("echo hi")}
    QTest::newRow("a function call") << QByteArray("80027d7100580100000061710163706f7369780a73797374656d0a710"
                                                   "258070000006563686f2068697103857104527105732e");
    QTest::newRow("bytes, which a dump has none of") << QByteArray("8003430378797a2e");
    QTest::newRow("a persistent id") << QByteArray("80024b01512e");
    QTest::newRow("a reference to nothing") << QByteArray("800268072e");
    QTest::newRow("an unknown instruction") << QByteArray("8002ff2e");
}

void TestPickle::codeIsRefusedAndNothingRuns()
{
    QFETCH(QByteArray, hex);
    Json value;
    const Result<PickleOutcome> outcome = read(hex, value);
    QVERIFY(!outcome);
    QVERIFY(outcome.error().sentence.find("nothing in it was executed") != std::string::npos);
}

void TestPickle::circlesAndMultiplicationsEnd()
{
    Json value;
    QVERIFY(!read("80025d71006800612e", value)); // a list that holds itself
    QByteArray hex = "8002"; // a list of four lists, each the same one of four lists, and so on
    for (int i = 0; i < 40; ++i)
        hex += "5d71" + QByteArray::number(i, 16).rightJustified(2, '0') + "28";
    for (int i = 40; i-- > 0;) {
        const QByteArray inner =
            i == 39 ? "4b01" : "68" + QByteArray::number(i + 1, 16).rightJustified(2, '0');
        hex += (i == 39 ? "" : inner) + inner + inner + inner + "65";
    }
    QVERIFY(!read(hex + "2e", value));
}

void TestPickle::whatCameBeforeTheCutIsThere()
{
    // {"a": [1, 2, 3], "b": 4} without its end
    Json value;
    const Result<PickleOutcome> outcome =
        read("80027d71002858010000006171015d7102284b014b024b0365580100000062", value);
    QVERIFY(outcome);
    QVERIFY(outcome.value().is_cut);
    QVERIFY2(value == Json::parse(R"({"a":[1,2,3]})"), value.dump().c_str());
}

void TestPickle::cutOrBrokenAnywhereItNeverCrashes()
{
    const QByteArray whole = QByteArray::fromHex("80027d71002858010000006171015d7102284b014afeffffff47400c000"
                                                 "0000000004e88896558010000006271034b014b024b0386710429"
                                                 "87710558010000006371065802000000c3a9710758010000006471085d7"
                                                 "10928580100000078710a580100000079710b65580100000065"
                                                 "710c68095803000000626967710d8a0600000000000158030000006e656"
                                                 "7710e8a060000000000ff4b075805000000736576656e710f752e");
    for (qsizetype i = 0; i < whole.size(); ++i) {
        Json value;
        (void)readPickle(whole.left(i).toStdString(), value);
        for (const int byte : {0x00, 0x28, 0x2e, 0x5d, 0x65, 0x68, 0x71, 0x75, 0x7d, 0x80, 0x8a, 0xff}) {
            QByteArray broken = whole;
            broken[i] = static_cast<char>(byte);
            (void)readPickle(broken.toStdString(), value);
        }
    }
}

QTEST_APPLESS_MAIN(TestPickle)
#include "tst_pickle.moc"
