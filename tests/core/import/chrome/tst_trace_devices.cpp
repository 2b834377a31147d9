#include <QtTest>

#include "tests/core/import/imported_text.h"

#include <string>
#include <vector>

using namespace shardscope;

// What a trace of devices that are not understood, or of several, says beside its figures.
class TestTraceDevices : public QObject
{
    Q_OBJECT
private slots:
    void whatIsNotReadIsSaid_data()
    {
        QTest::addColumn<QByteArray>("events");
        QTest::addColumn<QStringList>("notes");
        const QByteArray op = R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"cat":"cpu_op","name":"aten::mm"})";
        const QByteArray kernel =
            R"(,{"ph":"X","pid":0,"tid":7,"ts":3,"dur":9,"cat":"kernel","name":"gemm","args":{"stream":7}})";
        const QByteArray other_kernel =
            R"(,{"ph":"X","pid":2,"tid":7,"ts":3,"dur":9,"cat":"kernel","name":"gemm","args":{"stream":7}})";
        QTest::newRow("a CPU alone") << op << QStringList{};
        QTest::newRow("no trace of PyTorch")
            << QByteArray{R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"MatMul"})"} << QStringList{};
        QTest::newRow("a GPU") << op + kernel << QStringList{};
        QTest::newRow("two GPUs of nobody")
            << op + kernel + other_kernel
            << QStringList{
                   "Work of 2 GPUs stands in this trace and nothing tells whose ranks' it is: it counts "
                   "as that of one rank."};
        QTest::newRow("Meta's beside a GPU")
            << op + R"(,{"ph":"X","pid":3,"tid":1,"ts":1,"dur":9,"cat":"mtia_ccp_events","name":"fc"})"
                   + kernel
            << QStringList{};
        QTest::newRow("Meta's counters alone")
            << op + R"(,{"ph":"X","pid":3,"tid":1,"ts":1,"dur":9,"cat":"mtia_insight","name":"fc"})"
            << QStringList{};
        QTest::newRow("Meta's")
            << op + R"(,{"ph":"X","pid":3,"tid":1,"ts":1,"dur":9,"cat":"mtia_ccp_events","name":"fc"})"
            << QStringList{"The work of Meta's MTIA is not read: times and calls are only of the CPU."};
        QTest::newRow("Huawei's")
            << op + R"(,{"ph":"M","pid":3,"name":"process_name","args":{"name":"Ascend Hardware"}})"
                   + R"(,{"ph":"X","pid":3,"tid":1,"ts":1,"dur":9,"name":"MatMulV2"})"
            << QStringList{"The work of Huawei's NPUs is not read: times and calls are only of the CPU."};
    }
    void whatIsNotReadIsSaid()
    {
        QFETCH(QByteArray, events);
        const Result<TraceSet> set = importText("[" + events.toStdString() + "]");
        QVERIFY(set);
        QCOMPARE(set.value().files.size(), std::size_t{1});
        QStringList notes;
        for (const std::string& note : set.value().files[0].notes)
            notes << QString::fromStdString(note);
        QTEST(notes, "notes");
    }

    void twoGpusOfARankThatTheFileTells()
    {
        const Result<TraceSet> set = importText(
            R"({"distributedInfo":{"backend":"nccl","rank":3,"world_size":4},"traceEvents":[)"
            R"({"ph":"X","pid":0,"tid":7,"ts":3,"dur":9,"cat":"kernel","name":"gemm","args":{"stream":7}},)"
            R"({"ph":"X","pid":1,"tid":7,"ts":3,"dur":9,"cat":"kernel","name":"gemm","args":{"stream":7}}]})");
        QVERIFY(set);
        QCOMPARE(
            set.value().files[0].notes,
            std::vector<std::string>{"Work of 2 GPUs stands in this trace, which says it is that of rank "
                                     "3: it counts as that of one rank."});
    }
};

QTEST_APPLESS_MAIN(TestTraceDevices)
#include "tst_trace_devices.moc"
