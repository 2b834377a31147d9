#include "tests/core/report/arithmetic.h"

#include <QTest>

#include "core/prediction/time/machine.h"
#include "core/report/explanation/collective_explanation.h"
#include "core/scenario/presets.h"

#include <cmath>

using namespace shardscope;

class TestCollectiveExplanation : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        Result<Presets> presets = Presets::load(SHARDSCOPE_SOURCE_FOLDER "/resources/presets");
        QVERIFY(presets);
        m_presets = std::make_unique<Presets>(std::move(presets.value()));
    }

    // Within a node and across, whole nodes and one rank of each, alone and with siblings; each line's
    // expression comes out at what stands behind it, and the last one at the time that is predicted.
    void everyTermComesOut()
    {
        for (const ClusterPreset& preset : m_presets->clusters())
            for (const Op op :
                 {Op::all_reduce, Op::all_gather, Op::reduce_scatter, Op::all_to_all, Op::broadcast})
                for (const auto& [ranks, per_node, siblings] :
                     {std::array{2, 2, 1}, std::array{4, 4, 2}, std::array{16, 4, 2}, std::array{6, 1, 4},
                      std::array{16, 8, 1}, std::array{24, 8, 1}})
                    for (const std::int64_t bytes :
                         {std::int64_t{5000}, std::int64_t{1} << 21, std::int64_t{3} << 30}) {
                        checkTerms(preset.cluster, {op, ranks, per_node, {bytes}, siblings});
                        Cluster trees = preset.cluster;
                        trees.few_node_trees = true;
                        checkTerms(trees, {op, ranks, per_node, {bytes}, siblings});
                    }
    }

    // Whose algorithm it is: rings in a node, trees and rings across, the switch where there is one.
    void treesOnFewNodesAreNamedAndWorkedOut_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("says");
        QTest::addColumn<QString>("bytes");
        QTest::newRow("two nodes") << 16 << "sends the message once"
                                   << "bytes w = message = ";
        QTest::newRow("three nodes") << 24 << "one and a half times"
                                     << "bytes w = 1.5 * message = ";
        QTest::newRow("four nodes") << 32 << "trees for small messages"
                                    << "bytes w = 2 * (n - 1) / n";
    }
    void treesOnFewNodesAreNamedAndWorkedOut()
    {
        QFETCH(int, ranks);
        QFETCH(QString, says);
        QFETCH(QString, bytes);
        Cluster cluster = m_presets->cluster("dgx-a100")->cluster;
        cluster.few_node_trees = true;
        cluster.inter_node.bandwidth_GBps = 1.0; // what is between the nodes counts
        const Explanation explanation =
            explainCollective(cluster, {Op::all_reduce, ranks, 8, {1 << 30}, 1}, 1 << 30);
        QVERIFY2(QString::fromStdString(explanation.why).contains(says), explanation.why.c_str());
        QVERIFY2(QString::fromStdString(explanation.parts).contains(bytes), explanation.parts.c_str());
    }

    void theAlgorithmIsNamed_data()
    {
        QTest::addColumn<QString>("cluster");
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* cluster, Op op, int ranks, const char* says) {
            QTest::newRow(name) << cluster << static_cast<int>(op) << ranks << says;
        };
        row("ring", "rtx3090-pcie-100g-roce", Op::all_reduce, 4, "2 (n - 1) / n of the message in 2 (n - 1)");
        row("trees", "dgx-a100", Op::all_reduce, 32, "trees for small messages");
        row("NVLS", "dgx-h100", Op::all_reduce, 8, "The node's switch adds up (NVLS)");
        row("half the ring", "dgx-a100", Op::all_gather, 8, "(n - 1) / n of the message in n - 1 steps");
        row("pairs", "dgx-a100", Op::all_to_all, 16, "sends every other one its part");
    }
    void theAlgorithmIsNamed()
    {
        QFETCH(QString, cluster);
        QFETCH(int, op);
        QFETCH(int, ranks);
        QFETCH(QString, says);
        const ClusterPreset* preset = m_presets->cluster(cluster.toStdString());
        QVERIFY(preset);
        const CollectiveQuestion question{static_cast<Op>(op), ranks, std::min(ranks, 8), {1 << 20}, 1};
        const Explanation explanation = explainCollective(preset->cluster, question, 1 << 20);
        QVERIFY2(QString::fromStdString(explanation.why).contains(says), explanation.why.c_str());
        QVERIFY2(collectivePartsText(preset->cluster, question, 1 << 20).find(" GB/s ") != std::string::npos,
                 explanation.why.c_str());
    }

    // Nothing is sent inside a node then.
    void ofOneRankOnEachNodeTheInsideIsNotSpokenOf_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<bool>("adds_up");
        QTest::addColumn<int>("per_node");
        QTest::addColumn<bool>("speaks");
        for (const Op op : {Op::all_reduce, Op::all_gather, Op::all_to_all})
            for (const int per_node : {1, 2})
                QTest::addRow("%s, %d on a node", std::string{word(op)}.c_str(), per_node)
                    << static_cast<int>(op) << false << per_node << (per_node > 1);
        QTest::newRow("SHARP, 1 on a node") << static_cast<int>(Op::all_reduce) << true << 1 << false;
        QTest::newRow("SHARP, 2 on a node") << static_cast<int>(Op::all_reduce) << true << 2 << true;
    }
    void ofOneRankOnEachNodeTheInsideIsNotSpokenOf()
    {
        QFETCH(int, op);
        QFETCH(bool, adds_up);
        QFETCH(int, per_node);
        QFETCH(bool, speaks);
        Cluster cluster = m_presets->cluster("dgx-a100")->cluster;
        cluster.in_network_reduction = adds_up;
        const CollectiveQuestion question{
            static_cast<Op>(op), 8 * per_node, per_node, {1 << 28}, 8 / per_node};
        const Explanation explanation = explainCollective(cluster, question, 1 << 28);
        const QString why = QString::fromStdString(explanation.why);
        QCOMPARE(why.contains("inside the node"), speaks);
        QVERIFY2(why.contains("network"), explanation.why.c_str());
    }

    // Links of the GPUs that are narrower than the network count all the same: they lead to it.
    void aGpusOwnLinksMayBeTheNarrowest()
    {
        Cluster cluster = m_presets->cluster("dgx-a100")->cluster;
        cluster.intra_node.bandwidth_GBps = 1.0;
        const Explanation explanation =
            explainCollective(cluster, {Op::all_gather, 8, 1, {1 << 28}, 1}, 1 << 28);
        QVERIFY2(QString::fromStdString(explanation.why).contains("A GPU's own links, by which it reaches"),
                 explanation.why.c_str());
    }

private:
    static void checkLine(const QString& line)
    {
        const double value = Arithmetic::value(line.section(" = ", -2, -2));
        const double shown = Arithmetic::value(line.section(" = ", -1));
        QVERIFY2(std::fabs(value - shown) <= 2e-3 * shown, qPrintable(line));
    }

    static void checkTerms(const Cluster& cluster, const CollectiveQuestion& question)
    {
        if (!cluster.calibrated)
            return;
        const std::int64_t bytes = question.message_bytes.front();
        const Explanation explanation = explainCollective(cluster, question, bytes);
        const QStringList lines = QString::fromStdString(explanation.parts).split('\n');
        QCOMPARE(lines.size(), 5);
        for (const QString& line : lines)
            checkLine(line);
        const double time = predictCollective(cluster, question).time_s.front();
        const QString worked = QString::fromStdString(explanation.with_values);
        const double value = Arithmetic::value(worked.section(" = ", 0, 0));
        QVERIFY2(std::fabs(value - time) <= 2e-3 * time, qPrintable(worked));
    }

    std::unique_ptr<Presets> m_presets;
};

QTEST_APPLESS_MAIN(TestCollectiveExplanation)
#include "tst_collective_explanation.moc"
