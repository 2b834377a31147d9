#include <QApplication>
#include <QElapsedTimer>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/heatmap/expert_view.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/heatmap_texts.h"
#include "widgets/panels/heatmap/rank_order_strip.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/curves/curve_painting.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/heatmap/heatmap_view.h"

#include <algorithm>

using namespace shardscope;

namespace
{

// (p, t, d) = (2, 2, data) on nodes of four GPUs.
Scenario layoutOf(std::int64_t data)
{
    Scenario scenario;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = data;
    scenario.training.global_batch_size = 16;
    scenario.cluster.gpus_per_node = 4;
    return scenario;
}

Content pinnedBeside(std::int64_t data, std::int64_t pinned_data)
{
    Content content;
    content.predicted = predictedOf(layoutOf(data));
    content.pinned = predictedOf(layoutOf(pinned_data));
    return content;
}

std::int64_t dataOf(const std::vector<AxisBand>& bands)
{
    for (const AxisBand& band : bands)
        if (band.dimension == Dimension::dp)
            return band.size;
    return 1;
}

} // namespace

// Two squares beside each other, each with the ranks of its own layout.
class TestHeatmapSquares : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void eachSquareHasTheRanksAndBandsOfItsOwnLayout_data()
    {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pinned_data");
        QTest::newRow("fewer ranks are pinned") << 4 << 2;
        QTest::newRow("more ranks are pinned") << 2 << 4;
        QTest::newRow("as many") << 2 << 2;
    }
    void eachSquareHasTheRanksAndBandsOfItsOwnLayout()
    {
        QFETCH(int, data);
        QFETCH(int, pinned_data);
        HeatmapPanel panel;
        panel.setContent(pinnedBeside(data, pinned_data));
        panel.setMode(HeatmapMode::beside_pinned);
        const HeatmapScene& scene = panel.view().scene();
        QCOMPARE(scene.ranks, 4 * std::max(data, pinned_data));
        QCOMPARE(scene.squares.size(), std::size_t{2});
        for (const auto& [square, degree] : {std::pair{0, data}, {1, pinned_data}}) {
            const SquareLayout& layout = scene.squares[static_cast<std::size_t>(square)].layout;
            QCOMPARE(layout.ranks, 4 * degree);
            QCOMPARE(dataOf(layout.bands), degree);
            // Rank 4 is the first of the second stage, or the third replica.
            QCOMPARE(HeatmapTexts{scene}.placeOf(4, square),
                     degree == 2 ? QString{"tp 0, dp 0, pp 1, node 1"} : QString{"tp 0, dp 2, pp 0, node 1"});
        }
        panel.resize(640, 480);
        QVERIFY(!panel.grab().isNull());
    }

    void differencesOfUnlikeLayoutsHaveNoBands()
    {
        HeatmapPanel panel;
        panel.setContent(pinnedBeside(2, 4));
        panel.setMode(HeatmapMode::change_of_pinned);
        QCOMPARE(panel.view().scene().squares.front().layout.ranks, 16);
        QVERIFY(panel.view().scene().squares.front().layout.bands.empty());
        panel.setContent(pinnedBeside(4, 2));
        QCOMPARE(dataOf(panel.view().scene().squares.front().layout.bands), 4);
    }

    // Another order of the ranks moves bytes; what differs by nothing in sum is still sent.
    void aDifferenceSaysWhatThereIsInSum()
    {
        HeatmapPanel panel;
        Content content = pinnedBeside(2, 2);
        panel.setContent(content);
        panel.setMode(HeatmapMode::change_of_pinned);
        QCOMPARE(panel.view().scene().headline, QString{"One iteration: no difference"});
        Scenario other = layoutOf(2);
        other.cluster.gpus_per_node = 8; // of both: the pinned one's ranks stand on the scenario's nodes
        other.parallel.rank_order = {Dimension::tp, Dimension::pp, Dimension::cp, Dimension::ep,
                                     Dimension::dp};
        content.predicted = predictedOf(other);
        panel.setContent(content);
        const QString same = panel.view().scene().headline;
        QVERIFY2(same.startsWith("One iteration, unchanged in sum: "), qPrintable(same));
        QVERIFY2(!same.contains(": 0 B inside nodes") && same.endsWith(", 0 B between nodes"),
                 qPrintable(same));
        other.cluster.gpus_per_node = 4; // data peers leave their node, stages come into it
        content.predicted = predictedOf(other);
        panel.setContent(content);
        const QString moved = panel.view().scene().headline;
        QVERIFY2(moved.startsWith("One iteration, in sum: ") && moved.contains(" inside nodes, ")
                     && (moved.contains(QChar{0x2212}) && moved.contains('+')),
                 qPrintable(moved));
    }

    void besideAnotherSquareTheFiguresNameTheirs()
    {
        HeatmapPanel panel;
        panel.setContent(pinnedBeside(2, 4));
        panel.setMode(HeatmapMode::beside_pinned);
        QVERIFY(panel.view().scene().headline.startsWith("Predicted, one iteration: "));
        QVERIFY(panel.view().scene().short_headline.startsWith("Predicted: "));
        panel.setMode(HeatmapMode::predicted);
        QVERIFY(panel.view().scene().headline.startsWith("One iteration: "));
    }

    // Tools that come with a pin, with nodes or with a zoom leave the order its room, or take it away whole.
    void theOrderOfRanksIsNeverCut_data()
    {
        QTest::addColumn<int>("height");
        for (const int height : {200, 230, 291, 400})
            QTest::addRow("%d high", height) << height;
    }
    void theOrderOfRanksIsNeverCut()
    {
        QFETCH(int, height);
        HeatmapPanel panel;
        panel.setContent(pinnedBeside(2, 2));
        panel.show();
        const auto* strip = panel.findChild<RankOrderStrip*>();
        bool is_seen = false;
        for (int width = 340; width <= 900; width += 20) {
            panel.resize(width, height);
            for (const bool by_node : {false, true}) {
                panel.view().showAll();
                panel.showNodes(by_node);
                for (const double span : {8.0, 2.0}) {
                    panel.view().setWindow({0.0, 0.0, std::min(span, panel.view().window().span)});
                    QApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
                    is_seen = is_seen || strip->isVisible();
                    QVERIFY2(!strip->isVisible()
                                 || strip->visibleRegion().boundingRect().width()
                                        == strip->sizeHint().width(),
                             qPrintable(QString{"%1 wide"}.arg(width)));
                }
            }
        }
        QVERIFY(is_seen);
    }

    // A panel of the smallest usual window: the order takes the place of the legend's other lines.
    void aLowPictureHasTheOrderInThePlaceOfLegendLines()
    {
        HeatmapPanel panel;
        panel.resize(370, 216);
        panel.setContent(pinnedBeside(2, 2));
        panel.show();
        QApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QVERIFY(panel.findChild<RankOrderStrip*>()->isVisible());
        QVERIFY(panel.legend().height() < 30);
    }

    // Every pair of an expert group has bytes of its own.
    void trafficOfManyUnevenExpertsIsReadBesideTheWindow()
    {
        HeatmapPanel panel;
        Content content;
        content.predicted = predictedOf(layoutOf(2));
        panel.setContent(content);
        QVERIFY(!panel.isBusy());
        Scenario dear = layoutOf(64);
        dear.model.experts.count = 64;
        dear.model.experts.skew = 0.5;
        dear.parallel.expert = 64;
        dear.training.global_batch_size = 64;
        dear.training.micro_batch_size = 1;
        content.predicted = predictedOf(dear);
        panel.setContent(content);
        QVERIFY(panel.isBusy());
        QCOMPARE(panel.view().scene().squares.front().layout.ranks, 8); // the older picture stays
        QTRY_VERIFY(!panel.isBusy());
        QCOMPARE(panel.view().scene().squares.front().layout.ranks, 256);
        QCOMPARE(panel.view().scene().squares.front().rows->ranks(), 256);
        dear.model.experts.skew = 1.0;
        content.pinned = predictedOf(dear);
        panel.setContent(content);
        QVERIFY(panel.isBusy());
        for (QElapsedTimer moving; panel.isBusy();) { // a slider that moves does not begin it anew
            if (!moving.isValid())
                moving.start();
            QVERIFY(moving.elapsed() < 20'000);
            content.predicted = predictedOf(layoutOf(2));
            panel.setContent(content);
            QTest::qWait(1);
        }
        QTRY_VERIFY(!panel.isBusy());
        panel.setMode(HeatmapMode::beside_pinned);
        QCOMPARE(panel.view().scene().squares.size(), std::size_t{2});
    }

    void theCsvHoldsWhatIsOnScreen()
    {
        HeatmapPanel panel;
        Content content;
        content.predicted = predictedOf(layoutOf(2));
        panel.setContent(content);
        QVERIFY(panel.csv().contains(",dp,"));
        Selection selection;
        selection.kind = Kind::tp;
        panel.setSelection(selection);
        QVERIFY(panel.csv().contains(",tp,"));
        QVERIFY(!panel.csv().contains(",dp,"));
        RankWindow window;
        window.first_row = 0.0;
        window.first_column = 4.0;
        window.span = 4.0;
        const HeatmapTexts texts{panel.view().scene()};
        QCOMPARE(texts.table(window).size(), 1); // tensor pairs lie on the diagonal: the head alone
    }

    // White stripes between equal bars would look like data.
    void loadsOfManyExpertsLeaveNoGaps()
    {
        Scenario scenario = layoutOf(2);
        scenario.model.experts.count = 256;
        const BarScene scene = expertLoadScene(scenario, Theme{QPalette{}});
        const auto placed = placeSegments(scene, mappingOf(scene, Qt::Vertical, {0.0, 0.0, 221.0, 100.0}));
        QVERIFY(placed.size() > 100);
        for (std::size_t i = 1; i < placed.size(); ++i)
            QCOMPARE(placed[i].rectangle.left(), placed[i - 1].rectangle.right());
    }

    // As narrow as it is in a window of the usual size, beside the loads.
    void titlesOfTheBytesToExpertsFit()
    {
        Scenario scenario = layoutOf(2);
        scenario.model.experts.count = 4;
        scenario.parallel.expert = 2;
        Content content;
        content.predicted = predictedOf(scenario);
        HeatmapPanel panel;
        panel.setContent(content);
        panel.showExperts(true);
        const auto* bytes = panel.findChild<CurveView*>();
        QVERIFY(bytes != nullptr);
        const CurveScene& scene = bytes->scene();
        QVERIFY(!scene.y_title.isEmpty() && !scene.x_title.isEmpty());
        const CurveTitles titles = curveTitles(scene, {0.0, 0.0, 245.0, 220.0}, pixelFont(bytes->font()));
        QCOMPARE(titles.up.text, scene.y_title);
        QCOMPARE(titles.along.text, scene.x_title);
    }

    void theCsvOfTheExpertsIsTheirs()
    {
        Scenario scenario = layoutOf(2);
        scenario.model.experts.count = 4;
        scenario.model.experts.skew = 1.0;
        scenario.parallel.expert = 2;
        Content content;
        content.predicted = predictedOf(scenario);
        HeatmapPanel panel;
        panel.setContent(content);
        panel.showExperts(true);
        const QString csv = panel.csv();
        QVERIFY2(csv.startsWith("what,of,x,value\ntokens over an even share,expert,0,"), qPrintable(csv));
        QVERIFY(csv.contains("\nbytes to experts,no limit,1,"));
    }
};

QTEST_MAIN(TestHeatmapSquares)
#include "tst_heatmap_squares.moc"
