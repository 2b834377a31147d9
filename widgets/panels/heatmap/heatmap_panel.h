#pragma once

#include "core/analysis/calls/expert_traffic.h"
#include "core/prediction/traffic/busiest_links.h"
#include "widgets/panels/heatmap/traffic_reader.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/plots/heatmap/heatmap_view.h"
#include "widgets/plots/heatmap/traffic_grid.h"
#include "widgets/session/latest_job.h"

#include <map>
#include <memory>

class QComboBox;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace shardscope
{

class ExpertView;
class LegendChips;
class RankOrderStrip;
class SegmentButton;
class StepStrip;
struct HeatmapTexts;
struct LinkedWorld;

// What the squares of the heatmap show.
enum class HeatmapMode : unsigned char {
    predicted,
    measured,
    side_by_side,     // predicted, measured
    measured_change,  // measured minus predicted
    beside_pinned,    // predicted, pinned
    change_of_pinned, // predicted minus pinned
};

constexpr bool isDifference(HeatmapMode mode)
{
    return mode == HeatmapMode::measured_change || mode == HeatmapMode::change_of_pinned;
}

// Who sends how many bytes to whom in one iteration, rank by rank or node by node: predicted, measured, and
// what differs.
class HeatmapPanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit HeatmapPanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("heatmap"); }
    QString title() const override { return QStringLiteral("Traffic between ranks"); }
    QString heading() const override;
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    QWidget* keyTaker() const override;
    QString csv() const override; // of the senders on screen
    bool isBusy() const override
    {
        return m_predicted.isRunning() || m_pinned.isRunning() || m_summing.isRunning()
               || m_linking.isRunning() || m_stepping.isRunning() || m_view->isPooling();
    }
    void paintTo(QPainter& painter, const QRectF& rectangle) override;

    void setMode(HeatmapMode mode);
    HeatmapMode mode() const { return m_mode; }
    void setScale(HeatScale scale);
    // The squares add up what goes from node to node, where there are several.
    void showNodes(bool on);
    // Of nodes only what goes between them.
    void showBetween(bool on);
    HeatmapView& view() { return *m_view; }
    const LegendChips& legend() const { return *m_legend; }
    StepStrip& steps() { return *m_steps; }
    void showExperts(bool on);
    bool showsExperts() const;

protected:
    void paletteChanged() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;

