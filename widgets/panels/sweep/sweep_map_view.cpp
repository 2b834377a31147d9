#include "widgets/panels/sweep/sweep_map_view.h"

#include "widgets/models/map_grid.h"
#include "widgets/session/shown_text.h"

#include "core/base/format_alike.h"
#include "core/report/map_report.h"
#include "core/sweep/axis_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace shardscope
{

namespace
{

double valueOf(const MapCell& cell, MapFigure figure)
{
    if (!cell.isValid())
        return std::numeric_limits<double>::quiet_NaN();
    switch (figure) {
    case MapFigure::iteration:
        return cell.iteration_s;
    case MapFigure::tokens_per_s:
        return cell.tokens_per_s;
    case MapFigure::mfu:
        return cell.mfu;
    case MapFigure::communication:
        return cell.communication_ratio;
    case MapFigure::bubble:
        return cell.bubble_ratio;
    case MapFigure::memory:
        break;
    }
    return cell.memory_ratio > 0.0 ? cell.memory_ratio : std::numeric_limits<double>::quiet_NaN();
}

bool isShare(MapFigure figure)
{
    return figure != MapFigure::iteration && figure != MapFigure::tokens_per_s;
}

QString textOf(double value, MapFigure figure)
{
    if (figure == MapFigure::iteration)
        return secondsText(value);
    if (figure == MapFigure::tokens_per_s)
        return countText(value);
    return ratioText(value);
}

HeatSpan spanOf(const std::vector<double>& values, MapFigure figure)
{
    HeatSpan span;
    span.least = std::numeric_limits<double>::infinity();
    for (const double value : values)
        if (!std::isnan(value)) {
            span.most = std::max(span.most, value);
            if (value > 0.0)
                span.least = std::min(span.least, value);
        }
    // Where memory ends is in the middle; how far beyond does not matter.
    constexpr double most_of_memory = 2.0;
    if (figure == MapFigure::memory)
        span.most = std::min(span.most, most_of_memory);
    span.scale = isShare(figure) ? HeatScale::linear : HeatScale::logarithmic;
    return span;
}

std::vector<MapTick> colourTicks(const HeatSpan& span, MapFigure figure)
{
    std::vector<MapTick> ticks;
    constexpr int steps = 4;
    for (int i = 0; i <= steps; ++i) {
        const double place = static_cast<double>(i) / steps;
        ticks.push_back({place, textOf(span.valueAt(place), figure)});
    }
    return ticks;
}

// 1, 2, 5, 10 ...
std::vector<double> decimalsIn(double low, double high)
{
    std::vector<double> rounds;
    for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade <= high; decade *= 10.0)
        for (const double digit : {1.0, 2.0, 5.0})
            rounds.push_back(digit * decade);
    return rounds;
}

// Where all values but the scenario's own are doublings, those: ticks stay while the scenario moves.
std::vector<double> withoutOwn(std::vector<double> values, double own)
{
    std::vector<double> rest = values;
    const auto not_double = [](double below, double above) { return above != 2.0 * below; };
    if (std::ranges::adjacent_find(values, not_double) == values.end())
        return values;
    std::erase(rest, own);
    return rest.size() > 1 && std::ranges::adjacent_find(rest, not_double) == rest.end() ? rest : values;
}

// 512, 1024, 2048 ...: lengths that halve the scenario's own would be 47, 94, 188.
std::vector<double> powersOfTwoIn(double low, double high)
{
    std::vector<double> powers;
    for (double power = 1.0; power <= high; power *= 2.0)
        if (power >= low)
            powers.push_back(power);
    return powers;
}

std::vector<double> roundValues(const Scenario& scenario, SweepAxis axis, double low, double high)
{
    if (takesAnySize(axis))
        return decimalsIn(low, high);
    if (axis == SweepAxis::sequence_length)
        if (std::vector<double> powers = powersOfTwoIn(low, high); powers.size() > 1)
            return powers;
    return withoutOwn(barValues(scenario, axis), ownValue(scenario, axis));
}

// Round values, at their places among the map's. A map may go on where bars have ended.
std::vector<MapTick> axisTicks(const Scenario& scenario, SweepAxis axis, const std::vector<double>& values)
{
    const double highest = values.back() * (1.0 + 1e-9);
    std::vector<double> rounds = roundValues(scenario, axis, values.front(), highest);
    if (!isNamed(axis) && rounds.size() > 1 && rounds.back() == 2.0 * rounds[rounds.size() - 2])
        while (2.0 * rounds.back() <= highest)
            rounds.push_back(2.0 * rounds.back());
    std::vector<MapTick> ticks;
    for (const double value : rounds)
        if (value >= values.front() * (1.0 - 1e-9) && value <= highest)
            ticks.push_back({placeAmong(values, value), toQString(axisText(axis, value))});
    return ticks;
}

MapMark markOf(const TimeMap& map, const Scenario& scenario, const Scenario& of, bool is_pinned)
{
    // Axes that count times have their 1 at the shown scenario.
    const auto at = [&](SweepAxis axis) {
        const bool counts_times = axis == SweepAxis::flop_vs_bandwidth || axis == SweepAxis::slower_links;
        return ownValue(counts_times ? scenario : of, axis);
    };
    return {placeAmong(map.x_values, at(map.x_axis)), placeAmong(map.y_values, at(map.y_axis)), is_pinned};
}

QString bandText(const MapCell& cell)
{
    const auto& [low, high] = cell.error_band;
    if (low == 0.0 && high == 0.0)
        return {};
    const auto ends = formatSecondsAlike(cell.iteration_s * (1.0 + low), cell.iteration_s * (1.0 + high));
    return QStringLiteral("<br>%1 – %2 with the error of predicted times")
        .arg(toQString(ends[0]), toQString(ends[1]));
}

// What to do where there is no map to draw.
QString hintOf(const TimeMap& map, const Scenario& scenario, MapFigure figure)
{
    if (map.x_axis == map.y_axis)
        return QStringLiteral("Choose two different axes");
    if (setsGpus(map.x_axis) && setsGpus(map.y_axis))
        return QStringLiteral("Both axes set the number of GPUs: choose another for one of them");
    if (figure == MapFigure::memory && map.model == MapModel::closed_form)
        return QStringLiteral("Li et al.'s formula knows no memory: turn on the detailed model");
    if (std::ranges::none_of(map.cells, &MapCell::isValid))
        return QStringLiteral("No point of this map can be trained: %1")
            .arg(toQString(mapProblem(map, scenario, 0, 0)));
    return {};
}

QString noteOf(const TimeMap& map)
{
    const QString points = QStringLiteral("%1 x %2 points").arg(map.x_values.size()).arg(map.y_values.size());
    return map.model == MapModel::closed_form
               ? QStringLiteral("Li et al. 2024, Eq. 1 to 9, in closed form: %1").arg(points)
               : QStringLiteral("detailed model, schedule played: %1").arg(points);
}

} // namespace

