#pragma once

#include "app/cli/arguments.h"
#include "core/analysis/analyze.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// The rules that --rules names, or the shipped ones. Error: the sentence names the file.
Result<ClassificationRules> rulesOf(const Arguments& arguments);

std::vector<std::filesystem::path> pathsOf(std::span<const std::string> words);

// A scenario file, read over the shipped presets. Error: the sentence names the file.
Result<Scenario> scenarioOf(const std::filesystem::path& file);

} // namespace shardscope
