#include "core/scenario/megatron/launch_script.h"

#include "core/scenario/megatron/script_reading.h"
#include "core/scenario/shell/sbatch_variables.h"
#include "core/scenario/shell/shell_words.h"

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

bool mayBeScript(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return text.size() <= largest_script && first != std::string_view::npos && text[first] != '{'
           && text[first] != '[';
}

std::int64_t lineOfOpenQuote(std::string_view script)
{
    ShellWords words{script, ShellText::script};
    while (words.next()) {
    }
    const auto quote = words.unclosedQuote();
    return quote ? 1 + std::ranges::count(script.substr(0, *quote), '\n') : 0;
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
    return mayBeScript(text) && holdsOption(text, "--hidden-size") && !looksLikeLog(text)
           && (holdsOption(text, "--num-layers") || holdsOption(text, "--encoder-num-layers")
               || holdsOption(text, "--hybrid-layer-pattern"));
}

bool isMeantAsLaunchScript(std::string_view text)
{
    static constexpr auto options = std::to_array<std::string_view>(
        {"--num-layers", "--encoder-num-layers", "--hybrid-layer-pattern", "--hidden-size",
         "--num-attention-heads", "--seq-length", "--max-position-embeddings", "--micro-batch-size",
         "--global-batch-size", "--tensor-model-parallel-size", "--pipeline-model-parallel-size",
         "--use-distributed-optimizer"});
    return mayBeScript(text) && !looksLikeLog(text)
           && std::ranges::any_of(options, [&](std::string_view each) { return holdsOption(text, each); });
}

// Logs repeat the command that started their run.
bool looksLikeLog(std::string_view text)
{
    return std::ranges::any_of(
        std::array<std::string_view, 3>{"end of arguments", "elapsed time per iteration (ms): ", "NCCL INFO"},
        [&](std::string_view words) { return text.find(words) != std::string_view::npos; });
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
        return {{}, {"the script is larger than 4 MiB and is not read"}, {}, 0};
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
    result.line_of_open_quote = lineOfOpenQuote(script);
    if (const auto file = options.deepSpeedFile())
        result.deepspeed = deepSpeedFile(script, file->written, file->value, second);
    return result;
}

} // namespace shardscope
