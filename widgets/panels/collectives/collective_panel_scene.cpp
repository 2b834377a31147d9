// What the explorer of collectives draws: its lines, axes and handles.
#include "widgets/panels/collectives/collective_panel.h"
#include "widgets/session/shown_text.h"

#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/theme.h"

#include "core/collectives/collective_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::array faint_nodes{1, 4, 16, 64, 256}; // curves beside the chosen group's

// They meet where bandwidth rules: each has dashes of its own, and the more nodes the nearer to the ground.
QList<qreal> dashesOfNodes(int place)
{
    static const std::array<QList<qreal>, faint_nodes.size()> all{
        {{}, {10.0, 3.0}, {5.0, 3.0}, {8.0, 3.0, 1.0, 3.0}, {1.0, 3.0}}};
    return all[static_cast<std::size_t>(place)];
}

QColor shadeOfNodes(int place, const Theme& theme)
{
    constexpr std::array nearness{0.95, 0.82, 0.7, 0.6, 0.5}; // to the text, from the ground
    return blend(theme.background(), theme.text(), nearness[static_cast<std::size_t>(place)]);
}

constexpr std::array node_sizes{std::int64_t{1} << 20, std::int64_t{1} << 24, std::int64_t{1} << 28,
                                std::int64_t{1} << 32};
constexpr int most_nodes = 512;
constexpr int most_gpus = 4096; // where clusters are compared

// The least and the most that the upright axis has to show, with room to drag a handle into. How far a curve
// may be off is seen whole, but where bandwidths of the smallest messages run out below.
std::pair<double, double> heightsOf(const CurveScene& scene, bool are_times)
{
    constexpr double head_room = 1.4;
    double least = 1e300;
    double most = 0.0;
    const auto take = [&](double y, double room) {
        if (y > 0.0) {
            least = std::min(least, y);
            most = std::max(most, room * y);
        }
    };
    for (const CurveLine& line : scene.lines)
        for (const QPointF& point : line.points)
            take(point.y(), head_room);
    for (const CurveMark& mark : scene.marks)
        take(mark.at.y(), head_room);
    for (const CurveBand& band : scene.bands) {
        for (const QPointF& point : band.high)
            take(point.y(), 1.0);
        for (const QPointF& point : are_times ? band.low : std::vector<QPointF>{})
            take(point.y(), 1.0);
    }
    return {least, most};
}

} // namespace

CollectivePanel::Series CollectivePanel::curve(const Cluster& cluster, const CollectiveGroup& of) const
{
    Series series;
    series.group = of;
    series.cluster = &cluster;
    for (const CollectivePoint& point : collectiveCurve(cluster, op(), of))
        series.places.push_back({static_cast<double>(point.message_bytes), point});
    return series;
}

std::vector<CollectivePanel::Series> CollectivePanel::seriesOverSizes() const
{
    const Cluster& cluster = m_content.predicted->scenario.cluster;
    std::vector<Series> all;
    if (m_compared.isEmpty())
        for (std::size_t place = 0; place < faint_nodes.size(); ++place) {
            const CollectiveGroup other = groupOfNodes(cluster, faint_nodes[place]);
            if (other.ranks < 2 || (other.ranks == group()->ranks && other.per_node == group()->per_node))
                continue;
            all.push_back(curve(cluster, other));
            all.back().label = other.name.section(':', 0, 0);
            all.back().beside = static_cast<int>(place);
        }
    addOthersOverSizes(all);
    if (m_content.pinned) {
        all.push_back(curve(m_content.pinned->scenario.cluster, *group()));
        all.back().is_pinned = true;
        all.back().label = tr("pinned");
    }
    all.push_back(curve(cluster, *group()));
    all.back().is_main = true;
    all.back().label = m_compared.isEmpty() ? group()->name.section(':', 0, 0) : ownName();
    return all;
}

CollectivePanel::Series CollectivePanel::curveOverNodes(const Cluster& cluster,
                                                        std::int64_t message_bytes) const
{
    Series series;
    series.message_bytes = message_bytes;
    series.cluster = &cluster;
    for (int nodes = 1; nodes <= most_nodes; nodes *= 2) {
        const CollectiveGroup of = groupOfNodes(cluster, nodes);
        if (of.ranks < 2 || (hasGpusAlong() && nodes > 1 && of.ranks > most_gpus))
            continue;
        series.places.push_back({static_cast<double>(hasGpusAlong() ? of.ranks : nodes),
                                 collectivePoint(cluster, op(), of, message_bytes)});
    }
    return series;
}

