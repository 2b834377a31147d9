#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "tests/widgets/panels/heatmap/run_with.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/heatmap/heatmap_links.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/heatmap_texts.h"
#include "widgets/plots/heatmap/heatmap_view.h"
#include "widgets/session/shown_text.h"

#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace shardscope;

namespace
{

// (p, t, d) = (2, 2, 2): tensor and data pairs inside nodes of four, pipelines between them.
Scenario eightRanks(std::int64_t gpus_per_node = 4)
{
    Scenario scenario;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    scenario.cluster.gpus_per_node = gpus_per_node;
    return scenario;
}

// 16 * data GPUs, in nodes of eight that hold a tensor group each.
Scenario largeWorld(std::int64_t data)
{
    Scenario scenario;
    scenario.model.layers = 96;
    scenario.parallel.tensor = 8;
    scenario.parallel.pipeline = 2;
    scenario.parallel.data = data;
    scenario.training.global_batch_size = 4 * data;
    scenario.training.micro_batch_size = 1;
    return scenario;
}

Content contentOf(const Scenario& scenario, std::shared_ptr<const MeasuredRun> run = {})
{
    return {predictedOf(scenario), {}, std::move(run), false};
}

double between(const TrafficRows& rows, std::int64_t sender, std::int64_t receiver)
{
    const auto bytes = bytesBetween(rows, sender, receiver);
    return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

double between(const HeatmapPanel& panel, std::size_t square, std::int64_t sender, std::int64_t receiver)
{
    return between(*const_cast<HeatmapPanel&>(panel).view().scene().squares[square].rows, sender, receiver);
}

SegmentButton& nodeButton(const HeatmapPanel& panel)
{
    return controlOf<SegmentButton>(panel, "by node");
}

} // namespace

// The heatmap with nodes in the place of ranks, and what it says of links.
class TestHeatmapNodes : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void aNodeSendsWhatItsRanksSend()
    {
        HeatmapPanel panel;
        panel.setContent(contentOf(eightRanks()));
        const auto of_ranks = panel.view().scene().squares.front().rows;
        const QString headline = panel.view().scene().headline;
        nodeButton(panel).click();
        const HeatmapScene& scene = panel.view().scene();
        QVERIFY(scene.isByNode());
        QCOMPARE(panel.heading(), QString{"Traffic between nodes"});
        QCOMPARE(scene.ranks, 2);
        QCOMPARE(scene.headline, headline);
        for (const auto& [sender, receiver] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
            double sum = 0.0;
            for (std::int64_t from = 4 * sender; from < 4 * sender + 4; ++from)
                for (std::int64_t to = 4 * receiver; to < 4 * receiver + 4; ++to)
                    sum += between(*of_ranks, from, to);
            QVERIFY(sum > 0.0);
            QVERIFY(std::fabs(between(panel, 0, sender, receiver) - sum) <= 1e-9 * sum);
        }
        QCOMPARE(scene.squares.front().layout.bands.size(), std::size_t{1}); // pp: a node has one stage
        nodeButton(panel).click();
        QCOMPARE(panel.view().scene().ranks, 8);
    }

    void whatLeavesAPodIsCountedByRankAndByNode()
    {
        HeatmapPanel panel;
        panel.setContent(contentOf(eightRanks(2)));
        QVERIFY(!panel.view().scene().headline.contains("pod"));
        controlOf<QSpinBox>(panel, "Nodes of a pod").setValue(2);
        double sum = 0.0; // ranks 0 to 3 stand in the one, 4 to 7 in the other
        for (std::int64_t from = 0; from < 8; ++from)
            for (std::int64_t to = 0; to < 8; ++to)
                sum += from / 4 != to / 4 ? between(panel, 0, from, to) : 0.0;
        QVERIFY(sum > 0.0);
        const QString of_pods = QStringLiteral(", of it %1 between pods").arg(bytesText(sum));
        QVERIFY2(panel.view().scene().headline.endsWith(of_pods), qPrintable(panel.view().scene().headline));
        panel.showNodes(true);
        QVERIFY(panel.view().scene().headline.endsWith(of_pods));
        controlOf<QSpinBox>(panel, "Nodes of a pod").setValue(4); // all stand in one
        QVERIFY(!panel.view().scene().headline.contains("pod"));
    }

