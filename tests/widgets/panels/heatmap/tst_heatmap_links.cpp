#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/heatmap/run_with.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/heatmap_texts.h"
#include "widgets/plots/heatmap/heatmap_layout.h"
#include "widgets/plots/heatmap/heatmap_painting.h"
#include "widgets/session/shown_text.h"

#include "core/report/link_report.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

// (p, t, d) = (2, 2, 2): tensor and data pairs inside nodes of four, pipelines between them.
Scenario eightRanks(double network_GBps = 50.0)
{
    Scenario scenario;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    scenario.cluster.gpus_per_node = 4;
    scenario.cluster.node_wiring = NodeWiring::switched;
    scenario.cluster.intra_node = {"nvlink3", 100.0, 6.0, BandwidthOf::gpu};
    scenario.cluster.inter_node = {"infiniband", network_GBps, 30.0, BandwidthOf::gpu};
    return scenario;
}

constexpr double gigabyte = 1e9;

// GPU 0 sends 10 GB to the other node, 20 GB to GPU 1 of its own; each rank's run took `length_s`.
std::shared_ptr<const MeasuredRun> measured(double length_s, std::int64_t read = 8)
{
    auto run = std::make_shared<MeasuredRun>(
        *runWith({{Kind::pp, 0, 4, 10.0 * gigabyte}, {Kind::tp, 0, 1, 20.0 * gigabyte}}, read));
    for (std::int64_t rank = 0; rank < read; ++rank) {
        RankMeasurement of_rank;
        of_rank.rank = rank;
        of_rank.has_timeline = length_s > 0.0;
        of_rank.window_ns = static_cast<std::int64_t>(length_s * 1e9);
        run->measurement.ranks.push_back(of_rank);
    }
    return run;
}

// "name|time|share" of each line.
QStringList busyOf(HeatmapPanel& panel)
{
    QStringList lines;
    for (const NodeTotalsLine& line : panel.view().scene().busy)
        lines << line.name + '|' + line.intra + '|' + line.inter;
    return lines;
}

QString tipOf(HeatmapPanel& panel, const HeatmapSpot& spot)
{
    return HeatmapTexts{panel.view().scene()}.tip(spot).replace("&nbsp;", " ");
}

double sumBetween(HeatmapPanel& panel, std::int64_t sender, std::int64_t receiver)
{
    double sum = 0.0;
    for (const double bytes : bytesBetween(*panel.view().scene().squares.front().rows, sender, receiver))
        sum += bytes;
    return sum;
}

} // namespace

