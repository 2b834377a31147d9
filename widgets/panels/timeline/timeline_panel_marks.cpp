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

constexpr std::size_t most_exposed = 1000;            // calls that one walks along
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
        m_search = {};
        m_view->setFocus();
    });
}

void TimelinePanel::openSearch()
{
    if (m_measured)
        m_search_bar->open();
    else
        emit statusWished(QStringLiteral("Open a trace to search its events"));
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
    if (m_exposed_of != m_measured) {
        m_exposed_of = m_measured;
        m_exposed = m_measured ? exposedCalls(*m_measured, most_exposed) : std::vector<TimelineSpot>{};
        m_exposed_place = 0;
    }
    if (m_exposed.empty()) {
        emit statusWished(m_measured ? QStringLiteral("No communication is exposed in what is open")
                                     : QStringLiteral("Open traces to walk along what they expose"));
        return;
    }
    // From the longest, wherever the user was; then from one to the next.
    const int count = static_cast<int>(m_exposed.size());
    const bool is_on_the_way = m_view->chosen() == m_exposed[static_cast<std::size_t>(m_exposed_place)];
    m_exposed_place = is_on_the_way ? (m_exposed_place + step + count) % count : 0;
    const TimelineSpot spot = m_exposed[static_cast<std::size_t>(m_exposed_place)];
    m_view->choose(spot);
    m_view->showSpot(spot);
    const MeasuredCall* call = callOf(*m_measured, spot);
    emit statusWished(
        QStringLiteral("Number %1 of the longest exposed: %2, of which %3 while rank %4 computes nothing")
            .arg(m_exposed_place + 1)
            .arg(barLabel(m_view->scene(), spot), nanosecondsText(call->exposed_ns))
            .arg(m_measured->ranks[spot.rank].rank));
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
