#pragma once

#include "widgets/plots/timeline/timeline_flow.h"
#include "widgets/plots/timeline/timeline_layout.h"
#include "widgets/plots/timeline/timeline_painting.h"

#include <QWidget>

#include <functional>
#include <optional>

namespace shardscope
{

// Predicted lanes of pipeline stages over measured lanes of ranks and streams, the traffic rate below, on one
// time axis. Mouse and keys as in Perfetto: W A S D by their place on the keyboard, ctrl+wheel zooms at the
// cursor, the wheel scrolls lanes, with shift it pans, dragging selects a stretch of time, with shift it
// pans; F fits what is selected, 0 shows all, Esc clears. M sets a bookmark, [ and ] go along what belongs to
// the chosen event, / asks for a search, ? for help. Clicking a name in the gutter opens and closes
// lanes; E and C do it for all ranks.
class TimelineView : public QWidget
{
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);

    void setScene(TimelineScene scene);
    const TimelineScene& scene() const { return m_scene; }
    // The stretch of the time axis on screen.
    const TimeRange& range() const { return m_range; }
    void setRange(const TimeRange& range);
    void showAll();
    const std::optional<TimeRange>& selectedRange() const { return m_selected; }
    void selectRange(const std::optional<TimeRange>& range);

    const OpenLanes& openLanes() const { return m_open; }
    void setOpenLanes(OpenLanes open);
    void openAllRanks(bool open);
    void openAllGroups(bool open);
    // Scrolls so that a rank's lanes can be seen.
    void revealRank(std::int64_t rank);

    // The event that was clicked or found. Its launch and what was matched with it on other ranks are joined
    // to it by arrows and lines.
    const std::optional<TimelineSpot>& chosen() const { return m_chosen; }
    void choose(const std::optional<TimelineSpot>& spot);
    const TimelineFlow& flow() const { return m_flow; }
    // Opens its lanes, and brings it on screen.
    void reveal(const TimelineSpot& spot);
    // The same, but a closed rank that shows the bar as it is stays closed: others are seen beside it.
    // With the time before it that belongs to what it stands for.
    void showSpot(const TimelineSpot& spot, TraceTime before_ns = 0);
    // Times on the axis, in order.
    const std::vector<TraceTime>& bookmarks() const { return m_bookmarks; }

    // What is written into a bar, and the text for people about it when the mouse reaches it.
    void setLabel(BarLabel label) { m_label = std::move(label); }
    void setTip(std::function<QString(const TimelineSpot&)> tip) { m_tip = std::move(tip); }
    // The bar at a point of the widget, and where bars stand, as last drawn.
    std::optional<TimelineSpot> spotAt(QPoint point) const;
    const TimelineLayout& layoutOfParts() const { return m_layout; }
    std::vector<std::size_t> ranksOnScreen() const; // rows of the measured ranks
    // From the first lane on, as many as the rectangle has room for.
    void paintTo(QPainter& painter, const QRectF& rectangle);
    // Of a rectangle that has room for every lane.
    int wholeHeight() const;

    QSize sizeHint() const override { return {800, 360}; }
    QSize minimumSizeHint() const override { return {160, 90}; }

signals:
    void spotHovered(const std::optional<shardscope::TimelineSpot>& spot);
    void spotClicked(const shardscope::TimelineSpot& spot);
    void spotChosen(const std::optional<shardscope::TimelineSpot>& spot);
    void rangeSelected(const std::optional<shardscope::TimeRange>& range); // when the mouse lets go
    void searchWished();
    void helpWished();
    void exposedWished(int step); // to a call that is exposed less (1) or more (-1) than the one before
    void laneClicked(shardscope::TimelineSection section, std::size_t rank); // its name in the gutter
    // The right button or the menu key; `rank` (row of the measured ranks) is the one pointed at.
    void menuWished(const std::optional<std::size_t>& rank, const QPoint& global);
    void trafficRoomChanged(bool has_room); // beneath the lanes
    void hinted(const QString& sentence);   // for the status bar
    void cleared();                         // Esc with nothing selected here

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    enum class Drag : unsigned char { none, press, select, pan, divider };

    // timeline_view_scene.cpp: what is kept of the view
    void beginAnew();
    void stayAtMoments();
    void goOnFrom(const MeasuredLanes& before);
    void moveTimes(TraceTime later_ns);
    void openFew();

    // timeline_view.cpp: what is where, and painting
    void placeLanes();
    TimelineNeeds needs() const;
    TimelineLayout layoutIn(const QRect& area) const;
    void tellTrafficRoom();
    void spoil();
    void clearLayer(const TimelineStyle& style);
    void renderLayer();
    void paintParts(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style,
                    QImage* image);
    void paintSection(QPainter& painter, TimelineSection section, const TimelineLayout& layout,
                      const TimelineStyle& style, QImage* image);
    void paintGhost(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style) const;
    TimelineStyle style() const;
    const std::vector<Lane>& lanes(TimelineSection section) const;
    int& scrollOf(TimelineSection section);
    int scrollOf(TimelineSection section) const;
    QRect lanesPlace(TimelineSection section) const;

