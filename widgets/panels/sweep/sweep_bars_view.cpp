#include "widgets/panels/sweep/sweep_bars_view.h"

#include "widgets/panels/sweep/layout_labels.h"
#include "widgets/session/shown_text.h"

#include "core/report/sweep_report.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double stub_share = 0.05; // of the axis: the height of a place that cannot be trained

double centreOf(const StudyAnswer& answer, std::size_t point)
{
    const std::size_t groups = answer.sweep.groupSize();
    const double step = 0.86 / static_cast<double>(groups);
    const auto group = static_cast<double>(point % groups);
    return static_cast<double>(point / groups) + (group - (static_cast<double>(groups) - 1.0) / 2.0) * step;
}

double thicknessOf(const StudyAnswer& answer)
{
    const std::size_t groups = answer.sweep.groupSize();
    return groups == 1 ? 0.72 : 0.8 / static_cast<double>(groups);
}

Bar ghostOf(const StudyAnswer& answer, std::size_t place, SweepQuantity quantity, const Theme& theme)
{
    Bar bar;
    bar.centre = centreOf(answer, place);
    bar.thickness = thicknessOf(answer) * 1.12;
    bar.most_pixels = 90.0;
    bar.is_ghost = true;
    bar.segments.push_back({heightOf(answer.pinned_points[place], quantity), theme.faintText(),
                            BarTexture::outline, false, QString{}, QString{}});
    return bar;
}

// A place that cannot be trained; the reason is told when it is pointed at.
Bar stubOf(const BarScene& scene, Bar bar, const Theme& theme)
{
    const double high = scene.is_logarithmic
                            ? scene.value_low * std::pow(scene.value_high / scene.value_low, stub_share)
                            : stub_share * scene.value_high;
    bar.segments.push_back({high, theme.faintText(), BarTexture::outline, true, QString{}, QString{}});
    bar.caption = QStringLiteral("✕");
    return bar;
}

Bar barOf(const StudyAnswer& answer, std::size_t place, SweepQuantity quantity, const BarScene& scene,
          const Theme& theme)
{
    const SweepPoint& point = answer.points[place];
    Bar bar;
    bar.centre = centreOf(answer, place);
    bar.thickness = thicknessOf(answer);
    bar.most_pixels = 80.0;
    if (!point.isValid())
        return stubOf(scene, std::move(bar), theme);
    if (scene.is_logarithmic)
        bar.segments = {undivided(point, quantity, theme)};
    else
        bar.segments = segmentsOf(point, quantity, theme);
    // Over the bar every figure has room, in it not; of a group's bars none has.
    if (quantity != SweepQuantity::shares && answer.sweep.groupSize() == 1) {
        bar.caption = amountText(heightOf(point, quantity), quantity);
        if (bar.segments.size() == 1)
            bar.segments.front().amount.clear();
    }
    const auto& band = point.time.error_band;
    if (quantity == SweepQuantity::time && (band[0] != 0.0 || band[1] != 0.0))
        bar.whisker =
            Whisker{point.time.iteration_s * (1.0 + band[0]), point.time.iteration_s * (1.0 + band[1])};
    return bar;
}

// Of all bars, ghosts and whiskers.
struct HeightSpan {
    double least = 0.0; // above 0; 0: nothing is
    double most = 0.0;
};

HeightSpan spanOf(const StudyAnswer& answer, SweepQuantity quantity)
{
    HeightSpan span;
    for (const auto* points : {&answer.points, &answer.pinned_points})
        for (const SweepPoint& point : *points) {
            if (!point.isValid())
                continue;
            const bool has_band = quantity == SweepQuantity::time && points == &answer.points;
            const auto& [below, above] = point.time.error_band;
            const double height = heightOf(point, quantity);
            const double low = has_band ? height * (1.0 + below) : height;
            span.most = std::max(span.most, has_band ? height * (1.0 + above) : height);
            if (low > 0.0 && (span.least == 0.0 || low < span.least))
                span.least = low;
        }
    return span;
}

// On a logarithmic axis the least of the bars is still one.
void spanHeights(BarScene& scene, const HeightSpan& span)
{
    if (!scene.is_logarithmic) {
        scene.value_high = 1.06 * span.most;
        return;
    }
    const double decades = span.most / span.least;
    scene.value_low = span.least / std::max(1.6, std::pow(decades, 0.12));
    scene.value_high = span.most * std::pow(span.most / scene.value_low, 0.06);
}

QString groupWords(const Sweep& sweep)
{
    if (!sweep.group_axis)
        return {};
    QStringList words;
    for (const double value : sweep.group_values)
        words << toQString(axisText(*sweep.group_axis, value));
    const QString values = QStringLiteral("left to right: ") + words.join(QStringLiteral(", "));
    return isNamed(*sweep.group_axis)
               ? values
               : QStringLiteral("%1, %2").arg(toQString(axisTitle(*sweep.group_axis)), values);
}