QString figureName(MapFigure figure)
{
    static const std::array<QString, map_figure_count> names{
        QStringLiteral("time"),          QStringLiteral("tokens/s"), QStringLiteral("MFU"),
        QStringLiteral("communication"), QStringLiteral("bubble"),   QStringLiteral("memory")};
    return names[static_cast<std::size_t>(figure)];
}

double placeAmong(const std::vector<double>& values, double value)
{
    const auto above = std::ranges::lower_bound(values, value);
    if (above == values.begin())
        return value >= values.front() * (1.0 - 1e-9) ? 0.0 : -1.0;
    if (above == values.end())
        return static_cast<double>(values.size()) - (value <= values.back() * (1.0 + 1e-9) ? 1.0 : 0.0);
    const double below = *(above - 1);
    const double part =
        below > 0.0 ? std::log(value / below) / std::log(*above / below) : (value - below) / (*above - below);
    return static_cast<double>(above - values.begin()) - 1.0 + part;
}

MapScene timeMapScene(const StudyAnswer& answer, MapFigure figure)
{
    const TimeMap& map = answer.map;
    const Scenario& scenario = answer.question.predicted->scenario;
    MapScene scene;
    scene.hint = hintOf(map, scenario, figure);
    if (!scene.hint.isEmpty())
        return scene;
    scene.columns = static_cast<int>(map.x_values.size());
    scene.rows = static_cast<int>(map.y_values.size());
    scene.values.reserve(map.cells.size());
    for (const MapCell& cell : map.cells)
        scene.values.push_back(valueOf(cell, figure));
    scene.span = spanOf(scene.values, figure);
    scene.colour_ticks = colourTicks(scene.span, figure);
    if (std::ranges::any_of(scene.values, [&](double value) { return value > scene.span.most; }))
        scene.colour_ticks.back().label.prepend(QStringLiteral("≥ "));
    scene.x_ticks = axisTicks(scenario, map.x_axis, map.x_values);
    scene.y_ticks = axisTicks(scenario, map.y_axis, map.y_values);
    scene.x_title = toQString(axisTitle(map.x_axis));
    scene.y_title = toQString(axisName(map.y_axis)); // a map is wider than high
    if (answer.question.pinned)
        scene.marks.push_back(markOf(map, scenario, answer.question.pinned->scenario, true));
    scene.marks.push_back(markOf(map, scenario, scenario, false));
    scene.note = noteOf(map);
    const auto is_too_large = [](const MapCell& cell) { return cell.memory_ratio > 1.0; };
    if (figure != MapFigure::memory && std::ranges::any_of(map.cells, is_too_large)) {
        for (const MapCell& cell : map.cells)
            scene.pale.push_back(is_too_large(cell));
        scene.note += (scene.note.isEmpty() ? QString{} : QStringLiteral("; "))
                      + QStringLiteral("faded: more memory than the GPU has");
    }
    return scene;
}

