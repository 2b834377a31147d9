#pragma once

#include "widgets/models/analysis_table_model.h"
#include "widgets/models/difference_table.h"
#include "widgets/panels/picture/event_search.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/session/latest_job.h"

#include "core/analysis/run_difference.h"

#include <vector>

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace shardscope
{

class AnalysisBarDelegate;
class LegendChips;

// What a measured run tells beyond its breakdown, a table a section: where the time of ranks and steps goes,
// why the GPU is idle, operators, launches, copies, groups, stragglers, and what has changed since the pinned
// run. Computed off this thread, and, as pictures behind others are given nothing, only while it is seen.
class AnalysisPanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit AnalysisPanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("analysis"); }
    QString title() const override { return QStringLiteral("Analysis"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    bool followsScenario() const override { return false; }
    QString heading() const override;
    Sources sources() const override { return {false, false, true, isOfTwoRuns(section())}; }
    QString csv() const override;
    bool isBusy() const override { return m_measuring.isRunning() || m_comparing.isRunning(); }
    void paintTo(QPainter& painter, const QRectF& rectangle) override;
    QSize wholeSize(const QSize& usual) const override;

    AnalysisSection section() const;
    const AnalysisTableModel& model() const { return *m_model; }
    QTableView& view() const { return *m_view; }
    // Waits for what is being computed.
    void finish()
    {
        m_measuring.finish();
        m_comparing.finish();
        m_events.finish();
    }

protected:
    void paletteChanged() override { refreshLegend(); }
    void changeEvent(QEvent* event) override;

private:
    QSize tableSize() const; // without what stands above it
    int paintVerdict(QPainter& painter, const QRectF& rectangle) const;
    void paintColumn(QPainter& painter, int column, double left);
    using Activity = std::vector<RankActivity>;

    using Difference = std::optional<RunDifference>;

    void setUpView();
    void measure();
    void compareRuns();
    AnalysisTable tableOf(AnalysisSection section, std::optional<std::int64_t> rank) const;
    QString verdict() const;
    void markSections();
    void refresh();
    void withdrawRemark();
    void fitToFont();
    void makeRoomForArrow(int column);
    void refreshLegend();
    void markRank();
    QString hint() const;
    void wishRankAt(int row);
    void seekEventsOf(int row);
    void wishWalk(int row, const EventWalk& walk);
    std::optional<std::int64_t> onlyRank() const;

    Content m_content;
    Selection m_selection;
    Activity m_activity;
    Difference m_difference;          // since the pinned run; nothing: none is, or it is the one shown
    bool m_is_section_chosen = false; // by the user
    bool m_has_remarked = false;      // on a row, in the status bar
    std::optional<AnalysisSection> m_sorted_section; // whose columns the order on screen is of
    LegendChips* m_legend;
    QComboBox* m_section_box;
    AnalysisTableModel* m_model;
    QSortFilterProxyModel* m_order;
    AnalysisBarDelegate* m_bars;
    QTableView* m_view;
    QLabel* m_hint;
    QLabel* m_verdict; // above the table: what two runs differ in, what clocks leave open
    QStackedLayout* m_pages;
    // The last members: they end before what they fill.
    LatestJob<Activity> m_measuring;
    LatestJob<Difference> m_comparing;
    EventSearch m_events;
};

} // namespace shardscope
