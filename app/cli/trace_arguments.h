#pragma once

#include "app/cli/arguments.h"
#include "core/analysis/analyze.h"
#include "core/base/result.h"
#include "core/import/importer.h"
#include "core/scenario/scenario.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardscope
{

// The rules that --rules names, else the user's own, else the shipped ones. Error: the sentence names the
// file.
Result<ClassificationRules> rulesOf(const Arguments& arguments);

// With --force-memory files are read in full even where memory would not suffice.
ImportOptions importOptionsOf(const Arguments& arguments);

// The traces that the command names. Where their events would not fit into memory, digests stand for them,
// and a warning says so. Error: the sentence names the file.
Result<TraceSet> tracesOf(const Arguments& arguments, std::span<const std::string> words,
                          const ClassificationRules& rules);

std::vector<std::filesystem::path> pathsOf(std::span<const std::string> words);

// A scenario file, or standard input for -, read over the presets that ship and the user's own, with what
// the command line changes of it. What had to be assumed is warned of. Error: the sentence names the file or
// the option.
Result<Scenario> scenarioOf(const std::filesystem::path& file, const Arguments& arguments);
// The scenario that --scenario names, whose layout tells the kinds of calls; nothing without it.
Result<std::optional<Scenario>> layoutOf(const Arguments& arguments);
// Writes a scenario that every machine can read, without the names of the user's own presets. Error: the
// sentence names the file.
Result<bool> savePortable(const std::filesystem::path& file, const Scenario& scenario);

} // namespace shardscope