    // timeline_view_gutter.cpp: the names of lanes
    int labelWidth() const;
    LaneTitle titleOf(TimelineSection section, const Lane& lane) const;
    void nameLaneOfRank(LaneTitle& title, const Lane& lane) const;
    void drawGutter(QPainter& painter, const TimelineStyle& style);
    void paintScrollHandle(QPainter& painter, TimelineSection section, const QRect& area,
                           const TimelineStyle& style) const;
    void paintTitles(QPainter& painter, TimelineSection section, const QRect& area,
                     const TimelineStyle& style) const;

    // timeline_view_counters.cpp: curves of counters
    void paintCounters(QPainter& painter, const QRect& area, const TimelineStyle& style) const;
    void paintCurve(QPainter& painter, const QRect& area, const Lane& lane, const TimelineStyle& style) const;
    void paintCounterValue(QPainter& painter, const TimelineStyle& style) const;
    TraceTime ownTime(const MeasuredRank& rank, TraceTime axis_time) const;
    QString counterText(const Lane& lane, TraceTime axis_time) const;
    double counterHeight(const Lane& lane, double value) const;

    // timeline_view_overlay.cpp: what follows the mouse
    void setHover(QPoint point, const QPoint& global);
    QString columnText(QPoint point) const;
    void paintOverlay(QPainter& painter) const;
    void paintSelection(QPainter& painter, const TimelineStyle& style) const;
    void paintSummary(QPainter& painter, const QRect& beside, const TimelineStyle& style) const;
    double summaryLeft(const QRect& beside, double box_width) const;
    QRectF spotPlace(const TimelineSpot& spot) const;
    QRectF placeInLane(const TimelineSpot& spot, int top, int height) const;
    int columnOnScreen(TraceTime axis_time) const;

    // timeline_view_input.cpp: mouse and keyboard
    std::optional<TimelineSection> sectionAt(QPoint point) const;
    std::optional<Lane> laneUnder(QPoint point) const;
    TraceTime timeAt(int x) const;
    int axisWidth() const;
    void scrollBy(TimelineSection section, int pixels);
    void panBy(double share);
    void zoomBy(double factor, TraceTime anchor);
    void clickSpot(const TimelineSpot& spot);
    void clickGutter(TimelineSection section, const Lane& lane);
    void forgetSpot();
    bool pressPlaceKey(const QKeyEvent& event);
    TimelineSection sectionOfKeys() const;
    void fitSelection();
    void clearSelection();

    // timeline_view_marks.cpp: the chosen event, its members, bookmarks
    void bringOnScreen(const TimelineSpot& spot, TraceTime before_ns = 0);
    void openLanesOf(const TimelineSpot& spot);
    void stepAlongFlow(int step);
    void addBookmark();
    void stepAlongBookmarks(int step);
    bool pressMarkKey(const QKeyEvent& event);
    void paintMarks(QPainter& painter, const TimelineStyle& style) const;
    void paintBookmarks(QPainter& painter, const TimelineStyle& style) const;

    // timeline_view_flow.cpp: arrows between the chosen event and what belongs to it
    QRectF anchorOf(const TimelineSpot& spot) const;
    void paintFlow(QPainter& painter, const TimelineStyle& style) const;
    void paintMembers(QPainter& painter, const TimelineStyle& style) const;

    TimelineScene m_scene;
    TimeRange m_range;
    bool m_shows_all = true; // keeps showing everything while the scene changes
    OpenLanes m_open;
    OpenLanes m_open_of_other; // of two runs that are compared the one that is not on show
    std::vector<Lane> m_stage_lanes;
    std::vector<Lane> m_rank_lanes;
    int m_stage_scroll = 0;
    int m_rank_scroll = 0;
    int m_rank_scroll_of_other = 0;
    double m_predicted_share = -1.0;
    int m_label_width = 0;
    bool m_has_traffic_room = true; // as last told
    TimelineLayout m_layout;
    QImage m_layer; // all but what follows the mouse
    bool m_layer_is_fresh = false;
    QImage m_gutter; // the names of lanes, which stay where they are while time is panned and zoomed
    bool m_gutter_is_fresh = false;
    LabelCache m_labels;
    BarLabel m_label;
    std::function<QString(const TimelineSpot&)> m_tip;
    std::optional<TimelineSpot> m_spot;
    QString m_column_text; // in the tooltip beside it
    std::optional<TimelineSpot> m_chosen;
    TimelineFlow m_flow; // of the chosen event
    std::vector<TraceTime> m_bookmarks;
    std::optional<TimeRange> m_selected;
    std::optional<RangeSummary> m_summary;
    std::optional<QPoint> m_mouse; // over the lanes
    Drag m_drag = Drag::none;
    QPoint m_press;
    QPoint m_last;
};

} // namespace shardscope