std::vector<CollectivePanel::Series> CollectivePanel::seriesOverNodes() const
{
    if (!m_compared.isEmpty())
        return othersOverNodes();
    const Cluster& cluster = m_content.predicted->scenario.cluster;
    std::vector<Series> all;
    for (const std::int64_t size : node_sizes) {
        Series series = curveOverNodes(cluster, size);
        series.label = bytesText(static_cast<double>(size));
        series.is_main = true;
        all.push_back(std::move(series));
    }
    return all;
}

QColor CollectivePanel::mainColour() const
{
    const Theme theme{palette()};
    return group() != nullptr && group()->kind != Kind::unknown ? theme.colour(group()->kind)
                                                                : theme.colour(Hue::dp);
}

// Where the handle of the latency stands: at the left end, or where the curve of bandwidths is in sight.
std::int64_t CollectivePanel::latencySize() const
{
    constexpr std::int64_t in_sight = std::int64_t{1} << 18;
    return m_up == Up::time ? smallest_collective : in_sight;
}

double CollectivePanel::height(const CollectivePoint& point) const
{
    return m_up == Up::time ? point.time_s : point.busbw_GBps;
}

CurveScene CollectivePanel::scene() const
{
    CurveScene scene;
    if (m_series.empty()) {
        scene.hint = tr("Set a valid scenario to see its cluster's collectives");
        return scene;
    }
    appendBands(scene);
    appendLines(scene);
    setAxes(scene);
    if (m_along == Along::sizes)
        appendHandles(scene);
    if (!m_content.predicted->scenario.cluster.calibrated)
        scene.note = tr("This cluster is not calibrated: its times must not be used as predictions");
    else if (m_content.measured && m_measured.empty() && m_along == Along::sizes)
        scene.note = tr("No timed %1 of such a group in the traces").arg(toQString(word(op())));
    else if (m_content.predicted->scenario.time_model == TimeModel::li)
        scene.note = tr("These times are the detailed model's; Li et al.'s, chosen now, does not use them");
    return scene;
}

// How far curves may be off; a pinned one and those in the background have none.
void CollectivePanel::appendBands(CurveScene& scene) const
{
    const double faint = m_series.size() > 2 ? 0.09 : 0.13; // several lie over one another
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const Series& series = m_series[i];
        if (series.is_pinned || !(series.is_main || series.other >= 0))
            continue;
        CurveBand band;
        band.colour = colourOf(i);
        band.colour.setAlphaF(faint);
        for (const Place& place : series.places) {
            const auto& [below, above] = place.point.error_band;
            const double up = height(place.point);
            const bool is_time = m_up == Up::time;
            band.low.emplace_back(place.along, is_time ? up * (1.0 + below) : up / (1.0 + above));
            band.high.emplace_back(place.along, is_time ? up * (1.0 + above) : up / (1.0 + below));
        }
        scene.bands.push_back(std::move(band));
    }
}

// Over nodes each size has a colour of its own.
QColor CollectivePanel::colourOf(std::size_t series) const
{
    const Series& of = m_series[series];
    const Theme theme{palette()};
    if (of.other >= 0)
        return otherColour(of.other);
    if (of.beside >= 0)
        return shadeOfNodes(of.beside, theme);
    if (of.is_pinned)
        return theme.dimmed(mainColour());
    if (m_along == Along::sizes || !m_compared.isEmpty())
        return mainColour();
    const auto before =
        std::count_if(m_series.begin(), m_series.begin() + static_cast<std::ptrdiff_t>(series),
                      [](const Series& one) { return one.is_main; });
    return theme.colour(std::array{Hue::tp, Hue::dp, Hue::pp, Hue::ep}[static_cast<std::size_t>(before % 4)]);
}

