#include "widgets/panels/time/time_breakdown_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/picture/explanation_html.h"
#include "widgets/panels/picture/legend_frame.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/panels/picture/selection_steps.h"
#include "widgets/panels/time/time_slice_words.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"
#include "widgets/session/run_name.h"
#include "widgets/session/shown_text.h"

#include "core/base/format_alike.h"
#include "core/prediction/time/forward_time.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr const char* open_a_trace = "open a trace to lay it over the prediction";

bool isFaded(const TimeSlice& slice, const std::optional<Kind>& marked)
{
    return marked && (slice.part != TimePart::communication || slice.kind != *marked);
}

QString rowName(int of)
{
    static const std::array<QString, 4> names{"Predicted", "Pinned", "Measured", "Pinned run"};
    return names[static_cast<std::size_t>(of)];
}

// A log tells how long iterations took, and not what of.
QString undividedText(const Measurement& measurement)
{
    const auto iteration = std::ranges::find(measurement.timers, iteration_timer, &MeasuredTimer::name);
    if (iteration == measurement.timers.end() && !measurement.points.empty())
        return QStringLiteral("only calls of collectives: see Collectives");
    if (iteration == measurement.timers.end())
        return QStringLiteral("this trace has no time to divide");
    return QStringLiteral("%1, median of %2 lines of the log, which do not divide it")
        .arg(secondsText(iteration->median_s))
        .arg(iteration->count);
}

// "12.3 % more than pinned"
QString changeText(double seconds, double pinned_s, const char* pinned)
{
    return QStringLiteral("%1 % %2 than %3")
        .arg(std::fabs(seconds / pinned_s - 1.0) * 100.0, 0, 'f', 1)
        .arg(seconds < pinned_s ? QStringLiteral("less") : QStringLiteral("more"), QString::fromUtf8(pinned));
}

} // namespace

TimeBreakdownPanel::TimeBreakdownPanel(QWidget* parent)
    : PicturePanel{parent},
      m_legend{new LegendChips{LegendChips::Use::buttons, this}},
      m_chart{new BarChart{Qt::Horizontal, this}}
{
    layOutPicture(this, m_legend, {}, m_chart);
    m_chart->setAccessibleName(title());
    m_chart->setTip([this](int bar, int segment) { return tip(bar, segment); });
    connect(m_chart, &BarChart::activated, this, &TimeBreakdownPanel::onActivated);
    connect(m_chart, &BarChart::hovered, this, [this](int bar, int segment) {
        emit statusWished(bar < 0 ? QString{} : sentence(bar, segment));
    });
    connect(m_legend, &LegendChips::clicked, this, [this](int kind) {
        emit selectionWished(withKindToggled(m_selection, static_cast<Kind>(kind)));
    });
    refresh();
}

void TimeBreakdownPanel::setContent(const Content& content)
{
    const bool is_other_run =
        content.measured != m_content.measured || content.pinned_run != m_content.pinned_run;
    const PredictedScenario* of = content.besideMeasured();
    const PredictedScenario* before = m_content.besideMeasured();
    const bool is_other_layout =
        content.measured && !(of && before && before->scenario.parallel == of->scenario.parallel);
    m_content = content;
    if (is_other_run) {
        m_calls = MeasuredCalls{content.measured};
        m_pinned_calls = content.comparesRuns() ? MeasuredCalls{content.pinned_run} : MeasuredCalls{};
    }
    if (is_other_run || is_other_layout)
        readMeasured();
    refresh();
}

void TimeBreakdownPanel::setSelection(const Selection& selection)
{
    if (selection == m_selection)
        return;
    const bool is_other_rank = selection.rank != m_selection.rank;
    m_selection = selection;
    if (is_other_rank)
        readMeasured();
    refresh();
}

// The selected rank's time; that of the busiest stage without one, or when it was not read.
void TimeBreakdownPanel::readMeasured()
{
    m_measured = m_content.measured
                     ? partsOf(m_calls, RunPlaces{m_content.besideMeasured(), *m_content.measured})
                     : TimeParts{};
    m_pinned_run =
        m_content.comparesRuns() ? partsOf(m_pinned_calls, RunPlaces::ofPinned(m_content)) : TimeParts{};
}

TimeParts TimeBreakdownPanel::partsOf(const MeasuredCalls& calls, const RunPlaces& places) const
{
    std::optional<TimeParts> parts = measuredTimeParts(calls, places, m_selection.rank);
    if (!parts)
        parts = measuredTimeParts(calls, places, std::nullopt);
    return parts.value_or(TimeParts{});
}

