#pragma once

#include <string>
#include <vector>

namespace shardscope
{

// What tells files apart, for names beside each other: their paths without the folders that all lie in and
// without what all end with. "run-a" and "run-b" for /t/run-a/0.json and /t/run-b/0.json.
std::vector<std::string> pathDifferences(const std::vector<std::string>& paths);

} // namespace shardscope
