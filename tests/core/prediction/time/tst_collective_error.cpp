#include <QTest>

#include "core/prediction/time/collective_error.h"
#include "tests/core/shipped_presets.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>

using namespace shardscope;

namespace
{

const Cluster& clusterNamed(const char* name)
{
    return shipped().cluster(name)->cluster;
}

constexpr std::int64_t mebibyte = 1 << 20;

double errorOf(const char* cluster, int ranks, int per_node, std::int64_t bytes)
{
    const CollectiveQuestion question{Op::all_reduce, ranks, per_node, {bytes}};
    const auto [below, above] = collectiveErrorBand(clusterNamed(cluster), question, bytes);
    Q_ASSERT(below == -above);
    return above;
}

// Published points of one class of sizes, and how many of them the band holds.
struct Held {
    int points = 0;
    int within = 0;
};

} // namespace

class TestCollectiveError : public QObject
{
    Q_OBJECT
private slots:
    void fourOfFivePublishedPointsLieWithin()
    {
        std::ifstream file{SHARDSCOPE_SHARED_FOLDER "/truth/hardware.json"};
        if (!file)
            QSKIP("the published curves are not here (../shared/truth/hardware.json)");
        static const std::map<std::string, const char*> systems{
            {"A100", "dgx-a100"},    {"H100", "dgx-h100"},    {"H200", "hgx-h200"},
            {"B200", "aws-p6-b200"}, {"GB20", "gb200-nvl72"}, {"PCIe", "v100-pcie-100g-roce"}};
        static const std::map<std::string, Op> ops{{"ar", Op::all_reduce},
                                                   {"ag", Op::all_gather},
                                                   {"rs", Op::reduce_scatter},
                                                   {"a2a", Op::all_to_all}};
        std::map<double, Held> held; // by the size of the band
        const nlohmann::json hardware = nlohmann::json::parse(file);
        for (const auto& curve : hardware["curves"]) {
            const auto system = systems.find(curve["name"].get<std::string>().substr(0, 4));
            if (system == systems.end())
                continue;
            const int ranks = curve["ranks"];
            const int nodes = curve["nodes"];
            for (const auto& point : curve["points"]) {
                const CollectiveAnswer answer = predictCollective(
                    clusterNamed(system->second),
                    {ops.at(curve["collective"]), ranks, ranks / nodes, {point[0].get<std::int64_t>()}});
                const double measured_s = point[1].get<double>() * 1e-6;
                const double error = std::abs(measured_s / answer.time_s.front() - 1.0);
                const double band = answer.error_band.front()[1];
                ++held[band].points;
                held[band].within += error <= band ? 1 : 0;
            }
        }
        QCOMPARE(held.size(), std::size_t{3});
        for (const auto& [band, of] : held) {
            const double share = static_cast<double>(of.within) / of.points;
            QVERIFY2(share >= 0.8 && share < 0.87,
                     qPrintable(QString{"%1 of %2 within %3"}.arg(of.within).arg(of.points).arg(band)));
        }
    }

    void smallMessagesAreLessSure()
    {
        QVERIFY(errorOf("dgx-a100", 64, 8, mebibyte) > errorOf("dgx-a100", 64, 8, 16 * mebibyte));
        QVERIFY(errorOf("dgx-a100", 64, 8, 16 * mebibyte) > errorOf("dgx-a100", 64, 8, 64 * mebibyte));
    }

    // Polaris has an A100's links in a node, and a network of which nobody published a curve.
    void linksThatNobodyMeasuredAreLessSure()
    {
        QCOMPARE(errorOf("polaris-slingshot11", 4, 4, 64 * mebibyte),
                 errorOf("dgx-a100", 8, 8, 64 * mebibyte));
        QVERIFY(errorOf("polaris-slingshot11", 16, 4, 64 * mebibyte)
                > 4 * errorOf("dgx-a100", 16, 4, 64 * mebibyte));
    }

    // What constants of another kind of links make of the curves is what links without a curve get.
    void linksAndOperationsWithoutACurveHaveTheErrorOfConstantsOfAnotherKind_data()
    {
        QTest::addColumn<QString>("cluster");
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("per_node");
        QTest::addColumn<bool>("has_curve");
        const auto row = [](const char* name, const char* cluster, Op op, int per_node, bool has_curve) {
            QTest::newRow(name) << QString{cluster} << static_cast<int>(op) << per_node << has_curve;
        };
        row("an all_gather within a node", "dgx-h100", Op::all_gather, 8, true);
        row("an all_to_all within a node", "dgx-h100", Op::all_to_all, 8, true);
        row("an all_to_all across nodes", "dgx-h100", Op::all_to_all, 4, false);
        row("a ring across nodes", "dgx-h100", Op::reduce_scatter, 4, true);
        row("a broadcast", "dgx-h100", Op::broadcast, 8, false);
        row("NVLink 2", "v100-nvlink-100g-roce", Op::all_reduce, 8, false);
        row("figures of its own", "mi300x", Op::all_reduce, 8, true);
        row("figures near a curve's", "v100-pcie-100g-roce", Op::all_reduce, 8, true);
        row("inferred figures", "rtx3090-pcie-100g-roce", Op::all_reduce, 8, false);
        row("inferred figures across nodes", "v100-nvlink-100g-roce", Op::all_reduce, 4, false);
    }
    void linksAndOperationsWithoutACurveHaveTheErrorOfConstantsOfAnotherKind()
    {
        QFETCH(QString, cluster);
        QFETCH(int, op);
        QFETCH(int, per_node);
        QFETCH(bool, has_curve);
        const std::array<std::int64_t, 3> sizes{mebibyte, 16 * mebibyte, 64 * mebibyte};
        const std::array expected = has_curve ? std::array{0.24, 0.12, 0.06} : std::array{0.60, 0.50, 0.30};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const CollectiveQuestion question{static_cast<Op>(op), 8, per_node, {sizes[i]}};
            QCOMPARE(collectiveErrorBand(clusterNamed(qPrintable(cluster)), question, sizes[i])[1],
                     expected[i]);
        }
    }

    void figuresOfTheClustersOwnAreMeasured()
    {
        Cluster cluster = clusterNamed("polaris-slingshot11");
        const CollectiveQuestion question{Op::all_reduce, 16, 4, {64 * mebibyte}};
        const double before = collectiveErrorBand(cluster, question, 64 * mebibyte)[1];
        cluster.collectives.inter_efficiency *= 0.9;
        QVERIFY(collectiveErrorBand(cluster, question, 64 * mebibyte)[1] < before);
    }

    void nothingIsSaidOfClustersThatAreNotCalibrated()
    {
        QCOMPARE(errorOf("gloo-two-cores", 2, 2, mebibyte), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestCollectiveError)
#include "tst_collective_error.moc"