void CollectivePanel::appendLines(CurveScene& scene) const
{
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const Series& series = m_series[i];
        CurveLine line;
        line.colour = colourOf(i);
        line.width = series.is_main || series.other >= 0 ? 2.2 : series.is_pinned ? 1.6 : 1.2;
        line.is_dashed = series.is_pinned;
        if (series.beside >= 0)
            line.dashes = dashesOfNodes(series.beside);
        line.label = series.label;
        for (const Place& place : series.places)
            line.points.emplace_back(place.along, height(place.point));
        scene.lines.push_back(std::move(line));
    }
    for (const CalibrationPoint& point : m_measured) {
        const std::int64_t bytes = point.collective->message_bytes.front();
        const double rate = busBandwidthGBps(op(), group()->ranks, Bytes{static_cast<double>(bytes)},
                                             Seconds{point.measured_s});
        scene.marks.push_back({{static_cast<double>(bytes), height({bytes, point.measured_s, rate})},
                               Theme{palette()}.colour(Hue::measured)});
    }
}

bool CollectivePanel::hasWholeNodes() const
{
    return m_along == Along::sizes
           && std::ranges::any_of(m_series, [](const Series& series) { return series.beside >= 0; });
}

// "all_reduce over 16 ranks", "all_reduce of 256 MiB over nodes"
QString CollectivePanel::titleOfCalls() const
{
    const QString name = toQString(word(op()));
    if (m_along == Along::sizes)
        return hasWholeNodes() ? tr("%1 over %2 ranks, and over whole nodes").arg(name).arg(group()->ranks)
                               : tr("%1 over %2 ranks").arg(name).arg(group()->ranks);
    if (m_compared.isEmpty())
        return tr("%1 over nodes").arg(name);
    return tr("%1 of %2 over whole nodes").arg(name, bytesText(static_cast<double>(comparedSize())));
}

// From the smallest cluster's node on.
void CollectivePanel::fitGpus(CurveScene& scene)
{
    scene.x_low = most_gpus / 2.0;
    scene.x_high = most_gpus;
    for (const CurveLine& line : scene.lines)
        if (!line.points.empty()) {
            scene.x_low = std::min(scene.x_low, line.points.front().x());
            scene.x_high = std::max(scene.x_high, line.points.back().x());
        }
}

// Round figures, so that the axis stands still while a handle moves a little.
void CollectivePanel::setAxes(CurveScene& scene) const
{
    scene.x_unit = m_along == Along::sizes ? AxisUnit::bytes : AxisUnit::doublings;
    scene.x_low = m_along == Along::sizes ? static_cast<double>(smallest_collective) : 1.0;
    scene.x_high = m_along == Along::sizes ? static_cast<double>(largest_collective) : most_nodes;
    if (hasGpusAlong())
        fitGpus(scene);
    // Curves begin there; what was measured may begin before, where bandwidths are below what is drawn.
    if (m_along == Along::sizes && m_up == Up::time)
        for (const CurveMark& mark : scene.marks)
            scene.x_low = std::clamp(mark.at.x(), 1.0, scene.x_low);
    scene.y_unit = m_up == Up::time ? AxisUnit::seconds : AxisUnit::count;
    scene.x_title = m_along == Along::sizes ? tr("message") : hasGpusAlong() ? tr("GPUs") : tr("nodes");
    // What is measured comes first: a narrow panel has no room for all of it.
    scene.y_title =
        (m_up == Up::time ? tr("time of a call: ") : tr("bus bandwidth, GB/s: ")) + titleOfCalls();
    const auto [least, most] = heightsOf(scene, m_up == Up::time);
    scene.y_high = ceilingTick(most, m_up == Up::time ? AxisUnit::seconds : AxisUnit::share);
    if (m_up == Up::bandwidth) {
        constexpr double range = 3000.0; // what the smallest messages reach is all latency
        scene.y_low = std::max(0.8 * least, scene.y_high / range);
        return;
    }
    scene.y_low = std::min(scene.y_high / 10.0, std::pow(10.0, std::floor(std::log10(least * 1.01))));
}

void CollectivePanel::appendHandles(CurveScene& scene) const
{
    const std::vector<Place>& main = m_series.back().places;
    const auto at = [&](const Place& place) { return QPointF{place.along, height(place.point)}; };
    scene.handles.push_back(
        {at(main.back()), mainColour(), tr("Bandwidth of large messages: drag up or down")});
    const auto small = std::ranges::find(main, static_cast<double>(latencySize()), &Place::along);
    if (small != main.end())
        scene.handles.push_back({at(*small), mainColour(), tr("Latency of small messages: drag up or down")});
}

} // namespace shardscope
