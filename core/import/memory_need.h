#pragma once

#include <cstdint>
#include <filesystem>

namespace shardscope
{

// What reading files would take, before any of it is done.
struct MemoryNeed {
    std::int64_t needed_bytes = 0;
    std::int64_t available_bytes = 0;
    bool fits() const { return needed_bytes <= available_bytes; }
};

// An estimate from the files' sizes and, where they are compressed, from what they say of themselves or from
// what traces usually inflate to. Within a factor of two for traces of PyTorch's profiler; 0 for large files
// that are no traces.
std::int64_t estimateMemory(const std::filesystem::path& path);

// What the machine, or the container that the program runs in, has left. A large number where nothing tells.
std::int64_t availableMemory();

} // namespace shardscope
