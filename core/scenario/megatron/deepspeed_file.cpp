#include "core/scenario/megatron/deepspeed_file.h"

#include "core/scenario/shell/here_documents.h"
#include "core/scenario/shell/shell_expansion.h"
#include "core/scenario/shell/shell_words.h"

#include <algorithm>
#include <filesystem>

namespace shardscope
{

namespace
{

constexpr std::size_t longest_text = 64 << 10;   // of a configuration as a script writes it
constexpr std::size_t longest_written = 1 << 20; // with its variables put in
constexpr std::size_t longest_target = 1'000;
constexpr std::size_t most_notes_of_file = 10;

std::string_view lastPart(std::string_view path)
{
    return path.substr(path.find_last_of('/') + 1); // npos + 1 is 0
}

std::string nameOf(const ShellValue& value)
{
    return value.unknown.empty() ? value.text : value.file_name;
}

// "${CONFIG}" and $CONFIG are one file.
std::string bare(std::string_view written)
{
    std::string text{written};
    std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == '"' || c == '\''; });
    return text;
}

// A here-document as a shell writes it: quotes are text, and a backslash hides a dollar.
class WrittenText
{
public:
    WrittenText(ShellVariables& variables, std::vector<std::string>& notes)
        : m_variables{variables}, m_notes{notes}
    {
    }

    std::string of(std::string_view text)
    {
        for (std::size_t at = 0; at < text.size();) {
            const std::string_view line =
                text.substr(at, std::min(text.find('\n', at), text.size() - 1) + 1 - at);
            addLine(line);
            at += line.size();
        }
        return std::move(m_written);
    }

private:
    // No group goes on in the next line.
    void addLine(std::string_view line)
    {
        GroupEnds groups{line};
        for (std::size_t at = 0; at < line.size() && m_written.size() < longest_written;)
            at = behindPiece(line, at, groups);
    }

    std::size_t behindPiece(std::string_view text, std::size_t at, GroupEnds& groups)
    {
        const char c = text[at];
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (c == '\\' && (next == '$' || next == '`' || next == '\\' || next == '\n')) {
            if (next != '\n')
                m_written += next;
            return at + 2;
        }
        const std::size_t end = c == '$' || c == '`' ? behindExpansion(text, at, groups) : at;
        if (end > at) {
            add(expandedWord(text.substr(at, end - at), m_variables));
            return end;
        }
        m_is_in_string = m_is_in_string != (c == '"' && !endsWithEscape());
        m_written += c;
        return at + 1;
    }

    // Where $NAME, ${NAME}, $((..)), $(..), `..` or $1 ends; `at` where there is none.
    static std::size_t behindExpansion(std::string_view text, std::size_t at, GroupEnds& groups)
    {
        if (closerOfGroup(text, at) != '\0')
            return groups.behind(at);
        const std::string_view rest = text.substr(at + 1);
        const bool is_place = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
        const std::size_t length = is_place ? 1 : nameLength(rest);
        return length == 0 ? at : at + 1 + length;
    }

    // JSON's: a quote behind it is text.
    bool endsWithEscape() const
    {
        const std::size_t last = m_written.find_last_not_of('\\'); // npos + 1 is 0
        return (m_written.size() - (last + 1)) % 2 == 1;
    }

    void add(const ShellValue& value)
    {
        // A text of which a part is open is none that any setting has.
        m_written += value.unknown.empty() ? value.text : m_is_in_string ? "?" : "null";
        if (!value.unknown.empty() && !m_is_in_string)
            note("DeepSpeed's configuration depends on " + value.unknown + "; what it sets is left out.");
        else if (!value.varying.empty() && !m_is_in_string)
            note("DeepSpeed's configuration has the last value of " + value.varying
                 + ", which is set more than once.");
    }

    void note(std::string sentence)
    {
        if (m_notes.size() < most_notes_of_file && std::ranges::find(m_notes, sentence) == m_notes.end())
            m_notes.push_back(std::move(sentence));
    }

    ShellVariables& m_variables;
    std::vector<std::string>& m_notes;
    std::string m_written;
    bool m_is_in_string = false;
};

// Paths of which a folder is open are one where their last parts are.
bool isOneFile(const ShellValue& one, const ShellValue& other)
{
    if (one.unknown.empty() && other.unknown.empty())
        return std::filesystem::path{one.text}.lexically_normal()
               == std::filesystem::path{other.text}.lexically_normal();
    const std::string name = nameOf(other);
    return !name.empty() && lastPart(nameOf(one)) == lastPart(name);
}

bool isObject(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\n");
    return first != std::string_view::npos && text[first] == '{';
}

} // namespace

DeepSpeedFile deepSpeedFile(std::string_view script, std::string_view written, const ShellValue& value,
                            ShellVariables& variables)
{
    DeepSpeedFile file{.name = nameOf(value), .unknown = value.unknown};
    std::optional<HereDocument> last;
    bool differs = false;
    for (const HereDocument& one : hereDocuments(script)) {
        const bool is_of_a_file = !one.target.empty() && one.target.size() <= longest_target;
        if (!is_of_a_file || one.text.size() > longest_text || !isObject(one.text))
            continue;
        const bool is_it =
            bare(one.target) == bare(written) || isOneFile(expandedWord(one.target, variables), value);
        differs = differs || (is_it && last && last->text != one.text);
        if (is_it)
            last = one;
    }
    if (!last)
        return file;
    if (differs)
        file.notes.emplace_back("DeepSpeed's configuration is written more than once; the last one counts.");
    file.text =
        last->is_literal ? std::string{last->text} : WrittenText{variables, file.notes}.of(last->text);
    return file;
}

} // namespace shardscope
