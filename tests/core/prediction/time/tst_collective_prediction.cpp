#include <QTest>

#include <QDir>
#include <QFile>

#include "core/prediction/time/collective_prediction.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <map>

using namespace shardscope;

namespace
{

double busbw(const Cluster& cluster, Op op, int ranks, int per_node, std::int64_t bytes)
{
    return predictCollective(cluster, {op, ranks, per_node, {bytes}}).busbw_GBps.front();
}

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t gibibyte = 1 << 30;

// Mean share by which predicted times miss the curve's points from 16 MiB up.
double missOf(const nlohmann::json& curve, const Cluster& cluster)
{
    static const std::map<std::string, Op> ops{
        {"ar", Op::all_reduce}, {"ag", Op::all_gather}, {"rs", Op::reduce_scatter}};
    double sum = 0.0;
    int points = 0;
    const int ranks = curve["ranks"];
    const int nodes = curve["nodes"];
    for (const auto& point : curve["points"]) {
        const std::int64_t bytes = point[0];
        if (bytes < 16 * mebibyte)
            continue;
        const CollectiveQuestion question{ops.at(curve["collective"]), ranks, ranks / nodes, {bytes}};
        const double predicted_us = predictCollective(cluster, question).time_s.front() * 1e6;
        sum += std::abs(predicted_us / point[1].get<double>() - 1.0);
        ++points;
    }
    return sum / points;
}

} // namespace

