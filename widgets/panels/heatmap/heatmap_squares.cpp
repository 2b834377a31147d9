// Which squares the heatmap shows, and the layout that the ranks of each stand in.
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/traffic_sources.h"

#include "core/analysis/run_mapping.h"
#include "core/prediction/time/machine.h"

#include <QComboBox>
#include <QSpinBox>

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

// Squares that ask for more rows than this are added up off the GUI thread.
constexpr std::int64_t rows_of_a_frame = 4096;

struct ModeName {
    HeatmapMode mode;
    const char* name;
};
constexpr std::array<ModeName, 6> mode_names{{
    {HeatmapMode::predicted, "predicted"},
    {HeatmapMode::measured, "measured"},
    {HeatmapMode::side_by_side, "predicted | measured"},
    {HeatmapMode::measured_change, "measured − predicted"},
    {HeatmapMode::beside_pinned, "predicted | pinned"},
    {HeatmapMode::change_of_pinned, "predicted − pinned"},
}};

std::int64_t gpusOfNode(const Scenario& scenario)
{
    return Machine{scenario.cluster}.domainOf(scenario.worldSize());
}

SquareLayout squareLayout(const Scenario& scenario)
{
    return {axisBands(scenario.parallel), gpusOfNode(scenario), scenario.worldSize(), scenario.parallel};
}

HeatmapSquare squareByNode(const HeatmapSquare& of_ranks, NodeShare share)
{
    HeatmapSquare square{of_ranks.title, of_ranks.rows->byNode(of_ranks.layout.gpus_per_node, share),
                         byNode(of_ranks.layout), of_ranks.note, of_ranks.rates};
    if (square.rates) {
        const auto gpus = static_cast<double>(of_ranks.layout.gpus_per_node);
        square.rates->inside_GBps *= gpus;
        square.rates->between_GBps *= gpus;
    }
    return square;
}

bool sendsNothing(const std::shared_ptr<const PredictedTraffic>& traffic)
{
    return traffic && traffic->ranks() < 2;
}

} // namespace

std::int64_t HeatmapPanel::gpusPerNode() const
{
    return m_predicted.of() ? gpusOfNode(m_predicted.of()->scenario) : 0;
}

std::int64_t HeatmapPanel::ranksOfPod() const
{
    return m_predicted.of()
               ? Machine{m_predicted.of()->scenario.cluster}.podRanks(m_predicted.of()->prediction.world_size)
               : 0;
}

std::int64_t HeatmapPanel::nodesPerPod() const
{
    return m_pod_box->value() == 0 && gpusPerNode() > 0 ? ranksOfPod() / gpusPerNode() : m_pod_box->value();
}

bool HeatmapPanel::isAvailable(HeatmapMode mode) const
{
    switch (mode) {
    case HeatmapMode::predicted:
        return true;
    case HeatmapMode::measured:
        return m_measured != nullptr;
    case HeatmapMode::side_by_side:
    case HeatmapMode::measured_change:
        return m_predicted.traffic() && m_measured;
    case HeatmapMode::beside_pinned:
    case HeatmapMode::change_of_pinned:
        return m_predicted.traffic() && m_pinned.traffic();
    }
    return false;
}

// Modes without anything to show are not offered; a new run or pin shows itself unless the user chose.
void HeatmapPanel::offerModes()
{
    if (!m_mode_is_chosen || !isAvailable(m_mode)) {
        m_mode_is_chosen = m_mode_is_chosen && isAvailable(m_mode);
        if (!m_mode_is_chosen)
            m_mode = m_measured && sendsNothing(m_predicted.traffic()) ? HeatmapMode::measured
                     : isAvailable(HeatmapMode::side_by_side)          ? HeatmapMode::side_by_side
                     : isAvailable(HeatmapMode::beside_pinned)         ? HeatmapMode::beside_pinned
                     : m_measured && !m_predicted.traffic()            ? HeatmapMode::measured
                                                                       : HeatmapMode::predicted;
    }
    std::vector<ModeName> offered;
    std::ranges::copy_if(mode_names, std::back_inserter(offered),
                         [this](const ModeName& name) { return isAvailable(name.mode); });
    bool is_same = m_mode_box->count() == static_cast<int>(offered.size());
    for (int i = 0; is_same && i < m_mode_box->count(); ++i)
        is_same =
            m_mode_box->itemData(i).toInt() == static_cast<int>(offered[static_cast<std::size_t>(i)].mode);
    if (!is_same) {
        m_mode_box->clear();
        for (const ModeName& name : offered)
            m_mode_box->addItem(QString::fromUtf8(name.name), static_cast<int>(name.mode));
    }
    m_mode_box->setCurrentIndex(m_mode_box->findData(static_cast<int>(m_mode)));
    m_mode_box->setVisible(offered.size() > 1);
}