void TimeBreakdownPanel::resizeEvent(QResizeEvent* event)
{
    PicturePanel::resizeEvent(event);
    shortenLegend(*this, *m_legend);
}

void TimeBreakdownPanel::refresh()
{
    m_rows.clear();
    if (const PredictedScenario* predicted = m_content.besideMeasured())
        m_rows.push_back(predictedRow(Row::Of::predicted, *predicted));
    if (m_content.pinned)
        m_rows.push_back(predictedRow(Row::Of::pinned, *m_content.pinned));
    m_rows.push_back({Row::Of::measured, m_measured, {0.0, 0.0}});
    if (m_content.comparesRuns())
        m_rows.push_back({Row::Of::pinned_run, m_pinned_run, {0.0, 0.0}});
    updateLegend();
    m_chart->setScene(scene(m_rows.size()));
}

// Beside forward passes alone stand those of the prediction, whose band is that of a whole iteration.
TimeBreakdownPanel::Row TimeBreakdownPanel::predictedRow(Row::Of of, const PredictedScenario& predicted) const
{
    if (isForwardOnly())
        return {of,
                predictedTimeParts(forwardTime(predicted.scenario, predicted.prediction),
                                   predicted.scenario.parallel.pipeline > 1),
                {0.0, 0.0}};
    const TimePrediction& time = predicted.prediction.time;
    return {of, predictedTimeParts(time, predicted.scenario.parallel.pipeline > 1), time.error_band};
}

void TimeBreakdownPanel::updateLegend()
{
    const Theme theme{palette()};
    const std::optional<Kind> marked = markedKind(m_selection);
    std::vector<TimeSlice> parts; // that any bar has, in the order of the enumerations
    for (const Row& row : m_rows)
        parts.insert(parts.end(), row.parts.slices.begin(), row.parts.slices.end());
    const auto place = [](const TimeSlice& slice) { return std::pair{slice.part, slice.kind}; };
    std::sort(parts.begin(), parts.end(),
              [&](const TimeSlice& a, const TimeSlice& b) { return place(a) < place(b); });
    parts.erase(std::unique(parts.begin(), parts.end(),
                            [&](const TimeSlice& a, const TimeSlice& b) { return place(a) == place(b); }),
                parts.end());
    std::vector<LegendChip> chips;
    for (const TimeSlice& slice : parts) {
        const bool is_kind = slice.part == TimePart::communication;
        chips.push_back({.id = is_kind ? static_cast<int>(slice.kind) : -1,
                         .text = sliceName(slice),
                         .colour = sliceColour(slice, theme),
                         .is_faded = isFaded(slice, marked),
                         .is_marked = is_kind && marked == slice.kind,
                         .is_striped = slice.part == TimePart::overlapped});
    }
    m_legend->setChips(std::move(chips));
}

// Measured and predicted times that lie further apart than this are of different things: on one axis the
// shorter bar would be a line.
constexpr double comparable_ratio = 8.0;

// Times that have no length to compare: then every bar is as long as the others.
bool TimeBreakdownPanel::showsShares() const
{
    return m_measured.ranks > 0 && !note().isEmpty();
}

QString TimeBreakdownPanel::note() const
{
    const PredictedScenario* predicted = m_content.besideMeasured();
    if (predicted == nullptr)
        return {};
    const bool is_divided = m_measured.ranks > 0;
    if (!predicted->scenario.cluster.calibrated)
        return is_divided ? QStringLiteral("Not calibrated: compare shares, not times")
                          : QStringLiteral("Not calibrated: times must not be used as predictions");
    const bool has_lengths = m_measured.total_s > 0.0 && !m_rows.empty();
    const double ratio = has_lengths ? m_rows.front().parts.total_s / m_measured.total_s : 1.0;
    if (ratio <= comparable_ratio && ratio >= 1.0 / comparable_ratio)
        return {};
    return QStringLiteral("Times %1× apart: is this the trace's scenario?")
               .arg(std::max(ratio, 1.0 / ratio), 0, 'f', 0)
           + (is_divided ? QStringLiteral(" Compare only shares") : QString{});
}

