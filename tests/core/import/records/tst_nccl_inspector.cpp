#include <QtTest>

#include <QTemporaryDir>

#include "core/import/importer.h"

#include <array>
#include <fstream>

using namespace shardscope;

namespace
{

// An operation of the communicator 0x7f, then these objects.
Result<TraceSet> importObjects(const QStringList& objects)
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("inspector.log").toStdString();
    std::ofstream file(path, std::ios::binary);
    file << R"({"header":{"id":"0x7f","rank":2,"n_ranks":8,"nnodes":1},"metadata":{"pid":1},"coll_perf":)"
         << R"({"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":1024,"coll_exec_time_us":10}})" << '\n';
    for (const QString& object : objects)
        file << object.toStdString() << '\n';
    file.close();
    return importTraces(std::array{path});
}

QString lost(const char* communicator, int collectives, int messages)
{
    return QString(R"({"header":{"id":"%1","rank":2,"n_ranks":8,"nnodes":1},"metadata":{"pid":1},)"
                   R"("dump_stats":{"coll_records":1,"coll_dropped_total":%2,)"
                   R"("coll_dropped_since_last_dump":0,"p2p_records":0,"p2p_dropped_total":%3}})")
        .arg(communicator)
        .arg(collectives)
        .arg(messages);
}

} // namespace

// What NCCL Inspector writes beside its operations, since its version 4.1.
class TestNcclInspector : public QObject
{
    Q_OBJECT

private slots:
    void lostOperationsAreSaid_data();
    void lostOperationsAreSaid();
};

void TestNcclInspector::lostOperationsAreSaid_data()
{
    QTest::addColumn<QStringList>("objects");
    QTest::addColumn<QString>("note"); // how it begins; empty: there is none
    QTest::addColumn<int>("unread");
    QTest::newRow("older version") << QStringList{} << "" << 0;
    QTest::newRow("none lost") << QStringList{lost("0x7f", 0, 0), lost("0x7f", 0, 0)} << "" << 0;
    QTest::newRow("one") << QStringList{lost("0x7f", 0, 1)} << "NCCL Inspector has lost 1 operation before"
                         << 0;
    QTest::newRow("totals go on") << QStringList{lost("0x7f", 4, 0), lost("0x7f", 6, 1)}
                                  << "NCCL Inspector has lost 7 operations before" << 0;
    QTest::newRow("of each communicator") << QStringList{lost("0x7f", 4, 0), lost("0x80", 6, 0)}
                                          << "NCCL Inspector has lost 10 operations before" << 0;
    QTest::newRow("without heads") << QStringList{R"({"dump_stats":{"coll_dropped_total":3}})",
                                                  R"({"proxy_trace":{"op":1}})"}
                                   << "NCCL Inspector has lost 3 operations before" << 0;
    QTest::newRow("another object") << QStringList{R"({"odd":{"coll_dropped_total":3}})"} << "" << 1;
}

void TestNcclInspector::lostOperationsAreSaid()
{
    QFETCH(const QStringList, objects);
    QFETCH(const QString, note);
    QFETCH(const int, unread);
    const Result<TraceSet> set = importObjects(objects);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.calls.size(), std::size_t{1});
    QCOMPARE(file.rank, std::int64_t{2});
    QCOMPARE(file.warnings.size(), static_cast<std::size_t>(unread));
    QCOMPARE(file.notes.size(), std::size_t{note.isEmpty() ? 0U : 1U});
    if (!note.isEmpty())
        QVERIFY2(file.notes[0].starts_with(note.toStdString()), file.notes[0].c_str());
}

QTEST_APPLESS_MAIN(TestNcclInspector)
#include "tst_nccl_inspector.moc"
