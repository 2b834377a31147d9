#include "core/scenario/megatron/script_options.h"

#include "core/scenario/megatron/megatron_option.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::size_t most_options = 10'000; // Megatron-LM has some 600
constexpr std::size_t longest_option = 100;
constexpr std::size_t most_notes = 30;
constexpr std::size_t longest_note = 200;
constexpr std::string_view deepspeed_file = "deepspeed_config"; // among the arguments, for its notes alone

// Sizes and words, which are all that is to be read, are of such characters.
bool isPlain(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// A note may quote what the script writes, which may be anything.
std::string asNote(std::string text)
{
    if (text.size() > longest_note)
        text = text.substr(0, longest_note) + "...";
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

// What is said about one argument so far.
struct Setting {
    std::string option;
    std::string unknown; // of a value that cannot be told
    std::string varying;
    bool varies = false;   // it is set to different values
    bool in_branch = true; // wherever it is set
    std::size_t place = 0; // in the arguments, from 1; 0: not there
};

std::string noteOf(const Setting& setting, const std::vector<RunArgument>& arguments)
{
    const std::string option = "--" + setting.option;
    if (setting.place == 0)
        return option + " " + setting.unknown;
    const std::string& value = arguments[setting.place - 1].value;
    if (setting.varies || !setting.unknown.empty())
        return option + " is set more than once; the last one counts: " + value;
    if (!setting.varying.empty())
        return option + " is " + value + " by the last value of " + setting.varying
               + ", which is set more than once";
    return {};
}

class Arguments
{
public:
    void add(const std::string& option, const std::string& name, const ShellValue& value, bool in_branch)
    {
        const auto [place, is_new] = m_places.try_emplace(name, m_settings.size());
        if (is_new)
            m_settings.push_back({});
        Setting& setting = m_settings[place->second];
        setting.option = option;
        setting.in_branch = setting.in_branch && in_branch;
        if (!value.unknown.empty()) {
            setting.unknown = value.unknown;
            return;
        }
        setting.varying = value.varying;
        if (setting.place == 0) {
            m_arguments.push_back({name, value.text});
            setting.place = m_arguments.size();
            return;
        }
        std::string& last = m_arguments[setting.place - 1].value;
        setting.varies = setting.varies || last != value.text;
        last = value.text;
    }

    void addNotes(std::vector<std::string>& notes) const
    {
        std::string in_branches;
        for (const Setting& setting : m_settings)
            if (std::string note = noteOf(setting, m_arguments); !note.empty())
                notes.push_back(asNote(std::move(note)));
            else if (setting.in_branch && setting.place > 0)
                in_branches += (in_branches.empty() ? "--" : ", --") + setting.option;
        if (!in_branches.empty())
            notes.push_back(asNote("of branches that are taken to run: " + in_branches));
    }

    std::vector<RunArgument> arguments() && { return std::move(m_arguments); }

private:
    std::vector<RunArgument> m_arguments;
    std::vector<Setting> m_settings;
    std::unordered_map<std::string, std::size_t> m_places;
};

// A file of which only a folder is open, or that a here-document may write, is one that can be told.
ShellValue toldFile(const ShellValue& value, const std::string& written)
{
    if (value.unknown.empty())
        return value;
    return {.text = value.file_name.empty() ? written : value.file_name};
}

// Older flags that Megatron-LM turns into others, whatever those say.
void turnFlag(std::string_view flag, const std::vector<RunArgument>& into, LaunchScript& script)
{
    auto& arguments = script.arguments;
    const auto given = std::ranges::find(arguments, flag, &RunArgument::name);
    if (given == arguments.end())
        return;
    arguments.erase(given);
    for (const RunArgument& one : into) {
        const auto other = std::ranges::find(arguments, one.name, &RunArgument::name);
        if (other == arguments.end()) {
            arguments.push_back(one);
        } else if (other->value != one.value) {
            std::string option{flag};
            std::ranges::replace(option, '_', '-');
            script.notes.push_back("--" + option + " counts: " + one.name + " is " + one.value + ", not "
                                   + other->value);
            other->value = one.value;
        }
    }
}

} // namespace

void ScriptOptions::add(std::string_view option, ShellValue value, std::string_view owner, bool in_branch)
{
    MegatronOption known = megatronOption(option);
    const bool is_ours = !isLaunchersOption(known.name) && !isOptionOfPathOrText(known.name);
    if (!is_ours || option.size() > longest_option || m_found.size() >= most_options)
        return;
    if (!known.flag.empty())
        value = {.text = std::move(known.flag)};
    const std::string& text = value.text;
    const bool is_left_out = value.unknown.empty() && !isLayerPattern(known.name, text)
                             && (text.find_first_of("/$`") != std::string::npos || !isPlain(text));
    if (is_left_out)
        return;
    m_found.push_back({std::string{option},
                       std::move(known.name),
                       std::move(value),
                       std::string{owner},
                       generationOf(owner),
                       in_branch,
                       {}});
}

void ScriptOptions::addDeepSpeedFile(std::string_view option, OptionFile file, std::string_view owner,
                                     bool in_branch)
{
    if (m_found.size() < most_options)
        m_found.push_back({std::string{option}, std::string{deepspeed_file}, std::move(file.value),
                           std::string{owner}, generationOf(owner), in_branch, std::move(file.written)});
}

// How often it has been overwritten so far.
int ScriptOptions::generationOf(std::string_view owner)
{
    return m_generations.try_emplace(std::string{owner}).first->second;
}

void ScriptOptions::overwrite(std::string_view owner)
{
    const auto place = m_generations.find(std::string{owner});
    if (place != m_generations.end())
        ++place->second;
}

bool ScriptOptions::isOfUsed(const Found& one) const
{
    return !one.owner.empty() && m_used.contains(one.owner);
}

bool ScriptOptions::usesAny() const
{
    return std::ranges::any_of(m_found, [this](const Found& one) { return isOfUsed(one); });
}

// Where no variable with options is used, another script may use them.
bool ScriptOptions::isUnused(const Found& one, bool uses_any) const
{
    return uses_any && !one.owner.empty() && !isOfUsed(one);
}

std::optional<OptionFile> ScriptOptions::deepSpeedFile() const
{
    std::optional<OptionFile> file;
    const bool uses_any = usesAny();
    for (const Found& one : m_found)
        if (!one.written.empty() && !isUnused(one, uses_any) && one.generation == m_generations.at(one.owner))
            file = {one.written, one.value};
    return file;
}

LaunchScript ScriptOptions::result() const
{
    Arguments arguments;
    std::vector<std::string> overwritten;
    std::vector<std::string> unused;
    const bool uses_any = usesAny();
    for (const Found& one : m_found) {
        if (isUnused(one, uses_any)) {
            if (unused.empty() || unused.back() != one.owner)
                unused.push_back(one.owner);
        } else if (one.generation == m_generations.at(one.owner))
            arguments.add(one.option, one.name,
                          one.written.empty() ? one.value : toldFile(one.value, one.written),
                          one.in_branch && one.generation == 0);
        else if (overwritten.empty() || overwritten.back() != one.owner)
            overwritten.push_back(one.owner);
    }
    LaunchScript script;
    arguments.addNotes(script.notes);
    script.arguments = std::move(arguments).arguments();
    std::erase_if(script.arguments, [](const RunArgument& one) { return one.name == deepspeed_file; });
    std::ranges::sort(overwritten);
    overwritten.erase(std::unique(overwritten.begin(), overwritten.end()), overwritten.end());
    for (const std::string& owner : unused)
        script.notes.push_back(asNote("nothing uses " + owner + "; its options are left out"));
    for (const std::string& owner : overwritten)
        script.notes.push_back(asNote(owner + " is set more than once; the options of the last one count"));
    // In this order, as Megatron-LM does; those versions that still know the first set the method too.
    turnFlag("checkpoint_activations", {{"recompute_granularity", "full"}, {"recompute_method", "uniform"}},
             script);
    turnFlag("recompute_activations", {{"recompute_granularity", "selective"}}, script);
    if (script.notes.size() > most_notes) {
        const std::string rest = std::to_string(script.notes.size() - most_notes);
        script.notes.resize(most_notes);
        script.notes.push_back("and " + rest + " more notes");
    }
    return script;
}

} // namespace shardscope
