#include "widgets/panels/timeline/timeline_panel.h"

#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/panels/picture/selection_steps.h"
#include "widgets/panels/timeline/bar_messages.h"
#include "widgets/panels/timeline/predicted_lanes.h"
#include "widgets/panels/timeline/timeline_details.h"
#include "widgets/panels/timeline/timeline_help.h"
#include "widgets/panels/timeline/timeline_lanes.h"
#include "widgets/panels/timeline/timeline_legend.h"
#include "widgets/panels/timeline/timeline_search_bar.h"
#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include "core/prediction/ranks/rank_layout.h"

#include <QComboBox>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace shardscope
{

namespace
{

// Above these a picture would take longer than a frame to prepare and is made off the GUI thread.
constexpr std::int64_t tasks_of_a_frame = 20'000;
constexpr std::int64_t events_of_a_frame = 100'000;

std::int64_t tasksOf(const PredictedScenario& predicted)
{
    return predicted.prediction.micro_batches * predicted.scenario.parallel.pipeline
           * predicted.scenario.parallel.virtual_stages * 2;
}

} // namespace

TimelinePanel::TimelinePanel(QWidget* parent)
    : PicturePanel{parent},
      m_predicting{[this](Lanes lanes) {
          m_predicted = std::move(lanes);
          refresh();
      }},
      m_pinning{[this](Lanes lanes) {
          m_pinned = std::move(lanes);
          refresh();
      }},
      m_reading{[this](RunLanes lanes) {
          m_measured = std::move(lanes);
          refresh();
          askAgain();
          catchUpWithWalk();
      }},
      m_tabling{[this](std::vector<RangeRow> rows) { showRows(std::move(rows)); }},
      m_reading_arguments{[this](const EventText& text) { m_details->showFacts(text.title, text.html); }},
      m_legend{new LegendChips{LegendChips::Use::buttons, this}},
      m_grouping_box{new QComboBox{this}},
      m_search_button{new QToolButton{this}},
      m_scale_button{toggleButton(
          QStringLiteral("fit each"),
          QStringLiteral("Stretch prediction and measurement to the same width, each with its own\n"
                         "time scale: where the cluster is not calibrated, times cannot be\n"
                         "compared. Off: both have the same scale."),
          this)},
      m_traffic_button{toggleButton(QStringLiteral("traffic"), QString{}, this)},
      m_pinned_button{
          toggleButton(QStringLiteral("pinned run"),
                       QStringLiteral("The pinned run in the place of the one that is open, in the\n"
                                      "same stretch of time from the begin of an iteration"),
                       this)},
      m_clock_button{toggleButton(QStringLiteral("one clock"), QString{}, this)},
      m_open_button{toggleButton(QStringLiteral("open ranks"),
                                 QStringLiteral("Show streams and threads of every rank"), this)},
      m_view{new TimelineView{this}}
{
    setUpControls();
    QWidget* picture = makeMarks();
    layOutPicture(this, m_legend, tools(), picture);
    connectControls();
    connectView();
    refresh();
}

void TimelinePanel::setUpControls()
{
    m_scale_button->setChecked(true);
    m_traffic_button->setChecked(true);
    offerTraffic(true);
    m_clock_button->hide();
    m_pinned_button->hide();
    m_search_button->setText(QStringLiteral("search"));
    m_search_button->setToolTip(QStringLiteral("Search events by name (/). Keys and mouse: ?"));
    m_grouping_box->setToolTip(
        QStringLiteral("Which ranks stand together; a click on a group's name or Shift+C\n"
                       "closes it: each of its ranks is then a line"));
    m_grouping_box->setAccessibleName(QStringLiteral("Grouping of ranks"));
    m_grouping_box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_grouping_box->hide(); // until there is a choice
}

void TimelinePanel::connectControls()
{
    connect(m_grouping_box, &QComboBox::activated, this, &TimelinePanel::refresh);
    connect(m_legend, &LegendChips::clicked, this, [this](int kind) {
        emit selectionWished(withKindToggled(m_selection, static_cast<Kind>(kind)));
    });
    connect(m_search_button, &QToolButton::clicked, this, &TimelinePanel::openSearch);
    connect(m_scale_button, &SegmentButton::toggled, this, &TimelinePanel::setOwnScales);
    connect(m_traffic_button, &SegmentButton::toggled, this, &TimelinePanel::refresh);
    connect(m_clock_button, &SegmentButton::toggled, this, [this] {
        readMeasured();
        refresh();
        askAgain();
    });
    connect(m_pinned_button, &SegmentButton::toggled, this, &TimelinePanel::swapRuns);
    connect(m_open_button, &SegmentButton::toggled, m_view, &TimelineView::openAllRanks);
}

void TimelinePanel::connectView()
{
    m_view->setAccessibleName(title());
    m_view->setLabel([this](const TimelineSpot& spot) { return barLabel(m_view->scene(), spot); });
    m_view->setTip([this](const TimelineSpot& spot) { return barTip(m_view->scene(), spot); });
    connect(m_view, &TimelineView::spotHovered, this, [this](const std::optional<TimelineSpot>& spot) {
        emit statusWished(spot ? barSentence(m_view->scene(), *spot) : QString{});
    });
    connect(m_view, &TimelineView::spotClicked, this, &TimelinePanel::onSpotClicked);
    connect(m_view, &TimelineView::laneClicked, this, &TimelinePanel::onLaneClicked);
    connect(m_view, &TimelineView::trafficRoomChanged, this, &TimelinePanel::offerTraffic);
    connect(m_view, &TimelineView::hinted, this, &PicturePanel::statusWished);
    connect(m_view, &TimelineView::menuWished, this,
            [this](const std::optional<std::size_t>& rank, const QPoint& global) {
                if (const std::unique_ptr<QMenu> menu = menuOf(rank))
                    menu->exec(global);
            });
    connect(m_view, &TimelineView::cleared, this, [this] { emit selectionWished({}); });
    connect(m_view, &TimelineView::spotChosen, this, &TimelinePanel::onSpotChosen);
    connect(m_view, &TimelineView::rangeSelected, this, &TimelinePanel::showRangeTable);
    connect(m_view, &TimelineView::searchWished, this, &TimelinePanel::openSearch);
    connect(m_view, &TimelineView::exposedWished, this, &TimelinePanel::stepAlongExposed);
    connect(m_view, &TimelineView::helpWished, this, [this] { showTimelineHelp(*m_view); });
}

void TimelinePanel::offerTraffic(bool has_room)
{
    m_traffic_button->setEnabled(has_room);
    m_traffic_button->setToolTip(has_room
                                     ? QStringLiteral("Traffic over time, below")
                                     : QStringLiteral("Traffic over time has no room below the lanes: make "
                                                      "the picture higher, or enlarge it"));
}

QWidget* TimelinePanel::keyTaker() const
{
    return m_view;
}

void TimelinePanel::setContent(const Content& content)
{
    const Content before = std::exchange(m_content, content);
    offerPinnedRun(before);
    readPredicted();
    readPinned();
    readMeasured();
    refresh();
    catchUpWithWalk();
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

std::vector<QWidget*> TimelinePanel::tools() const
{
    return {m_search_bar,   m_search_button, m_grouping_box, m_open_button,
            m_scale_button, m_pinned_button, m_clock_button, m_traffic_button};
}

void TimelinePanel::resizeEvent(QResizeEvent* event)
{
    PicturePanel::resizeEvent(event);
    fitHead();
}

void TimelinePanel::fitHead()
{
    fitLegend(*this, *m_legend, tools());
}

void TimelinePanel::readPredicted()
{
    const std::shared_ptr<const PredictedScenario> predicted = m_content.predicted;
    if (predicted && tasksOf(*predicted) > tasks_of_a_frame) {
        m_predicting.start([predicted] { return predictedLanes(predicted); });
        return; // the old lanes stay until then
    }
    m_predicting.forget();
    m_predicted = predicted ? predictedLanes(predicted) : nullptr;
}

void TimelinePanel::readPinned()
{
    if (m_content.pinned == m_pinned_source)
        return;
    m_pinned_source = m_content.pinned;
    if (m_pinned_source && tasksOf(*m_pinned_source) > tasks_of_a_frame) {
        m_pinning.start([pinned = m_pinned_source] { return predictedLanes(pinned); });
        return;
    }
    m_pinning.forget();
    m_pinned = m_pinned_source ? predictedLanes(m_pinned_source) : nullptr;
}

void TimelinePanel::readMeasured()
{
    const std::shared_ptr<const MeasuredRun> source = runToShow();
    offerOneClock();
    const bool one_clock = m_clock_button->isChecked();
    if (source == m_measured_source && one_clock == m_reads_one_clock)
        return;
    m_measured_source = source;
    m_reads_one_clock = one_clock;
    if (m_walk.run != source)
        m_walk = {}; // it would keep an older run in memory
    m_walk_waits = m_walk_waits && m_walk.run;
    const std::shared_ptr<const MeasuredRun> run = m_measured_source;
    if (run && eventsOf(*run) > events_of_a_frame) {
        m_reading.start([run, one_clock] { return measuredLanes(run, one_clock); });
        return;
    }
    m_reading.forget();
    m_measured = run ? measuredLanes(run, one_clock) : nullptr;
}

void TimelinePanel::refresh()
{
    const std::optional<Kind> marked = markedKind(m_selection);
    updateLegend(marked);
    TimelineScene scene;
    scene.predicted = m_predicted;
    scene.pinned = m_pinned;
    scene.measured = m_measured;
    if (m_content.comparesRuns())
        scene.compared = {m_content.pinned_run, m_content.measured};
    if (showsPinnedRun())
        scene.measured_title = QStringLiteral("Pinned run");
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
    scene.rank_places = rankPlaces();
    offerGroupings();
    scene.groups = chosenGroups();
    if (!m_predicted && !m_measured)
        scene.hint = QStringLiteral("Set a valid scenario, or open a trace, to see an iteration over time");
    m_scale_button->setVisible(m_predicted && m_measured);
    m_open_button->setVisible(m_measured != nullptr);
    m_search_button->setVisible(m_measured != nullptr);
    fitHead();
    m_view->setScene(std::move(scene));
    showStepOfRun();
}

// Fills the choice of groupings; the chosen one stays where it still is one.
void TimelinePanel::offerGroupings()
{
    if (m_grouped == m_measured && m_grouped_by == m_content.predicted)
        return;
    m_grouped = m_measured;
    m_grouped_by = m_content.predicted;
    m_groupings = m_measured ? rankGroupings(*m_measured, scenarioOfRun()) : std::vector<RankGrouping>{};
    QStringList names{QStringLiteral("by rank")};
    for (const RankGrouping& grouping : m_groupings)
        names << QStringLiteral("by ") + grouping.name;
    QStringList offered;
    for (int i = 0; i < m_grouping_box->count(); ++i)
        offered << m_grouping_box->itemText(i);
    if (names != offered) {
        const QString chosen = m_grouping_box->currentText();
        m_grouping_box->clear();
        m_grouping_box->addItems(names);
        m_grouping_box->setCurrentIndex(std::max(0, static_cast<int>(names.indexOf(chosen))));
    }
    m_grouping_box->setVisible(!m_groupings.empty());
}

std::vector<RankGroup> TimelinePanel::chosenGroups() const
{
    const auto chosen = static_cast<std::size_t>(std::max(0, m_grouping_box->currentIndex()));
    return chosen == 0 || chosen > m_groupings.size() ? std::vector<RankGroup>{}
                                                      : m_groupings[chosen - 1].groups;
}

// Where the measured ranks stand in a layout of the open scenario's degrees; nothing where these are not
// theirs.
std::vector<QString> TimelinePanel::rankPlaces() const
{
    const Scenario* scenario = scenarioOfRun();
    if (!m_measured || scenario == nullptr || scenario->worldSize() < 2)
        return {};
    const Parallel& parallel = scenario->parallel;
    const RankLayout layout = layoutOf(*m_measured, *scenario);
    if (!standIn(*m_measured, layout))
        return {};
    std::vector<QString> places;
    for (const MeasuredRank& rank : m_measured->ranks) {
        const RankCoordinates at = layout.coordinates(rank.rank);
        QStringList parts;
        const auto add = [&parts](const char* name, int place, std::int64_t size) {
            if (size > 1)
                parts << QLatin1String{name} + QString::number(place);
        };
        add("t", at.tp, parallel.tensor);
        add("c", at.cp, parallel.context);
        add("d", at.dp, parallel.data);
        add("p", at.pp, parallel.pipeline);
        places.push_back(parts.join(QLatin1Char{' '}));
    }
    return places;
}

void TimelinePanel::updateLegend(const std::optional<Kind>& marked)
{
    m_legend->setChips(timelineLegend(m_predicted.get(), m_measured.get(), m_measured_source.get(),
                                      m_pinned != nullptr, marked, Theme{palette()}));
}

void TimelinePanel::onSpotClicked(const TimelineSpot& spot)
{
    if (const Message* message = messageAt(m_view->scene(), spot))
        emit selectionWished(
            withMessageToggled(m_selection, {message->kind, message->op, message->message_bytes}));
    const MeasuredCall* call = callAt(m_view->scene(), spot);
    if (call && call->message_bytes >= 0)
        emit selectionWished(withMessageToggled(m_selection, {call->kind, call->op, call->message_bytes}));
    else if (call)
        emit selectionWished(withKindToggled(m_selection, call->kind));
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

} // namespace shardscope
