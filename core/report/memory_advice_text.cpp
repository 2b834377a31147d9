#include "core/report/memory_advice_text.h"

#include "core/base/format.h"

namespace shardscope
{

std::string memoryAdviceText(const Scenario& scenario)
{
    const auto advice = adviseMemory(scenario);
    return advice ? memoryAdviceText(*advice) : std::string{};
}

std::string memoryAdviceText(const MemoryAdvice& advice)
{
    if (advice.changes.empty())
        return "It takes more GPUs: on these neither recomputation, ZeRO, smaller micro-batches, more tensor "
               "ranks within a node, more pipeline stages nor offloading made it fit.";
    std::string changes;
    for (const std::string& change : advice.changes) {
        if (!changes.empty())
            changes += &change == &advice.changes.back() ? " and " : ", ";
        changes += change;
    }
    return std::string{advice.is_nearly_full ? "It would just fit with " : "It would fit with "} + changes
           + ": " + formatBytes(static_cast<double>(advice.device_bytes))
           + (advice.is_nearly_full ? ", nearly full." : ".");
}

} // namespace shardscope
