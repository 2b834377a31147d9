#include "core/report/memory_advice_text.h"

#include "core/base/format.h"
#include "core/prediction/memory_advice.h"

namespace shardscope
{

std::string memoryAdviceText(const Scenario& scenario)
{
    const auto advice = adviseMemory(scenario);
    if (!advice)
        return {};
    if (advice->changes.empty())
        return "Neither recomputation, ZeRO, smaller micro-batches, tensor parallelism within a node nor "
               "offloading makes it fit: it takes more GPUs.";
    std::string changes;
    for (const std::string& change : advice->changes) {
        if (!changes.empty())
            changes += &change == &advice->changes.back() ? " and " : ", ";
        changes += change;
    }
    return "It would fit with " + changes + ": " + formatBytes(static_cast<double>(advice->device_bytes))
           + ".";
}

} // namespace shardscope
