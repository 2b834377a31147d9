#pragma once

#include <optional>
#include <string_view>

namespace shardscope
{

// What the name of a GPU says by itself, as PyTorch and data sheets write it: "NVIDIA A100-PCIE-40GB".

// Its memory, in GB: 40; nothing where the name has none ("A100-SXM4 (memory size not stated)", "GB200").
std::optional<double> memoryInName(std::string_view gpu);

// True where both names say how the GPU is built in (SXM, PCIe, NVL), and not the same.
bool isOtherForm(std::string_view gpu, std::string_view other);

} // namespace shardscope
