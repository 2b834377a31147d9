#pragma once

#include "core/prediction/memory_terms.h"
#include "core/prediction/stage_layout.h"

#include <cstdint>

namespace shardscope
{

// Tensors that a framework keeps aside all the time.
MemoryTerms frameworkBuffers(const IterationFigures& figures, const StageShape& shape);

// Tensors that the optimizer's step makes and drops, when no activation is left.
MemoryTerms stepTensors(const IterationFigures& figures, const StageShape& shape);

// What PyTorch's caching allocator holds beyond the tensors at the fullest moment. `backward_bytes`: of
// activations and what passes; `step_bytes`: of the step; `allocated_bytes`: all tensors.
std::int64_t cachedBytes(const Scenario& scenario, std::int64_t backward_bytes, std::int64_t step_bytes,
                         std::int64_t allocated_bytes);

// Percent of the tensors that it holds beyond them, where that is all that is known; 0 elsewhere.
std::int64_t cachedPercent(Framework framework);

// The CUDA context with its kernels, and NCCL's communicators.
MemoryTerms contextTerms(const IterationFigures& figures);

} // namespace shardscope
