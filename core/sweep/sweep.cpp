#include "core/sweep/sweep.h"

#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/predict.h"
#include "core/sweep/sweep_place.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

// Of the rank that sends most.
std::array<double, kind_count> sentBytes(const Scenario& scenario, const Prediction& prediction)
{
    std::array<double, kind_count> most{};
    double most_sum = 0.0;
    const auto take = [&](const std::vector<Message>& messages) {
        std::array<double, kind_count> sent{};
        double sum = 0.0;
        for (const Message& message : messages) {
            sent[static_cast<std::size_t>(message.kind)] += message.wire_bytes;
            sum += message.wire_bytes;
        }
        if (sum > most_sum)
            most = sent;
        most_sum = std::max(most_sum, sum);
    };
    const RankParts parts{scenario};
    if (parts.isUneven())
        for (std::size_t part = 0; part < parts.size(); ++part)
            take(parts.messages(prediction, part));
    else
        for (const StagePrediction& stage : prediction.stages)
            take(stage.messages);
    return most;
}

SweepPoint pointAt(const Scenario& base, std::span<const AxisValue> place)
{
    SweepPoint point;
    point.scenario = base;
    if (const Misfit misfit = setPlace(point.scenario, base, place); misfit != Misfit::none)
        point.problem = misfitSentence(misfit, point.scenario);
    else
        point = pointOf(point.scenario);
    point.value = place.front().value;
    point.group_value = place.size() > 1 ? place.back().value : 0.0;
    return point;
}

bool isSame(double a, double b)
{
    return std::fabs(a - b) <= 1e-9 * std::fabs(b);
}

} // namespace

std::string pointText(const SweepPoint& point, SweepAxis axis, double value)
{
    std::string text = axisText(axis, value);
    if (axis == SweepAxis::schedule && point.scenario.parallel.schedule == Schedule::interleaved)
        text += ", v " + std::to_string(point.scenario.parallel.virtual_stages);
    return text;
}

SweepPoint pointOf(const Scenario& scenario)
{
    SweepPoint point;
    point.scenario = scenario;
    const Result<Prediction> answer = predict(scenario);
    if (!answer) {
        point.problem = answer.error().sentence;
        return point;
    }
    const Prediction& prediction = answer.value();
    point.time = prediction.time;
    point.world_size = prediction.world_size;
    point.micro_batches = prediction.micro_batches;
    point.device_bytes = prediction.memory.device_bytes;
    point.fullest = *std::ranges::max_element(prediction.memory.stages, {},
                                              [](const StageMemory& stage) { return stage.deviceBytes(); });
    point.fits = prediction.memory.fits;
    point.sent_bytes = sentBytes(point.scenario, prediction);
    point.warnings = prediction.warnings;
    return point;
}

std::vector<SweepPoint> runSweep(const Sweep& sweep, const std::atomic<bool>* stop)
{
    std::vector<SweepPoint> points;
    points.reserve(sweep.values.size() * sweep.groupSize());
    for (const double value : sweep.values)
        for (std::size_t group = 0; group < sweep.groupSize(); ++group) {
            if (stop != nullptr && stop->load(std::memory_order_relaxed))
                return points;
            const AxisValue first{sweep.axis, value};
            if (!sweep.group_axis) {
                points.push_back(pointAt(sweep.base, std::array{first}));
                continue;
            }
            const AxisValue second{*sweep.group_axis, sweep.group_values[group]};
            points.push_back(pointAt(sweep.base, std::array{first, second}));
        }
    return points;
}

std::vector<PlaceWarning> placeWarnings(const std::vector<SweepPoint>& points)
{
    const auto has = [](const SweepPoint& point, const std::string& sentence) {
        return std::ranges::find(point.warnings, sentence) != point.warnings.end();
    };
    std::vector<PlaceWarning> found;
    for (std::size_t i = 0; i < points.size(); ++i)
        for (const std::string& sentence : points[i].warnings) {
            const bool is_known = std::ranges::find(found, sentence, &PlaceWarning::sentence) != found.end();
            const bool is_everywhere = std::ranges::all_of(
                points, [&](const SweepPoint& point) { return !point.isValid() || has(point, sentence); });
            if (!is_known && !is_everywhere)
                found.push_back({i, sentence});
        }
    return found;
}

std::optional<std::size_t> ownPoint(const Sweep& sweep, const std::vector<SweepPoint>& points)
{
    const double value = ownValue(sweep.base, sweep.axis);
    const double group = sweep.group_axis ? ownValue(sweep.base, *sweep.group_axis) : 0.0;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (isSame(points[i].value, value) && isSame(points[i].group_value, group))
            return i;
    return std::nullopt;
}

} // namespace shardscope
