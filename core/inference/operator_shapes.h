#pragma once

#include "core/base/result.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

using Shape = std::vector<std::int64_t>;

// The calls of an operator whose inputs have the same dimensions, as a profiler with record_shapes tells
// them.
struct OperatorShape {
    std::string name;          // "aten::linear"
    std::vector<Shape> inputs; // empty ones are no tensors
    std::string dtype;         // of the first input: "float", "c10::BFloat16"
    std::int64_t count = 0;    // outside of the backward pass
    std::int64_t repeated = 0; // within it: of layers that are recomputed, or the pass's own

    bool isOneOf(std::span<const std::string_view> names) const;
    // An input that is not there has no dimensions.
    const Shape& input(std::size_t index) const;
};

// "[[64, 2, 64], [96, 64], []]" as dimensions; lists of tensors within it are empty ones.
std::vector<Shape> shapesFromText(std::string_view text);

// Those of the named operators that start within the profiled steps of a file (anywhere in a file without
// steps). Reads the file once more; what is no longer where it was is left out. Error: it is gone.
Result<std::vector<OperatorShape>> readOperatorShapes(const TraceFile& file,
                                                      std::span<const std::string_view> names);

} // namespace shardscope
