#include "core/analysis/classification/classification.h"

#include "core/base/file.h"
#include "core/base/resources.h"
#include "shipped_rules.h"

#include <cassert>
#include <system_error>

namespace shardscope
{

namespace
{

constexpr std::string_view blanks = " \t\r";
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 20; // rules are some kilobytes

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Takes the first word off the line.
std::string_view takeWord(std::string_view& line)
{
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    const std::string_view word = line.substr(0, end);
    line = trimmed(line.substr(end));
    return word;
}

Error badLine(int number, const std::string& what)
{
    return {"line " + std::to_string(number) + " of the rules: " + what};
}

} // namespace

Result<ClassificationRules> ClassificationRules::loadShipped()
{
    const std::filesystem::path file = resourcesFolder() / "rules/communication.rules";
    std::error_code ignored;
    return std::filesystem::exists(file, ignored) ? load(file) : parse(shipped_rules);
}

const ClassificationRules& ClassificationRules::shipped()
{
    static const ClassificationRules rules = [] {
        Result<ClassificationRules> read = loadShipped();
        if (!read)
            read = parse(shipped_rules);
        assert(read);
        return std::move(read).value();
    }();
    return rules;
}

Result<ClassificationRules> ClassificationRules::load(const std::filesystem::path& file)
{
    const Result<std::string> text = readFile(file, most_bytes);
    if (!text)
        return Error{file.string() + ": " + text.error().sentence};
    Result<ClassificationRules> rules = parse(text.value());
    if (!rules)
        return Error{file.string() + ": " + rules.error().sentence};
    return rules;
}

Result<ClassificationRules> ClassificationRules::parse(std::string_view text)
{
    ClassificationRules rules;
    rules.m_text = text;
    int number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.empty() || line.starts_with('#'))
            continue;
        const std::string_view verb = takeWord(line);
        if (verb == "communication") {
            if (line.empty())
                return badLine(number, "a pattern is missing; write `communication PATTERN`");
            rules.m_communication.emplace_back(line);
        } else if (verb == "kind" || verb == "group") {
            const std::string word{takeWord(line)};
            const auto kind = kindFromWord(word);
            if (!kind)
                return badLine(
                    number, "\"" + word + "\" is no kind; use tp, cp, pp, dp, emb, ep, edp, mp or unknown");
            if (line.empty())
                return badLine(number, "a pattern is missing; write `" + std::string{verb} + " " + word
                                           + " PATTERN`");
            (verb == "kind" ? rules.m_kinds : rules.m_groups).push_back({NamePattern{line}, *kind});
        } else {
            return badLine(number, "\"" + std::string{verb}
                                       + "\" is no rule; a line starts with communication, group or kind");
        }
    }
    return rules;
}

bool ClassificationRules::isCommunication(std::string_view name) const
{
    const std::string text = lowerCase(name);
    for (const NamePattern& pattern : m_communication)
        if (pattern.matches(text))
            return true;
    return false;
}

Kind ClassificationRules::firstMatch(const std::vector<KindRule>& rules, std::string_view name)
{
    const std::string text = lowerCase(name);
    for (const KindRule& rule : rules)
        if (rule.pattern.matches(text))
            return rule.kind;
    return Kind::unknown;
}

Kind ClassificationRules::kindOf(std::string_view name) const
{
    return firstMatch(m_kinds, name);
}

Kind ClassificationRules::kindOfGroup(std::string_view name) const
{
    return firstMatch(m_groups, name);
}

} // namespace shardscope