BarScene TimeBreakdownPanel::scene(std::size_t rows) const
{
    BarScene scene;
    if (!m_content.predicted && !m_content.measured) {
        scene.hint = QStringLiteral("Set a valid scenario to see where the time of an iteration goes");
        return scene;
    }
    if (rows == 1 && !m_content.besideMeasured() && m_rows.front().parts.slices.empty()) {
        scene.hint = QStringLiteral("Measured: ") + remark(m_rows.front());
        return scene;
    }
    scene.unit = showsShares() ? AxisUnit::share : AxisUnit::seconds;
    scene.note = note();
    double longest = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
        Bar bar = barOf(m_rows[i], showsShares() ? 1.0 / m_rows[i].parts.total_s : 1.0);
        // The caption takes the upper part of the row.
        bar.centre = static_cast<double>(i) + 0.72;
        double end = bar.whisker ? bar.whisker->high : 0.0;
        double length = 0.0;
        for (const BarSegment& segment : bar.segments)
            length += segment.value;
        longest = std::max({longest, end, length});
        scene.bars.push_back(std::move(bar));
    }
    scene.category_high = static_cast<double>(rows);
    scene.value_high = showsShares() ? std::max(1.0, longest) : ceilingTick(longest, AxisUnit::seconds);
    return scene;
}

Bar TimeBreakdownPanel::barOf(const Row& row, double scale) const
{
    const Theme theme{palette()};
    const std::optional<Kind> marked = markedKind(m_selection);
    Bar bar;
    bar.thickness = 0.5;
    bar.most_pixels = 120.0;
    bar.caption = rowName(static_cast<int>(row.of));
    bar.remark = remark(row);
    for (const TimeSlice& slice : row.parts.slices)
        bar.segments.push_back(
            {slice.seconds * scale, sliceColour(slice, theme),
             slice.part == TimePart::overlapped ? BarTexture::striped : BarTexture::solid,
             isFaded(slice, marked) || row.of == Row::Of::pinned || row.of == Row::Of::pinned_run,
             sliceName(slice), secondsText(slice.seconds)});
    // The error is that of the time, which an axis of shares does not show.
    if (!showsShares() && (row.band[0] != 0.0 || row.band[1] != 0.0))
        bar.whisker = Whisker{row.parts.total_s * (1.0 + row.band[0]) * scale,
                              row.parts.total_s * (1.0 + row.band[1]) * scale};
    return bar;
}

// What a measured bar is the mean of, or why there is none.
QString TimeBreakdownPanel::measuredRemark(const Row& row) const
{
    const MeasuredRun* run =
        row.of == Row::Of::measured ? m_content.measured.get() : m_content.pinned_run.get();
    if (row.parts.ranks == 0)
        return run ? undividedText(run->measurement) : QString::fromUtf8(open_a_trace);
    const QString whose =
        row.parts.ranks == 1 && m_selection.rank ? QStringLiteral("rank %1").arg(*m_selection.rank)
        : row.parts.ranks == 1                   ? QStringLiteral("one rank")
        : row.parts.stage >= 0
            ? QStringLiteral("mean of stage %1's %2 ranks").arg(row.parts.stage).arg(row.parts.ranks)
            : QStringLiteral("mean of %1 ranks").arg(row.parts.ranks);
    const QString passes = run->is_forward_only ? QStringLiteral(", only forward passes") : QString{};
    const QString against =
        row.of == Row::Of::measured && m_content.comparesRuns() && m_pinned_run.ranks > 0
            ? QStringLiteral(", ") + changeText(row.parts.total_s, m_pinned_run.total_s, "the pinned run")
            : QString{};
    const QString name = row.of == Row::Of::pinned_run ? QStringLiteral(", ") + runName(*run) : QString{};
    return secondsText(row.parts.total_s) + passes + against + QStringLiteral(", ") + whose + name;
}

QString TimeBreakdownPanel::remark(const Row& row) const
{
    if (row.of == Row::Of::measured || row.of == Row::Of::pinned_run)
        return measuredRemark(row);
    QString text = secondsText(row.parts.total_s);
    if (row.band[0] != 0.0 || row.band[1] != 0.0) {
        const auto ends = formatSecondsAlike(row.parts.total_s * (1.0 + row.band[0]),
                                             row.parts.total_s * (1.0 + row.band[1]));
        text += QStringLiteral(" (%1 – %2)").arg(toQString(ends[0]), toQString(ends[1]));
    }
    if (row.parts.stage >= 0)
        text += QStringLiteral(", stage %1").arg(row.parts.stage);
    if (isForwardOnly())
        text += QStringLiteral(", only forward passes");
    else if (row.of == Row::Of::predicted && m_content.pinned) {
        const double pinned = m_content.pinned->prediction.time.iteration_s;
        if (m_content.pinned->scenario.time_model != m_content.predicted->scenario.time_model)
            text += QStringLiteral(", pinned by the other time model");
        else if (pinned > 0.0 && row.parts.total_s == pinned)
            text += QStringLiteral(", as pinned");
        else if (pinned > 0.0)
            text += QStringLiteral(", ") + changeText(row.parts.total_s, pinned, "pinned");
    }
    return text;
}

