#include "widgets/panels/heatmap/heatmap_panel.h"

#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/heatmap/expert_view.h"
#include "widgets/panels/heatmap/heatmap_texts.h"
#include "widgets/panels/heatmap/rank_order_strip.h"
#include "widgets/panels/heatmap/step_strip.h"
#include "widgets/panels/heatmap/traffic_sources.h"
#include "widgets/panels/picture/legend_frame.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/panels/picture/selection_steps.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"

#include <QComboBox>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr int most_nodes_per_pod = 128;
constexpr int least_mode_width = 80;

} // namespace

HeatmapPanel::HeatmapPanel(QWidget* parent)
    : PicturePanel{parent},
      m_predicted{[this] { takePredicted(); }},
      m_pinned{[this] {
          offerModes();
          chooseSquares();
      }},
      m_summing{[this](Summed summed) { takeSums(std::move(summed)); }},
      m_linking{[this](const BusiestLinks& links) {
          m_links = links;
          refresh();
      }},
      m_stepping{[this](const StepTraffic& of_step) { takeStep(of_step); }},
      m_legend{new LegendChips{LegendChips::Use::buttons, this}},
      m_mode_box{new QComboBox{this}},
      m_node_button{toggleButton(QStringLiteral("by node"), {}, this)},
      m_between_button{toggleButton(
          QStringLiteral("between"),
          QStringLiteral("Only what goes from node to node: what stays in a node is left out of the "
                         "squares and of their colours"),
          this)},
      m_log_button{toggleButton(QStringLiteral("log"), QStringLiteral("Logarithmic colours"), this)},
      m_all_button{new QToolButton{this}},
      m_expert_button{toggleButton(
          QStringLiteral("experts"),
          QStringLiteral("How routing loads the experts, and what is sent to them against top-k"), this)},
      m_pod_box{new QSpinBox{this}},
      m_pages{new QStackedWidget{this}},
      m_view{new HeatmapView{this}},
      m_steps{new StepStrip{this}},
      m_experts{new ExpertView{this}}
{
    setUpControls();
    layOutPages();
    connectControls();
    connectView();
    offerModes();
    refresh();
}

void HeatmapPanel::setUpControls()
{
    m_log_button->setChecked(true);
    m_all_button->hide();
    m_between_button->hide();
    m_mode_box->setSizeAdjustPolicy(QComboBox::AdjustToContents); // a run brings longer ones
    m_mode_box->setMinimumWidth(least_mode_width); // where a panel has no room for its longest name
    m_mode_box->setToolTip(QStringLiteral("What the squares show"));
    m_mode_box->setAccessibleName(QStringLiteral("What the squares show"));
    m_pod_box->setRange(0, most_nodes_per_pod);
    namePodBox();
    m_pod_box->setPrefix(QStringLiteral("pod of "));
    m_pod_box->setToolTip(
        QStringLiteral("Nodes of a pod, or of a rack: its borders are drawn, and what leaves it is "
                       "counted, in this picture alone; at its least the cluster's own Nodes of a pod"));
    m_pod_box->setAccessibleName(QStringLiteral("Nodes of a pod"));
    m_view->setAccessibleName(title());
}

void HeatmapPanel::layOutPages()
{
    m_experts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // it may be as small as the heatmap
    m_pages->addWidget(m_view);
    m_pages->addWidget(m_experts);
    layOutPicture(this, m_legend, tools(), m_pages);
    auto* column = qobject_cast<QVBoxLayout*>(layout());
    column->insertWidget(1, makeOrderRow());
    column->addWidget(m_steps);
}

void HeatmapPanel::connectControls()
{
    connect(m_pod_box, &QSpinBox::valueChanged, this, &HeatmapPanel::chooseSquares);
    connect(m_expert_button, &SegmentButton::toggled, this, &HeatmapPanel::showExperts);
    connect(m_steps, &StepStrip::stepChosen, this, &HeatmapPanel::showStep);
    connect(m_legend, &LegendChips::clicked, this, [this](int kind) {
        emit selectionWished(withKindToggled(m_selection, static_cast<Kind>(kind)));
    });
    connect(m_all_button, &QToolButton::clicked, m_view, &HeatmapView::showAll);
    connect(m_log_button, &SegmentButton::toggled, this,
            [this](bool on) { setScale(on ? HeatScale::logarithmic : HeatScale::linear); });
    connect(m_node_button, &SegmentButton::clicked, this, &HeatmapPanel::showNodes);
    connect(m_between_button, &SegmentButton::clicked, this, &HeatmapPanel::showBetween);
    connect(m_mode_box, &QComboBox::activated, this,
            [this](int row) { setMode(static_cast<HeatmapMode>(m_mode_box->itemData(row).toInt())); });
}

void HeatmapPanel::connectView()
{
    m_view->setTip([this](const HeatmapSpot& spot) { return texts().tip(spot); });
    connect(m_view, &HeatmapView::hovered, this, [this](const std::optional<HeatmapSpot>& spot) {
        emit statusWished(spot ? texts().sentence(*spot) : QString{});
    });
    connect(m_view, &HeatmapView::rankPicked, this, [this](std::int64_t rank) {
        // Any rank of a node marks it.
        const SquareLayout layout = m_squares.empty() ? SquareLayout{} : m_squares.front().layout;
        const bool is_marked = m_selection.rank && layout.placeOf(*m_selection.rank) == layout.placeOf(rank);
        emit selectionWished(withRankToggled(m_selection, is_marked ? *m_selection.rank : rank));
    });
    connect(m_view, &HeatmapView::zoomChanged, this, [this](bool is_in) {
        m_all_button->setVisible(is_in);
        fitHead();
    });
    connect(m_experts, &ExpertView::hinted, this, &PicturePanel::statusWished);
}