void HeatmapPanel::chooseSquares()
{
    sumMeasuredLinks();
    const Squares of_ranks = chosenSquares();
    offerNodes(of_ranks);
    sumSquares(of_ranks);
}

HeatmapPanel::Squares HeatmapPanel::chosenSquares() const
{
    Squares squares;
    const auto add = [&squares](const QString& name, std::shared_ptr<const TrafficRows> rows,
                                const SquareLayout& layout, const std::optional<LinkRates>& rates = {}) {
        if (rows)
            squares.push_back({name, std::move(rows), layout, {}, rates});
    };
    const auto addDifference = [&](const QString& name, const std::shared_ptr<const TrafficRows>& first,
                                   const std::shared_ptr<const TrafficRows>& second) {
        if (first && second)
            add(name, std::make_shared<TrafficDifference>(first, second),
                layoutOf(std::max(first->ranks(), second->ranks())));
    };
    if (m_mode == HeatmapMode::measured_change)
        addDifference(QStringLiteral("Measured − predicted"), m_measured, m_predicted.traffic());
    else if (m_mode == HeatmapMode::change_of_pinned)
        addDifference(QStringLiteral("Predicted − pinned"), m_predicted.traffic(), m_pinned.traffic());
    else if (m_mode != HeatmapMode::measured)
        add(QStringLiteral("Predicted"), m_predicted.traffic(),
            layoutOf(m_predicted.traffic() ? m_predicted.traffic()->ranks() : 0),
            ratesOf(m_predicted.of().get()));
    if (m_mode == HeatmapMode::measured || m_mode == HeatmapMode::side_by_side) {
        SquareLayout layout = layoutOf(m_measured ? m_measured->ranks() : 0);
        if (layout.degrees && m_content.measured) {
            layout.degrees = asInTheRun(*layout.degrees, m_content.measured->measurement);
            layout.bands = axisBands(*layout.degrees);
        }
        add(m_shown_step          ? QStringLiteral("Measured step %1").arg(*m_shown_step)
            : m_mean_of_steps > 1 ? QStringLiteral("Measured mean")
                                  : QStringLiteral("Measured"),
            m_measured, layout, measuredRates());
        if (!squares.empty())
            squares.back().note = recordedRanksWord();
    }
    if (m_mode == HeatmapMode::beside_pinned && m_pinned.traffic())
        add(QStringLiteral("Pinned"), m_pinned.traffic(), squareLayout(m_pinned.of()->scenario),
            ratesOf(m_pinned.of().get()));
    return squares;
}

// With one node, or one GPU in each, nodes would tell no more than ranks.
void HeatmapPanel::offerNodes(const Squares& of_ranks)
{
    const auto has = [&of_ranks](auto condition) {
        return std::ranges::any_of(of_ranks,
                                   [&](const HeatmapSquare& square) { return condition(square.layout); });
    };
    const bool are_known = has([](const SquareLayout& layout) { return layout.gpus_per_node > 0; });
    const bool have_several = has([](const SquareLayout& layout) { return layout.gpus_per_node > 1; });
    const bool are_several = has([](const SquareLayout& layout) {
        return layout.gpus_per_node > 0 && layout.gpus_per_node < layout.ranks;
    });
    const bool is_offered = have_several && are_several;
    m_node_button->setEnabled(is_offered);
    m_node_button->setChecked(m_by_node && is_offered);
    m_between_button->setVisible(m_node_button->isChecked() && !showsExperts());
    m_between_button->setChecked(m_between);
    fitHead();
    m_node_button->setToolTip(
        !are_known     ? QStringLiteral("Which ranks share a node is not known without a scenario")
        : !are_several ? QStringLiteral("All ranks are on one node: nothing goes from node to node")
        : !have_several
            ? QStringLiteral("Each node has one GPU: the ranks are the nodes")
            : QStringLiteral("Add up what goes from node to node; on the diagonal is what stays in "
                             "a node, over its own links"));
}

