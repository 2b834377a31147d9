#pragma once

#include "core/base/result.h"
#include "core/scenario/torchtitan/torchtitan_run.h"

#include <string_view>

namespace shardscope
{

// Whether the text begins as TOML does and has tables: "[model]".
bool looksLikeToml(std::string_view text);

// Whether the text is meant as a job configuration of torchtitan: TOML that names a model's flavor or one of
// its degrees of parallelism, though it may have a slip somewhere.
bool isMeantAsJobConfig(std::string_view text);

// The run of such a text. Error: the sentence says where it is no TOML, or which value is wrong.
Result<TorchtitanRun> runOfJobConfig(std::string_view text, const Presets& presets, const Scenario& base);

} // namespace shardscope