QWidget* HeatmapPanel::keyTaker() const
{
    return m_view;
}

void HeatmapPanel::setContent(const Content& content)
{
    m_content = content;
    readSources();
    showOrder();
    offerModes();
    offerExperts();
    sumLinks();
    chooseSquares();
}

void HeatmapPanel::setSelection(const Selection& selection)
{
    if (selection == m_selection)
        return;
    m_selection = selection;
    refresh();
}

void HeatmapPanel::setMode(HeatmapMode mode)
{
    m_mode = mode;
    m_mode_is_chosen = true;
    offerModes();
    chooseSquares();
}

void HeatmapPanel::setScale(HeatScale scale)
{
    m_scale = scale;
    m_log_button->setChecked(scale == HeatScale::logarithmic);
    refresh();
}

std::vector<QWidget*> HeatmapPanel::tools() const
{
    return {m_all_button, m_expert_button, m_mode_box, m_node_button, m_between_button, m_log_button};
}

void HeatmapPanel::resizeEvent(QResizeEvent* event)
{
    PicturePanel::resizeEvent(event);
    fitHead();
}

void HeatmapPanel::readSources()
{
    m_predicted.read(m_content.predicted);
    readPinned();
    readMeasured();
}

void HeatmapPanel::takePredicted()
{
    readPinned();
    offerModes();
    sumLinks();
    chooseSquares();
}

// Most often it is what is on screen, or what is about to be.
void HeatmapPanel::readPinned()
{
    if (m_content.pinned == m_predicted.of())
        m_pinned.adopt(m_predicted);
    else if (m_content.pinned != m_content.predicted || !m_predicted.isRunning())
        m_pinned.read(m_content.pinned);
}

void HeatmapPanel::refresh()
{
    if (m_summing.isRunning())
        return; // the old picture stays until then
    const std::optional<Kind> marked = markedKind(m_selection);
    updateLegend(marked);
    HeatmapScene scene;
    if (m_squares.empty()) {
        scene.hint = QStringLiteral("Set a valid scenario, or open a trace, to see who sends to whom");
        m_view->setScene(std::move(scene));
        return;
    }
    scene.squares = m_squares;
    for (const HeatmapSquare& square : m_squares)
        scene.ranks = std::max(scene.ranks, square.rows->ranks());
    scene.span = spanOf(marked);
    scene.nodes_per_pod = nodesPerPod();
    scene.kind = marked;
    scene.rank = m_selection.rank;
    scene.leaves_out_own = m_between && scene.isByNode();
    scene.headline = headline(marked, false);
    scene.short_headline = headline(marked, true);
    scene.totals = totals(marked);
    showLinks(scene);
    scene.figures_tip = figuresTip(scene);
    nameAllButton(scene.isByNode());
    namePodBox();
    if (scene.ranks < 2 && !scene.isByNode()) {
        scene.squares.clear();
        scene.hint = hintOfOneRank();
    }
    m_view->setScene(std::move(scene));
}

// Without a number of its own the cluster's pods are drawn.
void HeatmapPanel::namePodBox()
{
    const QString text =
        ranksOfPod() > 0 ? QStringLiteral("pods of %1").arg(m_predicted.of()->scenario.cluster.nodes_per_pod)
                         : QStringLiteral("no pods");
    if (m_pod_box->specialValueText() != text)
        m_pod_box->setSpecialValueText(text);
}

void HeatmapPanel::nameAllButton(bool is_by_node)
{
    const QString places = is_by_node ? QStringLiteral("all nodes") : QStringLiteral("all ranks");
    m_all_button->setText(places);
    m_all_button->setToolTip(QStringLiteral("Zoom out to %1 (0)").arg(places));
}

QString HeatmapPanel::hintOfOneRank() const
{
    if (m_measured && m_measured->ranks() > 1)
        return QStringLiteral("The scenario's one GPU sends nothing: choose \"measured\" to see the traces' "
                              "traffic");
    const auto has_calls = [](const RankMeasurement& rank) { return !rank.collectives.empty(); };
    if (m_content.measured && std::ranges::any_of(m_content.measured->measurement.ranks, has_calls))
        return QStringLiteral(
            "The scenario's one GPU sends nothing, and the traces alone do not tell who sends to "
            "whom: set the run's layout, or take it from Scenario, What the traces show");
    return QStringLiteral("One GPU sends nothing: raise tensor, pipeline or data parallelism");
}

void HeatmapPanel::updateLegend(const std::optional<Kind>& marked)
{
    const Theme theme{palette()};
    std::vector<LegendChip> chips;
    for (int i = 0; i < kind_count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const bool is_there = std::ranges::any_of(
            m_summaries, [index](const TrafficSummary& summary) { return summary.most[index] > 0.0; });
        const Kind kind = static_cast<Kind>(i);
        if (is_there || marked == kind)
            chips.push_back({.id = i,
                             .text = nameOf(kind),
                             .colour = theme.colour(kind),
                             .is_faded = marked && *marked != kind,
                             .is_marked = marked == kind});
    }
    m_legend->setChips(std::move(chips));
    fitHead();
}

HeatmapTexts HeatmapPanel::texts() const
{
    return {m_view->scene()};
}

QString HeatmapPanel::heading() const
{
    return m_view->scene().isByNode() && !showsExperts() ? QStringLiteral("Traffic between nodes") : title();
}

QString HeatmapPanel::csv() const
{
    if (showsExperts())
        return csvText(m_experts->table());
    return csvText(texts().table(m_view->window()));
}

void HeatmapPanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    const QRectF below = paintLegendFrame(painter, rectangle, *m_legend);
    if (showsExperts())
        m_experts->paintTo(painter, below);
    else
        m_view->paintTo(painter, below);
}

} // namespace shardscope
