#pragma once

#include "widgets/panels/picture/picture_panel.h"
#include "widgets/panels/timeline/timeline_groups.h"
#include "widgets/plots/timeline/range_table.h"
#include "widgets/plots/timeline/timeline_search.h"
#include "widgets/plots/timeline/timeline_view.h"
#include "widgets/session/latest_job.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QMenu;
class QToolButton;

namespace shardscope
{

class LegendChips;
class SegmentButton;
class TimelineDetails;
class TimelineSearchBar;

// The iteration over time: predicted lanes of the pipeline stages, measured lanes of ranks and their streams
// or threads, and the traffic below them.
class TimelinePanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit TimelinePanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("timeline"); }
    QString title() const override { return QStringLiteral("Timeline and traffic"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    QWidget* keyTaker() const override;
    QString csv() const override; // of the selected stretch of time, else of that on screen
    bool isBusy() const override
    {
        return m_predicting.isRunning() || m_pinning.isRunning() || m_reading.isRunning()
               || m_tabling.isRunning();
    }
    void paintTo(QPainter& painter, const QRectF& rectangle) override;
    QSize wholeSize(const QSize& usual) const override;
    bool showsEvents() const override { return true; }
    void goAlong(const EventWalk& walk) override;
    Sources sources() const override;

    TimelineView& view() { return *m_view; }
    const LegendChips& legend() const { return *m_legend; }
    // What can be done with a rank (row of the measured ranks) and those on screen; null where that is
    // nothing.
    std::unique_ptr<QMenu> menuOf(const std::optional<std::size_t>& rank);
    void setOwnScales(bool own_scales);
    const TimelineDetails& details() const { return *m_details; }

protected:
    void paletteChanged() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;

private:
    using Lanes = std::shared_ptr<const PredictedLanes>;
    using RunLanes = std::shared_ptr<const MeasuredLanes>;

    void setUpControls();
    void connectControls();
    void connectView();
    void readPredicted();
    void readPinned();
    void readMeasured();
    std::shared_ptr<const MeasuredRun> runToShow() const;
    bool showsPinnedRun() const;
    void offerPinnedRun(const Content& before);
    void swapRuns();
    const Scenario* scenarioOfRun() const;
    void refresh();
    void fitHead();
    void offerTraffic(bool has_room);
    std::vector<QWidget*> tools() const; // beside the legend
    void updateLegend(const std::optional<Kind>& marked);
    std::vector<QString> rankPlaces() const;
    void offerGroupings();
    void askAgain();
    std::vector<RankGroup> chosenGroups() const;
    QStringList digestsOf(const std::vector<std::size_t>& ranks) const;
    void onSpotClicked(const TimelineSpot& spot);
    // timeline_panel_clock.cpp
    void offerOneClock();
    QString scaleNote() const;
    void showStepOfRun();
    // timeline_panel_marks.cpp
    struct EventText {
        QString title;
        QString html;
    };
    QWidget* makeMarks();
    void connectDetails();
    void connectSearchBar();
    void openSearch();
    void search(const QString& text);
    void goTo(const std::optional<TimelineSpot>& spot);
    void stepAlongExposed(int step);
    void step(EventWalk walk, int step);
    void goAlongPredicted(const PredictedMessages& messages);
    void showStop();
    void catchUpWithWalk();
    QString stopText(const RunEvent& event, const TimelineSpot& spot) const;
    void onSpotChosen(const std::optional<TimelineSpot>& spot);
    void showRangeTable(const std::optional<TimeRange>& range);
    void showRows(std::vector<RangeRow> rows);

    void onLaneClicked(TimelineSection section, std::size_t lane);

    Content m_content;
    Selection m_selection;
    Lanes m_predicted;
    Lanes m_pinned;
    RunLanes m_measured;
    std::shared_ptr<const PredictedScenario> m_pinned_source;
    std::shared_ptr<const MeasuredRun> m_measured_source;
    bool m_reads_one_clock = false; // of the source
    bool m_swaps = false;           // the runs, as the lanes of the other one are on their way
    std::optional<std::int64_t> m_step_on_screen;
    const TraceStore* m_clocks_of = nullptr; // the run's first, to know another run by; not read
    LatestJob<Lanes> m_predicting;
    LatestJob<Lanes> m_pinning;
    LatestJob<RunLanes> m_reading;
    bool m_own_scales = true;
    LatestJob<std::vector<RangeRow>> m_tabling;
    LatestJob<EventText> m_reading_arguments;
    TimelineSearch m_search;
    EventWalk m_walk;             // along which the user goes
    std::size_t m_walk_place = 0; // of its events, gone to last
    bool m_walk_waits = false;    // for the lanes of its run
    LegendChips* m_legend;
    QComboBox* m_grouping_box;
    std::vector<RankGrouping> m_groupings;
    std::shared_ptr<const MeasuredLanes> m_grouped; // of these, as this scenario lays them out
    std::shared_ptr<const PredictedScenario> m_grouped_by;
    QToolButton* m_search_button;
    SegmentButton* m_scale_button;
    SegmentButton* m_traffic_button;
    SegmentButton* m_pinned_button; // shown where there are two runs
    SegmentButton* m_clock_button;  // shown where there is something to take out
    SegmentButton* m_open_button;
    TimelineView* m_view;
    TimelineDetails* m_details = nullptr;
    TimelineSearchBar* m_search_bar = nullptr;
};

} // namespace shardscope
