#include "widgets/panels/sweep/sweep_layer_view.h"

#include "widgets/session/shown_text.h"

#include "core/base/format.h"
#include "core/prediction/time/time_error.h"
#include "core/report/projection_report.h"
#include "core/sweep/sweep_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace shardscope
{

namespace
{

QString sizeText(std::int64_t size)
{
    return toQString(axisText(SweepAxis::sequence_length, static_cast<double>(size)));
}

bool isShare(LayerFigure figure)
{
    return figure == LayerFigure::serialized || figure == LayerFigure::overlapped;
}

QString textOf(double value, LayerFigure figure)
{
    return toQString(isShare(figure) ? formatRatio(value) : formatCount(value));
}

double valueOf(const StudyAnswer& answer, LayerFigure figure, int column, int row)
{
    const auto& cell = answer.sheet.cell(column, row);
    if (!cell)
        return std::numeric_limits<double>::quiet_NaN();
    const LayerCounts counts = layerCounts(ProjectionSheet::layerAt(column, row),
                                           answer.question.predicted->scenario.training.precision);
    switch (figure) {
    case LayerFigure::serialized:
        return cell->serializedFraction();
    case LayerFigure::overlapped:
        return cell->overlappedFraction();
    case LayerFigure::amdahl_edge:
        return counts.amdahl_edge;
    case LayerFigure::slack_advantage:
        break;
    }
    return counts.slack_advantage;
}

QString placeText(int column, int row)
{
    const LayerCase layer = ProjectionSheet::layerAt(column, row);
    return QStringLiteral("h %1, s %2, b %3, t %4")
        .arg(sizeText(layer.hidden_size), sizeText(layer.sequence_length))
        .arg(layer.batch)
        .arg(layer.tensor);
}

void addAxes(MapScene& scene)
{
    for (int column = 0; column < scene.columns; ++column)
        scene.x_ticks.push_back(
            {static_cast<double>(column), sizeText(ProjectionSheet::layerAt(column, 0).hidden_size)});
    for (int row = 0; row < scene.rows; ++row)
        scene.y_ticks.push_back(
            {static_cast<double>(row), QString::number(ProjectionSheet::layerAt(0, row).tensor)});
    const auto hidden = static_cast<int>(swept_hidden.size());
    const auto tensor = static_cast<int>(swept_tensor.size());
    for (std::size_t i = 0; i < swept_lengths.size(); ++i)
        scene.x_blocks.push_back(
            {static_cast<int>(i) * hidden, hidden, QStringLiteral("s %1").arg(sizeText(swept_lengths[i]))});
    for (std::size_t i = 0; i < swept_batches.size(); ++i)
        scene.y_blocks.push_back(
            {static_cast<int>(i) * tensor, tensor, QStringLiteral("b %1").arg(swept_batches[i])});
    scene.x_title = QStringLiteral("hidden size h");
    scene.y_title = QStringLiteral("tensor ranks t");
}

// Where the scenario stands in the block of the length and batch that are nearest to its own, if the sweep
// reaches as far.
std::optional<MapMark> ownMark(const Scenario& scenario)
{
    const auto nearest = [](const auto& swept, std::int64_t own) {
        const auto distance = [own](std::int64_t value) {
            return std::fabs(std::log(static_cast<double>(value) / static_cast<double>(own)));
        };
        return static_cast<double>(std::ranges::min_element(swept, {}, distance) - swept.begin());
    };
    const auto among = [](const auto& swept, std::int64_t own) {
        return std::log2(static_cast<double>(own) / static_cast<double>(swept.front()));
    };
    const auto columns = static_cast<double>(swept_hidden.size());
    const auto rows = static_cast<double>(swept_tensor.size());
    const double column = among(swept_hidden, scenario.model.hidden_size);
    const double row = among(swept_tensor, scenario.parallel.tensor);
    if (column < 0.0 || row < 0.0 || column > columns - 1.0 || row > rows - 1.0)
        return std::nullopt;
    return MapMark{column + columns * nearest(swept_lengths, scenario.model.sequence_length),
                   row + rows * nearest(swept_batches, scenario.training.micro_batch_size), false};
}

QString noteOf(const StudyAnswer& answer, LayerFigure figure)
{
    const QString machine = toQString(answer.question.predicted->scenario.cluster.gpu);
    switch (figure) {
    case LayerFigure::serialized:
        return QStringLiteral("share of a layer's time that waits for its four all_reduces; %1, all ranks on "
                              "links inside a node")
            .arg(machine);
    case LayerFigure::overlapped:
        return QStringLiteral("reduced gradients of a product against the compute above them; more than "
                              "100 % does not hide");
    case LayerFigure::amdahl_edge:
        return QStringLiteral("(h + s) / t: compute against bytes that have to wait");
    case LayerFigure::slack_advantage:
        break;
    }
    return QStringLiteral("s * b: compute against bytes that can hide");
}

// The parts of a bar of the futures.
struct FuturePart {
    const char* name;
    double LayerTimes::*seconds;
    Hue hue;
    const char* meaning;
};
constexpr std::array future_parts{
    FuturePart{"compute", &LayerTimes::compute_s, Hue::compute, "computing, forward and backward"},
    FuturePart{"serialized", &LayerTimes::serialized_s, Hue::tp, "four all_reduces that compute waits for"},
    FuturePart{"compute slowed", &LayerTimes::slowed_s, Hue::elementwise,
               "what compute loses to gradients on their way behind it"},
    FuturePart{"exposed gradients", &LayerTimes::exposed_s, Hue::dp, "reduced gradients that do not hide"},
};

// With the evolution in front, as the command line's.
TableRows tableOf(const StudyAnswer& answer, const ProjectionRows& rows)
{
    const QString times = QString::number(answer.question.evolution.flop_vs_bandwidth, 'g', 15);
    TableRows table{QStringList{QStringLiteral("flop_vs_bandwidth")} + tableRow(rows.columns)};
    for (const ProjectionRow& row : rows.rows)
        table.push_back(QStringList{times} + tableRow(plainCells(row)));
    return table;
}

QString futureName(const StudyAnswer& answer, std::size_t bar)
{
    const double times = answer.question.evolution.flop_vs_bandwidth;
    if (bar == 0)
        return QStringLiteral("today");
    const QString faster = QStringLiteral("compute %1x").arg(times, 0, 'g', 3);
    return bar == 1 ? faster : faster + QStringLiteral(", replicas' links 8x slower and shared");
}

// `error`: share of its time that it may be off.
Bar futureBar(const StudyAnswer& answer, std::size_t future, double error, const Theme& theme)
{
    const LayerTimes& times = answer.futures.times[future];
    const double total_s = times.total_s();
    Bar bar;
    bar.centre = static_cast<double>(future) + 0.72;
    bar.thickness = 0.5;
    bar.most_pixels = 90.0;
    bar.caption = futureName(answer, future);
    // Pati et al. give both shares: what is serialized, and what is overlapped and costs nothing yet.
    bar.remark = QStringLiteral("%1: all_reduces %2, gradients %3, and %4 of it hidden beneath compute")
                     .arg(secondsText(total_s), ratioText(times.serialized_s / total_s),
                          ratioText(times.exposed_s / total_s), ratioText(times.hidden_s / total_s));
    for (const FuturePart& part : future_parts)
        bar.segments.push_back({times.*part.seconds, theme.colour(part.hue), BarTexture::solid, false,
                                QString::fromUtf8(part.name), secondsText(times.*part.seconds)});
    if (error > 0.0)
        bar.whisker = Whisker{total_s * (1.0 - error), total_s * (1.0 + error)};
    return bar;
}

} // namespace

QString figureName(LayerFigure figure)
{
    static const std::array<QString, layer_figure_count> names{
        QStringLiteral("serialized communication"), QStringLiteral("overlapped communication"),
        QStringLiteral("Amdahl's-law edge"), QStringLiteral("slack advantage")};
    return names[static_cast<std::size_t>(figure)];
}

MapScene projectionScene(const StudyAnswer& answer, LayerFigure figure)
{
    MapScene scene;
    scene.columns = ProjectionSheet::columns;
    scene.rows = ProjectionSheet::rows;
    scene.span.least = std::numeric_limits<double>::infinity();
    for (int row = 0; row < scene.rows; ++row)
        for (int column = 0; column < scene.columns; ++column) {
            const double value = valueOf(answer, figure, column, row);
            scene.values.push_back(value);
            if (!std::isnan(value)) {
                scene.span.most = std::max(scene.span.most, value);
                scene.span.least = std::min(scene.span.least, value);
            }
        }
    scene.span.scale = isShare(figure) ? HeatScale::linear : HeatScale::logarithmic;
    if (isShare(figure)) // the same colours while the slider moves
        scene.span.most = std::max(1.0, scene.span.most);
    for (const double place : {0.0, 0.25, 0.5, 0.75, 1.0})
        scene.colour_ticks.push_back({place, textOf(scene.span.valueAt(place), figure)});
    addAxes(scene);
    if (const auto mark = ownMark(answer.question.predicted->scenario))
        scene.marks.push_back(*mark);
    scene.note = noteOf(answer, figure);
    return scene;
}

QString projectionSentence(const StudyAnswer& answer, LayerFigure figure, MapCellPlace place)
{
    const double value = valueOf(answer, figure, place.column, place.row);
    const QString where = placeText(place.column, place.row);
    if (std::isnan(value))
        return QStringLiteral("%1: more tensor ranks than heads").arg(where);
    return QStringLiteral("%1: %2 %3").arg(where, figureName(figure), textOf(value, figure));
}

QString projectionTip(const StudyAnswer& answer, LayerFigure figure, MapCellPlace place)
{
    const auto& cell = answer.sheet.cell(place.column, place.row);
    QString text = QStringLiteral("<b>%1</b>").arg(projectionSentence(answer, figure, place).toHtmlEscaped());
    if (!cell)
        return text;
    const LayerCounts counts = layerCounts(ProjectionSheet::layerAt(place.column, place.row),
                                           answer.question.predicted->scenario.training.precision);
    text += QStringLiteral("<br>compute %1, four all_reduces of %2: %3")
                .arg(secondsText(cell->compute_s), bytesText(counts.serialized_bytes),
                     secondsText(cell->serialized_s));
    text += QStringLiteral("<br>gradients of a product: %1 to compute, %2 to reduce in %3")
                .arg(secondsText(cell->slack_s), bytesText(counts.gradient_bytes),
                     secondsText(cell->overlapped_s));
    return text
           + QStringLiteral("<br>edge (h + s) / t = %1, slack s b = %2 (Pati et al. 2023, Sec. 3)")
                 .arg(countText(counts.amdahl_edge))
                 .arg(counts.slack_advantage, 0, 'f', 0);
}

TableRows projectionTable(const StudyAnswer& answer)
{
    return tableOf(answer,
                   projectionRows(answer.sheet, answer.question.predicted->scenario.training.precision));
}

BarScene futuresScene(const StudyAnswer& answer, const Theme& theme)
{
    BarScene scene;
    const PredictedScenario& predicted = *answer.question.predicted;
    const double error = layerTimeError(predicted.scenario, predicted.prediction.parameters.total);
    double longest = 0.0;
    for (std::size_t i = 0; i < answer.futures.times.size(); ++i) {
        scene.bars.push_back(futureBar(answer, i, error, theme));
        longest = std::max(longest, answer.futures.times[i].total_s() * (1.0 + error));
    }
    scene.category_high = static_cast<double>(scene.bars.size());
    scene.value_high = ceilingTick(longest, AxisUnit::seconds);
    scene.unit = AxisUnit::seconds;
    const LayerCase& layer = answer.futures.layer;
    const double needed = requiredTensor(static_cast<double>(predicted.prediction.parameters.total),
                                         predicted.scenario.cluster.memory_GB);
    const bool has_experts = predicted.scenario.model.hasExpertLayers();
    const bool has_parts = predicted.scenario.parallel.context > 1;
    const QString left_out = has_experts && has_parts
                                 ? QStringLiteral(", without the messages of experts and context")
                             : has_experts ? QStringLiteral(", without the experts' messages")
                             : has_parts   ? QStringLiteral(", without the messages of context")
                                           : QString{};
    scene.note =
        QStringLiteral("one layer: h %1, s %2, b %3, t %4, %5%6; Pati et al.'s rule, which knows neither "
                       "stages nor ZeRO, gives a model of this size %7 tensor ranks on such GPUs")
            .arg(sizeText(layer.hidden_size), sizeText(layer.sequence_length))
            .arg(layer.batch)
            .arg(layer.tensor)
            .arg(layer.data == 1 ? QStringLiteral("1 replica")
                                 : QStringLiteral("%1 replicas").arg(layer.data),
                 left_out, countText(std::max(1.0, std::round(needed))));
    return scene;
}

QString futuresSentence(const StudyAnswer& answer, int bar, int segment)
{
    const auto place = static_cast<std::size_t>(bar);
    const LayerTimes& times = answer.futures.times[place];
    const FuturePart& part = future_parts[static_cast<std::size_t>(segment)];
    return QStringLiteral("%1, %2: %3, %4 of the layer (%5); %6 hidden")
        .arg(futureName(answer, place), QString::fromUtf8(part.name), secondsText(times.*part.seconds),
             ratioText(times.*part.seconds / times.total_s()), QString::fromUtf8(part.meaning),
             secondsText(times.hidden_s));
}

std::vector<LegendChip> futuresLegend(const Theme& theme)
{
    std::vector<LegendChip> chips;
    for (const FuturePart& part : future_parts)
        chips.push_back({.id = -1, .text = QString::fromUtf8(part.name), .colour = theme.colour(part.hue)});
    return chips;
}

TableRows futuresTable(const StudyAnswer& answer)
{
    return tableOf(answer, futureRows(answer.futures));
}

} // namespace shardscope