    void podsOfTheClusterAreCountedWhereNoOthersAreSaid()
    {
        HeatmapPanel panel;
        Scenario scenario = eightRanks(2);
        panel.setContent(contentOf(scenario));
        controlOf<QSpinBox>(panel, "Nodes of a pod").setValue(2);
        const QString of_pods = panel.view().scene().headline;
        controlOf<QSpinBox>(panel, "Nodes of a pod").setValue(0);
        scenario.cluster.nodes_per_pod = 2;
        panel.setContent(contentOf(scenario));
        QCOMPARE(panel.view().scene().nodes_per_pod, std::int64_t{2});
        QCOMPARE(panel.view().scene().headline, of_pods);
        QCOMPARE(controlOf<QSpinBox>(panel, "Nodes of a pod").text(), QString{"pods of 2"});
    }

    // A picture that has room names the pods whatever the order of ranks.
    void pureDataParallelismHasPodsToo()
    {
        HeatmapPanel panel;
        panel.resize(900, 700);
        Scenario scenario = eightRanks(2);
        scenario.parallel = {};
        scenario.parallel.data = 8;
        panel.setContent(contentOf(scenario));
        panel.show();
        QVERIFY(controlOf<QSpinBox>(panel, "Nodes of a pod").isVisible());
        controlOf<QSpinBox>(panel, "Nodes of a pod").setValue(2);
        QVERIFY(panel.view().scene().headline.contains("between pods"));
        scenario.cluster.gpus_per_node = 8; // one node
        panel.setContent(contentOf(scenario));
        QVERIFY(!controlOf<QSpinBox>(panel, "Nodes of a pod").isVisible());
    }

    void measuredAndComparedSquaresAreAddedUpToo()
    {
        HeatmapPanel panel;
        panel.setContent(contentOf(
            eightRanks(), runWith({{Kind::pp, 0, 4, 100.0}, {Kind::pp, 1, 5, 50.0}, {Kind::tp, 0, 1, 7.0}})));
        panel.showNodes(true);
        QCOMPARE(panel.mode(), HeatmapMode::side_by_side);
        QCOMPARE(between(panel, 1, 0, 1), 150.0);
        QCOMPARE(between(panel, 1, 0, 0), 7.0);
        const double predicted = between(panel, 0, 0, 1);
        panel.setMode(HeatmapMode::measured_change);
        QVERIFY(panel.view().scene().isByNode());
        QCOMPARE(between(panel, 0, 0, 1), 150.0 - predicted);
        const TrafficEnds ends = panel.view().scene().squares.front().rows->endsOf(1);
        QCOMPARE(ends.received_bytes, 150.0 - predicted);
    }

    void pinnedSquaresHaveTheirOwnNodes()
    {
        HeatmapPanel panel;
        Content content = contentOf(eightRanks());
        content.pinned = predictedOf(eightRanks(2));
        panel.setContent(content);
        panel.setMode(HeatmapMode::beside_pinned);
        panel.showNodes(true);
        QCOMPARE(panel.view().scene().ranks, 4);
        QCOMPARE(panel.view().scene().squares[0].layout.ranks, 2);
        QCOMPARE(panel.view().scene().squares[1].layout.ranks, 4);
        panel.setMode(HeatmapMode::change_of_pinned); // of the same ranks: on the nodes of the scenario
        QCOMPARE(panel.view().scene().ranks, 2);
        QCOMPARE(between(panel, 0, 0, 1), 0.0);
    }

    void withNothingToAddUpTheButtonSaysWhy_data()
    {
        QTest::addColumn<int>("gpus_per_node");
        QTest::addColumn<QString>("why");
        QTest::newRow("one node") << 8 << "on one node";
        QTest::newRow("a node larger than the world") << 64 << "on one node";
        QTest::newRow("nodes of one GPU") << 1 << "the ranks are the nodes";
    }
    void withNothingToAddUpTheButtonSaysWhy()
    {
        QFETCH(int, gpus_per_node);
        QFETCH(QString, why);
        HeatmapPanel panel;
        panel.setContent(contentOf(eightRanks()));
        nodeButton(panel).click();
        panel.setContent(contentOf(eightRanks(gpus_per_node)));
        QVERIFY(!nodeButton(panel).isEnabled() && !nodeButton(panel).isChecked());
        QVERIFY2(nodeButton(panel).toolTip().contains(why), qPrintable(nodeButton(panel).toolTip()));
        QCOMPARE(panel.view().scene().ranks, 8);
        panel.setContent(contentOf(eightRanks())); // the wish is kept
        QVERIFY(nodeButton(panel).isChecked());
        QCOMPARE(panel.view().scene().ranks, 2);
    }

