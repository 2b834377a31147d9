#include "widgets/panels/sweep_scaling_view.h"

#include "core/base/format.h"
#include "core/sweep/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

QString ratioText(double ratio)
{
    return QString::fromStdString(formatRatio(ratio));
}

CurveLine lineOf(const std::vector<ScalingPoint>& scaling, const QString& label, const QColor& colour)
{
    CurveLine line;
    for (const ScalingPoint& point : scaling)
        line.points.emplace_back(point.gpus, point.speedup);
    line.label = label;
    line.colour = colour;
    return line;
}

CurveLine idealOf(const std::vector<ScalingPoint>& scaling, const Theme& theme)
{
    CurveLine line;
    line.points = {{scaling.front().gpus, 1.0}, {scaling.back().gpus, scaling.back().ideal}};
    line.colour = theme.faintText();
    line.width = 1.2;
    line.is_dashed = true;
    line.label = QStringLiteral("ideal");
    return line;
}

CurveLine estimateOf(const std::vector<ScalingPoint>& scaling, const Theme& theme)
{
    CurveLine line;
    for (const ScalingPoint& point : scaling)
        if (point.estimated_speedup)
            line.points.emplace_back(point.gpus, *point.estimated_speedup);
    line.label = QStringLiteral("network alone");
    line.colour = theme.colour(Hue::dp);
    line.is_dashed = true;
    return line;
}

constexpr std::array group_hues{Hue::tp, Hue::pp, Hue::cp, Hue::ep};

// The points of one value of the second axis, against the first of them.
struct ScalingGroup {
    QString name;
    std::vector<ScalingPoint> scaling;
};

std::vector<ScalingGroup> groupsOf(const StudyAnswer& answer)
{
    const Sweep& sweep = answer.sweep;
    std::vector<ScalingGroup> groups;
    for (std::size_t group = 0; group < sweep.groupSize(); ++group) {
        std::vector<SweepPoint> points;
        for (std::size_t i = group; i < answer.points.size(); i += sweep.groupSize())
            points.push_back(answer.points[i]);
        const QString name =
            sweep.group_axis ? QString::fromStdString(axisText(*sweep.group_axis, sweep.group_values[group]))
                             : QStringLiteral("predicted");
        groups.push_back({name, scalingOf(points)});
    }
    return groups;
}

QString sentenceOf(const ScalingPoint& scaling, const QString& name, bool is_alone)
{
    QString text = QStringLiteral("%1%2 times the throughput, %3 of ideal")
                       .arg(name)
                       .arg(scaling.speedup, 0, 'g', 4)
                       .arg(ratioText(scaling.efficiency()));
    if (is_alone && scaling.network_efficiency)
        text +=
            QStringLiteral("; network efficiency %1, which alone gives %2 = (r_comp + r_comm) / (r_comp + "
                           "r_comm / eff) times ideal (Cheng et al. 2024)")
                .arg(ratioText(*scaling.network_efficiency))
                .arg(*scaling.estimated_speedup / scaling.ideal, 0, 'f', 3);
    return text;
}

} // namespace

CurveScene scalingScene(const StudyAnswer& answer, const Theme& theme)
{
    CurveScene scene;
    const std::vector<ScalingGroup> groups = groupsOf(answer);
    const auto longest =
        std::ranges::max_element(groups, {}, [](const ScalingGroup& group) { return group.scaling.size(); });
    if (longest == groups.end() || longest->scaling.size() < 2) {
        scene.hint = QStringLiteral("Speedup needs two numbers of GPUs that can be trained");
        return scene;
    }
    const std::vector<ScalingPoint>& whole = longest->scaling;
    scene.lines.push_back(idealOf(whole, theme));
    if (groups.size() == 1) {
        if (const auto pinned = scalingOf(answer.pinned_points); pinned.size() > 1) {
            scene.lines.push_back(lineOf(pinned, QStringLiteral("pinned"), theme.faintText()));
            scene.lines.back().is_dashed = true;
        }
        if (CurveLine estimate = estimateOf(whole, theme); estimate.points.size() > 1)
            scene.lines.push_back(std::move(estimate));
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const QColor colour = theme.colour(group_hues[i % group_hues.size()]);
        scene.lines.push_back(lineOf(groups[i].scaling, groups[i].name, colour));
        for (const ScalingPoint& point : groups[i].scaling) {
            scene.marks.push_back({{point.gpus, point.speedup}, colour});
            scene.y_low = std::min(scene.y_low, 0.9 * point.speedup);
        }
    }
    scene.x_low = 0.93 * whole.front().gpus; // marks at the ends are whole
    scene.x_high = 1.07 * whole.back().gpus;
    scene.y_high = 1.1 * whole.back().ideal;
    scene.x_unit = AxisUnit::count;
    scene.y_unit = AxisUnit::count;
    scene.y_title = QStringLiteral("speedup over GPUs");
    if (groups.size() == 1)
        scene.y_title +=
            QStringLiteral(", efficiency at the end %1").arg(ratioText(whole.back().efficiency()));
    return scene;
}

const SweepPoint* scalingPointAt(const StudyAnswer& answer, double gpus)
{
    const SweepPoint* nearest = nullptr;
    const auto own = ownPoint(answer.sweep, answer.points);
    const double group = own ? answer.points[*own].group_value : answer.points.front().group_value;
    const auto distance = [gpus](const SweepPoint& point) {
        return std::fabs(std::log(static_cast<double>(point.world_size) / gpus));
    };
    for (const SweepPoint& point : answer.points)
        if (point.isValid() && point.group_value == group
            && (nearest == nullptr || distance(point) < distance(*nearest)))
            nearest = &point;
    return nearest;
}

QString scalingSentence(const StudyAnswer& answer, double gpus)
{
    const SweepPoint* point = scalingPointAt(answer, gpus);
    if (point == nullptr)
        return {};
    const std::vector<ScalingGroup> groups = groupsOf(answer);
    QStringList texts;
    for (const ScalingGroup& group : groups)
        for (const ScalingPoint& scaling : group.scaling)
            if (scaling.gpus == static_cast<double>(point->world_size))
                texts << sentenceOf(scaling, groups.size() > 1 ? group.name + QLatin1Char(' ') : QString{},
                                    groups.size() == 1);
    return QStringLiteral("%1 GPUs: %2")
        .arg(QString::fromStdString(formatGrouped(point->world_size)), texts.join(QStringLiteral("; ")));
}

TextTable scalingTable(const StudyAnswer& answer)
{
    TextTable table{
        {"gpus", "group", "ideal", "speedup", "efficiency", "network_efficiency", "speedup_from_network"}};
    const auto number = [](double value) { return QString::number(value, 'g', 9); };
    const auto maybe = [&](const std::optional<double>& value) { return value ? number(*value) : QString{}; };
    for (const ScalingGroup& group : groupsOf(answer))
        for (const ScalingPoint& point : group.scaling)
            table.push_back({number(point.gpus), group.name, number(point.ideal), number(point.speedup),
                             number(point.efficiency()), maybe(point.network_efficiency),
                             maybe(point.estimated_speedup)});
    return table;
}

} // namespace shardscope
