#include "core/trace/path_differences.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>

namespace shardscope
{

namespace
{

using Parts = std::vector<std::string>; // of a path

// How many parts all paths begin with alike.
std::size_t alikeAtTheFront(const std::vector<Parts>& paths)
{
    std::size_t alike = paths.front().size();
    for (const Parts& path : paths) {
        const auto differs = std::ranges::mismatch(path, paths.front()).in1;
        alike = std::min(alike, static_cast<std::size_t>(differs - path.begin()));
    }
    return alike;
}

} // namespace

std::vector<std::string> pathDifferences(const std::vector<std::string>& paths)
{
    if (paths.empty())
        return {};
    std::vector<Parts> parts;
    for (const std::string& path : paths) {
        Parts& its = parts.emplace_back();
        for (const std::filesystem::path& part : std::filesystem::path(path))
            its.push_back(part.string());
    }
    const std::size_t front = alikeAtTheFront(parts);
    for (Parts& path : parts) {
        path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(front));
        std::ranges::reverse(path);
    }
    const std::size_t back = alikeAtTheFront(parts);
    std::vector<std::string> differences;
    for (Parts& path : parts) {
        path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(back));
        std::ranges::reverse(path);
        std::filesystem::path difference;
        for (const std::string& part : path)
            difference /= part;
        differences.push_back(difference.string());
    }
    return differences;
}

} // namespace shardscope
