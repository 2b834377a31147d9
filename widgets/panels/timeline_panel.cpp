#include "widgets/panels/timeline_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/selection_steps.h"
#include "widgets/panels/timeline_lanes.h"
#include "widgets/plots/legend_chips.h"
#include "widgets/plots/theme.h"

#include "core/base/format.h"
#include "core/prediction/rank_layout.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardscope
{

namespace
{

// Above these a picture would take longer than a frame to prepare and is made off the GUI thread.
constexpr std::int64_t tasks_of_a_frame = 20'000;
constexpr std::int64_t events_of_a_frame = 100'000;

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString secondsText(double seconds)
{
    return QString::fromStdString(formatSeconds(seconds));
}

QString nanosecondsText(std::int64_t nanoseconds)
{
    return QString::fromStdString(formatNanoseconds(nanoseconds));
}

QString bytesText(std::int64_t bytes)
{
    return QString::fromStdString(formatBytes(static_cast<double>(bytes)));
}

QString nameOf(Activity activity)
{
    switch (activity) {
    case Activity::forward:
        return QStringLiteral("forward");
    case Activity::backward:
        return QStringLiteral("backward");
    case Activity::weight_gradient:
        return QStringLiteral("weight gradient");
    case Activity::communication:
        return QStringLiteral("communication");
    case Activity::bubble:
        return QStringLiteral("bubble");
    }
    return {};
}

std::int64_t tasksOf(const PredictedScenario& predicted)
{
    return predicted.prediction.micro_batches * predicted.scenario.parallel.pipeline
           * predicted.scenario.parallel.virtual_stages * 2;
}

QToolButton* toggle(const QString& text, const QString& tip, QWidget* parent)
{
    auto* button = new QToolButton{parent};
    button->setText(text);
    button->setToolTip(tip);
    button->setCheckable(true);
    button->setAutoRaise(true);
    return button;
}

} // namespace

TimelinePanel::TimelinePanel(QWidget* parent)
    : PicturePanel{parent},
      m_predicting{[this](Lanes lanes) {
          m_predicted = std::move(lanes);
          refresh();
      }},
      m_reading{[this](RunLanes lanes) {
          m_measured = std::move(lanes);
          refresh();
      }},
      m_legend{new LegendChips{LegendChips::Use::buttons, this}},
      m_scale_button{toggle(QStringLiteral("fit each"),
                            QStringLiteral("Stretch prediction and measurement to the same width each;\n"
                                           "off: both have the same time scale"),
                            this)},
      m_traffic_button{toggle(QStringLiteral("traffic"), QStringLiteral("Traffic over time, below"), this)},
      m_open_button{toggle(QStringLiteral("open ranks"),
                           QStringLiteral("Show streams and threads of every rank"), this)},
      m_view{new TimelineView{this}}
{
    m_scale_button->setChecked(true);
    m_traffic_button->setChecked(true);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(6, 3, 6, 0);
    head->setSpacing(0);
    head->addWidget(m_legend, 1, Qt::AlignTop);
    for (QToolButton* button : {m_open_button, m_scale_button, m_traffic_button})
        head->addWidget(button, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout{this};
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_view, 1);
    m_view->setAccessibleName(title());
    m_view->setLabel([this](const TimelineSpot& spot) { return label(spot); });
    m_view->setTip([this](const TimelineSpot& spot) { return tip(spot); });
    connect(m_view, &TimelineView::spotClicked, this, &TimelinePanel::onSpotClicked);
    connect(m_view, &TimelineView::laneClicked, this, &TimelinePanel::onLaneClicked);
    connect(m_view, &TimelineView::hinted, this, &PicturePanel::statusWished);
    connect(m_view, &TimelineView::cleared, this, [this] { emit selectionWished({}); });
    connect(m_legend, &LegendChips::clicked, this, [this](int kind) {
        emit selectionWished(withKindToggled(m_selection, static_cast<Kind>(kind)));
    });
    connect(m_scale_button, &QToolButton::toggled, this, &TimelinePanel::setOwnScales);
    connect(m_traffic_button, &QToolButton::toggled, this, &TimelinePanel::refresh);
    connect(m_open_button, &QToolButton::toggled, m_view, &TimelineView::openAllRanks);
    refresh();
}

void TimelinePanel::setContent(const Content& content)
{
    m_content = content;
    readPredicted();
    readPinned();
    readMeasured();
    refresh();
}

void TimelinePanel::setSelection(const Selection& selection)
{
    if (selection == m_selection)
        return;
    const bool is_other_rank = selection.rank && selection.rank != m_selection.rank;
    m_selection = selection;
    refresh();
    if (is_other_rank)
        m_view->revealRank(*selection.rank);
}

void TimelinePanel::setOwnScales(bool own_scales)
{
    m_own_scales = own_scales;
    m_scale_button->setChecked(own_scales);
    refresh();
    m_view->showAll();
}

void TimelinePanel::changeEvent(QEvent* event)
{
    PicturePanel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refresh();
}

void TimelinePanel::readPredicted()
{
    const std::shared_ptr<const PredictedScenario> predicted = m_content.predicted;
    if (predicted && tasksOf(*predicted) > tasks_of_a_frame) {
        m_predicting.start([predicted] { return predictedLanes(*predicted); });
        return; // the old lanes stay until then
    }
    m_predicting.forget();
    m_predicted = predicted ? predictedLanes(*predicted) : nullptr;
}

void TimelinePanel::readPinned()
{
    if (m_content.pinned == m_pinned_source)
        return;
    m_pinned_source = m_content.pinned;
    m_pinned = m_pinned_source ? predictedLanes(*m_pinned_source) : nullptr;
}

void TimelinePanel::readMeasured()
{
    if (m_content.measured == m_measured_source)
        return;
    m_measured_source = m_content.measured;
    const std::shared_ptr<const MeasuredRun> run = m_measured_source;
    if (run && eventsOf(*run) > events_of_a_frame) {
        m_reading.start([run] { return measuredLanes(*run); });
        return;
    }
    m_reading.forget();
    m_measured = run ? measuredLanes(*run) : nullptr;
}

void TimelinePanel::refresh()
{
    const std::optional<Kind> marked = markedKind(m_selection);
    updateLegend(marked);
    TimelineScene scene;
    scene.predicted = m_predicted;
    scene.pinned = m_pinned;
    scene.measured = m_measured;
    scene.own_scales = m_own_scales && m_predicted && m_measured;
    scene.scale_note = scaleNote();
    scene.kind = marked;
    scene.shows_traffic = m_traffic_button->isChecked();
    scene.marked_rank = m_selection.rank;
    if (m_selection.rank && m_content.predicted
        && *m_selection.rank < m_content.predicted->prediction.world_size) {
        const RankLayout layout{m_content.predicted->scenario.parallel};
        scene.marked_stage = static_cast<std::size_t>(layout.coordinates(*m_selection.rank).pp);
    }
    if (!m_predicted && !m_measured)
        scene.hint = QStringLiteral("Set a valid scenario, or open a trace, to see an iteration over time");
    m_scale_button->setVisible(m_predicted && m_measured);
    m_open_button->setVisible(m_measured != nullptr);
    m_view->setScene(std::move(scene));
}

QString TimelinePanel::scaleNote() const
{
    if (!m_predicted || !m_measured)
        return {};
    if (m_content.predicted && !m_content.predicted->scenario.cluster.calibrated)
        return m_own_scales
                   ? QStringLiteral("each fitted: the cluster is not calibrated, times cannot be compared")
                   : QStringLiteral("same scale, but the cluster is not calibrated");
    return m_own_scales ? QStringLiteral("each fitted to the width") : QStringLiteral("same scale");
}

void TimelinePanel::updateLegend(const std::optional<Kind>& marked)
{
    const Theme theme{palette()};
    std::array<bool, kind_count> is_there{};
    if (m_predicted)
        for (const TimelineSpan& span : m_predicted->timeline.spans)
            if (span.activity == Activity::communication)
                is_there[static_cast<std::size_t>(span.kind)] = true;
    if (m_measured_source)
        for (const RankMeasurement& rank : m_measured_source->measurement.ranks)
            for (const MeasuredCollective& call : rank.collectives)
                is_there[static_cast<std::size_t>(call.kind)] = true;
    std::vector<LegendChip> chips;
    chips.push_back({.id = -1,
                     .text = QStringLiteral("compute"),
                     .colour = theme.colour(Hue::compute),
                     .is_faded = marked.has_value()});
    for (int i = 0; i < kind_count; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (is_there[static_cast<std::size_t>(i)] || marked == kind)
            chips.push_back({.id = i,
                             .text = fromView(word(kind)),
                             .colour = theme.colour(kind),
                             .is_faded = marked && *marked != kind,
                             .is_marked = marked == kind});
    }
    if (m_predicted)
        chips.push_back({.id = -1,
                         .text = QStringLiteral("bubble"),
                         .colour = theme.colour(Hue::bubble),
                         .is_faded = marked.has_value()});
    m_legend->setChips(std::move(chips));
}

EventIndex TimelinePanel::eventAt(const TimelineSpot& spot) const
{
    return m_measured->ranks[spot.rank].tracks[spot.track].rows[spot.row].event(spot.span);
}

// What is known of a measured communication; nothing for other events.
const MeasuredCall* TimelinePanel::callAt(const TimelineSpot& spot) const
{
    const std::vector<MeasuredCall>& calls = m_measured_source->measurement.calls;
    const std::pair key{m_measured->ranks[spot.rank].file, eventAt(spot)};
    const auto call = std::ranges::lower_bound(calls, key, {}, [](const MeasuredCall& its) {
        return std::pair{its.file, its.event};
    });
    return call != calls.end() && call->file == key.first && call->event == key.second ? &*call : nullptr;
}

// The message class that a predicted span of communication stands for.
const Message* TimelinePanel::messageOf(const TimelineSpan& span) const
{
    if (span.activity != Activity::communication || !m_content.predicted)
        return nullptr;
    const std::vector<StagePrediction>& stages = m_content.predicted->prediction.stages;
    const auto stage = static_cast<std::size_t>(span.stage);
    if (stage >= stages.size())
        return nullptr;
    const auto message = std::ranges::find_if(stages[stage].messages, [&](const Message& its) {
        return its.kind == span.kind && its.phase == span.phase && its.message_bytes == span.message_bytes;
    });
    return message != stages[stage].messages.end() ? &*message : nullptr;
}

QString TimelinePanel::label(const TimelineSpot& spot) const
{
    if (spot.section == TimelineSection::measured)
        return fromView(m_measured->ranks[spot.rank].store->name(eventAt(spot)));
    const LaneSpan& lane_span = m_predicted->stages[spot.rank][spot.span];
    const TimelineSpan& span = m_predicted->timeline.spans[lane_span.source];
    if (span.activity == Activity::communication)
        return fromView(word(span.kind));
    return span.micro_batch < 0 ? QString{} : QString::number(span.micro_batch + 1);
}

QString TimelinePanel::tip(const TimelineSpot& spot) const
{
    if (spot.section == TimelineSection::measured)
        return measuredTip(spot);
    const LaneSpan& lane_span = m_predicted->stages[spot.rank][spot.span];
    return predictedTip(m_predicted->timeline.spans[lane_span.source]);
}

QString TimelinePanel::predictedTip(const TimelineSpan& span) const
{
    QString text = QStringLiteral("<b>Predicted, stage %1: %2</b>")
                       .arg(span.stage)
                       .arg(span.activity == Activity::communication ? fromView(word(span.kind))
                                                                     : nameOf(span.activity));
    if (span.micro_batch >= 0)
        text += QStringLiteral("<br>micro-batch %1").arg(span.micro_batch + 1);
    text +=
        QStringLiteral("<br>from %1, for %2").arg(secondsText(span.start_s), secondsText(span.duration_s));
    if (span.activity != Activity::communication)
        return text;
    if (const Message* message = messageOf(span))
        text += QStringLiteral("<br>%1 among %2").arg(fromView(word(message->op))).arg(message->group_size);
    if (span.message_bytes > 0)
        text += QStringLiteral("<br>%1 × %2").arg(span.count).arg(bytesText(span.message_bytes));
    return text;
}

QString TimelinePanel::measuredTip(const TimelineSpot& spot) const
{
    const MeasuredRank& rank = m_measured->ranks[spot.rank];
    const EventIndex event = eventAt(spot);
    QString text = QStringLiteral("<b>%1</b><br>%2, %3")
                       .arg(fromView(rank.store->name(event)).toHtmlEscaped(), rank.name.toHtmlEscaped(),
                            rank.tracks[spot.track].name.toHtmlEscaped());
    text += QStringLiteral("<br>from %1, for %2")
                .arg(nanosecondsText(rank.store->start(event) - m_measured->origin_ns),
                     nanosecondsText(rank.store->duration(event)));
    const MeasuredCall* call = callAt(spot);
    if (!call)
        return text;
    text += QStringLiteral("<br>%1 %2").arg(fromView(word(call->kind)), fromView(word(call->op)));
    text += call->message_bytes >= 0 ? QStringLiteral(" of %1").arg(bytesText(call->message_bytes))
                                     : QStringLiteral(" of unknown size");
    if (call->group_size > 0)
        text += QStringLiteral(" among %1").arg(call->group_size);
    return text;
}

void TimelinePanel::onSpotClicked(const TimelineSpot& spot)
{
    if (spot.section == TimelineSection::measured) {
        const MeasuredCall* call = callAt(spot);
        if (call && call->message_bytes >= 0)
            emit selectionWished(
                withMessageToggled(m_selection, {call->kind, call->op, call->message_bytes}));
        else if (call)
            emit selectionWished(withKindToggled(m_selection, call->kind));
        return;
    }
    const LaneSpan& lane_span = m_predicted->stages[spot.rank][spot.span];
    if (const Message* message = messageOf(m_predicted->timeline.spans[lane_span.source]))
        emit selectionWished(
            withMessageToggled(m_selection, {message->kind, message->op, message->message_bytes}));
}

// A stage's name marks its first rank.
void TimelinePanel::onLaneClicked(TimelineSection section, std::size_t lane)
{
    if (section == TimelineSection::measured) {
        emit selectionWished(withRankToggled(m_selection, m_measured->ranks[lane].rank));
        return;
    }
    if (!m_content.predicted)
        return;
    const RankLayout layout{m_content.predicted->scenario.parallel};
    emit selectionWished(withRankToggled(m_selection, layout.rank({.pp = static_cast<int>(lane)})));
}

QString TimelinePanel::csv() const
{
    TextTable table{
        {"section", "lane", "track", "what", "start_ns", "duration_ns", "message_bytes", "count"}};
    const TimeRange predicted = inSection(m_view->scene(), TimelineSection::predicted, m_view->range());
    if (m_predicted)
        for (std::size_t stage = 0; stage < m_predicted->stages.size(); ++stage)
            for (const LaneSpan& lane_span : m_predicted->stages[stage]) {
                if (lane_span.end_ns() < predicted.start_ns || lane_span.start_ns > predicted.end_ns())
                    continue;
                const TimelineSpan& span = m_predicted->timeline.spans[lane_span.source];
                table.push_back({QStringLiteral("predicted"),
                                 QStringLiteral("stage %1").arg(stage),
                                 {},
                                 span.activity == Activity::communication ? fromView(word(span.kind))
                                                                          : nameOf(span.activity),
                                 QString::number(lane_span.start_ns),
                                 QString::number(lane_span.duration_ns),
                                 QString::number(span.message_bytes),
                                 QString::number(span.count)});
            }
    if (!m_measured)
        return csvText(table);
    const TimeRange measured = inSection(m_view->scene(), TimelineSection::measured, m_view->range());
    for (const MeasuredRank& rank : m_measured->ranks)
        for (const MeasuredTrack& track : rank.tracks) {
            if (!track.is_of_interest)
                continue;
            for (const TraceRow& row : track.rows) {
                const auto [first, last] = row.visible(measured);
                for (std::size_t i = first; i < last; ++i) {
                    const EventIndex event = row.event(i);
                    table.push_back({QStringLiteral("measured"),
                                     rank.name,
                                     track.name,
                                     fromView(rank.store->name(event)),
                                     QString::number(rank.store->start(event) - m_measured->origin_ns),
                                     QString::number(rank.store->duration(event)),
                                     {},
                                     {}});
                }
            }
        }
    return csvText(table);
}

void TimelinePanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    painter.fillRect(rectangle, Theme{palette()}.background());
    const double height = m_legend->paintTo(painter, rectangle.adjusted(6.0, 4.0, -6.0, 0.0));
    m_view->paintTo(painter, rectangle.adjusted(0.0, height > 0.0 ? height + 6.0 : 0.0, 0.0, 0.0));
}

} // namespace shardscope