void HeatmapPanel::showNodes(bool on)
{
    m_by_node = on;
    chooseSquares();
}

void HeatmapPanel::showBetween(bool on)
{
    m_between = on;
    chooseSquares();
}

// The scenario's, where it is of as many ranks; else nothing is known but its nodes.
SquareLayout HeatmapPanel::layoutOf(std::int64_t ranks) const
{
    return m_predicted.traffic() && m_predicted.traffic()->ranks() == ranks
               ? squareLayout(m_predicted.of()->scenario)
               : SquareLayout{{}, gpusPerNode(), ranks};
}

HeatmapPanel::Wanted HeatmapPanel::wantedOf(const Squares& of_ranks) const
{
    Wanted wanted{of_ranks, {}, 0, {}};
    if (m_node_button->isChecked())
        wanted.of_nodes = m_between ? NodeShare::between : NodeShare::all;
    const std::int64_t pod = nodesPerPod() * gpusPerNode();
    if (!of_ranks.empty() && pod < of_ranks.front().layout.ranks)
        wanted.pod = pod;
    if (!of_ranks.empty() && m_mode == HeatmapMode::change_of_pinned)
        wanted.minuend = m_predicted.traffic();
    else if (!of_ranks.empty() && m_mode == HeatmapMode::measured_change)
        wanted.minuend = m_measured;
    return wanted;
}

std::int64_t HeatmapPanel::Wanted::cost() const
{
    std::int64_t rows = minuend ? minuend->summaryCost() : 0;
    for (const HeatmapSquare& square : of_ranks) {
        if (of_nodes)
            rows += square.rows->byNodeCost(square.layout.gpus_per_node);
        if (of_nodes != NodeShare::all)
            rows += square.rows->summaryCost();
    }
    if (pod > 0)
        rows += of_ranks.front().rows->summaryCost();
    return rows;
}

HeatmapPanel::Summed HeatmapPanel::sum(const Wanted& wanted)
{
    Summed summed;
    if (wanted.pod > 0)
        summed.pods = wanted.of_ranks.front().rows->summary(wanted.pod);
    if (wanted.minuend)
        summed.minuend = wanted.minuend->summary(wanted.of_ranks.front().layout.gpus_per_node);
    for (const HeatmapSquare& of_rank : wanted.of_ranks) {
        const HeatmapSquare& square =
            summed.squares.emplace_back(wanted.of_nodes ? squareByNode(of_rank, *wanted.of_nodes) : of_rank);
        TrafficSummary& summary =
            summed.summaries.emplace_back(square.rows->summary(square.layout.gpus_per_node));
        if (wanted.of_nodes == NodeShare::between)
            summary.kinds = of_rank.rows->summary(of_rank.layout.gpus_per_node).kinds;
    }
    return summed;
}

void HeatmapPanel::sumSquares(const Squares& of_ranks)
{
    Wanted wanted = wantedOf(of_ranks);
    if (wanted.cost() > rows_of_a_frame) {
        m_summing.start([wanted = std::move(wanted)] { return sum(wanted); }); // the old picture stays
        return;
    }
    m_summing.forget();
    takeSums(sum(wanted));
}

void HeatmapPanel::takeSums(Summed summed)
{
    m_squares = std::move(summed.squares);
    m_summaries = std::move(summed.summaries);
    m_pod_summary = summed.pods;
    m_minuend = summed.minuend;
    refresh();
}

} // namespace shardscope
