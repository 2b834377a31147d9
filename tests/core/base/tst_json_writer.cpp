#include <QTest>

#include <QJsonDocument>
#include <QJsonObject>

#include "core/base/json_writer.h"

#include <limits>

using namespace shardscope;

class TestJsonWriter : public QObject
{
    Q_OBJECT
private slots:
    void negativeIndentKeepsOneLineWithoutBlanks()
    {
        JsonWriter json{-1};
        write(json);
        QCOMPARE(QString::fromStdString(json.text()), R"({"a":[1,2],"b":{"c":null,"d":0.5},"e":{}})");
    }

    void blocksAreIndentedAndLinesStayTogether()
    {
        JsonWriter json{2};
        write(json);
        QCOMPARE(QString::fromStdString(json.text()),
                 "{\n  \"a\": [1, 2],\n  \"b\": {\n    \"c\": null,\n    \"d\": 0.5\n  },\n  \"e\": {}\n}");
    }

    void textIsEscaped_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("plain") << QByteArray{"tp"} << QByteArray{"\"tp\""};
        QTest::newRow("quotes") << QByteArray{"a\"b\\c"} << QByteArray{"\"a\\\"b\\\\c\""};
        QTest::newRow("line break") << QByteArray{"a\nb"} << QByteArray{"\"a\\nb\""};
        QTest::newRow("control") << QByteArray{"a\x01"} << QByteArray{"\"a\\u0001\""};
        QTest::newRow("UTF-8") << QByteArray{"größer ≥"} << QByteArray{"\"größer ≥\""};
        QTest::newRow("broken UTF-8") << QByteArray{"a\xFFz"} << QByteArray{"\"a\xEF\xBF\xBDz\""};
        QTest::newRow("cut UTF-8") << QByteArray{"a\xE2\x89"} << QByteArray{"\"a\xEF\xBF\xBD\xEF\xBF\xBD\""};
        QTest::newRow("surrogate") << QByteArray{"\xED\xA0\x80"}
                                   << QByteArray{"\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""};
    }
    void textIsEscaped()
    {
        QFETCH(QByteArray, text);
        JsonWriter json{-1};
        json.value(std::string_view{text.constData(), static_cast<std::size_t>(text.size())});
        QTEST(QByteArray::fromStdString(json.text()), "json");
    }

    void numbersComeBackTheSame_data()
    {
        QTest::addColumn<double>("number");
        QTest::newRow("third") << 1.0 / 3.0;
        QTest::newRow("small") << 5e-324;
        QTest::newRow("large") << 1.7e308;
        QTest::newRow("whole") << 89128960000.0;
    }
    void numbersComeBackTheSame()
    {
        QFETCH(double, number);
        JsonWriter json{-1};
        json.beginArray();
        json.value(number);
        json.endArray();
        const auto document = QJsonDocument::fromJson(QByteArray::fromStdString(json.text()));
        QCOMPARE(document[0].toDouble(), number);
    }

    void whatJsonDoesNotKnowIsNull()
    {
        JsonWriter json{-1};
        json.beginArray();
        json.value(std::numeric_limits<double>::quiet_NaN());
        json.value(std::numeric_limits<double>::infinity());
        json.value(std::optional<double>{});
        json.value(std::numeric_limits<std::int64_t>::min());
        json.endArray();
        QCOMPARE(QString::fromStdString(json.text()), "[null,null,null,-9223372036854775808]");
    }

private:
    static void write(JsonWriter& json)
    {
        json.beginObject();
        json.key("a");
        json.beginArray(JsonWriter::Layout::line);
        json.value(1);
        json.value(2);
        json.endArray();
        json.key("b");
        json.beginObject();
        json.key("c");
        json.null();
        json.member("d", 0.5);
        json.endObject();
        json.key("e");
        json.beginObject();
        json.endObject();
        json.endObject();
    }
};

QTEST_APPLESS_MAIN(TestJsonWriter)
#include "tst_json_writer.moc"
