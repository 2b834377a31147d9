#include <QtTest>

#include <QTemporaryDir>

#include "core/import/importer.h"

#include <array>
#include <fstream>

using namespace shardscope;

namespace
{

const QString one_event = R"({"ph":"X","name":"a","pid":0,"tid":7,"ts":%1,"dur":2})";

} // namespace

// What stands beside the events and cannot be, or was lost.
class TestChromeHeader : public QObject
{
    Q_OBJECT

private slots:
    void whatCannotBeIsSaid_data();
    void whatCannotBeIsSaid();
};

void TestChromeHeader::whatCannotBeIsSaid_data()
{
    const char* const lost =
        "what the times count from (baseTimeNanoseconds) is not in what is left of the file";
    const char* const cut = "the file ends before its last bracket";
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("warnings");
    const QString events = "\"traceEvents\":[" + one_event.arg(1) + "]";
    QTest::newRow("a base that is no number")
        << R"({"baseTimeNanoseconds":"abc",)" + events + "}"
        << QStringList("baseTimeNanoseconds that is no number: times count from 0");
    QTest::newRow("a rank below 0") << R"({"distributedInfo":{"rank":-1,"world_size":8},)" + events + "}"
                                    << QStringList("rank below 0 in distributedInfo");
    QTest::newRow("a rank beyond its world")
        << R"({"distributedInfo":{"rank":8,"world_size":8},)" + events + "}"
        << QStringList("rank in distributedInfo that a world of its size does not have");
    QTest::newRow("the last rank of its world")
        << R"({"distributedInfo":{"rank":7,"world_size":8},)" + events + "}" << QStringList();
    QTest::newRow("cut before the base")
        << R"({"schemaVersion":1,)" + events + R"(,"baseTimeNanoseconds":17000)" << QStringList{cut, lost};
    QTest::newRow("cut within a word between events")
        << R"({"schemaVersion":1,"traceEvents":[)" + one_event.arg(1) + ", nul"
        << QStringList{"text between events", lost};
    QTest::newRow("cut behind the base")
        << R"({"schemaVersion":1,"baseTimeNanoseconds":5,)" + events << QStringList(cut);
    QTest::newRow("cut, with times that need no base")
        << R"({"schemaVersion":1,"traceEvents":[)" + one_event.arg("1700000000000000") << QStringList(cut);
    QTest::newRow("whole, from before there was a base")
        << R"({"schemaVersion":1,)" + events + "}" << QStringList();
}

void TestChromeHeader::whatCannotBeIsSaid()
{
    QFETCH(QString, text);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("trace.json").toStdString();
    std::ofstream(path, std::ios::binary) << text.toStdString();
    const Result<TraceSet> set = importTraces(std::array{path});
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QStringList warnings;
    for (const ImportWarning& warning : set.value().files.at(0).warnings)
        warnings << QString::fromStdString(warning.what);
    QTEST(warnings, "warnings");
}

QTEST_APPLESS_MAIN(TestChromeHeader)
#include "tst_chrome_header.moc"
