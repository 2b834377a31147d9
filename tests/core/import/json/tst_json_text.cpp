#include <QtTest>

#include "core/import/json/json_members.h"
#include "core/import/json/json_scan.h"

using namespace shardscope;

namespace
{

// The members as "key=value" texts, one after another.
std::string membersOf(std::string text)
{
    const std::size_t size = text.size();
    text.append(scan_padding, ' ');
    JsonReader reader(std::string_view(text).substr(0, size));
    JsonMember member;
    std::string out;
    while (reader.next(member))
        out += std::string(member.key) + "=" + std::string(member.value.text) + ";";
    return reader.isBroken() ? out + "broken" : out;
}

} // namespace

class TestJsonText : public QObject
{
    Q_OBJECT

private slots:
    void membersComeAsTheyStand_data();
    void membersComeAsTheyStand();
    void escapesAreResolved_data();
    void escapesAreResolved();
    void whatIsNotUtf8IsReplaced_data();
    void whatIsNotUtf8IsReplaced();
};

void TestJsonText::membersComeAsTheyStand_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("members");
    QTest::newRow("plain") << R"({"a": 1, "b": "x", "c": true})"
                           << "a=1;b=x;c=true;";
    QTest::newRow("empty") << "{}"
                           << "";
    QTest::newRow("containers") << R"({"a": [1, [2]], "b": {"c": "}"}})"
                                << R"(a=[1, [2]];b={"c": "}"};)";
    QTest::newRow("an array") << R"(["x", 2])"
                              << "=x;=2;";
    QTest::newRow("bare words") << "{\"datatype\": ncclFloat32, \"Stream\": 0x5020000567d0, \"p\": (nil)}"
                                << "datatype=ncclFloat32;Stream=0x5020000567d0;p=(nil);";
    QTest::newRow("trailing comma") << R"({"a": 1,})"
                                    << "a=1;";
    QTest::newRow("missing comma") << R"({"a": 1 "b": 2})"
                                   << "a=1;broken";
    QTest::newRow("missing colon") << R"({"a" 1})"
                                   << "broken";
    QTest::newRow("missing value") << R"({"a": })"
                                   << "broken";
    QTest::newRow("string without an end") << R"({"a": "x})"
                                           << "broken";
    QTest::newRow("escaped quote") << R"({"a": "x\"y", "b": "\\"})"
                                   << R"(a=x\"y;b=\\;)";
}

void TestJsonText::membersComeAsTheyStand()
{
    QFETCH(QString, text);
    QTEST(QString::fromStdString(membersOf(text.toStdString())), "members");
}

void TestJsonText::escapesAreResolved_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("meant");
    QTest::newRow("quotes and lines") << R"(a\"b\\c\/d\n\t)"
                                      << "a\"b\\c/d\n\t";
    QTest::newRow("hex") << R"(\u0041\u00e9\u20ac)" << QString::fromUtf8("A\u00e9\u20ac");
    QTest::newRow("a pair of surrogates") << R"(\ud83d\ude00)" << QString::fromUtf8("\U0001F600");
    QTest::newRow("a lone surrogate") << R"(x\ud83dy)" << QString::fromUtf8("x\ufffdy");
    QTest::newRow("no escape that JSON knows") << R"(C:\path)"
                                               << R"(C:\path)";
    QTest::newRow("cut") << R"(ab\)"
                         << R"(ab\)";
    QTest::newRow("cut hex") << R"(\u12)"
                             << R"(\u12)";
}

void TestJsonText::escapesAreResolved()
{
    QFETCH(QString, text);
    QTEST(QString::fromStdString(unescaped(text.toStdString())), "meant");
}

void TestJsonText::whatIsNotUtf8IsReplaced_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("repaired");
    QTest::newRow("good") << QByteArray("a\xc3\xa9\xf0\x9f\x98\x80") << QByteArray();
    QTest::newRow("stray bytes") << QByteArray("k\xff\xfe") << QByteArray("k\xef\xbf\xbd\xef\xbf\xbd");
    QTest::newRow("cut") << QByteArray("a\xe2\x82") << QByteArray("a\xef\xbf\xbd\xef\xbf\xbd");
    QTest::newRow("longer than needed") << QByteArray("\xc0\x80") << QByteArray("\xef\xbf\xbd\xef\xbf\xbd");
    QTest::newRow("a surrogate") << QByteArray("\xed\xa0\x80")
                                 << QByteArray("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

void TestJsonText::whatIsNotUtf8IsReplaced()
{
    QFETCH(QByteArray, text);
    QTEST(QByteArray::fromStdString(repairedUtf8(text.toStdString()).value_or("")), "repaired");
}

QTEST_APPLESS_MAIN(TestJsonText)
#include "tst_json_text.moc"