QString timeMapSentence(const StudyAnswer& answer, MapFigure figure, MapCellPlace place)
{
    const TimeMap& map = answer.map;
    const auto x = static_cast<std::size_t>(place.column);
    const auto y = static_cast<std::size_t>(place.row);
    const QString where = toQString(axisPhrase(map.x_axis, map.x_values[x])) + QStringLiteral(", ")
                          + toQString(axisPhrase(map.y_axis, map.y_values[y]));
    const MapCell& cell = map.cell(x, y);
    if (!cell.isValid())
        return QStringLiteral("%1: %2").arg(
            where, toQString(mapProblem(map, answer.question.predicted->scenario, x, y)));
    return QStringLiteral("%1: %2 %3").arg(where, figureName(figure), textOf(valueOf(cell, figure), figure));
}

QString timeMapTip(const StudyAnswer& answer, MapCellPlace place)
{
    const QString head =
        QStringLiteral("<b>%1</b>").arg(timeMapSentence(answer, MapFigure::iteration, place).toHtmlEscaped());
    const MapCell& cell =
        answer.map.cell(static_cast<std::size_t>(place.column), static_cast<std::size_t>(place.row));
    if (!cell.isValid())
        return head;
    QString text = head
                   + QStringLiteral("<br>%1 tokens/s, MFU %2<br>communication %3, bubble %4")
                         .arg(countText(cell.tokens_per_s), ratioText(cell.mfu),
                              ratioText(cell.communication_ratio), ratioText(cell.bubble_ratio));
    if (cell.memory_ratio > 0.0)
        text += QStringLiteral("<br>memory: %1 of the GPU's").arg(ratioText(cell.memory_ratio));
    text += bandText(cell);
    if (answer.map.model == MapModel::closed_form)
        text += QStringLiteral("<br>m (T_comp + T_PP + T_TP) + T_bubble + T_DP (Li et al. 2024, Eq. 1)");
    return text + QStringLiteral("<br><i>Click: take this scenario</i>");
}

std::vector<Scenario> endsOfRows(const StudyAnswer& answer)
{
    const TimeMap& map = answer.map;
    const Scenario& base = answer.question.predicted->scenario;
    std::vector<Scenario> scenarios;
    for (std::size_t y = 0; y < map.y_values.size(); ++y) {
        std::vector<std::size_t> valid;
        for (std::size_t x = 0; x < map.x_values.size(); ++x)
            if (map.cell(x, y).isValid())
                valid.push_back(x);
        if (valid.empty())
            continue;
        scenarios.push_back(mapScenario(map, base, valid.front(), y));
        scenarios.push_back(mapScenario(map, base, valid.back(), y));
    }
    return scenarios;
}

TableRows timeMapTable(const StudyAnswer& answer)
{
    TableRows table{tableRow(mapColumns(answer.map))};
    for (const std::vector<std::string>& row : mapRows(answer.map, answer.question.predicted->scenario))
        table.push_back(tableRow(row));
    return table;
}

} // namespace shardscope