    void withoutAScenarioNodesAreNotKnown()
    {
        HeatmapPanel panel;
        panel.setContent({{}, {}, runWith({{Kind::pp, 0, 4, 100.0}}), false});
        QVERIFY(!nodeButton(panel).isEnabled());
        QVERIFY(nodeButton(panel).toolTip().contains("not known"));
    }

    void tipAndStatusTellBothEnds()
    {
        HeatmapPanel panel;
        panel.setContent(contentOf(eightRanks(3))); // the last node holds two
        panel.showNodes(true);
        const HeatmapTexts texts{panel.view().scene()};
        QString tip = texts.tip({0, 1, 2, 1});
        QVERIFY2(tip.contains("&nbsp;B</td>") && !tip.contains(" B</td>"), qPrintable(tip)); // on one line
        tip.replace("&nbsp;", " ");
        QVERIFY2(tip.contains("<b>node 1</b> (ranks 3 to 5)"), qPrintable(tip));
        QVERIFY2(tip.contains("<b>node 2</b> (ranks 6 to 7)"), qPrintable(tip));
        QVERIFY(tip.contains("between nodes"));
        for (const QString end : {"node 1 sends to others", "node 2 sends to others", "receives from others"})
            QVERIFY2(tip.contains(end), qPrintable(tip));
        QVERIFY(texts.tip({0, 1, 1, 1}).contains("inside one node"));
        QVERIFY(!texts.tip({0, 1, 1, 1}).contains("node 2 sends"));
        QVERIFY(texts.sentence({0, 1, 2, 1}).startsWith("Node 1 to node 2: "));
    }

    void whatStaysInANodeCanBeLeftOut()
    {
        HeatmapPanel panel;
        panel.setContent(contentOf(eightRanks()));
        auto& button = controlOf<SegmentButton>(panel, "between");
        QVERIFY(button.isHidden()); // squares of ranks have no such cells
        panel.showNodes(true);
        QVERIFY(!button.isHidden());
        const QString headline = panel.view().scene().headline;
        const double across = between(panel, 0, 0, 1);
        QVERIFY(panel.view().scene().span.most > across);
        button.click();
        const HeatmapScene& scene = panel.view().scene();
        QCOMPARE(between(panel, 0, 0, 0), 0.0);
        QCOMPARE(between(panel, 0, 0, 1), across);
        QVERIFY(scene.span.most <= across * (1.0 + 1e-9));
        QCOMPARE(scene.headline, headline); // which tells of both
        const HeatmapTexts texts{scene};
        QVERIFY(texts.tip({0, 1, 1, 1}).contains("is left out"));
        QVERIFY(!texts.tip({0, 1, 1, 1}).contains("nothing is sent"));
        QVERIFY(texts.sentence({0, 1, 1, 1}).endsWith("is left out"));
        QVERIFY(!panel.csv().contains(",0,0,"));
        panel.showNodes(false);
        QVERIFY(button.isHidden());
        QVERIFY(between(panel, 0, 0, 1) > 0.0); // of ranks nothing is left out
    }

    void ofMeasuredAndComparedNodesItIsLeftOutToo()
    {
        HeatmapPanel panel;
        panel.setContent(contentOf(eightRanks(), runWith({{Kind::pp, 0, 4, 100.0}, {Kind::tp, 0, 1, 7.0}})));
        panel.showNodes(true);
        panel.showBetween(true);
        QCOMPARE(between(panel, 1, 0, 0), 0.0);
        QCOMPARE(between(panel, 1, 0, 1), 100.0);
        panel.setMode(HeatmapMode::measured_change);
        QCOMPARE(between(panel, 0, 0, 0), 0.0);
        QVERIFY(between(panel, 0, 0, 1) != 0.0);
    }

    void theCsvNamesNodes()
    {
        HeatmapPanel panel;
        panel.setContent(contentOf(eightRanks(), runWith({{Kind::pp, 0, 4, 100.0}, {Kind::pp, 1, 5, 50.0}})));
        panel.setMode(HeatmapMode::measured);
        panel.showNodes(true);
        QCOMPARE(panel.csv(), QString{"square,kind,sender node,receiver node,bytes\nMeasured,pp,0,1,150\n"});
    }

