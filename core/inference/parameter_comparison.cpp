#include "core/inference/parameter_comparison.h"

#include "core/base/format.h"

namespace shardscope
{

namespace
{

std::int64_t predictedAt(const Prediction& prediction, std::int64_t stage)
{
    for (const StagePrediction& one : prediction.stages)
        if (one.stage == stage)
            return one.parameters;
    return 0;
}

} // namespace

ParameterComparison compareParameters(const Prediction& prediction, const TraceSet& traces)
{
    ParameterComparison comparison;
    for (const TraceFile& file : traces.files)
        for (const PlaceParameters& place : file.parameters) {
            const std::int64_t predicted = predictedAt(prediction, place.stage);
            ++comparison.places;
            if (place.parameters == predicted)
                ++comparison.equal;
            else if (!comparison.first_other)
                comparison.first_other = {place, predicted};
        }
    return comparison;
}

std::string sentence(const ParameterComparison& comparison)
{
    if (comparison.places == 0)
        return {};
    if (comparison.agrees())
        return "the log counts as many parameters "
               + (comparison.places == 1
                      ? std::string{"on the rank that it tells of"}
                      : "on all " + std::to_string(comparison.places) + " places of the layout")
               + " as predicted";
    const auto& [counted, predicted] = *comparison.first_other;
    return "the log counts as many parameters as predicted on " + std::to_string(comparison.equal) + " of "
           + std::to_string(comparison.places) + " places of the layout; on tensor rank "
           + std::to_string(counted.tensor_rank) + " of stage " + std::to_string(counted.stage) + " "
           + formatGrouped(counted.parameters) + " instead of " + formatGrouped(predicted);
}

} // namespace shardscope
