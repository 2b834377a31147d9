#pragma once

#include "core/import/json/json_members.h"

#include <cstdint>
#include <string_view>

namespace shardscope
{

// What the arguments of a kernel, a record_param_comms or a launch say that links and sizes communication.
// Values that are not there are -1, or of kind none.
struct CollectiveArguments {
    JsonValue name;
    JsonValue dtype;
    JsonValue group;
    JsonValue group_description;
    JsonValue group_ranks;
    JsonValue in_splits;
    JsonValue input_dims;
    JsonValue input_types;
    JsonValue concrete_inputs;
    std::int64_t in_elements = -1;
    std::int64_t out_elements = -1;
    std::int64_t group_size = 0;
    std::int64_t source_rank = -1;
    std::int64_t destination_rank = -1;
    std::int64_t sequence = -1;
    std::int64_t external_id = -1;
};

// `text` is the args object.
CollectiveArguments readCollectiveArguments(std::string_view text);

// The few arguments that every kernel and launch is asked for, found without reading the others.
struct LaunchArguments {
    std::int64_t correlation = -1;
    std::int64_t external_id = -1;
    bool is_communication = false; // there are arguments that only communication has
};
LaunchArguments readLaunchArguments(std::string_view text);

// What a copy or fill of the GPU's memory says of itself; -1 where it does not.
struct MemoryArguments {
    std::int64_t correlation = -1;
    std::int64_t bytes = -1;
    double bandwidth_GBps = -1.0;
};
MemoryArguments readMemoryArguments(std::string_view text);

// Bytes of an element of a type as PyTorch writes it ("BFloat16", "c10::Half", "long int"); 0 where it is not
// known.
int elementBytes(std::string_view dtype);

// The tensors among the inputs of an operation, from its "Input Dims" and "Input type".
struct TensorInputs {
    std::int64_t elements = -1; // of all tensors; -1 where the file does not tell
    std::string_view dtype;     // of the first; "TensorList" names none
};
TensorInputs readTensorInputs(const JsonValue& dims, const JsonValue& types);

// The elements of a tensor, or of a list of tensors, from its shape or shapes. False where it is neither.
bool countElements(const JsonValue& shape, std::int64_t& elements);

// The last of "Concrete Inputs", which in record_param_comms is the number of ranks; 0 where it is none.
std::int64_t lastConcreteInput(const JsonValue& concrete);

} // namespace shardscope