private:
    using Summaries = std::vector<TrafficSummary>;
    using Squares = std::vector<HeatmapSquare>;
    struct Wanted { // to be added up
        Squares of_ranks;
        std::optional<NodeShare> of_nodes;          // nothing: the squares are of ranks
        std::int64_t pod = 0;                       // ranks in one; 0: not known, or all are in one
        std::shared_ptr<const TrafficRows> minuend; // of a difference

        std::int64_t cost() const; // about how many rows are asked for
    };
    struct Summed {
        Squares squares;
        Summaries summaries; // what goes inside nodes and between them is of all that ranks send
        std::optional<TrafficSummary> pods; // of the first, with pods in the place of nodes
        std::optional<TrafficSummary> minuend;
    };
    static Summed sum(const Wanted& wanted);

    void setUpControls();
    void layOutPages();
    void connectControls();
    void connectView();
    bool isAvailable(HeatmapMode mode) const;
    void offerModes();
    void offerExperts();
    void readSources();
    void takePredicted();
    void readPinned();
    // heatmap_steps.cpp
    struct StepTraffic {
        std::int64_t step = 0;
        std::shared_ptr<const MeasuredTraffic> rows; // null: the step sends nothing
        std::vector<MeasuredExpertLoad> loads;
        double iteration_s = 0.0; // 0: not told
    };
    void readMeasured();
    void showStep(const std::optional<std::int64_t>& step);
    void takeStep(const StepTraffic& of_step);
    QString measuredSteps() const; // "step 5", "mean of 12 steps"; empty: the run marked one step
    bool isWholeRun() const;       // that is measured: nothing told its steps apart
    void chooseSquares();
    Squares chosenSquares() const;
    void offerNodes(const Squares& of_ranks);
    Wanted wantedOf(const Squares& of_ranks) const;
    void sumSquares(const Squares& of_ranks);
    void takeSums(Summed summed);
    // heatmap_link_figures.cpp
    void sumLinks();
    void sumMeasuredLinks();
    bool hasPredictedLinks() const; // on screen
    bool hasMeasuredLinks() const;
    LinkedWorld predictedWorld() const;
    LinkedWorld measuredWorld() const;
    void showLinks(HeatmapScene& scene) const;
    QString linksTips() const;
    std::optional<LinkRates> ratesOf(const PredictedScenario* of) const;
    std::optional<LinkRates> measuredRates() const;
    QWidget* makeOrderRow();
    void showOrder();
    void placeOrderRow();
    bool orderTakesLegendLines() const;
    void fitHead();
    void wishOrder(const RankOrder& order, const QString& gesture);
    void refresh();
    std::vector<QWidget*> tools() const; // beside the legend
    void updateLegend(const std::optional<Kind>& marked);
    HeatSpan spanOf(const std::optional<Kind>& kind) const;
    std::vector<NodeTotalsLine> totals(const std::optional<Kind>& marked) const;
    void nameAllButton(bool is_by_node);
    void namePodBox();
    QString figuresTip(const HeatmapScene& scene) const;
    QString hintOfOneRank() const;
    QString recordedRanksWord() const; // "2 of 8 ranks"; empty: all were, or none is measured
    QString whoseTraffic(const std::optional<Kind>& marked, bool is_short) const;
    // Its figures are the first square's.
    QString headline(const std::optional<Kind>& marked, bool is_short) const;
    QString changeHeadline(const std::optional<Kind>& marked) const;
    QString betweenPods(const std::optional<Kind>& marked) const;
    HeatmapTexts texts() const;
    // Whose links between each other are fast: of a node, or of a rack that is one domain of NVLink.
    std::int64_t gpusPerNode() const;
    std::int64_t ranksOfPod() const; // 0: there are not several
    // As the user says, else those of the cluster's pods; 0: not known.
    std::int64_t nodesPerPod() const;
    SquareLayout layoutOf(std::int64_t ranks) const;

    Content m_content;
    Selection m_selection;
    HeatmapMode m_mode = HeatmapMode::predicted;
    bool m_mode_is_chosen = false; // by the user; otherwise it follows what is open
    HeatScale m_scale = HeatScale::logarithmic;
    TrafficReader m_predicted;
    TrafficReader m_pinned;
    std::shared_ptr<const MeasuredTraffic> m_measured; // of m_shown_step, or m_mean
    std::shared_ptr<const MeasuredTraffic> m_mean;     // of a step of the run
    double m_measured_s = 0.0;                         // how long the step of each is; 0: not told
    double m_mean_s = 0.0;
    std::int64_t m_mean_of_steps = 1;
    bool m_has_marks = false;                 // of steps; without them the run may have recorded several
    std::optional<std::int64_t> m_shown_step; // the strip's, once it is analysed
    std::shared_ptr<const MeasuredRun> m_measured_source;
    std::map<std::int64_t, StepTraffic> m_of_step; // those that were shown
    std::vector<MeasuredExpertLoad> m_loads;       // of what is shown
    Squares m_squares;
    Summaries m_summaries; // of the squares
    std::optional<TrafficSummary> m_pod_summary;
    std::optional<TrafficSummary> m_minuend; // of a difference: of what it is one
    LatestJob<Summed> m_summing;
    bool m_by_node = false;              // wished; with one node there is nothing to add up
    bool m_between = false;              // wished, of nodes
    std::optional<BusiestLinks> m_links; // of the prediction
    std::optional<BusiestLinks> m_measured_links;
    LatestJob<BusiestLinks> m_linking;
    LatestJob<StepTraffic> m_stepping;
    LegendChips* m_legend;
    QComboBox* m_mode_box;
    SegmentButton* m_node_button;
    SegmentButton* m_between_button; // while squares are of nodes
    SegmentButton* m_log_button;
    QToolButton* m_all_button; // while the view is zoomed in
    SegmentButton* m_expert_button;
    QSpinBox* m_pod_box; // nodes of a pod, as the user says; 0: as many as the cluster has
    QStackedWidget* m_pages;
    HeatmapView* m_view; // the first of the pictures, for Tab too
    StepStrip* m_steps;
    ExpertView* m_experts;
    QWidget* m_order_row = nullptr;
    RankOrderStrip* m_order = nullptr;
    QComboBox* m_mapping_box = nullptr;
    bool m_has_mappings = false; // both of Li et al. are possible and differ
};

} // namespace shardscope
