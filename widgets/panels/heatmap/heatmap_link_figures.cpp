#include "widgets/panels/heatmap/heatmap_links.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/traffic_sources.h"

#include "core/scenario/link_owners.h"

#include <map>
#include <utility>

// What the heatmap tells of single links: bytes, and how long these keep them busy.

namespace shardscope
{

namespace
{

constexpr std::int64_t additions_of_a_frame = 20'000; // for the busiest links

LinkRates ratesPerGpu(const Cluster& cluster, double iteration_s)
{
    return {perGpu_GBps(cluster.intra_node, cluster), perGpu_GBps(cluster.inter_node, cluster), iteration_s};
}

} // namespace

void HeatmapPanel::sumLinks()
{
    m_linking.forget();
    if (!m_predicted.traffic()) {
        m_links.reset();
        return;
    }
    const NodeShape shape = nodeShape(m_predicted.of()->scenario);
    auto sum = [traffic = m_predicted.traffic(), shape] { return busiestLinks(traffic->families(), shape); };
    if (busiestLinksCost(m_predicted.traffic()->families()) > additions_of_a_frame)
        m_linking.start(sum);
    else
        m_links = sum();
}

// On the nodes of the scenario: a run tells nothing of its links.
void HeatmapPanel::sumMeasuredLinks()
{
    m_measured_links.reset();
    if (!m_measured || !m_predicted.of())
        return;
    std::map<Kind, CellsOfKind> by_kind;
    for (const MeasuredCell& cell : m_measured->cells()) {
        CellsOfKind& of_kind = by_kind[cell.kind];
        of_kind.kind = cell.kind;
        of_kind.cells.push_back({cell.sender, cell.receiver, cell.bytes});
    }
    std::vector<CellsOfKind> kinds;
    for (auto& [kind, cells] : by_kind)
        kinds.push_back(std::move(cells));
    const Scenario& scenario = m_predicted.of()->scenario;
    const RankLayout layout{scenario.parallel};
    m_measured_links = busiestLinks(kinds, m_measured->ranks(), nodeShape(scenario), &layout);
}

bool HeatmapPanel::hasPredictedLinks() const
{
    return m_links && m_predicted.of() && !isDifference(m_mode) && m_mode != HeatmapMode::measured;
}

bool HeatmapPanel::hasMeasuredLinks() const
{
    return m_measured_links && m_predicted.of()
           && (m_mode == HeatmapMode::measured || m_mode == HeatmapMode::side_by_side);
}

LinkedWorld HeatmapPanel::predictedWorld() const
{
    const PredictedScenario& of = *m_predicted.of();
    return {of.scenario, of.scenario.worldSize(), of.prediction.time.iteration_s};
}

LinkedWorld HeatmapPanel::measuredWorld() const
{
    return {m_predicted.of()->scenario, m_measured->ranks(), m_measured_s, true,
            m_measured->knowsAll(),     isWholeRun()};
}

// As the other figures, those of the first square.
void HeatmapPanel::showLinks(HeatmapScene& scene) const
{
    if (hasPredictedLinks()) {
        scene.links = linkLines(*m_links, predictedWorld());
        scene.busy = busyLines(*m_links, predictedWorld());
    } else if (hasMeasuredLinks()) {
        scene.links = linkLines(*m_measured_links, measuredWorld());
        scene.busy = busyLines(*m_measured_links, measuredWorld());
    }
}

QString HeatmapPanel::linksTips() const
{
    QString text;
    const auto add = [&text](const QString& tip) {
        if (!tip.isEmpty())
            text += QStringLiteral("<br>") + tip;
    };
    if (hasPredictedLinks())
        add(linksTip(*m_links, predictedWorld()));
    if (hasMeasuredLinks())
        add(linksTip(*m_measured_links, measuredWorld()));
    return text;
}

std::optional<LinkRates> HeatmapPanel::ratesOf(const PredictedScenario* of) const
{
    if (of == nullptr)
        return std::nullopt;
    return ratesPerGpu(of->scenario.cluster, of->prediction.time.iteration_s);
}

std::optional<LinkRates> HeatmapPanel::measuredRates() const
{
    if (!m_predicted.of())
        return std::nullopt;
    LinkRates rates = ratesPerGpu(m_predicted.of()->scenario.cluster, m_measured_s);
    rates.is_whole_run = isWholeRun();
    return rates;
}

} // namespace shardscope
