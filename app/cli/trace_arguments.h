#pragma once

#include "core/analysis/analyze.h"
#include "core/base/result.h"
#include "core/scenario/scenario_json.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// What the subcommands that read traces are given.
struct TraceArguments {
    std::vector<std::filesystem::path> paths;
    std::filesystem::path scenario; // empty: none
    std::filesystem::path rules;    // empty: the shipped ones
    bool json = false;
};

// Error: the sentence says which argument is wrong; `usage` ends it.
Result<TraceArguments> parseTraceArguments(std::span<const std::string> arguments, const std::string& usage);

// The shipped rules, or the file's.
Result<ClassificationRules> rulesOf(const TraceArguments& arguments);

// Error: the sentence names the file.
Result<Scenario> scenarioOf(const std::filesystem::path& file);

} // namespace shardscope
