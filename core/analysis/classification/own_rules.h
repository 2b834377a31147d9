#pragma once

#include "core/analysis/classification/classification.h"
#include "core/base/result.h"

#include <filesystem>
#include <string_view>

namespace shardscope
{

// Where the user's own copy of the rules lies: $SHARDSCOPE_RULES, else shardscope/communication.rules in
// $XDG_CONFIG_HOME or ~/.config. It need not exist; empty where no folder is known.
std::filesystem::path ownRulesFile();

// The user's own rules, or the shipped ones where there are none. Error: they cannot be read, or a line of
// them is wrong; the sentence names the file.
Result<ClassificationRules> rulesInUse();

// Saves the text as the user's own rules, over older ones, and answers them. Error: a line is wrong (nothing
// is written), or the folder cannot be written.
Result<ClassificationRules> saveOwnRules(std::string_view text);

// Takes the user's own rules away, so that the shipped ones hold again, and answers those. Error: the file
// cannot be removed.
Result<ClassificationRules> forgetOwnRules();

} // namespace shardscope
