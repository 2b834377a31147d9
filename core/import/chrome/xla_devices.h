#pragma once

#include "core/trace/trace_set.h"

#include <vector>

namespace shardscope
{

// Takes apart what XLA's profiler has written for one host (JAX, TensorFlow, PyTorch/XLA): each process
// "/device:TPU:0" or "/device:GPU:1" is a rank of its own, the host's threads stand with the first. Its rows
// tell what an event is: "XLA Ops" and the streams of a GPU are kernels, "Async XLA Ops" what is under way
// beside them, "Steps" the profiler's steps. A collective's start and done become one event from the one to
// the other where no row has it. A file without such processes stays what it is.
void takeApartXlaDevices(TraceFile& file, std::vector<TraceFile>& further);

} // namespace shardscope