QString layoutsNote(const StudyAnswer& answer)
{
    const LayoutsFound& layouts = answer.layouts;
    const Scenario& base = answer.sweep.base;
    QString own;
    if (layouts.own)
        own = QStringLiteral("; ") + ownLayoutClause(layouts, answer.points[layouts.own->point]);
    // Without an error band nothing can be told apart.
    const QString equals = base.cluster.calibrated
                               ? QStringLiteral(" Up to %1 are as fast as the fastest within the error.")
                                     .arg(groupedText(layouts.may_be_fastest))
                               : QString{};
    std::vector<Layout> drawn_layouts;
    for (std::size_t i = 0; i < layouts.drawn; ++i)
        drawn_layouts.push_back(layoutOf(answer.points[i].scenario));
    // The command line's search lists all of them.
    const auto drawn = static_cast<std::int64_t>(layouts.drawn);
    const QString front =
        drawn < layouts.front
            ? QStringLiteral("Drawn: %1 of the %2 that no other beats in both time and memory")
                  .arg(drawn)
                  .arg(groupedText(layouts.front))
            : QStringLiteral("Drawn: all that no other beats in both time and memory");
    return QStringLiteral("%1 layouts were tried, %2 fit%3.%4 %5. %6")
        .arg(groupedText(layouts.possible), groupedText(layouts.fitting), own, equals,
             searchedWords(base, drawn_layouts), front);
}

bool doesNotFit(const SweepPoint& point)
{
    return point.isValid() && !point.fits;
}

// What the reader has to know beside the bars.
QString noteOf(const StudyAnswer& answer, SweepQuantity quantity)
{
    QStringList notes;
    if (showsLayouts(answer))
        notes << layoutsNote(answer);
    if (answer.sweep.group_axis)
        notes << groupWords(answer.sweep);
    if (const std::string likeness = likenessNote(answer.sweep, answer.points); !likeness.empty())
        notes << toQString(likeness);
    if (std::ranges::any_of(answer.points, doesNotFit) && quantity != SweepQuantity::memory)
        notes << QStringLiteral("faded: more memory than the GPU has");
    if (isOfTime(quantity) || quantity == SweepQuantity::tokens_per_s
        || quantity == SweepQuantity::tokens_per_gpu || quantity == SweepQuantity::mfu)
        if (answer.sweep.base.time_model == TimeModel::li)
            notes << QStringLiteral("Li et al.'s time model");
    if (!answer.sweep.base.cluster.calibrated && isOfTime(quantity))
        notes << QStringLiteral("not calibrated");
    return notes.join(QStringLiteral("; "));
}

void addCategories(BarScene& scene, const StudyAnswer& answer)
{
    scene.category_low = -0.5;
    scene.category_high = static_cast<double>(answer.sweep.values.size()) - 0.5;
    if (showsLayouts(answer)) {
        const LayoutLabels layouts = layoutLabels(answer.points, answer.sweep.base, answer.layouts.own);
        scene.keeps_last_label = answer.layouts.own && !answer.layouts.own->is_of_front;
        scene.labels_are_names = true;
        for (std::size_t i = 0; i < layouts.labels.size(); ++i)
            scene.category_labels.push_back({static_cast<double>(i), layouts.labels[i]});
        scene.category_title = layouts.title;
        return;
    }
    scene.labels_are_names = isNamed(answer.sweep.axis);
    for (std::size_t i = 0; i < answer.sweep.values.size(); ++i) {
        const std::size_t point = i * answer.sweep.groupSize();
        const SweepAxis axis = answer.sweep.axis;
        const double value = answer.sweep.values[i];
        const bool has_point = point < answer.points.size();
        scene.category_labels.push_back(
            {static_cast<double>(i),
             toQString(has_point ? pointText(answer.points[point], axis, value) : axisText(axis, value))});
    }
    scene.category_title = toQString(axisTitle(answer.sweep.axis));
}

// The scenario's own bar.
std::optional<std::size_t> ownPlace(const StudyAnswer& answer)
{
    if (!showsLayouts(answer))
        return ownPoint(answer.sweep, answer.points);
    return answer.layouts.own ? std::optional{answer.layouts.own->point} : std::nullopt;
}

// Gigabytes of a GPU are the memory panel's: 1e9 or 2^30, as the prediction has taken them.
std::optional<BarLimit> capacityOf(const StudyAnswer& answer)
{
    const std::int64_t bytes = answer.question.predicted->prediction.memory.capacity_bytes;
    if (bytes <= 0)
        return std::nullopt;
    return BarLimit{static_cast<double>(bytes),
                    QStringLiteral("capacity %1").arg(bytesText(static_cast<double>(bytes)))};
}

} // namespace

