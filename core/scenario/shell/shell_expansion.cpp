#include "core/scenario/shell/shell_expansion.h"

#include "core/base/whole_number.h"
#include "core/scenario/shell/shell_arithmetic.h"
#include "core/scenario/shell/shell_words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr int most_depth = 16;
constexpr std::size_t longest_value = 1024; // of a setting; what doubles itself ends here

class WordExpansion
{
public:
    WordExpansion(ShellVariables& variables, int depth) : m_variables{variables}, m_depth{depth} {}

    ShellValue expanded(std::string_view word);

private:
    std::size_t behindDollar(std::string_view word, std::size_t at);
    std::size_t behindOpenGroup(std::string_view word, std::size_t at);
    void addVariable(std::string_view name);
    void addBraces(std::string_view content);
    void addDefault(std::string_view name, std::string_view operation, std::string_view word);
    void addArithmetic(std::string_view expression);
    void add(const ShellValue& value);
    void takeFileName(std::string_view rest);
    void addUnknown(std::string sentence, bool is_unset = false);

    ShellVariables& m_variables;
    int m_depth;
    ShellValue m_value;
};

ShellValue WordExpansion::expanded(std::string_view word)
{
    if (m_depth > most_depth)
        addUnknown("nested too deeply");
    bool is_quoted = false;
    std::size_t at = 0;
    while (at < word.size() && m_value.unknown.empty()) {
        const char c = word[at];
        if (const std::size_t behind = takeQuoting(word, at, "", is_quoted, m_value.text); behind != at) {
            at = behind;
        } else if (c == '$') {
            at = behindDollar(word, at);
        } else if (c == '`') {
            at = behindOpenGroup(word, at);
        } else {
            m_value.text += c;
            ++at;
        }
        if (m_value.text.size() > longest_value)
            addUnknown("longer than any setting");
    }
    if (!m_value.unknown.empty())
        takeFileName(word.substr(at));
    return std::move(m_value);
}

// `rest` stands behind what cannot be told: "/ds_config.json" of "$FOLDER/ds_config.json".
void WordExpansion::takeFileName(std::string_view rest)
{
    const std::size_t slash = rest.find_last_of('/');
    std::string name{rest.substr(slash == std::string_view::npos ? 0 : slash + 1)};
    std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
    if (slash == std::string_view::npos) {
        if (!name.empty())
            m_value.file_name.clear();
        return;
    }
    ShellValue told = WordExpansion{m_variables, m_depth + 1}.expanded(name);
    m_value.file_name = told.unknown.empty() ? std::move(told.text) : std::string{};
}

std::size_t WordExpansion::behindDollar(std::string_view word, std::size_t at)
{
    const std::string_view rest = word.substr(at + 1);
    if (rest.starts_with('(') || rest.starts_with('{'))
        return behindOpenGroup(word, at);
    if (const std::size_t length = nameLength(rest); length > 0) {
        addVariable(rest.substr(0, length));
        return at + 1 + length;
    }
    if (rest.empty() || std::string_view{"@*#?$!-0123456789"}.find(rest.front()) == std::string_view::npos) {
        m_value.text += rest.starts_with('"') || rest.starts_with('\'') ? "" : "$";
        return at + 1;
    }
    addVariable(rest.substr(0, 1));
    return at + 2;
}

std::size_t WordExpansion::behindOpenGroup(std::string_view word, std::size_t at)
{
    const std::size_t end = behindGroup(word, at);
    if (end == std::string_view::npos) {
        addUnknown("a text with an open " + std::string{word.substr(at, word[at] == '$' ? 2 : 1)});
        return word.size();
    }
    const std::string_view group = word.substr(at, end - at);
    if (group.starts_with("$((") && group.ends_with("))"))
        addArithmetic(group.substr(3, group.size() - 5));
    else if (group.starts_with("${"))
        addBraces(group.substr(2, group.size() - 3));
    else
        addUnknown("the output of a command, which only running it tells");
    return end;
}

