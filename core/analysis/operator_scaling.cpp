#include "core/analysis/operator_scaling.h"

#include "core/analysis/classification/kernel_class.h"
#include "core/analysis/classification/name_pattern.h"
#include "core/analysis/iteration_times.h"

#include <algorithm>
#include <string_view>

namespace shardscope
{

namespace
{

constexpr std::array computing{Growth::matrix, Growth::attention, Growth::elementwise, Growth::step,
                               Growth::other};
constexpr std::array communicating{Growth::activations, Growth::gradients};

std::size_t placeOf(Growth growth)
{
    return static_cast<std::size_t>(growth);
}

// Optimizers pass over memory as other kernels do, but over the parameters.
bool isOfOptimizer(std::string_view name)
{
    static const std::array patterns{NamePattern{"adam"}, NamePattern{"multi_tensor_apply"},
                                     NamePattern{"optimizer"}};
    const std::string lower = lowerCase(name);
    return std::ranges::any_of(patterns, [&](const NamePattern& each) { return each.matches(lower); });
}

// Softmax over the scores of attention that is not fused, as Megatron-LM and PyTorch name it; the loss has
// another.
bool isOfScores(std::string_view name)
{
    static const std::array patterns{NamePattern{"softmax_warp"}, NamePattern{"masked_softmax"},
                                     NamePattern{"scaled_softmax"}};
    const std::string lower = lowerCase(name);
    return std::ranges::any_of(patterns, [&](const NamePattern& each) { return each.matches(lower); });
}

Growth growthOf(std::string_view name)
{
    if (isOfOptimizer(name))
        return Growth::step;
    if (isOfScores(name))
        return Growth::attention;
    switch (kernelClassOf(name)) {
    case KernelClass::matrix:
        return Growth::matrix;
    case KernelClass::attention:
        return Growth::attention;
    case KernelClass::reduction:
    case KernelClass::elementwise:
        return Growth::elementwise;
    case KernelClass::other:
        break;
    }
    return Growth::other;
}

Growth growthOf(Kind kind)
{
    switch (kind) {
    case Kind::dp:
    case Kind::edp:
    case Kind::emb:
        return Growth::gradients;
    default:
        return Growth::activations;
    }
}

template<std::size_t size>
void shareOut(const std::array<Growth, size>& parts, double took_s, double sum_s, OperatorSeconds& measured)
{
    if (sum_s <= took_s || took_s <= 0.0)
        return;
    for (const Growth part : parts) {
        measured.seconds[placeOf(part)] *= took_s / sum_s;
        measured.hidden_s[placeOf(part)] *= took_s / sum_s;
    }
}

} // namespace

Resizing resizingOf(const Scenario& scenario, const Scenario& of_run)
{
    const auto ratio = [](std::int64_t now, std::int64_t before) {
        return before > 0 ? static_cast<double>(now) / static_cast<double>(before) : 1.0;
    };
    const auto sequences = [](const Scenario& of) {
        return of.microBatches() * of.training.micro_batch_size;
    };
    return {ratio(scenario.model.hidden_size, of_run.model.hidden_size),
            ratio(scenario.model.sequence_length, of_run.model.sequence_length),
            ratio(sequences(scenario), sequences(of_run))};
}

double growthFactor(Growth growth, const Resizing& resizing)
{
    const auto& [h, s, b] = resizing;
    switch (growth) {
    case Growth::matrix:
        return s * b * h * h;
    case Growth::attention:
        return s * s * b * h;
    case Growth::elementwise:
    case Growth::activations:
        return s * b * h;
    case Growth::step:
    case Growth::gradients:
        return h * h;
    case Growth::other:
        break;
    }
    return 1.0;
}

double OperatorSeconds::exposed_s(Growth growth) const
{
    return std::max(0.0, seconds[placeOf(growth)] - hidden_s[placeOf(growth)]);
}

double OperatorSeconds::compute_s() const
{
    double sum = 0.0;
    for (const Growth growth : computing)
        sum += seconds[placeOf(growth)];
    return sum;
}

double OperatorSeconds::total_s() const
{
    double sum = compute_s();
    for (const Growth growth : communicating)
        sum += exposed_s(growth);
    return sum;
}

OperatorSeconds operatorSeconds(const RankMeasurement& rank, std::int64_t iterations)
{
    const auto each = [iterations](std::int64_t nanoseconds) {
        return static_cast<double>(nanoseconds) * 1e-9
               / static_cast<double>(std::max<std::int64_t>(1, iterations));
    };
    OperatorSeconds measured;
    for (const KernelRow& kernel : rank.kernels)
        if (kernel.of == EventClass::compute) {
            measured.seconds[placeOf(growthOf(std::string_view{kernel.name}))] += each(kernel.own_ns());
            measured.has_scores = measured.has_scores || isOfScores(kernel.name);
        }
    for (const MeasuredCollective& call : rank.collectives) {
        const std::size_t place = placeOf(growthOf(call.kind));
        measured.seconds[place] += each(call.sum_ns);
        measured.hidden_s[place] += each(call.sum_ns - call.exposed_ns);
    }
    // Streams, threads and calls run side by side, and some before the first step: their sums are more than
    // the time that they took of an iteration.
    const double compute_s = iterationTimes(rank, std::max<std::int64_t>(1, iterations)).compute_s;
    shareOut(computing, compute_s, measured.compute_s(), measured);
    shareOut(communicating, exposedShareOfSteps(rank) * each(rank.exposed_communication_ns),
             measured.total_s() - measured.compute_s(), measured);
    return measured;
}

OperatorSeconds resized(const OperatorSeconds& measured, const Resizing& resizing)
{
    OperatorSeconds now;
    for (std::size_t i = 0; i < measured.seconds.size(); ++i)
        now.seconds[i] = measured.seconds[i] * growthFactor(static_cast<Growth>(i), resizing);
    const double before = measured.compute_s();
    const double room = before > 0.0 ? now.compute_s() / before : 1.0;
    for (const Growth growth : communicating) {
        const std::size_t place = placeOf(growth);
        now.hidden_s[place] = std::min(now.seconds[place], measured.hidden_s[place] * room);
    }
    return now;
}

} // namespace shardscope
