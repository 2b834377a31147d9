// What the bars of a study say in words and as a table.
#include "widgets/panels/sweep/sweep_bars_view.h"
#include "widgets/session/shown_text.h"

#include "widgets/panels/picture/explanation_html.h"
#include "widgets/panels/scenario/figure_names.h"
#include "widgets/panels/sweep/layout_labels.h"
#include "widgets/panels/time/time_slice_words.h"

#include "core/base/format_alike.h"
#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/report/following_widths.h"
#include "core/report/scenario_words.h"
#include "core/report/sweep_report.h"
#include "core/sweep/layout.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// "29.7 s (26.1 s – 33.4 s)": with the error of predicted times where it is known.
QString timeWithBand(const TimePrediction& time)
{
    const auto& [low, high] = time.error_band;
    const QString text = secondsText(time.iteration_s);
    if (low == 0.0 && high == 0.0)
        return text;
    const auto ends = formatSecondsAlike(time.iteration_s * (1.0 + low), time.iteration_s * (1.0 + high));
    return QStringLiteral("%1 (%2 – %3)").arg(text, toQString(ends[0]), toQString(ends[1]));
}

// Behind what a row of every study has.
QStringList layoutCells(const StudyAnswer& answer, std::size_t place)
{
    const SweepPoint& point = answer.points[place];
    const std::optional<OwnLayout>& own = answer.layouts.own;
    const bool is_own = own && own->point == place;
    return {followingWords(answer.sweep.base, layoutOf(point.scenario)),
            is_own ? QStringLiteral("true") : QStringLiteral("false"),
            is_own && point.fits ? QString::number(own->place) : QString{}};
}

// Heads of the same width, and an MLP of the same ratio: "Heads a, MLP width".
QString widthWords(const Scenario& base, const Scenario& made)
{
    QStringList words;
    for (const std::string& key : followingWidths(base, made))
        words << figureOnScreen(toQString(key));
    return words.join(QStringLiteral(", "));
}

} // namespace

QString costText(const SweepPoint& point)
{
    return QStringLiteral("%1 an iteration, %2 %3, MFU %4, %5 memory")
        .arg(timeWithBand(point.time), countText(point.time.tokens_per_s),
             toQString(throughputWord(point.scenario.model)), ratioText(point.time.mfu),
             bytesText(static_cast<double>(point.device_bytes)));
}

QString placeText(const StudyAnswer& answer, const SweepPoint& point)
{
    if (showsLayouts(answer))
        return toQString(layoutText(layoutOf(point.scenario)));
    const auto one = [&point](SweepAxis axis, double value) {
        return toQString(axis == SweepAxis::schedule ? pointText(point, axis, value)
                                                     : axisPhrase(axis, value));
    };
    QString text = one(answer.sweep.axis, point.value);
    if (answer.sweep.group_axis)
        text += QStringLiteral(", ") + one(*answer.sweep.group_axis, point.group_value);
    return text;
}

QString sweepSentence(const StudyAnswer& answer, const SweepPoint& point, SweepQuantity quantity, int segment)
{
    const QString place = placeText(answer, point);
    if (!point.isValid())
        return QStringLiteral("%1: %2").arg(place, toQString(point.problem));
    const auto segments = segmentsOf(point, quantity, Theme{QPalette{}});
    QString text = place;
    if (segments.size() > 1 && segment >= 0 && segment < static_cast<int>(segments.size())) {
        const BarSegment& part = segments[static_cast<std::size_t>(segment)];
        text += QStringLiteral(", %1: %2 of %3")
                    .arg(part.name, part.amount, amountText(heightOf(point, quantity), quantity));
    } else {
        text += QStringLiteral(": %1").arg(amountText(heightOf(point, quantity), quantity));
    }
    if (!point.fits)
        text += QStringLiteral(", does not fit the GPU");
    else if (isNearlyFull(point.device_bytes, point.scenario.cluster))
        text += QStringLiteral(", ") + nearlyFullMeaning();
    for (const PlaceWarning& warning : placeWarnings(answer.points))
        if (std::ranges::find(point.warnings, warning.sentence) != point.warnings.end())
            text += QStringLiteral(". ") + warningOnScreen(warning.sentence);
    return text;
}

QString sweepTip(const StudyAnswer& answer, const SweepPoint& point, SweepQuantity quantity, int segment)
{
    QString text =
        QStringLiteral("<b>%1</b>").arg(sweepSentence(answer, point, quantity, segment).toHtmlEscaped());
    if (!point.isValid())
        return text;
    const Parallel& parallel = point.scenario.parallel;
    text += QStringLiteral("<br>%1, %2, %3")
                .arg(toQString(countedSentence(point.world_size, "1 GPU", "# GPUs")),
                     toQString(degreesText(parallel)),
                     toQString(countedSentence(point.micro_batches, "1 micro-batch", "# micro-batches")));
    text += QStringLiteral("<br>") + costText(point);
    const QString following = showsLayouts(answer)
                                  ? followingWords(answer.sweep.base, layoutOf(point.scenario))
                                  : followingWords(answer.sweep.base, point.scenario);
    const std::optional<OwnLayout>& own = answer.layouts.own;
    if (own && &point == &answer.points[own->point])
        text += QStringLiteral("<br>") + ownLayoutWords(answer.layouts, point);
    if (!following.isEmpty())
        text += (showsLayouts(answer) ? QStringLiteral("<br>Following the layout")
                                      : QStringLiteral("<br>Also another than on screen"))
                + QStringLiteral(", as the framework's defaults do: ") + following.toHtmlEscaped();
    if (const QString widths = widthWords(answer.sweep.base, point.scenario); !widths.isEmpty())
        text += QStringLiteral("<br>With the hidden size go: ") + widths.toHtmlEscaped();
    if (isOfTime(quantity)) {
        const auto slices = predictedTimeParts(point.time).slices;
        const bool is_part = segment >= 0 && segment < static_cast<int>(slices.size());
        const TimeSlice* part = is_part ? &slices[static_cast<std::size_t>(segment)] : nullptr;
        const auto figure = part ? sliceFigure(*part) : std::optional{Figure::iteration_time};
        if (const auto answered = predict(point.scenario); figure && answered)
            text += (part ? allComputing(*part, answered.value().time) : QString{})
                    + explanationHtml(explain(*figure, point.scenario, answered.value()));
    }
    return text + QStringLiteral("<br><i>Click: take this scenario</i>");
}

// The spreadsheet's rows of the command line, with the pinned scenario's time beside them. Layouts, which no
// number of the axis tells, are named, and with the one on screen goes its place by time.
TableRows sweepTable(const StudyAnswer& answer)
{
    const bool of_layouts = showsLayouts(answer);
    QStringList head = tableRow(sweepColumns(answer.sweep));
    if (of_layouts)
        head.first() = QStringLiteral("layout");
    head << QStringLiteral("pinned_iteration_s");
    if (of_layouts)
        head << QStringLiteral("following") << QStringLiteral("on_screen")
             << QStringLiteral("place_at_worst");
    TableRows table{head};
    const std::vector<std::vector<std::string>> rows = sweepRows(answer.sweep, answer.points);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QStringList row = tableRow(rows[i]);
        if (of_layouts)
            row.first() = placeText(answer, answer.points[i]);
        const bool has_ghost = i < answer.pinned_points.size() && answer.pinned_points[i].isValid();
        row << (has_ghost ? QString::number(answer.pinned_points[i].time.iteration_s, 'g', 17) : QString{});
        if (of_layouts)
            row << layoutCells(answer, i);
        table.push_back(row);
    }
    return table;
}

} // namespace shardscope
