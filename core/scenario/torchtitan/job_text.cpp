#include "core/scenario/torchtitan/job_text.h"

#include "core/scenario/torchtitan/toml_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace shardscope
{

namespace
{

constexpr std::size_t largest_job = 4 << 20; // bytes, as of all scenarios

std::string_view trimmedLine(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// "flavor" of `model.flavor = "8B"`; empty: the line sets nothing.
std::string_view keyOfLine(std::string_view line)
{
    static constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.\" \t";
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return {};
    const std::string_view path = trimmedLine(line.substr(0, equals));
    if (path.find_first_not_of(letters) != std::string_view::npos)
        return {};
    return path.substr(path.find_last_of('.') + 1); // npos + 1 is 0
}

// "[model]", "[[part]]  # a comment".
bool isTableName(std::string_view line)
{
    const std::size_t name = line.find_first_not_of('[');
    const std::size_t end = line.find(']');
    if (name == std::string_view::npos || name == 0 || name > 2 || end == std::string_view::npos)
        return false;
    const char first = line[name];
    const std::string_view behind = trimmedLine(line.substr(std::min(end + name, line.size())));
    return ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z'))
           && (behind.empty() || behind.starts_with('#'));
}

// Calls `with` for each line that is no comment until it returns true.
bool anyLine(std::string_view text, const auto& with)
{
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmedLine(text.substr(begin, end - begin));
        begin = end + 1;
        if (!line.empty() && !line.starts_with('#') && with(line))
            return true;
    }
    return false;
}

// With a table's name in brackets, or a key with its value.
bool beginsAsToml(std::string_view text)
{
    bool is_toml = false;
    anyLine(text, [&](std::string_view first) {
        is_toml = isTableName(first) || !keyOfLine(first).empty();
        return true;
    });
    return is_toml;
}

} // namespace

bool looksLikeToml(std::string_view text)
{
    return text.size() <= largest_job && beginsAsToml(text) && anyLine(text, isTableName);
}

bool isMeantAsJobConfig(std::string_view text)
{
    static constexpr auto degrees = std::to_array<std::string_view>(
        {"data_parallel_replicate_degree", "data_parallel_shard_degree", "tensor_parallel_degree",
         "context_parallel_degree", "pipeline_parallel_degree", "expert_parallel_degree"});
    if (text.size() > largest_job || !beginsAsToml(text))
        return false;
    const bool has_model = anyLine(text, [](std::string_view line) { return line.starts_with("[model]"); });
    return anyLine(text, [&](std::string_view line) {
        const std::string_view key = keyOfLine(line);
        return (has_model && key == "flavor") || std::ranges::find(degrees, key) != degrees.end();
    });
}

Result<TorchtitanRun> runOfJobConfig(std::string_view text, const Presets& presets, const Scenario& base)
{
    const Result<nlohmann::json> job = parseToml(text);
    if (!job)
        return Error{"read as a job configuration of torchtitan: " + job.error().sentence};
    Result<TorchtitanRun> run = torchtitanRun(job.value(), presets, base);
    if (!run)
        return Error{"read as a job configuration of torchtitan: " + run.error().sentence};
    return run;
}

} // namespace shardscope
