#include "core/analysis/gpu_time/forward_only.h"

namespace shardscope
{

namespace
{

// Graphs hide what they replay; an optimizer's step tells that there was a backward pass.
bool isOfBackwardPass(std::string_view name)
{
    return name.starts_with("autograd::engine") || name.find("Backward") != std::string_view::npos
           || name.find("backward") != std::string_view::npos || name.starts_with("cudaGraphLaunch")
           || name.starts_with("Optimizer.step");
}

} // namespace

bool isForwardOnly(const TraceSet& traces)
{
    bool has_operators = false;
    for (const TraceFile& file : traces.files) {
        if (!file.store || file.digest) // which keeps no operators
            continue;
        const NameTable& names = file.store->names();
        for (std::uint32_t id = 0; id < names.size(); ++id) {
            const std::string_view name = names.text(NameId{id});
            if (isOfBackwardPass(name))
                return false;
            has_operators = has_operators || name.starts_with("aten::");
        }
    }
    return has_operators;
}

} // namespace shardscope
