#pragma once

#include <cstdint>
#include <filesystem>

namespace shardscope
{

// What a written trace holds.
struct KinetoFileSize {
    std::int64_t bytes = 0;
    std::int64_t events = 0; // of all phases
};

// Writes a trace as PyTorch's profiler does with stacks and shapes (torch 2.4 and later): Python frames,
// operators with their inputs, launches, arrows, kernels, and NCCL kernels with what they send. The same
// arguments give the same file. Stops at the first training step's end behind `bytes`. `gzip`: compressed as
// Python's gzip does.
KinetoFileSize writeKinetoFile(const std::filesystem::path& path, std::int64_t bytes, bool gzip);

} // namespace shardscope
