#include "core/scenario/zero_stages.h"

namespace shardscope
{

bool hasZeroStage(Framework framework, int stage)
{
    switch (framework) {
    case Framework::megatron:
    case Framework::deepspeed:
        break;
    case Framework::fsdp:
        return stage != 1;
    case Framework::ddp:
        return stage <= 1;
    }
    return true;
}

bool runsZeroStage(const Scenario& scenario, int stage)
{
    const Framework framework = scenario.conventions.framework;
    if (!hasZeroStage(framework, stage))
        return false;
    if (framework == Framework::deepspeed && scenario.model.experts.count > 0 && stage == 3)
        return false;
    return scenario.parallel.pipeline == 1 || stage <= 1 || framework == Framework::fsdp;
}

bool canGatherInFp8(const Scenario& scenario)
{
    const Framework framework = scenario.conventions.framework;
    return scenario.parallel.zero_stage > 0 && scenario.training.precision == Precision::fp8
           && (framework == Framework::megatron || framework == Framework::fsdp);
}

} // namespace shardscope
