#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Parses JSON that people write by hand. Error: a sentence with line and column for text that is not JSON,
// for keys that are there twice, numbers that no double holds, and nesting that no scenario has. Infinity, as
// Python writes it, is null.
Result<nlohmann::json> parseJson(std::string_view text);

// The keys of the outermost object, as far as the text is JSON: what a file with a slip was meant as. None
// where more stands behind that object, as in a log of one object on each line.
std::vector<std::string> keysBeforeFault(std::string_view text);

// Whether objects and lists go deeper than any scenario or table needs: what recurses into them might not
// come back. False for what is not JSON.
bool isNestedTooDeep(std::string_view text);

// How far a path of keys, "zero_optimization.stage", leads into an object: to the last value that is there,
// and by how many letters of the path.
struct JsonPathEnd {
    const nlohmann::json* value;
    std::size_t followed = 0;
    bool is_whole = false;
};
JsonPathEnd followPath(const nlohmann::json& root, std::string_view path);

// The paths of all keys of an object and of the objects within it, so many levels deep.
std::vector<std::string> pathsIn(const nlohmann::json& root, int levels = 5);

// A value as it stands in the file, shortened, for error sentences.
std::string excerpt(const nlohmann::json& value);

} // namespace shardscope
