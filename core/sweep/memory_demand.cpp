#include "core/sweep/memory_demand.h"

#include <array>

namespace shardscope
{

namespace
{

// Pati et al. 2023, Table 2, up to PaLM; the later ones from their reports.
constexpr std::array demands{
    MemoryDemand{"BERT", 2018, 1024, 512, "Devlin et al. 2018"},
    MemoryDemand{"GPT-2", 2019, 1600, 1024, "Radford et al. 2019"},
    MemoryDemand{"Meg-LM", 2019, 3072, 1024, "Shoeybi et al. 2019, Megatron-LM 8.3B"},
    MemoryDemand{"T-NLG", 2020, 4256, 1024, "Rosset 2020"},
    MemoryDemand{"GPT-3", 2020, 12288, 2048, "Brown et al. 2020"},
    MemoryDemand{"MT-NLG", 2021, 20480, 2048, "Smith et al. 2022"},
    MemoryDemand{"PaLM", 2022, 18432, 2048, "Chowdhery et al. 2022"},
    MemoryDemand{"Llama 2", 2023, 8192, 4096, "Touvron et al. 2023, 70B"},
    MemoryDemand{"Llama 3", 2024, 16384, 8192, "Llama team 2024, 405B before its long contexts"},
};

// Vendors' data sheets.
constexpr std::array devices{
    DeviceMemory{"P100", 2016, 16, "NVIDIA Tesla P100 data sheet"},
    DeviceMemory{"V100", 2018, 32, "NVIDIA V100 data sheet (32 GB, March 2018)"},
    DeviceMemory{"A100", 2020, 80, "NVIDIA A100 80GB data sheet (November 2020)"},
    DeviceMemory{"MI250X", 2021, 128, "AMD Instinct MI250X data sheet, both dies"},
    DeviceMemory{"H100", 2022, 80, "NVIDIA H100 data sheet"},
    DeviceMemory{"MI300X", 2023, 192, "AMD Instinct MI300X data sheet"},
    DeviceMemory{"H200", 2024, 141, "NVIDIA H200 data sheet"},
};

} // namespace

std::span<const MemoryDemand> memoryDemands()
{
    return demands;
}

std::span<const DeviceMemory> deviceMemories()
{
    return devices;
}

} // namespace shardscope