// Bytes on links, the links' rates, and how long they are busy.
class TestHeatmapLinks : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void thePictureTellsHowLongLinksAreBusy()
    {
        HeatmapPanel panel;
        const auto predicted = predictedOf(eightRanks());
        panel.setContent({predicted, {}, {}, false});
        const TrafficFamilies families{TrafficMatrix{predicted->scenario, predicted->prediction}};
        QStringList expected{"busy at least||of iteration"};
        for (const LinkUse& use :
             linkUses(busiestLinks(families, nodeShape(predicted->scenario)), predicted->scenario.cluster))
            expected << QStringLiteral("%1, %2 GB/s|%3|%4")
                            .arg(use.is_inside ? "a GPU's nvlink3" : "NIC")
                            .arg(use.is_inside ? 100 : 50)
                            .arg(secondsText(use.busy_s()),
                                 ratioText(use.busy_s() / predicted->prediction.time.iteration_s));
        QCOMPARE(expected.size(), 3);
        QCOMPARE(busyOf(panel), expected);
    }

    void aSlowerNetworkIsLongerBusy()
    {
        HeatmapPanel panel;
        panel.setContent({predictedOf(eightRanks(50.0)), {}, {}, false});
        const QStringList fast = busyOf(panel);
        panel.setContent({predictedOf(eightRanks(5.0)), {}, {}, false});
        QVERIFY(busyOf(panel)[1] != fast[1]);
        QCOMPARE(busyOf(panel)[2].section('|', 0, 1), fast[2].section('|', 0, 1)); // of the same bytes
    }

    // 10 GB at 50 GB/s, 20 GB at 100 GB/s, in two seconds that nothing divides into steps.
    void measuredBytesAreOfTheMeasuredTime()
    {
        HeatmapPanel panel;
        panel.setContent({predictedOf(eightRanks()), {}, measured(2.0), false});
        panel.setMode(HeatmapMode::measured);
        QCOMPARE(busyOf(panel), (QStringList{"busy at least||of the run", "NIC, 50 GB/s|200 ms|10.0 %",
                                             "a GPU's nvlink3, 100 GB/s|200 ms|10.0 %"}));
        const QString& tip = panel.view().scene().figures_tip;
        QVERIFY2(tip.contains("GPU 0 within its node, sent"), qPrintable(tip));
        QVERIFY2(tip.contains("nodes and bandwidths are the scenario's"), qPrintable(tip));
        panel.setMode(HeatmapMode::side_by_side); // the picture has the first square's, the tip both
        QVERIFY(!busyOf(panel).contains("NIC, 50 GB/s|200 ms|10.0 %"));
        QCOMPARE(panel.view().scene().figures_tip.count("busy at least"), 4); // twice each
        panel.setMode(HeatmapMode::measured_change);
        QVERIFY(busyOf(panel).isEmpty());
    }

    void withoutTimesOrRatesNoneAreTold()
    {
        HeatmapPanel panel;
        panel.setContent({predictedOf(eightRanks()), {}, measured(0.0), false});
        panel.setMode(HeatmapMode::measured);
        QCOMPARE(busyOf(panel)[1], QString{"NIC, 50 GB/s|200 ms|–"});
        panel.setContent({{}, {}, measured(2.0), false}); // nobody says what machines these are
        QVERIFY(busyOf(panel).isEmpty());
    }

    void whatWasNotRecordedMakesNoMean()
    {
        HeatmapPanel panel;
        panel.setContent({predictedOf(eightRanks()), {}, measured(2.0, 2), false});
        panel.setMode(HeatmapMode::measured);
        for (const NodeTotalsLine& line : panel.view().scene().links)
            if (!line.is_faded)
                QCOMPARE(line.inter, QString{"–"});
        QVERIFY(panel.view().scene().figures_tip.contains("as far as ranks were recorded"));
    }

    // A node of four has four times a GPU's network, and its own links inside.
    void cellsOfNodesTellRateTimeAndShare()
    {
        HeatmapPanel panel;
        const auto predicted = predictedOf(eightRanks());
        panel.setContent({predicted, {}, {}, false});
        QVERIFY(!tipOf(panel, {0, 0, 4, 1}).contains("GB/s"));
        panel.showNodes(true);
        for (const auto& [receiver, GBps] : {std::pair{1, 200.0}, {0, 400.0}}) {
            const double busy_s = sumBetween(panel, 0, receiver) / (GBps * 1e9);
            const QString share = ratioText(busy_s / predicted->prediction.time.iteration_s);
            const HeatmapSpot spot{0, 0, receiver, 1};
            const QString tip = tipOf(panel, spot);
            for (const QString& part : {toQString(rateText(GBps)), secondsText(busy_s), share,
                                        QString{"busy at least"}, QString{"of the iteration"}})
                QVERIFY2(tip.contains(part), qPrintable(part + " in " + tip));
            QVERIFY(HeatmapTexts{panel.view().scene()}.sentence(spot).endsWith(
                QStringLiteral("at least %1 at %2 (%3 of the iteration)")
                    .arg(secondsText(busy_s), toQString(rateText(GBps)), share)));
        }
    }

    void eachSquareHasItsOwnRatesAndTime()
    {
        HeatmapPanel panel;
        panel.setContent(
            {predictedOf(eightRanks(50.0)), predictedOf(eightRanks(25.0)), measured(2.0), false});
        panel.setMode(HeatmapMode::beside_pinned);
        panel.showNodes(true);
        const QString tip = tipOf(panel, {0, 0, 1, 1});
        QVERIFY2(tip.contains("200 GB/s") && tip.contains("100 GB/s"), qPrintable(tip));
        panel.setMode(HeatmapMode::measured);
        const QString of_run = tipOf(panel, {0, 0, 1, 1}); // 10 GB at 200 GB/s in two seconds
        QVERIFY2(of_run.contains("50 ms") && of_run.contains("2.5 %") && of_run.contains("of the run"),
                 qPrintable(of_run));
        panel.setMode(HeatmapMode::change_of_pinned);
        QVERIFY(!tipOf(panel, {0, 0, 1, 1}).contains("GB/s"));
    }

    // Large pictures have all tables, one below the other; none lies over another, or over an edge.
    void tablesFindRoomInLargePictures()
    {
        HeatmapPanel panel;
        panel.setContent({predictedOf(eightRanks()), {}, {}, false});
        const HeatmapScene& scene = panel.view().scene();
        const QRectF area{0.0, 0.0, 1366.0, 640.0};
        const HeatmapLayout layout = layOutHeatmap(area, needsOf(scene, panel.font()));
        QVERIFY(!layout.totals.isEmpty() && !layout.links.isEmpty() && !layout.busy.isEmpty());
        for (const QRectF& table : {layout.totals, layout.links, layout.busy})
            QVERIFY(area.contains(table) && !table.intersects(layout.squares.front()));
        QVERIFY(!layout.busy.intersects(layout.links) && !layout.links.intersects(layout.totals));
    }
};

QTEST_MAIN(TestHeatmapLinks)
#include "tst_heatmap_links.moc"
