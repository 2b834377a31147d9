#pragma once

#include "core/analysis/analyze.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/trace/trace_set.h"

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
    bool kernels = false;
};

// `command` names the subcommand whose arguments these are. Error: the sentence says which is wrong.
Result<TraceArguments> parseTraceArguments(std::string_view command, std::span<const std::string> arguments);

// The shipped rules, or the file's.
Result<ClassificationRules> rulesOf(const TraceArguments& arguments);

// Error: the sentence names the file.
Result<Scenario> scenarioOf(const std::filesystem::path& file);

} // namespace shardscope
