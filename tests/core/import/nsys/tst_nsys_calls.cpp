#include <QtTest>

#include <QTemporaryDir>

#include "tests/core/import/nsys/imported_export.h"

#include <string>

using namespace shardscope;

namespace
{

// A kernel of NCCL that a call of thread 5 at `launch` has launched.
std::string kernelLaunchedAt(int launch)
{
    return R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'ncclDevKernel_Of_Some_Sort'), (2, 'cudaLaunchKernel');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, shortName INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1100, 1, 7, 9, 16777216, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER, jsonText TEXT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ()"
           + std::to_string(launch) + ", " + std::to_string(launch + 5) + ", 16777221, 9, 2);";
}

std::string range(const std::string& name, int start, int end, const std::string& payload = "{}",
                  int thread = 5)
{
    return "INSERT INTO NVTX_EVENTS VALUES (" + std::to_string(start) + ", " + std::to_string(end) + ", 59, '"
           + name + "', NULL, " + std::to_string(16777216 + thread) + ", '" + payload + "');";
}

} // namespace

// Which of NCCL's calls an export says that a kernel is of, and what it says of it.
class TestNsysCalls : public QObject
{
    Q_OBJECT

private slots:
    void groupsLaunchTheirOnlyCallAtTheirEnd_data()
    {
        QTest::addColumn<QByteArray>("ranges");
        QTest::addColumn<int>("launch");
        QTest::addColumn<QString>("call"); // empty: none is told
        const auto row = [](const char* name, const std::string& ranges, int launch, const char* call) {
            QTest::newRow(name) << QByteArray::fromStdString(ranges) << launch << QString{call};
        };
        const std::string start = range("ncclGroupStart", 90, 95);
        const std::string reduce = range("ncclAllReduce", 100, 105);
        const std::string end = range("ncclGroupEnd", 120, 140);
        row("without a group", reduce, 102, "AllReduce");
        row("alone in its group", start + reduce + end, 130, "AllReduce");
        row("whatever the order of rows", end + reduce + start, 130, "AllReduce");
        row("one of two", start + reduce + range("ncclSend", 106, 110) + end, 130, "");
        row("behind the group", start + reduce + end, 150, "");
        row("of an empty group", start + end, 130, "");
        row("before the group", range("ncclAllReduce", 80, 85) + start + end, 130, "");
        row("the one of two that is within",
            range("ncclAllReduce", 80, 85) + start + range("ncclSend", 100, 105) + end, 130, "Send");
        row("an end whose start is not recorded", reduce + end, 130, "");
        row("a group within a group",
            start + range("ncclGroupStart", 96, 97) + reduce + range("ncclGroupEnd", 106, 110) + end, 130,
            "AllReduce");
        row("two groups, and one call each",
            range("ncclGroupStart", 40, 45) + range("ncclSend", 50, 55) + range("ncclGroupEnd", 60, 70)
                + start + reduce + end,
            130, "AllReduce");
        row("ended by another thread", start + reduce + range("ncclGroupEnd", 120, 140, "{}", 6), 130, "");
        row("called by another thread", start + range("ncclAllReduce", 100, 105, "{}", 6) + end, 130, "");
        row("another thread is never done", range("ncclGroupStart", 10, 20, "{}", 4) + start + reduce + end,
            130, "AllReduce");
    }
    void groupsLaunchTheirOnlyCallAtTheirEnd()
    {
        QFETCH(QByteArray, ranges);
        QFETCH(int, launch);
        QFETCH(QString, call);
        const QTemporaryDir folder;
        const Result<TraceSet> set = importExport(folder, kernelLaunchedAt(launch) + ranges.toStdString());
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        const TraceStore& store = *set.value().files[0].store;
        QString found;
        for (const CollectiveCall& told : store.collectives())
            found += QString::fromStdString(std::string(store.names().text(told.name)));
        QCOMPARE(found, call);
    }

    void sendsAndReceivesNameTheirPeer_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("payload");
        QTest::addColumn<int>("source");
        QTest::addColumn<int>("destination");
        QTest::newRow("a send") << QByteArray{"ncclSend"} << QByteArray{R"({"Peer rank": 3})"} << -1 << 3;
        QTest::newRow("a receive") << QByteArray{"ncclRecv"} << QByteArray{R"({"Peer rank": 0})"} << 0 << -1;
        QTest::newRow("not told") << QByteArray{"ncclSend"} << QByteArray{"{}"} << -1 << -1;
        QTest::newRow("a collective has none")
            << QByteArray{"ncclAllReduce"} << QByteArray{R"({"Peer rank": 3})"} << -1 << -1;
        QTest::newRow("below all ranks")
            << QByteArray{"ncclSend"} << QByteArray{R"({"Peer rank": -1})"} << -1 << -1;
        QTest::newRow("beyond all ranks")
            << QByteArray{"ncclSend"} << QByteArray{R"({"Peer rank": 4294967295})"} << -1 << -1;
    }
    void sendsAndReceivesNameTheirPeer()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, payload);
        const QTemporaryDir folder;
        const Result<TraceSet> set = importExport(
            folder, kernelLaunchedAt(102) + range(name.toStdString(), 100, 110, payload.toStdString()));
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        const TraceStore& store = *set.value().files[0].store;
        QCOMPARE(store.collectives().size(), std::size_t{1});
        QTEST(static_cast<int>(store.collectives()[0].source_rank), "source");
        QTEST(static_cast<int>(store.collectives()[0].destination_rank), "destination");
    }
};

QTEST_APPLESS_MAIN(TestNsysCalls)
#include "tst_nsys_calls.moc"
