// The options of a script that are DeepSpeed's: what names its configuration, and its launcher's.
#include "core/scenario/megatron/script_reading.h"

#include "core/scenario/shell/shell_expansion.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool isJson(const ShellValue& value)
{
    return (value.unknown.empty() ? value.text : value.file_name).ends_with(".json");
}

// "localhost:0,1,2,3", and of several nodes "a:0,1@b:0,1": the GPUs of a node where all have as many.
std::optional<std::size_t> gpusOfEachNode(std::string_view nodes)
{
    std::optional<std::size_t> gpus;
    while (!nodes.empty()) {
        const std::string_view node = nodes.substr(0, nodes.find('@'));
        const std::size_t colon = node.find(':');
        if (colon == std::string_view::npos || colon + 1 == node.size())
            return std::nullopt;
        const auto count = static_cast<std::size_t>(std::ranges::count(node.substr(colon), ',')) + 1;
        if (gpus.value_or(count) != count)
            return std::nullopt;
        gpus = count;
        nodes.remove_prefix(std::min(node.size() + 1, nodes.size()));
    }
    return gpus;
}

} // namespace

// Whether the words at hand are of DeepSpeed's launcher: behind its name and before the training script's.
void ScriptReading::walkLauncher(std::string_view word)
{
    constexpr std::size_t longest_path = 1'000;
    if (word.size() > longest_path)
        return;
    const std::string_view name = word.substr(word.find_last_of('/') + 1); // npos + 1 is 0
    if (name == "deepspeed" || name.starts_with("deepspeed.launcher") || word.starts_with('$'))
        m_is_launcher = true;
    if (isPythonScript(word))
        m_is_launcher = false;
}

// --num_gpus of another program is its own.
bool ScriptReading::isOtherCount(std::string_view option) const
{
    return !m_is_launcher && (option == "num_gpus" || option == "num_nodes");
}

// --include of the launcher, which lists the GPUs.
void ScriptReading::addIncluded(const ShellValue& value)
{
    const auto gpus = m_is_launcher && value.unknown.empty() ? gpusOfEachNode(value.text) : std::nullopt;
    if (!gpus)
        return;
    const auto nodes = std::ranges::count(value.text, '@') + 1;
    m_options.add("num_gpus", {.text = std::to_string(*gpus)}, m_owner, m_branches > 0);
    if (nodes > 1)
        m_options.add("num_nodes", {.text = std::to_string(nodes)}, m_owner, m_branches > 0);
}

// --deepspeed_config FILE, and --deepspeed FILE of Hugging Face's Trainer: how many words behind it are the
// file's. Nothing where it is another option, or the flag alone. `text` is the option with its "=FILE".
std::optional<std::size_t> ScriptReading::readDeepSpeedFile(const Words& words, std::size_t at,
                                                            std::string_view option, std::string_view text)
{
    const bool is_config = option == "deepspeed_config" || option == "deepspeed-config";
    if (!is_config && option != "deepspeed")
        return std::nullopt;
    const bool is_within = option.size() < text.size();
    const bool is_next = !is_within && at + 1 < words.size() && !asOption(words[at + 1]).starts_with("--");
    std::string written;
    if (is_within)
        written = text.substr(option.size() + 1);
    else if (is_next)
        written = words[at + 1];
    ShellValue value = expandedWord(written, m_variables);
    if (value.text.find('$') != std::string::npos) // escaped, for the shell that the text is handed to
        value = expandedWord(value.text, m_variables);
    if (!is_config && !isJson(value))
        return std::nullopt;
    if (!is_config)
        m_options.add(option, {}, m_owner, m_branches > 0);
    if (!written.empty())
        m_options.addDeepSpeedFile(option, {std::move(written), std::move(value)}, m_owner, m_branches > 0);
    return is_next ? 1 : 0;
}

} // namespace shardscope
