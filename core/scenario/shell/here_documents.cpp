#include "core/scenario/shell/here_documents.h"

#include "core/scenario/shell/shell_words.h"

#include <algorithm>
#include <optional>
#include <set>

namespace shardscope
{

namespace
{

constexpr std::size_t most_documents = 100;
constexpr std::size_t most_without_end = 20; // each looks through the rest of the script

std::string_view lineAt(std::string_view text, std::size_t at)
{
    return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

std::size_t behindBlanks(std::string_view text, std::size_t at)
{
    return std::min(text.find_first_not_of(" \t", at), text.size());
}

// What a shell takes as one word; as written, with its quotes.
std::string_view wordAt(std::string_view line, std::size_t at, GroupEnds& groups)
{
    std::size_t end = at;
    while (end < line.size() && std::string_view{" \t;|&<>"}.find(line[end]) == std::string_view::npos)
        end = std::max(groups.behind(end), end + 1);
    return line.substr(at, end - at);
}

// > FILE and >> FILE, but neither 2> FILE nor >&2.
std::string_view redirectedTo(std::string_view line, GroupEnds& groups)
{
    for (std::size_t at = line.find('>'); at != std::string_view::npos;) {
        const char before = at > 0 ? line[at - 1] : ' ';
        const bool is_errors = before == '2' || before == '&';
        const std::size_t begin = behindBlanks(line, std::min(line.find_first_not_of(">|", at), line.size()));
        const std::string_view word = wordAt(line, begin, groups);
        if (!is_errors && !word.empty())
            return word;
        at = line.find('>', begin + word.size());
    }
    return {};
}

// tee FILE, tee -a FILE
std::string_view teesFile(std::string_view line, GroupEnds& groups)
{
    constexpr std::string_view tee = "tee ";
    const std::size_t at = line.find(tee);
    const bool is_command = at == 0
                            || (at != std::string_view::npos
                                && std::string_view{" \t|;&(/"}.find(line[at - 1]) != std::string_view::npos);
    if (!is_command)
        return {};
    std::size_t begin = behindBlanks(line, at + tee.size());
    while (line.substr(begin).starts_with('-'))
        begin = behindBlanks(line, begin + wordAt(line, begin, groups).size());
    return wordAt(line, begin, groups);
}

struct Beginning {
    std::string ending; // the line that ends the text
    std::string_view target;
    bool is_literal = false;
    bool strips_tabs = false; // <<-
};

std::optional<Beginning> beginningIn(std::string_view line)
{
    const std::size_t first = behindBlanks(line, 0);
    const std::size_t at = line.find("<<");
    const bool is_comment = first < line.size() && line[first] == '#';
    if (at == std::string_view::npos || is_comment || line.substr(at + 2).starts_with('<'))
        return std::nullopt;
    Beginning beginning;
    std::size_t word = at + 2;
    beginning.strips_tabs = line.substr(word).starts_with('-');
    word = behindBlanks(line, word + (beginning.strips_tabs ? 1 : 0));
    GroupEnds groups{line};
    const std::string_view written = wordAt(line, word, groups);
    // The rest are shifts, "1 << 4" and "1 << N))".
    const bool is_word = !written.empty() && (written.front() < '0' || written.front() > '9')
                         && written.find_first_of("()") == std::string_view::npos;
    if (!is_word)
        return std::nullopt;
    beginning.ending = withoutQuotes(written);
    beginning.is_literal = beginning.ending != written;
    // What tee prints besides goes wherever it does.
    beginning.target = teesFile(line, groups);
    if (beginning.target.empty())
        beginning.target = redirectedTo(line, groups);
    return beginning;
}

// The line that ends the text; the script's size where none does.
std::size_t endOf(const Beginning& beginning, std::string_view script, std::size_t at)
{
    while (at < script.size()) {
        const std::string_view line = lineAt(script, at);
        const std::size_t first =
            beginning.strips_tabs ? std::min(line.find_first_not_of('\t'), line.size()) : 0;
        if (line.substr(first) == beginning.ending)
            break;
        at += line.size() + 1;
    }
    return std::min(at, script.size());
}

} // namespace

std::vector<HereDocument> hereDocuments(std::string_view script)
{
    std::vector<HereDocument> found;
    std::set<std::string> without_end; // what does not end one does not end a later one
    for (std::size_t at = 0; at < script.size() && found.size() < most_documents;) {
        const std::string_view line = lineAt(script, at);
        at += line.size() + 1;
        const auto beginning = beginningIn(line);
        if (!beginning || without_end.contains(beginning->ending) || without_end.size() == most_without_end)
            continue;
        const std::size_t end = endOf(*beginning, script, at);
        if (end == script.size()) {
            without_end.insert(beginning->ending);
            continue;
        }
        found.push_back({beginning->target, script.substr(at, end - at), beginning->is_literal});
        at = end + beginning->ending.size() + 1;
    }
    return found;
}

} // namespace shardscope
