#include "core/scenario/shell/here_documents.h"

#include "core/scenario/shell/shell_words.h"

#include <algorithm>
#include <optional>

namespace shardscope
{

namespace
{

constexpr int most_beginnings = 100; // each may look through the rest of the script for its end

std::string_view lineAt(std::string_view text, std::size_t at)
{
    return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

std::size_t behindBlanks(std::string_view text, std::size_t at)
{
    return std::min(text.find_first_not_of(" \t", at), text.size());
}

// What a shell takes as one word; as written, with its quotes.
std::string_view wordAt(std::string_view line, std::size_t at)
{
    std::size_t end = at;
    while (end < line.size() && std::string_view{" \t;|&<>"}.find(line[end]) == std::string_view::npos) {
        const std::size_t behind =
            closerOfGroup(line, end) != '\0' ? behindGroup(line, end) : std::string_view::npos;
        end = behind == std::string_view::npos ? end + 1 : behind;
    }
    return line.substr(at, end - at);
}

// > FILE, >> FILE and tee FILE, but neither 2> FILE nor >&2.
std::string_view targetIn(std::string_view line)
{
    for (std::size_t at = line.find('>'); at != std::string_view::npos; at = line.find('>', at + 1)) {
        const char before = at > 0 ? line[at - 1] : ' ';
        const bool is_errors = before == '2' || before == '&';
        const std::size_t behind = std::min(line.find_first_not_of(">|", at), line.size());
        const std::string_view word = wordAt(line, behindBlanks(line, behind));
        if (!is_errors && !word.empty())
            return word;
        at = behind - 1;
    }
    constexpr std::string_view tee = "tee ";
    const std::size_t at = line.find(tee);
    return at == std::string_view::npos ? std::string_view{}
                                        : wordAt(line, behindBlanks(line, at + tee.size()));
}

struct Beginning {
    std::string_view ending; // the line that ends the text
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
    beginning.is_literal =
        word < line.size() && std::string_view{"'\"\\"}.find(line[word]) != std::string::npos;
    word += beginning.is_literal ? 1 : 0;
    const std::size_t length = nameLength(line.substr(word));
    if (length == 0)
        return std::nullopt;
    beginning.ending = line.substr(word, length);
    beginning.target = targetIn(line);
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
    int beginnings = 0;
    for (std::size_t at = 0; at < script.size() && beginnings < most_beginnings;) {
        const std::string_view line = lineAt(script, at);
        at += line.size() + 1;
        const auto beginning = beginningIn(line);
        if (!beginning || at >= script.size())
            continue;
        ++beginnings;
        const std::size_t end = endOf(*beginning, script, at);
        if (end == script.size())
            continue;
        found.push_back({beginning->target, script.substr(at, end - at), beginning->is_literal});
        at = end + beginning->ending.size() + 1;
    }
    return found;
}

} // namespace shardscope
