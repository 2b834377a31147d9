#include "widgets/panels/sweep/sweep_scaling_view.h"

#include "widgets/session/shown_text.h"

#include "core/sweep/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

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

CurveLine emptyEstimate(const Theme& theme)
{
    CurveLine line;
    line.label = QStringLiteral("network alone");
    line.colour = theme.colour(Hue::dp);
    line.is_dashed = true;
    return line;
}

CurveLine estimateOf(const std::vector<ScalingPoint>& scaling, const Theme& theme)
{
    CurveLine line = emptyEstimate(theme);
    for (const ScalingPoint& point : scaling)
        if (point.estimated_speedup)
            line.points.emplace_back(point.gpus, *point.estimated_speedup);
    return line;
}

constexpr std::array group_hues{Hue::tp, Hue::pp, Hue::cp, Hue::ep};

// The points of one value of the second axis, against the first of them.
struct ScalingGroup {
    QString name;
    double value = 0.0;
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
        const QString name = sweep.group_axis
                                 ? toQString(axisText(*sweep.group_axis, sweep.group_values[group]))
                                 : QStringLiteral("predicted");
        groups.push_back({name, points.empty() ? 0.0 : points.front().group_value, scalingOf(points)});
    }
    return groups;
}

// The value of the second axis that the scenario itself has.
double ownGroupValue(const StudyAnswer& answer)
{
    const auto own = ownPoint(answer.sweep, answer.points);
    return own ? answer.points[*own].group_value : answer.points.front().group_value;
}

std::vector<SweepPoint> ownGroup(const StudyAnswer& answer)
{
    const double group = ownGroupValue(answer);
    std::vector<SweepPoint> points;
    std::ranges::copy_if(answer.points, std::back_inserter(points),
                         [group](const SweepPoint& point) { return point.group_value == group; });
    return points;
}

SpeedupComparisons comparisonsOf(const StudyAnswer& answer)
{
    if (answer.question.given.empty() || answer.points.empty())
        return {};
    return compareSpeedups(answer.question.given, ownGroup(answer));
}

// "32 and 64 GPUs were given and cannot be trained"; empty: all that was given stands in the picture.
QString unusedText(const StudyAnswer& answer, const SpeedupComparisons& compared)
{
    QStringList unused;
    for (const GivenSpeedup& given : answer.question.given)
        if (std::ranges::find(compared.rows, given.gpus, &SpeedupComparison::gpus) == compared.rows.end())
            unused << QString::number(given.gpus);
    if (unused.empty())
        return {};
    const QString last = unused.takeLast();
    const QString others = unused.join(QStringLiteral(", "));
    return QStringLiteral("%1 GPUs were given and cannot be trained")
        .arg(others.isEmpty() ? last : others + QStringLiteral(" and ") + last);
}

// What the network alone would explain, from where the measured speedups begin. Empty where the picture has
// that line from its first point on.
CurveLine estimateBeside(const SpeedupComparisons& compared, double height, const CurveScene& scene,
                         const Theme& theme)
{
    CurveLine line = emptyEstimate(theme);
    if (std::ranges::find(scene.lines, line.label, &CurveLine::label) != scene.lines.end())
        return line;
    for (const SpeedupComparison& row : compared.rows)
        if (row.estimated)
            line.points.emplace_back(static_cast<double>(row.gpus), *row.estimated * height);
    return line;
}

// Marks of what was measured, on the heights of the picture.
void addGiven(const StudyAnswer& answer, CurveScene& scene, const Theme& theme)
{
    const SpeedupComparisons compared = comparisonsOf(answer);
    const QString unused = unusedText(answer, compared);
    scene.note = unused;
    if (compared.rows.empty())
        return;
    const std::vector<ScalingPoint> scaling = scalingOf(ownGroup(answer));
    const auto base =
        std::ranges::find(scaling, static_cast<double>(compared.rows.front().gpus), &ScalingPoint::gpus);
    CurveLine line;
    line.colour = theme.colour(Hue::measured);
    line.label = QStringLiteral("measured");
    for (const SpeedupComparison& row : compared.rows) {
        const QPointF at{static_cast<double>(row.gpus), row.given * base->speedup};
        line.points.push_back(at);
        scene.marks.push_back({at, line.colour});
        scene.y_low = std::min(scene.y_low, 0.9 * at.y());
        scene.y_high = std::max(scene.y_high, 1.1 * at.y());
    }
    if (CurveLine estimate = estimateBeside(compared, base->speedup, scene, theme);
        estimate.points.size() > 1)
        scene.lines.push_back(std::move(estimate));
    scene.lines.push_back(std::move(line));
    if (!compared.error_predicted)
        return;
    scene.note =
        QStringLiteral("measured: predicted %1 off on average").arg(ratioText(*compared.error_predicted));
    if (compared.error_estimated)
        scene.note += QStringLiteral(", network alone %1").arg(ratioText(*compared.error_estimated));
    if (!unused.isEmpty())
        scene.note += QStringLiteral("; ") + unused;
}

