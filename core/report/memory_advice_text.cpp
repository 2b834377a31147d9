#include "core/report/memory_advice_text.h"

#include "core/base/format.h"

namespace shardscope
{

namespace
{

// Where the cluster's times are no prediction, and of a schedule that was not played, nothing.
std::string costOf(const MemoryAdvice& advice, const TimePrediction& now)
{
    if (!advice.scenario.cluster.calibrated || advice.iteration_s <= 0.0)
        return {};
    return ", " + formatSeconds(advice.iteration_s) + " instead of " + formatSeconds(now.iteration_s)
           + (advice.overlaps_more ? " with the overlaps that are usual then" : "");
}

} // namespace

std::string memoryAdviceText(const Scenario& scenario, const Prediction& prediction)
{
    const auto advice = adviseMemory(scenario);
    return advice ? memoryAdviceText(*advice, prediction) : std::string{};
}

std::string memoryAdviceText(const MemoryAdvice& advice, const Prediction& prediction)
{
    if (advice.changes.empty())
        return "It takes more GPUs: on these neither recomputation, sequence parallelism, ZeRO, smaller "
               "micro-batches, more tensor ranks within a node, more pipeline stages nor offloading made it "
               "fit.";
    std::string changes;
    for (const std::string& change : advice.changes) {
        if (!changes.empty())
            changes += &change == &advice.changes.back() ? " and " : ", ";
        changes += change;
    }
    return std::string{advice.is_nearly_full ? "It would just fit with " : "It would fit with "} + changes
           + ": " + formatBytes(static_cast<double>(advice.device_bytes))
           + (advice.is_nearly_full ? ", nearly full" : "") + costOf(advice, prediction.time) + ".";
}

} // namespace shardscope
