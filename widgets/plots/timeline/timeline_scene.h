#pragma once

#include "core/prediction/timeline/timeline.h"
#include "widgets/plots/timeline/counter_curve.h"
#include "widgets/plots/timeline/lane_bars.h"
#include "widgets/plots/timeline/lane_layout.h"
#include "widgets/plots/timeline/paint_overlaps.h"
#include "widgets/plots/timeline/predicted_row.h"
#include "widgets/plots/timeline/trace_row.h"
#include "widgets/plots/timeline/traffic_curve.h"
#include "widgets/plots/timeline/worked_time.h"
#include "widgets/session/content.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace shardscope
{

// What the rows of a predicted stage show: what it computes, idle time among it; the messages that it waits
// for; those that travel while it computes; those to other stages that do; gradients and parameters of its
// replicas that do.
enum class StageRow : unsigned char { computing, messages, beneath, sends, replicas };
inline constexpr std::size_t stage_row_count = static_cast<std::size_t>(StageRow::replicas) + 1;
// Whether its messages take no time of their own.
constexpr bool isHidden(StageRow row)
{
    return row == StageRow::beneath || row == StageRow::sends || row == StageRow::replicas;
}
// The parts of a pass that its row picks from.
const std::vector<PassPart>& partsIn(const PassParts& pass, StageRow row);

// A predicted iteration, ready to be drawn. The source of a bar is a row of timeline.spans, in the rows of
// sends and replicas of timeline.sends and timeline.hidden.
struct PredictedLanes {
    std::shared_ptr<const PredictedScenario> source;
    PredictedTimeline timeline;
    std::vector<StageRow> shown;
    std::vector<std::vector<PredictedRow>> stages; // the rows that are shown, of each
    TraceTime iteration_ns = 0;
    std::map<Kind, CumulativeBytes> traffic; // all ranks
};

// A bar of a predicted stage: the span that it shows, and which part of the span's pass it is; null: all of
// it.
struct ShownBar {
    const TimelineSpan& span;
    const PassPart* part = nullptr;
};

// A stream or thread of a measured rank, its events in as many rows as lie within each other.
struct MeasuredTrack {
    QString name;
    bool is_of_interest = true;
    std::vector<TraceRow> rows;
};

// How long a call waits for other ranks before its transfer begins, where it was matched with theirs.
struct CallWait {
    EventIndex event{};
    TraceTime wait_ns = 0; // above 0
};

// A counter of a measured rank: a curve below its tracks.
struct MeasuredCounter {
    QString name;
    CounterCurve curve; // of the rank's store
};

// One measured rank, ready to be drawn.
struct MeasuredRank {
    std::int64_t rank = 0;
    QString name;         // "rank 3"
    std::size_t file = 0; // of the run's trace set
    std::shared_ptr<const TraceStore> store;
    std::unique_ptr<const EventPaints> paints; // rows refer to it
    PaintOverlaps overlaps;
    WorkedTime worked;
    std::vector<MeasuredTrack> tracks;
    std::vector<CallWait> waits; // by event
    std::vector<MeasuredCounter> counters;
    // How far the rank's clock is ahead, where that is taken out of what is drawn.
    TraceTime clock_ahead_ns = 0;

    // Of a stretch by the clock of the rank's own file: how long anything worked, on any of its tracks.
    TraceTime worked_ns(const TimeRange& own) const;
    // By the clock of the picture.
    TraceTime start(EventIndex event) const { return store->start(event) - clock_ahead_ns; }
    // A stretch of the picture's time, by the clock of the rank's own file.
    TimeRange ownTime(const TimeRange& range) const
    {
        return {range.start_ns + clock_ahead_ns, range.length_ns};
    }
};

// A measured run, ready to be drawn. Its clocks are absolute; the picture counts from `origin_ns`, where the
// iteration begins.
struct MeasuredLanes {
    std::shared_ptr<const MeasuredRun> run;
    std::vector<MeasuredRank> ranks;
    std::vector<RankShape> shapes; // the same ranks, for the layout
    TraceTime origin_ns = 0;
    bool has_one_clock = false;                  // what ranks' clocks are ahead is taken out
    std::size_t ranks_apart = 0;                 // of which that is not known
    bool shows_passes = false;                   // of pipeline schedules, not events of the files' stores
    QString iteration_note;                      // which one of several is drawn; empty: all that is recorded
    TimeRange whole;                             // from the origin on
    std::array<bool, lane_paint_count> paints{}; // that occur
    CumulativeBytes traffic;                     // from the origin on
    bool traffic_is_bytes = true; // false: no call has a size, and it holds nanoseconds of communication
};

// Measured ranks that are shown together, under a name.
struct RankGroup {
    QString name;
    QString remark;
    std::vector<std::size_t> ranks; // rows of MeasuredLanes::ranks
    bool operator==(const RankGroup&) const = default;
};

// All that a timeline shows. Plain values: the panel makes it, the view draws it.
struct TimelineScene {
    std::shared_ptr<const PredictedLanes> predicted;
    std::shared_ptr<const PredictedLanes> pinned; // the ghost
    std::shared_ptr<const MeasuredLanes> measured;
    QString measured_title = QStringLiteral("Measured");
    // The runs that are compared, pinned one first, of which `measured` is one; null: there is one run.
    std::array<std::shared_ptr<const MeasuredRun>, 2> compared;
    bool own_scales = false;  // each section is stretched to the width of the other
    QString scale_note;       // beside the measured ruler
    std::optional<Kind> kind; // all else is faded
    std::optional<std::size_t> marked_stage;
    std::optional<std::int64_t> marked_rank;
    std::vector<QString> rank_places; // of the measured ranks, "tp 1 pp 0"; may be empty
    std::vector<RankGroup> groups;    // of the measured ranks; empty: each stands for itself
    bool shows_traffic = true;
    QString hint; // instead of everything: what to do to see something here
};

enum class TimelineSection : unsigned char { predicted, measured };

// A bar under the mouse: of a row of a stage, or an event of a row.
struct TimelineSpot {
    TimelineSection section = TimelineSection::predicted;
    std::size_t rank = 0; // index; of predicted ones the stage
    std::size_t track = 0;
    std::size_t row = 0;
    std::uint32_t span = 0; // of predicted ones the bar of the row
    bool operator==(const TimelineSpot&) const = default;
};

// Pre: the spot is predicted.
ShownBar shownBar(const PredictedLanes& lanes, const TimelineSpot& spot);
// The bar of a row of the timeline's spans, where it is drawn as one.
std::optional<TimelineSpot> spotOf(const PredictedLanes& lanes, std::uint32_t source);

// Both show the events of the same files, whatever was found out about them since.
bool areOfOneRun(const MeasuredLanes* a, const MeasuredLanes* b);

// What lies in a stretch of time, by paint: summed over stages, and over the tracks of interest of all ranks,
// where a moment at which a rank communicates in one way counts once.
struct RangeSummary {
    TimeRange range;
    PaintDurations predicted{};
    PaintDurations measured{};
    TraceTime predicted_room_ns = 0; // stages times the range
    TraceTime measured_room_ns = 0;  // ranks times the range
    TraceTime measured_idle_ns = 0;  // of that, what nothing worked in on a rank
};

// Where a section's own time begins and how long all of it is.
TimeRange wholePredicted(const TimelineScene& scene);
TimeRange wholeMeasured(const TimelineScene& scene);
// The time axis: the measured run where there is one.
TimeRange boundsOf(const TimelineScene& scene);
// A stretch of the axis in the time of a section: of predicted spans, or of the files' clock that
// ranks share.
TimeRange inSection(const TimelineScene& scene, TimelineSection section, const TimeRange& axis);
RangeSummary summarize(const TimelineScene& scene, const TimeRange& axis);

} // namespace shardscope
