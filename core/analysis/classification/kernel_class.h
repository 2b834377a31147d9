#pragma once

#include <string_view>

namespace shardscope
{

// What a computation does, by its name: of the kernels of cuDNN, cuBLAS, CUTLASS, hipBLASLt, Triton and
// PyTorch, and of PyTorch's operators.
enum class KernelClass : unsigned char { matrix, attention, reduction, elementwise, other };

// Matrices and convolutions; attention fused into one kernel; normalisation, softmax, sums and losses; what
// treats each element by itself, copies and optimizers included. Other: nothing in the name tells.
KernelClass kernelClassOf(std::string_view name);

std::string_view word(KernelClass kernel_class); // "norm, reduction"

} // namespace shardscope