BarScene sweepBarsScene(const StudyAnswer& answer, SweepQuantity quantity, const Theme& theme,
                        bool is_logarithmic)
{
    BarScene scene;
    const HeightSpan span = spanOf(answer, quantity);
    const auto first_valid = std::ranges::find_if(answer.points, &SweepPoint::isValid);
    if (first_valid == answer.points.end() || span.most <= 0.0) {
        const bool none = first_valid == answer.points.end();
        scene.hint = none && !answer.points.empty() ? QStringLiteral("No value can be trained: ")
                                                          + toQString(answer.points.front().problem)
                                                    : QStringLiteral("There is nothing of this at any value");
        return scene;
    }
    scene.unit = unitOf(quantity);
    addCategories(scene, answer);
    if (quantity == SweepQuantity::memory)
        scene.limit = capacityOf(answer);
    scene.is_logarithmic = is_logarithmic && canBeLogarithmic(quantity);
    if (quantity != SweepQuantity::shares)
        spanHeights(scene, span);
    if (scene.limit && scene.limit->value > scene.value_high)
        scene.limit->text += QStringLiteral(" \u2191");
    if (quantity != SweepQuantity::shares)
        for (std::size_t i = 0; i < answer.pinned_points.size() && i < answer.points.size(); ++i)
            if (answer.pinned_points[i].isValid())
                scene.bars.push_back(ghostOf(answer, i, quantity, theme));
    const auto own = ownPlace(answer);
    for (std::size_t i = 0; i < answer.points.size(); ++i) {
        scene.bars.push_back(barOf(answer, i, quantity, scene, theme));
        scene.bars.back().is_marked = own == i;
    }
    scene.note = noteOf(answer, quantity);
    if (scene.is_logarithmic)
        scene.note.prepend(scene.note.isEmpty() ? QStringLiteral("logarithmic heights")
                                                : QStringLiteral("logarithmic heights; "));
    return scene;
}

bool showsLayouts(const StudyAnswer& answer)
{
    return answer.question.study != nullptr && answer.question.study->picture == StudyPicture::layouts;
}

const SweepPoint* pointOfBar(const StudyAnswer& answer, const BarScene& scene, int bar)
{
    const auto ghosts = std::ranges::count_if(scene.bars, &Bar::is_ghost);
    const auto place = static_cast<std::ptrdiff_t>(bar) - ghosts;
    const bool is_there = place >= 0 && place < static_cast<std::ptrdiff_t>(answer.points.size());
    return is_there ? &answer.points[static_cast<std::size_t>(place)] : nullptr;
}

namespace
{

// In the order in which the parts lie on one another, though not every point has all.
std::vector<LegendChip> partsLegend(const StudyAnswer& answer, SweepQuantity quantity, const Theme& theme)
{
    std::vector<LegendChip> chips;
    for (const SweepPoint& point : answer.points) {
        if (!point.isValid())
            continue;
        std::size_t behind = 0; // the chip of the part below
        for (const BarSegment& segment : segmentsOf(point, quantity, theme)) {
            if (segment.name.isEmpty())
                continue;
            const auto found = std::ranges::find(chips, segment.name, &LegendChip::text);
            if (found != chips.end()) {
                behind = static_cast<std::size_t>(found - chips.begin()) + 1;
                continue;
            }
            const LegendChip chip{.id = -1,
                                  .text = segment.name,
                                  .colour = segment.colour,
                                  .is_striped = segment.texture == BarTexture::striped};
            chips.insert(chips.begin() + static_cast<std::ptrdiff_t>(behind), chip);
            ++behind;
        }
    }
    return chips;
}

} // namespace

std::vector<LegendChip> sweepLegend(const StudyAnswer& answer, SweepQuantity quantity, const Theme& theme,
                                    bool is_logarithmic)
{
    const bool is_undivided = is_logarithmic && canBeLogarithmic(quantity);
    std::vector<LegendChip> chips;
    if (!is_undivided)
        chips = partsLegend(answer, quantity, theme);
    if (quantity == SweepQuantity::memory && std::ranges::any_of(answer.points, doesNotFit))
        chips.push_back({.id = -1,
                         .text = QStringLiteral("beyond the GPU's memory"),
                         .colour = theme.colour(Hue::limit),
                         .is_off = true});
    if (!answer.pinned_points.empty() && (is_undivided || !chips.empty())
        && quantity != SweepQuantity::shares)
        chips.push_back(
            {.id = -1, .text = QStringLiteral("pinned"), .colour = theme.faintText(), .is_off = true});
    return chips;
}

} // namespace shardscope
