#include "widgets/panels/timeline/timeline_legend.h"

#include "widgets/plots/timeline/lane_paint.h"
#include "widgets/plots/timeline/range_table.h"
#include "widgets/session/shown_text.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

constexpr int no_kind = -1; // of a chip that cannot be clicked

using Kinds = std::array<bool, kind_count>;

void addPasses(const PredictedLanes& predicted, const LaneColours& colours, std::vector<LegendChip>& chips)
{
    const Parallel& parallel = predicted.source->scenario.parallel;
    std::vector<LanePaint> paints{LanePaint::forward, LanePaint::backward};
    if (parallel.virtual_stages > 1)
        paints = {LanePaint::forward, LanePaint::forward_of_even_chunk, LanePaint::backward,
                  LanePaint::backward_of_even_chunk};
    if (splitsBackward(parallel.schedule))
        paints.push_back(LanePaint::weight_gradient);
    const std::vector<TimelineSpan>& spans = predicted.timeline.spans;
    if (std::ranges::any_of(spans, [](const TimelineSpan& span) {
            return span.phase == Phase::step && span.activity == Activity::backward;
        }))
        paints.push_back(LanePaint::optimizer);
    for (const LanePaint paint : paints)
        chips.push_back(
            {.id = no_kind, .text = nameOf(paint), .colour = colours[static_cast<std::size_t>(paint)]});
}

// Of a measured schedule, where the predicted one has not named them.
void addPasses(const MeasuredLanes& measured, const LaneColours& colours, std::vector<LegendChip>& chips)
{
    for (const LanePaint paint : {LanePaint::forward, LanePaint::backward}) {
        const auto index = static_cast<std::size_t>(paint);
        const bool is_named = std::ranges::find(chips, nameOf(paint), &LegendChip::text) != chips.end();
        if (measured.paints[index] && !is_named)
            chips.push_back({.id = no_kind, .text = nameOf(paint), .colour = colours[index]});
    }
}

// The classes of computation that the trace has, and what else has a colour without being a kind.
void addClasses(const MeasuredLanes& measured, const LaneColours& colours, const Theme& theme,
                std::vector<LegendChip>& chips)
{
    addPasses(measured, colours, chips);
    for (const LanePaint paint : {LanePaint::matrix, LanePaint::attention, LanePaint::reduction,
                                  LanePaint::elementwise, LanePaint::compute, LanePaint::memory})
        if (const auto index = static_cast<std::size_t>(paint); measured.paints[index])
            chips.push_back({.id = no_kind, .text = nameOf(paint), .colour = colours[index]});
    if (std::ranges::any_of(measured.ranks, [](const MeasuredRank& rank) { return !rank.waits.empty(); }))
        chips.push_back({.id = no_kind,
                         .text = QStringLiteral("waiting"),
                         .colour = theme.faintText(),
                         .is_striped = true});
}

bool hasBubble(const PredictedTimeline& timeline)
{
    return std::ranges::any_of(timeline.spans,
                               [](const TimelineSpan& span) { return span.activity == Activity::bubble; });
}

void markKinds(const PredictedTimeline& timeline, Kinds& is_there)
{
    for (const TimelineSpan& span : timeline.spans)
        if (span.activity == Activity::communication)
            is_there[static_cast<std::size_t>(span.kind)] = true;
    for (const auto* spans : {&timeline.hidden, &timeline.sends})
        for (const TimelineSpan& span : *spans)
            is_there[static_cast<std::size_t>(span.kind)] = true;
    for (const PassParts& pass : timeline.passes)
        for (const PassPart& part : pass.beside)
            is_there[static_cast<std::size_t>(part.kind)] = true;
}

void markKinds(const MeasuredRun& run, Kinds& is_there)
{
    for (const RankMeasurement& rank : run.measurement.ranks)
        for (const MeasuredCollective& call : rank.collectives)
            is_there[static_cast<std::size_t>(call.kind)] = true;
}

std::vector<LegendChip> kindChips(const Kinds& is_there, const std::optional<Kind>& marked,
                                  const Theme& theme)
{
    std::vector<LegendChip> chips;
    for (int i = 0; i < kind_count; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (is_there[static_cast<std::size_t>(i)] || marked == kind)
            chips.push_back({.id = i,
                             .text = toQString(word(kind)),
                             .colour = theme.colour(kind),
                             .is_faded = marked && *marked != kind,
                             .is_marked = marked == kind});
    }
    return chips;
}

} // namespace

std::vector<LegendChip> timelineLegend(const PredictedLanes* predicted, const MeasuredLanes* measured,
                                       const MeasuredRun* run, bool has_pinned,
                                       const std::optional<Kind>& marked, const Theme& theme)
{
    const LaneColours colours = laneColours(theme, std::nullopt);
    std::vector<LegendChip> chips;
    Kinds is_there{};
    if (predicted) {
        addPasses(*predicted, colours, chips);
        markKinds(predicted->timeline, is_there);
    }
    if (measured)
        addClasses(*measured, colours, theme, chips);
    if (run)
        markKinds(*run, is_there);
    for (LegendChip& chip : chips)
        chip.is_faded = marked.has_value();
    if (predicted && hasBubble(predicted->timeline))
        chips.push_back({.id = no_kind,
                         .text = QStringLiteral("bubble"),
                         .colour = theme.colour(Hue::bubble),
                         .is_faded = marked.has_value()});
    if (predicted && std::ranges::any_of(predicted->shown, isHidden))
        chips.push_back({.id = no_kind,
                         .text = QStringLiteral("hidden"),
                         .colour = theme.faintText(),
                         .is_faded = marked.has_value(),
                         .is_striped = true});
    if (predicted && has_pinned)
        chips.push_back({.id = no_kind,
                         .text = QStringLiteral("pinned: thin lines, dashed end"),
                         .colour = theme.faintText(),
                         .is_off = true});
    // The buttons stand first: where there is no room for all, colours alone are counted.
    const auto buttons = kindChips(is_there, marked, theme);
    chips.insert(chips.begin(), buttons.begin(), buttons.end());
    return chips;
}

} // namespace shardscope
