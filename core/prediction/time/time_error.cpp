#include "core/prediction/time/time_error.h"

#include "core/prediction/model/model_parameters.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::int64_t large_model = 1'000'000'000; // parameters

// Of steps that published ones are like.
double measuredTimeError(const Scenario& scenario, std::int64_t parameters)
{
    const ComputeLaw& law = scenario.cluster.compute;
    double error = parameters >= large_model ? law.time_error : law.time_error_small;
    // Fewer sources measured in 8 bits: their agreement says less.
    if (quantizesProducts(scenario.training.precision))
        error = std::max(error, law.time_error_fp8);
    return error;
}

// Share by which a time of the detailed model may be off.
double detailedTimeError(const Scenario& scenario, std::int64_t parameters)
{
    const double error = measuredTimeError(scenario, parameters);
    return isWidenedAsUnlike(scenario, parameters) ? scenario.cluster.compute.time_error_unlike : error;
}

bool hasMeasuredBandwidths(const Cluster& cluster)
{
    const EffectiveBandwidth& measured = cluster.effective;
    return measured.tp_GBps && measured.pp_GBps && measured.dp_GBps;
}

// A factor either way, less one.
std::array<double, 2> bandOfFactor(double error)
{
    return {1.0 / (1.0 + error) - 1.0, error};
}

std::array<double, 2> liErrorBand(const Scenario& scenario, std::int64_t parameters)
{
    const Cluster& cluster = scenario.cluster;
    if (hasMeasuredBandwidths(cluster) && !cluster.hasFittedMu())
        return {0.0, 0.0};
    const ComputeLaw& law = cluster.compute;
    return bandOfFactor(parameters >= large_model ? law.time_error_li : law.time_error_li_small);
}

} // namespace

bool isUncalibratedLi(const Scenario& scenario)
{
    return scenario.time_model == TimeModel::li && !scenario.cluster.hasFittedMu()
           && !hasMeasuredBandwidths(scenario.cluster);
}

std::string unlikeMeasured(const Scenario& scenario)
{
    const Model& model = scenario.model;
    std::string traits;
    const auto add = [&traits](bool has, const char* trait) {
        if (has)
            traits += (traits.empty() ? "" : ", ") + std::string{trait};
    };
    add(hasExperts(model), "experts");
    add(layersByForm(model).with(hasRecurrence) > 0, "recurrences");
    add(model.mtp_layers > 0, "multi-token prediction");
    add(model.hasEncoder(), "an encoder");
    add(model.kind == ModelKind::parameter_list, "a list of parameters");
    add(scenario.parallel.context > 1, "context parallelism");
    add(scenario.training.precision == Precision::fp32, "32 bits");
    add(scenario.training.precision == Precision::fp4, "4 bits");
    return traits;
}

bool isWidenedAsUnlike(const Scenario& scenario, std::int64_t parameters)
{
    const double error = measuredTimeError(scenario, parameters);
    return error > 0.0 && scenario.cluster.compute.time_error_unlike > error
           && !unlikeMeasured(scenario).empty();
}

double layerTimeError(const Scenario& scenario, std::int64_t parameters)
{
    return scenario.cluster.calibrated ? detailedTimeError(scenario, parameters) : 0.0;
}

std::array<double, 2> timeErrorBand(const Scenario& scenario, std::int64_t parameters)
{
    if (scenario.time_model == TimeModel::li)
        return liErrorBand(scenario, parameters);
    const double error = detailedTimeError(scenario, parameters);
    if (error >= 1.0) // no time is less than nothing
        return bandOfFactor(error);
    return {0.0 - error, error}; // no -0
}

} // namespace shardscope
