#include <QtTest>

#include <QTemporaryDir>

#include "core/import/importer.h"

#include <array>
#include <fstream>
#include <string>

using namespace shardscope;

namespace
{

Result<TraceSet> importNode(const std::string& node)
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("chakra.3.json").toStdString();
    std::ofstream(path, std::ios::binary) << R"({"workload_graph": [{"Id": 1, )" << node << "}]}";
    return importTraces(std::array{path});
}

} // namespace

// The JSON form of Chakra's execution traces.
class TestChakraJson : public QObject
{
    Q_OBJECT

private slots:
    void nodesTellWhatTheyHave_data();
    void nodesTellWhatTheyHave();
    void otherNodesAreNoCalls_data();
    void otherNodesAreNoCalls();
};

void TestChakraJson::nodesTellWhatTheyHave_data()
{
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("name");
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("peer");
    QTest::addColumn<double>("time_s");
    const auto row = [](const char* title, const char* node, const char* name, qint64 bytes, qint64 peer,
                        double time_s) { QTest::newRow(title) << node << name << bytes << peer << time_s; };
    row("of PyTorch", R"("Name": "ncclKernel_AllReduce", "NodeType": 7, "runtime": 28, "is_cpu_op": false)",
        "ncclKernel_AllReduce", -1, -1, 28e-6);
    row("collective", R"("Name": "c", "NodeType": 7, "comm_type": 2, "comm_size": 64)", "all_gather", 64, -1,
        -1.0);
    row("collective, run", R"("Name": "c", "NodeType": 7, "comm_type": 0, "comm_size": 64, "runtime": 5)",
        "all_reduce", 64, -1, 5e-6);
    row("no time yet", R"("Name": "c", "NodeType": 7, "comm_type": 0, "comm_size": 64, "runtime": 0)",
        "all_reduce", 64, -1, -1.0);
    row("unknown collective", R"("Name": "c", "NodeType": 7, "comm_type": 99, "comm_size": 64)", "c", 64, -1,
        -1.0);
    row("negative collective", R"("Name": "c", "NodeType": 7, "comm_type": -1, "comm_size": 64)", "c", 64, -1,
        -1.0);
    row("untold collective", R"("Name": "c", "NodeType": 7, "comm_size": 64)", "c", 64, -1, -1.0);
    row("negative size", R"("Name": "c", "NodeType": 7, "comm_type": 0, "comm_size": -8)", "c", -1, -1, -1.0);
    row("send", R"("Name": "s", "NodeType": 5, "comm_size": 64, "comm_src": 3, "comm_dst": 1)", "send", 64, 1,
        -1.0);
    row("receive", R"("Name": "r", "NodeType": 6, "comm_size": 64, "comm_src": 1, "comm_dst": 3)", "recv", 64,
        1, -1.0);
    row("send without a size", R"("Name": "s", "NodeType": 5, "comm_dst": 1)", "s", -1, -1, -1.0);
}

void TestChakraJson::nodesTellWhatTheyHave()
{
    QFETCH(const QString, node);
    QFETCH(const QString, name);
    QFETCH(const qint64, bytes);
    QFETCH(const qint64, peer);
    QFETCH(const double, time_s);
    const Result<TraceSet> set = importNode(node.toStdString());
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("chakra_et"));
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.rank, std::int64_t{3});
    QCOMPARE(file.calls.size(), std::size_t{1});
    QCOMPARE(file.calls[0].name, name.toStdString());
    QCOMPARE(file.calls[0].in_bytes, std::int64_t{bytes});
    QCOMPARE(file.calls[0].peer, std::int64_t{peer});
    QCOMPARE(file.calls[0].time_s, time_s);
}

void TestChakraJson::otherNodesAreNoCalls_data()
{
    QTest::addColumn<QString>("node");
    QTest::newRow("computing") << R"("Name": "mm", "NodeType": 4, "runtime": 3, "is_cpu_op": false)";
    QTest::newRow("on the CPU") << R"("Name": "c10d::allreduce_", "NodeType": 7, "is_cpu_op": true)";
    QTest::newRow("on the CPU, with a size")
        << R"("Name": "c", "NodeType": 7, "is_cpu_op": true, "comm_type": 0, "comm_size": 64)";
}

void TestChakraJson::otherNodesAreNoCalls()
{
    QFETCH(const QString, node);
    const Result<TraceSet> set = importNode(node.toStdString());
    if (set)
        QVERIFY(set.value().files[0].calls.empty());
}

QTEST_APPLESS_MAIN(TestChakraJson)
#include "tst_chakra_json.moc"
