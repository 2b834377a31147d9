#include "widgets/panels/sweep_scaling_view.h"

#include "core/base/format.h"
#include "core/sweep/scaling.h"

#include <algorithm>
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

} // namespace

CurveScene scalingScene(const StudyAnswer& answer, const Theme& theme)
{
    CurveScene scene;
    const std::vector<ScalingPoint> scaling = scalingOf(answer.points);
    if (scaling.size() < 2) {
        scene.hint = QStringLiteral("Speedup needs two numbers of GPUs that can be trained");
        return scene;
    }
    CurveLine ideal;
    ideal.points = {{scaling.front().gpus, 1.0}, {scaling.back().gpus, scaling.back().ideal}};
    ideal.colour = theme.faintText();
    ideal.width = 1.2;
    ideal.is_dashed = true;
    ideal.label = QStringLiteral("ideal");
    scene.lines.push_back(ideal);
    if (const auto pinned = scalingOf(answer.pinned_points); pinned.size() > 1) {
        scene.lines.push_back(lineOf(pinned, QStringLiteral("pinned"), theme.faintText()));
        scene.lines.back().is_dashed = true;
    }
    if (CurveLine estimate = estimateOf(scaling, theme); estimate.points.size() > 1)
        scene.lines.push_back(std::move(estimate));
    scene.lines.push_back(lineOf(scaling, QStringLiteral("predicted"), theme.colour(Hue::tp)));
    scene.lines.back().width = 2.5;
    for (const ScalingPoint& point : scaling)
        scene.marks.push_back({{point.gpus, point.speedup}, theme.colour(Hue::tp)});
    scene.x_low = 0.93 * scaling.front().gpus; // marks at the ends are whole
    scene.x_high = 1.07 * scaling.back().gpus;
    scene.y_low = 0.9;
    for (const ScalingPoint& point : scaling)
        scene.y_low = std::min(scene.y_low, point.speedup);
    scene.y_high = 1.1 * scaling.back().ideal;
    scene.x_unit = AxisUnit::count;
    scene.y_unit = AxisUnit::count;
    scene.y_title = QStringLiteral("speedup over GPUs, efficiency at the end %1")
                        .arg(ratioText(scaling.back().efficiency()));
    return scene;
}

const SweepPoint* scalingPointAt(const StudyAnswer& answer, double gpus)
{
    const SweepPoint* nearest = nullptr;
    const auto distance = [gpus](const SweepPoint& point) {
        return std::fabs(std::log(static_cast<double>(point.world_size) / gpus));
    };
    for (const SweepPoint& point : answer.points)
        if (point.isValid() && (nearest == nullptr || distance(point) < distance(*nearest)))
            nearest = &point;
    return nearest;
}

QString scalingSentence(const StudyAnswer& answer, double gpus)
{
    const SweepPoint* point = scalingPointAt(answer, gpus);
    if (point == nullptr)
        return {};
    for (const ScalingPoint& scaling : scalingOf(answer.points)) {
        if (scaling.gpus != static_cast<double>(point->world_size))
            continue;
        QString text = QStringLiteral("%1 GPUs: %2 times the throughput, %3 of ideal")
                           .arg(QString::fromStdString(formatGrouped(point->world_size)))
                           .arg(scaling.speedup, 0, 'g', 4)
                           .arg(ratioText(scaling.efficiency()));
        if (scaling.network_efficiency)
            text += QStringLiteral(
                        "; network efficiency %1, which alone gives %2 = (r_comp + r_comm) / (r_comp + "
                        "r_comm / eff) times ideal (Cheng et al. 2024)")
                        .arg(ratioText(*scaling.network_efficiency))
                        .arg(*scaling.estimated_speedup / scaling.ideal, 0, 'f', 3);
        return text;
    }
    return {};
}

TextTable scalingTable(const StudyAnswer& answer)
{
    TextTable table{{"gpus", "ideal", "speedup", "efficiency", "network_efficiency", "speedup_from_network"}};
    const auto number = [](double value) { return QString::number(value, 'g', 9); };
    const auto maybe = [&](const std::optional<double>& value) { return value ? number(*value) : QString{}; };
    for (const ScalingPoint& point : scalingOf(answer.points))
        table.push_back({number(point.gpus), number(point.ideal), number(point.speedup),
                         number(point.efficiency()), maybe(point.network_efficiency),
                         maybe(point.estimated_speedup)});
    return table;
}

} // namespace shardscope
