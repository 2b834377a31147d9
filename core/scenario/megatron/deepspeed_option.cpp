// The option of a script that names DeepSpeed's configuration.
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

} // namespace

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
