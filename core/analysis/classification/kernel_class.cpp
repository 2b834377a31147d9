#include "core/analysis/classification/kernel_class.h"

#include "core/analysis/classification/name_pattern.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

using Row = std::pair<NamePattern, KernelClass>;

std::vector<Row> rowsOf(KernelClass kernel_class, std::initializer_list<const char*> patterns)
{
    std::vector<Row> rows;
    for (const char* pattern : patterns)
        rows.emplace_back(NamePattern{pattern}, kernel_class);
    return rows;
}

// The first that matches counts: a fused attention kernel names its GEMMs, an elementwise kernel of PyTorch
// the function it applies, which may sound like anything.
const std::vector<Row>& allRows()
{
    static const std::vector<Row> rows = [] {
        std::vector<Row> all;
        for (const std::vector<Row>& some :
             {rowsOf(KernelClass::attention,
                     {"flash_fwd", "flash_bwd", "flashattn", "flash_attn", "flash_attention", "fmha",
                      "attention", "attn_fwd", "attn_bwd"}),
              rowsOf(KernelClass::elementwise, {"elementwise_kernel", "triton_poi", "catarraybatchedcopy",
                                                "multi_tensor_apply", "scatter_gather"}),
              rowsOf(KernelClass::reduction,
                     {"softmax",    "layernorm",  "layer_norm", "rmsnorm",       "rms_norm",     "batchnorm",
                      "batch_norm", "groupnorm",  "group_norm", "cudnn::bn_",    "norm_fwd",     "norm_bwd",
                      "welford",    "reduce",     "reduction",  "cross_entropy", "crossentropy", "nll_loss",
                      "triton_red", "triton_per", "^aten::sum", "^aten::mean",   "^aten::norm",  "l2norm",
                      "argmax",     "devicescan"}),
              rowsOf(KernelClass::matrix, {"gemm",           "gemv",          "cutlass",
                                           "xmma",           "nvjet",         "^cijk_",
                                           "splitk",         "conv",          "winograd",
                                           "wgrad",          "dgrad",         "scudnn",
                                           "h884cudnn",      "matmul",        "tensorop",
                                           "^aten::mm$",     "^aten::addmm",  "^aten::bmm",
                                           "^aten::baddbmm", "^aten::linear", "^aten::_trilinear"}),
              rowsOf(KernelClass::elementwise,
                     {"dropout",     "gelu",        "silu",         "swiglu",     "relu",
                      "sigmoid",     "rope",        "rotary",       "fill",       "copy",
                      "transpose",   "permute",     "adam",         "sgd",        "quantize",
                      "^aten::add",  "^aten::mul$", "^aten::mul_",  "^aten::div", "^aten::sub",
                      "^aten::sqrt", "^aten::addc", "^aten::zero_", "^aten::neg"})})
            all.insert(all.end(), some.begin(), some.end());
        return all;
    }();
    return rows;
}

} // namespace

KernelClass kernelClassOf(std::string_view name)
{
    const std::string lower = lowerCase(name);
    const auto row =
        std::ranges::find_if(allRows(), [&](const Row& each) { return each.first.matches(lower); });
    return row == allRows().end() ? KernelClass::other : row->second;
}

std::string_view word(KernelClass kernel_class)
{
    switch (kernel_class) {
    case KernelClass::matrix:
        return "matrix";
    case KernelClass::attention:
        return "attention";
    case KernelClass::reduction:
        return "norm, reduction";
    case KernelClass::elementwise:
        return "elementwise";
    case KernelClass::other:
        break;
    }
    return "other compute";
}

} // namespace shardscope