QString TimeBreakdownPanel::sentence(int bar, int segment) const
{
    const Row& row = m_rows[static_cast<std::size_t>(bar)];
    const TimeSlice& slice = row.parts.slices[static_cast<std::size_t>(segment)];
    return QStringLiteral("%1, %2: %3, %4 of %5")
        .arg(rowName(static_cast<int>(row.of)), sliceName(slice), secondsText(slice.seconds),
             ratioText(slice.seconds / row.parts.total_s), secondsText(row.parts.total_s));
}

QString TimeBreakdownPanel::tip(int bar, int segment) const
{
    const Row& row = m_rows[static_cast<std::size_t>(bar)];
    const TimeSlice& slice = row.parts.slices[static_cast<std::size_t>(segment)];
    QString text = QStringLiteral("<b>%1</b>").arg(sentence(bar, segment));
    const PredictedScenario* explained = row.of == Row::Of::predicted ? m_content.predicted.get()
                                         : row.of == Row::Of::pinned  ? m_content.pinned.get()
                                                                      : nullptr;
    const std::optional<Figure> figure = sliceFigure(slice);
    if (explained && figure)
        return text + allComputing(slice, explained->prediction.time)
               + explanationHtml(explain(*figure, explained->scenario, explained->prediction));
    if (row.parts.ranks > 1)
        text += QStringLiteral("<br>%1 to %2 over %3 ranks")
                    .arg(secondsText(slice.low_s), secondsText(slice.high_s))
                    .arg(row.parts.ranks);
    return text + QStringLiteral("<br>") + sliceMeaning(slice);
}

void TimeBreakdownPanel::onActivated(int bar, int segment)
{
    if (bar < 0) {
        emit selectionWished({});
        return;
    }
    const TimeSlice& slice =
        m_rows[static_cast<std::size_t>(bar)].parts.slices[static_cast<std::size_t>(segment)];
    if (slice.part == TimePart::communication)
        emit selectionWished(withKindToggled(m_selection, slice.kind));
}

// Ends where they are known: between ranks that were measured, and of an iteration with a band.
QString TimeBreakdownPanel::csv() const
{
    TableRows table{{"bar", "part", "kind", "seconds", "low_s", "high_s"}};
    const auto number = [](double value) { return QString::number(value, 'g', 12); };
    for (const Row& row : m_rows) {
        const bool is_measured = row.of == Row::Of::measured || row.of == Row::Of::pinned_run;
        const bool has_band = row.band != std::array{0.0, 0.0};
        const QString bar = rowName(static_cast<int>(row.of)).toLower();
        for (const TimeSlice& slice : row.parts.slices) {
            const bool is_kind = slice.part == TimePart::communication;
            table.push_back({bar, is_kind ? QStringLiteral("exposed communication") : sliceName(slice),
                             is_kind ? kindName(slice.kind) : QString{}, number(slice.seconds),
                             is_measured ? number(slice.low_s) : QString{},
                             is_measured ? number(slice.high_s) : QString{}});
        }
        if (!row.parts.slices.empty())
            table.push_back({bar,
                             QStringLiteral("iteration"),
                             {},
                             number(row.parts.total_s),
                             has_band ? number(row.parts.total_s * (1.0 + row.band[0])) : QString{},
                             has_band ? number(row.parts.total_s * (1.0 + row.band[1])) : QString{}});
    }
    return csvText(table);
}

// The row of a run that is not there is for whoever sits at the window.
std::size_t TimeBreakdownPanel::keptRows() const
{
    return m_rows.size() - (m_content.measured ? 0 : 1);
}

// Lower by the row that is left out, with room for the axis and the legend.
QSize TimeBreakdownPanel::wholeSize(const QSize& usual) const
{
    const auto kept = static_cast<int>(keptRows());
    const auto rows = static_cast<int>(m_rows.size());
    return {usual.width(), kept > 0 ? usual.height() * (kept + 1) / (rows + 1) : usual.height()};
}

void TimeBreakdownPanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    m_chart->paintTo(painter, paintLegendFrame(painter, rectangle, *m_legend), scene(keptRows()));
}

} // namespace shardscope