// "; measured 6.9 (predicted +3.2 %, network alone +8.0 %)"
QString measuredSentence(const StudyAnswer& answer, std::int64_t gpus)
{
    const SpeedupComparisons compared = comparisonsOf(answer);
    const auto row = std::ranges::find(compared.rows, gpus, &SpeedupComparison::gpus);
    if (row == compared.rows.end())
        return {};
    if (row == compared.rows.begin())
        return QStringLiteral("measured speedups stand against this point");
    QString text = QStringLiteral("measured %1 times %2 GPUs: predicted %3")
                       .arg(row->given, 0, 'g', 4)
                       .arg(compared.rows.front().gpus)
                       .arg(signedPercentText(row->predicted / row->given - 1.0));
    if (row->estimated)
        text +=
            QStringLiteral(", network alone %1").arg(signedPercentText(*row->estimated / row->given - 1.0));
    return text;
}

QString throughputText(const ScalingPoint& scaling)
{
    return QStringLiteral("%1 times the throughput, %2 of ideal")
        .arg(scaling.speedup, 0, 'g', 4)
        .arg(ratioText(scaling.efficiency()));
}

QStringList networkTexts(const ScalingPoint& scaling)
{
    constexpr double shown_as_more = 1.0005;
    QStringList lines{
        QStringLiteral("network efficiency %1 against %2 GPUs, which alone gives %3 times ideal")
            .arg(ratioText(*scaling.network_efficiency))
            .arg(scaling.network_gpus)
            .arg(*scaling.estimated_speedup / scaling.ideal, 0, 'f', 3),
        QStringLiteral("by (r_comp + r_comm) / (r_comp + r_comm / eff) (Cheng et al. 2024)")};
    if (*scaling.network_efficiency > shown_as_more)
        lines << QStringLiteral(
            "above 100 %: more GPUs of a node have more links among them, or hide more of it");
    return lines;
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
    addGiven(answer, scene, theme);
    scene.x_unit = AxisUnit::doublings;
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
    const double group = ownGroupValue(answer);
    const auto distance = [gpus](const SweepPoint& point) {
        return std::fabs(std::log(static_cast<double>(point.world_size) / gpus));
    };
    for (const SweepPoint& point : answer.points)
        if (point.isValid() && point.group_value == group
            && (nearest == nullptr || distance(point) < distance(*nearest)))
            nearest = &point;
    return nearest;
}

QStringList scalingLines(const StudyAnswer& answer, double gpus)
{
    const SweepPoint* point = scalingPointAt(answer, gpus);
    if (point == nullptr)
        return {};
    const std::vector<ScalingGroup> groups = groupsOf(answer);
    QStringList lines;
    QStringList of_network;
    for (const ScalingGroup& group : groups)
        for (const ScalingPoint& scaling : group.scaling) {
            if (scaling.gpus != static_cast<double>(point->world_size))
                continue;
            lines << (groups.size() > 1 ? group.name + QLatin1Char(' ') : QString{})
                         + throughputText(scaling);
            if (groups.size() == 1 && scaling.network_efficiency)
                of_network = networkTexts(scaling);
        }
    lines << measuredSentence(answer, point->world_size) << of_network;
    lines.removeAll(QString{});
    if (!lines.isEmpty())
        lines.front().prepend(QStringLiteral("%1 GPUs: ").arg(groupedText(point->world_size)));
    return lines;
}

TableRows scalingTable(const StudyAnswer& answer)
{
    TableRows table{{"gpus", "group", "ideal", "speedup", "efficiency", "network_efficiency",
                     "speedup_from_network", "measured_from_base", "predicted_from_base",
                     "network_from_base"}};
    const SpeedupComparisons compared = comparisonsOf(answer);
    const auto number = [](double value) { return QString::number(value, 'g', 9); };
    const auto maybe = [&](const std::optional<double>& value) { return value ? number(*value) : QString{}; };
    for (const ScalingGroup& group : groupsOf(answer))
        for (const ScalingPoint& point : group.scaling) {
            QStringList row{number(point.gpus),
                            group.name,
                            number(point.ideal),
                            number(point.speedup),
                            number(point.efficiency()),
                            maybe(point.network_efficiency),
                            maybe(point.estimated_speedup)};
            const auto given = std::ranges::find(compared.rows, static_cast<std::int64_t>(point.gpus),
                                                 &SpeedupComparison::gpus);
            if (given != compared.rows.end() && group.value == ownGroupValue(answer))
                row << number(given->given) << number(given->predicted) << maybe(given->estimated);
            else
                row << QString{} << QString{} << QString{};
            table.push_back(row);
        }
    return table;
}

} // namespace shardscope
