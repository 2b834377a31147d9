#include "core/scenario/unread_text.h"

#include "core/scenario/megatron/launch_script.h"
#include "core/scenario/torchtitan/job_text.h"

#include <algorithm>
#include <string>

namespace shardscope
{

namespace
{

constexpr std::string_view files_that_are_read =
    "Scenarios are read from JSON of their own (docs/scenario.md), a model's config.json of Hugging Face, "
    "DeepSpeed's ds_config.json, a script that starts Megatron-LM, and a job configuration of torchtitan "
    "(TOML)";

// "trainer:", "devices: 8"; a key is one word, in quotes or not.
bool setsYamlKey(std::string_view line)
{
    const std::size_t colon = line.find(':');
    const bool is_last = colon + 1 == line.size();
    const auto isOfKey = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
               || std::string_view{"_-.\"'"}.find(c) != std::string_view::npos;
    };
    return colon != std::string_view::npos && colon > 0 && (is_last || line[colon + 1] == ' ')
           && std::ranges::all_of(line.substr(0, colon), isOfKey);
}

// All of its first lines set keys or are parts of a list; lists and what a key holds may be indented.
bool beginsAsYaml(std::string_view text)
{
    constexpr int enough = 20;
    constexpr int few = 2;
    int keys = 0;
    int lines = 0;
    for (std::size_t begin = 0; begin < text.size() && lines < enough;) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1); // npos + 1 is 0
        const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(first);
        if (line.empty() || line.starts_with('#') || line.starts_with('%') || line == "---")
            continue;
        const bool is_item = line.starts_with("- ");
        const bool sets_key = setsYamlKey(is_item ? line.substr(2) : line);
        if ((!is_item && !sets_key) || (lines == 0 && first > 0))
            return false;
        ++lines;
        keys += sets_key ? 1 : 0;
    }
    return keys >= few;
}

bool isOtherToml(std::string_view text)
{
    return looksLikeToml(text) && !isMeantAsJobConfig(text);
}

} // namespace

bool isUnreadConfiguration(std::string_view text)
{
    return !looksLikeLog(text) && !isMeantAsLaunchScript(text) && (beginsAsYaml(text) || isOtherToml(text));
}

Error noScenarioIn(std::string_view text)
{
    const std::string read{files_that_are_read};
    if (looksLikeLog(text))
        return Error{"this is the log of a run; a scenario is needed here, and logs come after it"};
    if (beginsAsYaml(text))
        return Error{"this is YAML, which no scenario is read from. " + read};
    if (isOtherToml(text))
        return Error{
            "this is TOML, but no job configuration of torchtitan: it has neither a flavor in [model] "
            "nor a degree in [parallelism]. "
            + read};
    return Error{"this is neither JSON nor a script that starts Megatron-LM: it sets none of the options "
                 "--num-layers, --hidden-size, --num-attention-heads and --seq-length. "
                 + read};
}

} // namespace shardscope
