#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/timeline/message_search.h"
#include "widgets/panels/timeline/timeline_details.h"
#include "widgets/panels/timeline/timeline_flow_text.h"
#include "widgets/panels/timeline/timeline_lanes.h"
#include "widgets/panels/timeline/timeline_panel.h"
#include "widgets/panels/timeline/timeline_search_bar.h"
#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include "core/import/chrome/event_arguments.h"

#include <QSplitter>

// Search, the chosen event and the selected stretch of time of the timeline.

namespace shardscope
{

namespace
{

// Where there are more than anyone looks at, it goes along the first of them.
QString countOfWalk(const EventWalk& walk)
{
    const QString count = groupedText(static_cast<std::int64_t>(walk.events.size()));
    return walk.events.size() < most_ranked_events ? count : QStringLiteral("the first %1").arg(count);
}

constexpr std::int64_t events_of_a_table = 2'000'000; // more are summed up off the GUI thread

QString rowsOf(const Result<std::vector<EventArgument>>& arguments)
{
    if (!arguments)
        return QStringLiteral("<p>%1</p>").arg(toQString(arguments.error().sentence).toHtmlEscaped());
    QString rows;
    for (const EventArgument& argument : arguments.value())
        rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(toQString(argument.name).toHtmlEscaped(), toQString(argument.value).toHtmlEscaped());
    return rows.isEmpty() ? QString{} : QStringLiteral("<hr><table>%1</table>").arg(rows);
}

} // namespace

QWidget* TimelinePanel::makeMarks()
{
    m_details = new TimelineDetails{this};
    m_search_bar = new TimelineSearchBar{this};
    auto* both = new QSplitter{Qt::Horizontal, this};
    both->setChildrenCollapsible(false);
    both->addWidget(m_view);
    both->addWidget(m_details);
    both->setStretchFactor(0, 1);
    connectDetails();
    connectSearchBar();
    return both;
}

void TimelinePanel::connectDetails()
{
    connect(m_details, &TimelineDetails::groupingChosen, this,
            [this] { showRangeTable(m_view->selectedRange()); });
    connect(m_details, &TimelineDetails::linkClicked, this, [this](const QString& stop) {
        const std::vector<TimelineSpot>& stops = m_view->flow().stops;
        if (const std::size_t place = stop.toUInt(); place < stops.size()) {
            const TimelineSpot spot = stops[place];
            m_view->choose(spot);
            m_view->showSpot(spot);
        }
    });
    connect(m_details, &TimelineDetails::closed, this, [this] {
        m_view->choose(std::nullopt);
        m_view->selectRange(std::nullopt);
        m_details->hide();
    });
}

void TimelinePanel::connectSearchBar()
{
    connect(m_search_bar, &TimelineSearchBar::textChanged, this, &TimelinePanel::search);
    connect(m_search_bar, &TimelineSearchBar::nextWished, this,
            [this] { goTo(m_search.next(m_view->chosen())); });
    connect(m_search_bar, &TimelineSearchBar::previousWished, this,
            [this] { goTo(m_search.previous(m_view->chosen())); });
    connect(m_search_bar, &TimelineSearchBar::closed, this, [this] {
        m_search_bar->hide();
        fitHead();
        m_search = {};
        m_view->setFocus();
    });
}

void TimelinePanel::openSearch()
{
    if (!m_measured) {
        emit statusWished(QStringLiteral("Open a trace to search its events"));
        return;
    }
    m_search_bar->open();
    fitHead();
}

// What was asked of the lanes before is asked of these.
void TimelinePanel::askAgain()
{
    if (const QString text = m_search_bar->text(); !text.isEmpty()) {
        m_search = TimelineSearch{m_measured, text};
        m_search_bar->setPlace(0, m_search.count());
    }
    if (m_view->selectedRange())
        showRangeTable(m_view->selectedRange());
}

// Goes to the first hit on screen or behind it.
void TimelinePanel::search(const QString& text)
{
    m_search = TimelineSearch{m_measured, text};
    m_search_bar->setPlace(0, m_search.count());
    if (m_measured)
        goTo(m_search.firstFrom(m_view->range().start_ns + m_measured->origin_ns));
}

void TimelinePanel::goTo(const std::optional<TimelineSpot>& spot)
{
    if (!spot)
        return;
    m_view->choose(spot);
    m_view->reveal(*spot);
    m_search_bar->setPlace(m_search.placeOf(*spot), m_search.count());
}

void TimelinePanel::stepAlongExposed(int step)
{
    const std::shared_ptr<const MeasuredRun> run = m_measured ? m_measured->run : nullptr;
    if (!run) {
        emit statusWished(QStringLiteral("Open traces to walk along what they expose"));
        return;
    }
    const QString what = QStringLiteral("exposed calls");
    const bool is_known = m_walk.run == run && m_walk.what == what;
    EventWalk walk = is_known ? m_walk
                              : EventWalk{run, longestExposedCalls(run->measurement), what,
                                          QStringLiteral("exposed for %1")};
    if (walk.events.empty())
        emit statusWished(QStringLiteral("No communication is exposed in what is open"));
    else
        this->step(std::move(walk), step);
}

void TimelinePanel::goAlong(const EventWalk& walk)
{
    if (!walk.events.empty())
        step(walk, 1);
    else if (walk.predicted)
        goAlongPredicted(*walk.predicted);
}

// Of a message between stages one of the two may have the bar.
void TimelinePanel::goAlongPredicted(const PredictedMessages& messages)
{
    const TimelineScene& scene = m_view->scene();
    std::optional<TimelineSpot> spot = nextMessage(scene, messages, m_view->chosen());
    if (!spot && m_predicted)
        if (const auto other = otherEndOf(messages, m_predicted->timeline.stages))
            spot = nextMessage(scene, *other, m_view->chosen());
    if (!spot) {
        emit statusWished(
            QStringLiteral("No time is predicted for these messages: the timeline has no bar for them"));
        return;
    }
    m_view->choose(spot);
    m_view->showSpot(*spot);
    emit statusWished(barSentence(scene, *spot));
}

// From the first, wherever the user was; then from one to the next.
void TimelinePanel::step(EventWalk walk, int step)
{
    const std::size_t count = walk.events.size();
    const bool is_on_the_way = walk.run == m_walk.run && walk.events == m_walk.events && m_measured
                               && m_view->chosen()
                               && m_view->chosen() == spotOf(*m_measured, m_walk.events[m_walk_place]);
    m_walk_place = is_on_the_way ? (m_walk_place + count + static_cast<std::size_t>(step)) % count : 0;
    m_walk = std::move(walk);
    showStop();
}

void TimelinePanel::showStop()
{
    m_walk_waits = !m_measured || m_measured->run != m_walk.run;
    const bool is_of_other = m_content.comparesRuns() && m_walk.run != runToShow()
                             && (m_walk.run == m_content.pinned_run || m_walk.run == m_content.measured);
    if (m_walk_waits && is_of_other)
        m_pinned_button->toggle(); // which comes back here
    if (m_walk_waits)
        return;
    const RunEvent& event = m_walk.events[m_walk_place];
    const std::optional<TimelineSpot> spot = spotOf(*m_measured, event);
    if (spot) {
        m_view->choose(spot);
        m_view->showSpot(*spot, event.before_ns);
        emit statusWished(stopText(event, *spot));
    }
}

// The run that it goes along is on screen only now.
void TimelinePanel::catchUpWithWalk()
{
    if (m_walk_waits)
        showStop();
}

QString TimelinePanel::stopText(const RunEvent& event, const TimelineSpot& spot) const
{
    constexpr int longest_name = 40; // what follows it has to be seen too
    QString name = barLabel(m_view->scene(), spot);
    if (name.size() > longest_name)
        name = name.left(longest_name / 2) + QStringLiteral("\u2026") + name.right(longest_name / 2);
    QString text = QStringLiteral("%1 of %2 %3: %4 of rank %5, %6")
                       .arg(QString::number(m_walk_place + 1), countOfWalk(m_walk), m_walk.what, name,
                            QString::number(m_measured->ranks[spot.rank].rank),
                            nanosecondsText(spotRange(m_view->scene(), spot).length_ns));
    if (!m_walk.weight.isEmpty())
        text += QStringLiteral(", ") + m_walk.weight.arg(nanosecondsText(event.weight_ns));
    return text;
}

void TimelinePanel::onSpotChosen(const std::optional<TimelineSpot>& spot)
{
    m_reading_arguments.forget();
    if (!spot || spot->section != TimelineSection::measured || !m_measured->run) {
        showRangeTable(m_view->selectedRange());
        return;
    }
    const MeasuredRank& rank = m_measured->ranks[spot->rank];
    const EventIndex event = rank.tracks[spot->track].rows[spot->row].event(spot->span);
    const std::string_view name = rank.store->name(event);
    const QString title = toQString(name);
    const QString known = barTip(m_view->scene(), *spot) + flowHtml(m_view->scene(), *spot, m_view->flow());
    m_details->showFacts(title, known);
    m_reading_arguments.start([run = m_measured->run, file = rank.file, event, title, known] {
        return EventText{title, known + rowsOf(readEventArguments(run->traces.files[file], event))};
    });
}

void TimelinePanel::showRangeTable(const std::optional<TimeRange>& range)
{
    m_tabling.forget();
    if (!range || !m_measured) {
        m_details->setVisible(m_view->chosen().has_value() && m_measured);
        return;
    }
    m_details->showRange(nanosecondsText(range->length_ns));
    const auto table = [lanes = m_measured, range = *range, grouping = m_details->grouping()] {
        return rangeTable(*lanes, range, grouping);
    };
    if (m_measured->run && eventsOf(*m_measured->run) > events_of_a_table)
        m_tabling.start(table);
    else
        showRows(table());
}

void TimelinePanel::showRows(std::vector<RangeRow> rows)
{
    m_details->setRows(std::move(rows), laneColours(Theme{palette()}, std::nullopt));
}

} // namespace shardscope
