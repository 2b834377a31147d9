#pragma once

#include "core/prediction/memory/memory_terms.h"
#include "core/prediction/model/stage_layout.h"

#include <cstdint>

namespace shardscope
{

// Tensors that a framework keeps aside all the time.
MemoryTerms frameworkBuffers(const IterationFigures& figures, const StageShape& shape);

// Tensors that the optimizer's step makes and drops, when no activation is left.
MemoryTerms stepTensors(const IterationFigures& figures, const StageShape& shape);

// Blocks of PyTorch's caching allocator that nobody uses at the fullest moment, in percent of all tensors. It
// gives them back when memory runs short.
std::int64_t idlePercent(Framework framework);

// Blocks that do not come back: DeepSpeed's step makes tensors larger than any that activations leave behind,
// so both stay. `backward_bytes`: of activations and what passes; `step_bytes`: of the step.
std::int64_t keptBlockBytes(Framework framework, std::int64_t backward_bytes, std::int64_t step_bytes);

// The CUDA context with its kernels, and NCCL's communicators.
MemoryTerms contextTerms(const IterationFigures& figures);

} // namespace shardscope
