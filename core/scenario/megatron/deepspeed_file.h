#pragma once

#include "core/scenario/shell/shell_variables.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// The JSON configuration that a script hands to DeepSpeed.
struct DeepSpeedFile {
    std::string name; // "configs/ds_config.json"; of a path that cannot be told its last part, or nothing
    std::string unknown = {};             // what the path depends on that cannot be told
    std::optional<std::string> text = {}; // where the script writes it itself
    std::vector<std::string> notes = {};  // what of that text cannot be told
};

// `written` is the file in the script's own words, "${CONFIG}", and `value` what it becomes; of the script's
// here-documents the last that goes to the file is its text, with the variables as they are in the end. What
// cannot be told is null in it, within a text a question mark.
DeepSpeedFile deepSpeedFile(std::string_view script, std::string_view written, const ShellValue& value,
                            ShellVariables& variables);

} // namespace shardscope
