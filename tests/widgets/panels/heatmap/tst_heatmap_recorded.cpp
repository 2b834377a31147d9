#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/heatmap/run_with.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/heatmap_texts.h"
#include "widgets/plots/heatmap/heatmap_view.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

// Ranks 0 and 1 of eight were read; rank 1 received of rank 5.
const std::vector<MeasuredCell> told{
    {Kind::tp, 0, 1, 100.0}, {Kind::tp, 1, 0, 100.0}, {Kind::pp, 5, 1, 40.0}};

Content twoOfEight(std::int64_t gpus_per_node = 4)
{
    Scenario scenario;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    scenario.cluster.gpus_per_node = gpus_per_node;
    return {predictedOf(scenario), {}, runWith(told, 2), false};
}

QString tipOf(const HeatmapPanel& panel, const HeatmapSpot& spot)
{
    const HeatmapScene& scene = const_cast<HeatmapPanel&>(panel).view().scene();
    return HeatmapTexts{scene}.tip(spot).replace("&nbsp;", " ");
}

// Along a line near the upper edge of a cell, above what may be written into it.
std::vector<QColor> coloursIn(HeatmapPanel& panel, int square, int row, int column)
{
    const QImage image = panel.grab().toImage();
    const QRectF place = panel.view().squareRectangle(square);
    const double cell = place.width() / 8.0;
    const QPoint corner = panel.view().mapTo(
        &panel, (place.topLeft() + QPointF{(column + 0.2) * cell, (row + 0.2) * cell}).toPoint());
    std::vector<QColor> colours;
    for (int step = 0; step < 12; ++step) {
        const QColor colour = image.pixelColor(corner + QPoint{step, 0});
        if (std::ranges::find(colours, colour) == colours.end())
            colours.push_back(colour);
    }
    return colours;
}

} // namespace

// Traces of a part of a run's ranks: what the others sent is not known.
class TestHeatmapRecorded : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void theHeadingCountsTheRecordedRanks()
    {
        HeatmapPanel panel;
        panel.setContent(twoOfEight());
        QCOMPARE(panel.view().scene().squares[1].note, QString{"2 of 8 ranks"});
        panel.setMode(HeatmapMode::measured);
        QVERIFY2(panel.view().scene().headline.contains(", of 2 of 8 ranks: "),
                 qPrintable(panel.view().scene().headline));
        QVERIFY(panel.view().scene().figures_tip.contains("sent by 2 of 8 ranks"));
        Content whole = twoOfEight();
        whole.measured = runWith(told);
        panel.setContent(whole);
        QVERIFY(!panel.view().scene().headline.contains("of 8 ranks"));
        QVERIFY(panel.view().scene().figures_tip.contains("sent by all ranks"));
    }

    void theTipSaysWhoWasNotRecorded_data()
    {
        QTest::addColumn<int>("sender");
        QTest::addColumn<int>("receiver");
        QTest::addColumn<QString>("says");
        QTest::addColumn<QString>("never");
        QTest::newRow("not read") << 4 << 3 << "rank 4 was not recorded"
                                  << "nothing is sent";
        QTest::newRow("not read, but received of") << 5 << 1 << "40 B"
                                                   << "nothing is sent";
        QTest::newRow("read, and sends nothing") << 1 << 4 << "nothing is sent"
                                                 << "not recorded";
        QTest::newRow("read") << 0 << 1 << "100 B"
                              << "not recorded";
    }
    void theTipSaysWhoWasNotRecorded()
    {
        QFETCH(int, sender);
        QFETCH(int, receiver);
        QFETCH(QString, says);
        QFETCH(QString, never);
        HeatmapPanel panel;
        panel.setContent(twoOfEight());
        panel.setMode(HeatmapMode::measured);
        const QString tip = tipOf(panel, {0, sender, receiver, 1});
        QVERIFY2(tip.contains(says), qPrintable(tip));
        QVERIFY2(!tip.contains(never), qPrintable(tip));
        const QString sentence = HeatmapTexts{panel.view().scene()}.sentence({0, sender, receiver, 1});
        QCOMPARE(sentence.contains("was not recorded"), sender > 1);
    }

    // Rank 4 sends rank 5 in the prediction: beside it stands a dash, not 0 B.
    void besideThePredictionWhatIsNotKnownIsADash()
    {
        HeatmapPanel panel;
        panel.setContent(twoOfEight());
        const QString tip = tipOf(panel, {1, 4, 5, 1});
        QVERIFY2(tip.contains("rank 4 was not recorded"), qPrintable(tip));
        QVERIFY2(tip.contains(QStringLiteral("> –</td>")) && !tip.contains(" 0 B"), qPrintable(tip));
    }

    void aDifferenceIsOfRecordedRanksAlone()
    {
        HeatmapPanel panel;
        panel.setContent(twoOfEight());
        const auto predicted = panel.view().scene().squares[0].rows;
        panel.setMode(HeatmapMode::measured_change);
        const auto rows = panel.view().scene().squares[0].rows;
        std::vector<TrafficEntry> entries;
        rows->appendRow(4, entries);
        QVERIFY(entries.empty());
        rows->appendRow(0, entries);
        QVERIFY(!entries.empty());
        QCOMPARE(rows->knownSenders(), std::int64_t{2});
        QVERIFY(tipOf(panel, {0, 4, 5, 1}).contains("rank 4 was not recorded"));
        QVERIFY(!tipOf(panel, {0, 4, 5, 1}).contains("no difference"));
        QVERIFY(panel.view().scene().headline.contains("of 2 of 8 ranks"));
    }

    void theirRowsAreStriped_data()
    {
        QTest::addColumn<HeatmapMode>("mode");
        QTest::addColumn<int>("square");
        QTest::addColumn<bool>("is_striped");
        QTest::newRow("measured") << HeatmapMode::measured << 0 << true;
        QTest::newRow("measured, beside") << HeatmapMode::side_by_side << 1 << true;
        QTest::newRow("predicted, beside") << HeatmapMode::side_by_side << 0 << false;
        QTest::newRow("difference") << HeatmapMode::measured_change << 0 << true;
    }
    void theirRowsAreStriped()
    {
        QFETCH(HeatmapMode, mode);
        QFETCH(int, square);
        HeatmapPanel panel;
        panel.resize(700, 420);
        panel.setContent(twoOfEight());
        panel.setMode(mode);
        panel.grab();
        QCOMPARE(coloursIn(panel, square, 1, 6).size(), std::size_t{1}); // rank 1 sends it nothing
        QTEST(coloursIn(panel, square, 4, 7).size() > 1, "is_striped");
    }

    void ofANodeAllRanksMustBeRecorded()
    {
        HeatmapPanel panel;
        panel.setContent(twoOfEight(2));
        panel.setMode(HeatmapMode::measured);
        panel.showNodes(true);
        const auto rows = panel.view().scene().squares[0].rows;
        QCOMPARE(rows->ranks(), std::int64_t{4});
        QVERIFY(rows->knows(0) && !rows->knows(2));
        QVERIFY(tipOf(panel, {0, 1, 2, 1}).contains("not all ranks of node 1 were recorded"));
        panel.setContent(twoOfEight(4));
        QVERIFY(!panel.view().scene().squares[0].rows->knows(0)); // two of four
    }
};

QTEST_MAIN(TestHeatmapRecorded)
#include "tst_heatmap_recorded.moc"
