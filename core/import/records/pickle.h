#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace shardscope
{

// What is to be known of a value that was read.
struct PickleOutcome {
    bool is_cut = false; // the pickle ends early; what came before is there
};

// Reads a pickle (protocol 2 or later) of plain data: dict, list, tuple, str, int, float, bool, None, and
// references to them. Anything else, code above all, is refused: nothing in a pickle is ever executed.
// `value` is set unless there is an error.
Result<PickleOutcome> readPickle(std::string_view bytes, nlohmann::json& value);

} // namespace shardscope
