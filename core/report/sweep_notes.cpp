#include "core/report/sweep_notes.h"

#include "core/scenario/recomputation_words.h"

#include "core/base/format.h"
#include "core/report/axis_value.h"
#include "core/report/following_widths.h"
#include "core/sweep/layout.h"
#include "core/sweep/scaling.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace shardscope
{

namespace
{

// What MFU is a share of, where rows differ in it.
std::string formatNote(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    if (sweep.axis != SweepAxis::precision && sweep.group_axis != SweepAxis::precision)
        return {};
    const Cluster& cluster = sweep.base.cluster;
    const auto hasPointsIn = [&](Precision precision) {
        return std::ranges::any_of(
            points, [&](const SweepPoint& point) { return point.scenario.training.precision == precision; });
    };
    std::string others;
    if (cluster.compute.hasFp8() && hasPointsIn(Precision::fp8))
        others = "; that of fp8 of twice as much";
    if (cluster.compute.hasFp4() && hasPointsIn(Precision::fp4))
        others += "; that of fp4 of " + formatPlain(2.0 * cluster.compute.fp4_over_fp8, 3) + " times as much";
    return "note: MFU is a share of the dense peak in 16 bits, " + formatPlain(cluster.peak_tflops, 4)
           + " TFLOP/s, that of fp32 too" + others + '\n';
}

// "64 GPUs, ZeRO 0".
std::string placePhrase(const Sweep& sweep, const SweepPoint& point)
{
    const std::string phrase = axisPhrase(sweep.axis, point.value);
    return sweep.group_axis ? phrase + ", " + axisPhrase(*sweep.group_axis, point.group_value) : phrase;
}

// "dp_overlap true, dp_reduction buckets": what goes with each place besides what is swept. Sizes of buckets
// follow the replicas everywhere.
std::vector<std::string> followedWords(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    std::vector<std::string> all;
    for (const SweepPoint& point : points) {
        std::string& words = all.emplace_back();
        if (point.isValid())
            for (const ScenarioDifference& one : followingConventions(sweep.base, point.scenario))
                if (one.key != "dp_bucket_bytes")
                    words += (words.empty() ? "" : ", ") + one.key + ' ' + one.after;
    }
    return all;
}

// The value, on either axis, that all places with the same words have and no other; else the place itself.
std::string placeOfWords(const Sweep& sweep, const std::vector<SweepPoint>& points,
                         const std::vector<std::string>& words, std::size_t at)
{
    const auto is_common = [&](double SweepPoint::*value) {
        for (std::size_t i = 0; i < points.size(); ++i)
            if (points[i].isValid() && (points[i].*value == points[at].*value) != (words[i] == words[at]))
                return false;
        return true;
    };
    if (sweep.group_axis && is_common(&SweepPoint::group_value))
        return axisPhrase(*sweep.group_axis, points[at].group_value);
    return is_common(&SweepPoint::value) ? axisPhrase(sweep.axis, points[at].value)
                                         : placePhrase(sweep, points[at]);
}

// What else is another than in the scenario: a row's time is not that of its value alone.
std::string followedNotes(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    const std::vector<std::string> words = followedWords(sweep, points);
    std::string text;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (words[i].empty())
            continue;
        const std::string line = "note, " + placeOfWords(sweep, points, words, i) + ": with it " + words[i]
                                 + ", as the framework has it by default there\n";
        if (text.find(line) == std::string::npos)
            text += line;
    }
    return text;
}

// Where fewer ranks cannot share the experts as the scenario has it.
std::string expertNotes(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    std::string text;
    for (const SweepPoint& point : points)
        if (point.isValid() && hasOtherExpertRanks(sweep, point))
            text += "note, " + placePhrase(sweep, point) + ": with it expert "
                    + std::to_string(point.scenario.parallel.expert) + ", the most of "
                    + std::to_string(sweep.base.parallel.expert) + " that its ranks leave\n";
    return text;
}

// Once for all places: heads and widths of the MLP are others at each.
std::string widthNote(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    std::vector<Scenario> made;
    for (const SweepPoint& point : points)
        if (point.isValid())
            made.push_back(point.scenario);
    return widthNote(sweep.base, made);
}

// Of the place where no layer is computed again whole.
std::string recomputationNote(const Sweep& sweep)
{
    const bool is_swept =
        sweep.axis == SweepAxis::recomputed_layers || sweep.group_axis == SweepAxis::recomputed_layers;
    if (!is_swept || sweep.base.training.recompute != Recompute::selective)
        return {};
    return "note: 0 recomputed layers is the scenario's own: " + recomputationWords(sweep.base) + '\n';
}

// Of the network's efficiency, where it is more than all.
std::string networkNote(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    constexpr double shown_as_more = 1.0005;
    for (const std::optional<ScalingPoint>& scaling : scalingOfEach(sweep, points)) {
        if (scaling && scaling->network_efficiency.value_or(0.0) > shown_as_more)
            return "note: network is the exposed communication for the same work of a GPU on "
                   + formatGrouped(std::llround(scaling->network_gpus))
                   + " GPUs, the fewest that send, over that here; above 100 %: more GPUs of a node have "
                     "more "
                     "links among them, or hide more of it\n";
    }
    return {};
}

} // namespace

bool hasOtherExpertRanks(const Sweep& sweep, const SweepPoint& point)
{
    const bool is_swept = sweep.axis == SweepAxis::expert || sweep.group_axis == SweepAxis::expert;
    return !is_swept && point.scenario.parallel.expert != sweep.base.parallel.expert;
}

std::string sweepNotes(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    std::string text;
    for (const PlaceWarning& warning : placeWarnings(points))
        text += "note, " + placePhrase(sweep, points[warning.point]) + ": " + warning.sentence + '\n';
    return text + widthNote(sweep, points) + expertNotes(sweep, points) + followedNotes(sweep, points)
           + formatNote(sweep, points) + recomputationNote(sweep) + networkNote(sweep, points);
}

} // namespace shardscope
