#pragma once

#include <cstdint>
#include <span>

namespace shardscope
{

// A model's demand for activation memory as Pati et al. 2023 put it (Fig. 6): hidden size times sequence
// length.
struct MemoryDemand {
    const char* model;
    int year;
    std::int64_t hidden_size;
    std::int64_t sequence_length;
    const char* source;

    std::int64_t demand() const { return hidden_size * sequence_length; }
};

// What one accelerator of its year has.
struct DeviceMemory {
    const char* device;
    int year;
    double memory_GB;
    const char* source;
};

std::span<const MemoryDemand> memoryDemands();  // by year
std::span<const DeviceMemory> deviceMemories(); // by year

} // namespace shardscope