void WordExpansion::addVariable(std::string_view name)
{
    if (name == "@" || name == "*") {
        m_value.is_list = true;
        return;
    }
    if (const ShellValue* value = m_variables.find(name)) {
        add(*value);
        return;
    }
    const std::string written = "$" + std::string{name};
    if (nameLength(name) > 0)
        addUnknown(written + ", which the script does not set", true);
    else
        addUnknown(written + ", which only a run of the script tells", true);
}

// NAME, NAME:-word, NAME[@] and their like; others cut and replace, as paths are made.
void WordExpansion::addBraces(std::string_view content)
{
    std::size_t length = nameLength(content);
    if (length == 0)
        length = std::min(content.find_first_not_of("0123456789"), content.size());
    if (length == 0 && (content.starts_with('@') || content.starts_with('*')))
        length = 1;
    const std::string_view name = content.substr(0, length);
    const std::string_view rest = content.substr(length);
    const bool has_colon = rest.starts_with(':');
    const std::string_view operation = rest.substr(0, has_colon ? 2 : 1);
    if (name == "@" || name == "*" || rest.starts_with("[@]") || rest.starts_with("[*]"))
        m_value.is_list = true;
    else if (!name.empty() && rest.empty())
        addVariable(name);
    else if (!name.empty() && std::string_view{"-=?+"}.find(operation.back()) != std::string_view::npos)
        addDefault(name, operation, rest.substr(operation.size()));
    else
        addUnknown("${" + std::string{content.substr(0, 40)} + "}, which only running the script tells");
}

void WordExpansion::addDefault(std::string_view name, std::string_view operation, std::string_view word)
{
    const ShellValue* value = m_variables.findSoFar(name);
    const bool is_set =
        value != nullptr && !value->is_unset
        && (operation.size() == 1 || value->is_list || !value->text.empty() || !value->unknown.empty());
    const char kind = operation.back();
    if (kind == '?' || (is_set && kind != '+')) {
        addVariable(name);
    } else if (is_set || kind != '+') {
        const ShellValue other = WordExpansion{m_variables, m_depth + 1}.expanded(word);
        if (kind == '=')
            m_variables.assign(name, other);
        add(other);
    }
}

void WordExpansion::addArithmetic(std::string_view expression)
{
    ShellValue written = WordExpansion{m_variables, m_depth + 1}.expanded(expression);
    ShellValue names; // what is to be said about those without a dollar
    const auto valueOf = [&](std::string_view name) -> std::optional<std::int64_t> {
        WordExpansion one{m_variables, m_depth + 1};
        one.addVariable(name);
        const ShellValue value = std::move(one.m_value);
        if (names.unknown.empty())
            names.unknown = value.unknown;
        if (names.varying.empty())
            names.varying = value.varying;
        return value.unknown.empty() ? wholeNumber(value.text) : std::nullopt;
    };
    std::optional<std::int64_t> number;
    if (written.unknown.empty())
        number = shellArithmetic(written.text, valueOf);
    written.text = number ? std::to_string(*number) : std::string{};
    add(written);
    add(names);
    if (!number)
        addUnknown("$((" + std::string{expression.substr(0, 60)} + ")), which is no whole number");
}

void WordExpansion::add(const ShellValue& value)
{
    m_value.text += value.text;
    m_value.is_list = m_value.is_list || value.is_list;
    if (m_value.varying.empty())
        m_value.varying = value.varying;
    if (value.unknown.empty())
        return;
    addUnknown(value.unknown, value.is_unset);
    m_value.file_name = value.file_name;
}

void WordExpansion::addUnknown(std::string sentence, bool is_unset)
{
    if (!m_value.unknown.empty())
        return;
    m_value.unknown = std::move(sentence);
    m_value.is_unset = is_unset;
}

} // namespace

ShellValue expandedWord(std::string_view word, ShellVariables& variables)
{
    return WordExpansion{variables, 0}.expanded(word);
}

} // namespace shardscope