    void aMarkedRankMarksItsNode()
    {
        HeatmapPanel panel;
        panel.resize(500, 420);
        panel.setContent(contentOf(eightRanks()));
        panel.showNodes(true);
        const QImage unmarked = panel.grab().toImage();
        QSignalSpy wishes{&panel, &PicturePanel::selectionWished};
        Selection selection;
        selection.rank = 6;
        panel.setSelection(selection);
        QVERIFY(panel.grab().toImage() != unmarked);
        auto* view = panel.findChild<HeatmapView*>();
        const QRectF square = view->squareRectangle(0);
        const auto clickRow = [&](double row) {
            QTest::mouseClick(
                view, Qt::LeftButton, {},
                QPointF{square.center().x(), square.top() + row * square.height() / 2}.toPoint());
            return wishes.back().front().value<Selection>().rank;
        };
        QCOMPARE(clickRow(0.5), std::optional<std::int64_t>{0}); // the first of the sending node
        QCOMPARE(clickRow(1.5), std::optional<std::int64_t>{});  // rank 6 is of this one
    }

    void whatIsZoomedInStaysOnScreen()
    {
        HeatmapPanel panel;
        panel.setContent(contentOf(largeWorld(8)));
        panel.view().setWindow({32.0, 64.0, 32.0});
        panel.showNodes(true);
        QCOMPARE(panel.view().window(), (RankWindow{4.0, 8.0, 4.0}));
        panel.showNodes(false);
        QCOMPARE(panel.view().window(), (RankWindow{32.0, 64.0, 32.0}));
        panel.view().showAll();
        panel.showNodes(true);
        QCOMPARE(panel.view().window(), wholeWorld(16));
    }

    void aLargeWorldIsAddedUpAtOnce()
    {
        HeatmapPanel panel;
        panel.showNodes(true);
        panel.setContent(contentOf(largeWorld(8192)));
        QVERIFY(!panel.view().isPooling());
        QCOMPARE(panel.view().scene().ranks, 16384);
    }

    // GPUs with less than the slowest NIC has are taken to share some.
    void aNetworkCardIsOfAGpuUnlessTheClusterSaysElse_data()
    {
        QTest::addColumn<int>("nics");
        QTest::addColumn<BandwidthOf>("bandwidth_of");
        QTest::addColumn<QString>("name");
        QTest::newRow("not known") << 0 << BandwidthOf::gpu << "NIC of GPU 0, sent";
        QTest::newRow("each GPU its own") << 4 << BandwidthOf::gpu << "NIC of GPU 0, sent";
        QTest::newRow("one for four") << 1 << BandwidthOf::gpu << "NIC of node 0, sent";
        QTest::newRow("two for four") << 2 << BandwidthOf::gpu << "NICs of node 0, sent";
        QTest::newRow("a bandwidth that all share") << 0 << BandwidthOf::node << "NIC of node 0, sent";
    }
    void aNetworkCardIsOfAGpuUnlessTheClusterSaysElse()
    {
        QFETCH(int, nics);
        QFETCH(BandwidthOf, bandwidth_of);
        QFETCH(QString, name);
        Scenario scenario = eightRanks();
        scenario.cluster.nics_per_node = nics;
        scenario.cluster.inter_node.bandwidth_of = bandwidth_of;
        HeatmapPanel panel;
        panel.setContent(contentOf(scenario));
        const HeatmapScene& scene = panel.view().scene();
        QCOMPARE(scene.links[1].name, name);
        const bool is_shared = name.contains("node");
        QVERIFY(scene.figures_tip.contains(scene.headline)); // which a narrow picture cuts
        QCOMPARE(scene.figures_tip.contains("shared by its 4 GPUs"), is_shared);
        QCOMPARE(scene.figures_tip.contains("is taken to have"), nics == 0 && !is_shared);
        if (is_shared) { // of two nodes each sends half of what goes between nodes
            panel.showNodes(true);
            const double sum = between(panel, 0, 0, 1);
            QCOMPARE(scene.links[1].intra, signedBytes(sum, false));
        }
    }
};

QTEST_MAIN(TestHeatmapNodes)
#include "tst_heatmap_nodes.moc"
