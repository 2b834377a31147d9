#include "core/scenario/megatron/launch_script.h"

#include "core/scenario/megatron/script_reading.h"
#include "core/scenario/shell/sbatch_variables.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

constexpr std::size_t largest_script = 4 << 20;

bool holdsOption(std::string_view text, std::string_view option)
{
    for (std::size_t at = text.find(option); at != std::string_view::npos; at = text.find(option, at + 1)) {
        const std::string_view behind = text.substr(at + option.size(), 1);
        if (behind.empty()
            || std::string_view{" \t\r\n=\"'\\"}.find(behind.front()) != std::string_view::npos)
            return true;
    }
    return false;
}

// Logs repeat the command that started their run.
bool isLog(std::string_view text)
{
    return std::ranges::any_of(
        std::array<std::string_view, 3>{"end of arguments", "elapsed time per iteration (ms): ", "NCCL INFO"},
        [&](std::string_view words) { return text.find(words) != std::string_view::npos; });
}

// Lines that end as Windows ends them would hide the backslash before their end.
std::string withPlainLineEnds(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] != '\r' || text.substr(at + 1, 1) != "\n")
            plain += text[at];
    return plain;
}

} // namespace

bool looksLikeLaunchScript(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (text.size() > largest_script || first == std::string_view::npos || text[first] == '{'
        || text[first] == '[')
        return false;
    return holdsOption(text, "--hidden-size") && !isLog(text)
           && (holdsOption(text, "--num-layers") || holdsOption(text, "--encoder-num-layers"));
}

std::string clusterOfScript(std::string_view text)
{
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        if (!line.starts_with(cluster_comment))
            continue;
        line.remove_prefix(cluster_comment.size());
        const std::size_t last = line.find_last_not_of(" \t\r");
        return std::string{line.substr(0, last + 1)}; // npos + 1 is 0
    }
    return {};
}

LaunchScript readLaunchScript(std::string_view text)
{
    if (text.size() > largest_script)
        return {{}, {"the script is larger than 4 MiB and is not read"}, {}};
    const std::string script = withPlainLineEnds(text);
    // Twice: what the first reading ends with is what functions see that are written before it is set.
    ShellVariables first;
    ScriptOptions unused;
    addSbatchVariables(script, first);
    ScriptReading{first, unused}.read(script);
    ShellVariables second{&first};
    ScriptOptions options;
    addSbatchVariables(script, second);
    ScriptReading{second, options}.read(script);
    LaunchScript result = options.result();
    if (const auto file = options.deepSpeedFile())
        result.deepspeed = deepSpeedFile(script, file->written, file->value, second);
    return result;
}

} // namespace shardscope