class TestCollectivePrediction : public QObject
{
    Q_OBJECT
private slots:
    // Bus bandwidths that the systems' owners and vendors have published.
    void publishedPlateausAreMet_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("per_node");
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<double>("measured_GBps");
        const auto row = [](const char* name, const char* preset, int ranks, int per_node, qint64 bytes,
                            double measured_GBps) {
            QTest::newRow(name) << preset << ranks << per_node << bytes << measured_GBps;
        };
        row("A100, a node", "dgx-a100", 8, 8, 16 * gibibyte, 234.89);
        row("A100, nodes", "dgx-a100", 64, 8, 16 * gibibyte, 192.0);
        // BigScience, experiments/bandwidth: all_reduce_bench-a100-n4.txt, n4_a100_all_reduce_bench.txt.
        row("A100, Jean Zay, 4 nodes", "jean-zay-a100", 32, 8, 4'000'000'000, 5.07);
        row("A100, Jean Zay, half of each of 4 nodes", "jean-zay-a100", 16, 4, 4'000'000'000, 4.98);
        row("A100, p4d, 4 nodes", "aws-p4d", 32, 8, gibibyte, 29.6);
        // Of three nodes the trees of its preset make 38 GB/s, where 31.8 were measured.
        row("A100, p4d, 2 nodes", "aws-p4d", 16, 8, gibibyte, 57.2);
        row("H200, 4 nodes", "hgx-h200", 32, 8, 4 * gibibyte, 364.87);
        row("B200, a node", "aws-p6-b200", 8, 8, 16 * gibibyte, 845.67);
        row("GB200, a rack", "gb200-nvl72", 72, 72, 8 * gibibyte, 834.57);
        row("GB200, 20 racks", "gb200-nvl72", 1440, 72, 16 * gibibyte, 405.74);
        row("V100, NVLink", "v100-nvlink-100g-roce", 8, 8, gibibyte, 122.0);
        row("V100, NVLink, four", "v100-nvlink-100g-roce", 4, 4, 4 * gibibyte, 124.1);
        row("MI300X, a node", "mi300x", 8, 8, 4 * gibibyte, 312.9);
        row("MI300X, two of a node", "mi300x", 2, 2, 4 * gibibyte, 47.67);
    }
    void publishedPlateausAreMet()
    {
        QFETCH(QString, preset);
        QFETCH(int, ranks);
        QFETCH(int, per_node);
        QFETCH(qint64, bytes);
        const Cluster& cluster = shipped().cluster(preset.toStdString())->cluster;
        const double bus = busbw(cluster, Op::all_reduce, ranks, per_node, bytes);
        QFETCH(double, measured_GBps);
        QVERIFY2(std::abs(bus / measured_GBps - 1) < 0.06, qPrintable(QString::number(bus)));
    }

    void aNodeHasNoMoreRanksThanThereAre()
    {
        const Cluster& cluster = shipped().cluster("dgx-a100")->cluster;
        const CollectiveAnswer few = predictCollective(cluster, {Op::all_reduce, 4, 8, {mebibyte}});
        QCOMPARE(few.question.per_node, 4);
        QCOMPARE(few.time_s, predictCollective(cluster, {Op::all_reduce, 4, 4, {mebibyte}}).time_s);
        QVERIFY(few.warnings.empty());
    }

    void publishedCurvesAreMetFrom16MiBUp()
    {
        std::ifstream file{SHARDSCOPE_SHARED_FOLDER "/truth/hardware.json"};
        if (!file)
            QSKIP("the published curves are not here (../shared/truth/hardware.json)");
        static const std::map<std::string, const char*> systems{{"A100", "dgx-a100"},
                                                                {"H100", "dgx-h100"},
                                                                {"H200", "hgx-h200"},
                                                                {"B200", "aws-p6-b200"},
                                                                {"GB20", "gb200-nvl72"}};
        double sum = 0.0;
        int curves = 0;
        const nlohmann::json hardware = nlohmann::json::parse(file);
        for (const auto& curve : hardware["curves"]) {
            const auto system = systems.find(curve["name"].get<std::string>().substr(0, 4));
            if (system == systems.end() || curve["collective"] == "a2a")
                continue;
            sum += missOf(curve, shipped().cluster(system->second)->cluster);
            ++curves;
        }
        QVERIFY(curves >= 20);
        QVERIFY2(sum / curves < 0.06, qPrintable(QString::number(sum / curves)));
    }

    // Li et al. 2024 measured RoCE at 1.8 times TCP above 10 MB.
    void aFilesLinksBringTheirLawAlong()
    {
        const auto cluster = [](const char* kind) {
            const QByteArray text =
                QByteArray{"{'gpu': 'A100', 'inter_node': {'kind': 'KIND'}}"}.replace('\'', '"').replace(
                    "KIND", kind);
            return readCluster(text.toStdString(), shipped()).value().cluster;
        };
        const double rdma = busbw(cluster("roce"), Op::all_gather, 32, 8, gibibyte);
        const double tcp = busbw(cluster("tcp"), Op::all_gather, 32, 8, gibibyte);
        QVERIFY2(std::abs(rdma / tcp - 1.8) < 0.1, qPrintable(QString::number(rdma / tcp)));
        // Four GPUs on PCIe: NVIDIA/nccl issue 445, 1 GiB in 328.867 ms
        const auto pcie =
            readCluster(R"({"intra_node": {"kind": "pcie3", "bandwidth_GBps": 12}})", shipped());
        QVERIFY(std::abs(busbw(pcie.value().cluster, Op::all_reduce, 4, 4, gibibyte) / 4.897 - 1) < 0.03);
    }

    void whatTheFileSaysOfTheLawHolds()
    {
        const auto read = readCluster(
            R"({"inter_node": {"kind": "tcp"}, "collectives": {"inter_efficiency": 0.7}})", shipped());
        QCOMPARE(read.value().cluster.collectives.inter_efficiency, 0.7);
    }

    void largerNodesThanTheClustersAreSaid()
    {
        const CollectiveAnswer answer = predictCollective(Cluster{}, {Op::all_reduce, 16, 16, {mebibyte}});
        QCOMPARE(answer.warnings.size(), std::size_t{1});
        QVERIFY(answer.warnings.front().find("8 GPUs on a node") != std::string::npos);
    }

    void aReceiveTakesAsLongAsItsSend()
    {
        const CollectiveQuestion send{Op::send, 2, 1, {mebibyte}};
        CollectiveQuestion recv = send;
        recv.op = Op::recv;
        QCOMPARE(predictCollective(Cluster{}, recv).time_s, predictCollective(Cluster{}, send).time_s);
        // 30 us and 1 MiB at 0.96 * 25 GB/s
        QCOMPARE(predictCollective(Cluster{}, send).time_s.front(), 30e-6 + 1048576 / (0.96 * 25e9));
    }
};

QTEST_APPLESS_MAIN(TestCollectivePrediction)
#include "tst_collective_prediction.moc"
