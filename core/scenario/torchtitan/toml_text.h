#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace shardscope
{

// TOML as the JSON of the same tables; dates and times are texts. Error: a sentence with line and column.
Result<nlohmann::json> parseToml(std::string_view text);

} // namespace shardscope
