#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope
{

// What a text is to a shell. Strings that hold options are split at blanks alone once they are expanded,
// where one that is run is a script again; in neither does an array begin.
enum class ShellText { script, quoted_script, quoted_words };

struct ShellToken {
    enum class Kind {
        word,
        array,        // the word NAME= before a parenthesis: the words up to the next end are its values
        end,          // of a command, or of an array
        pipe,         // the end of a command, or of the first of two patterns
        case_pattern, // the words before it are the pattern of a case: "7b)"
    };
    Kind kind = Kind::end;
    std::string_view text; // as written, with quotes and dollars
};

// Where the groups of a text end that is walked through once. What opened a group that did not close opens
// none any more, so that each byte is looked at a few times at most.
class GroupEnds
{
public:
    explicit GroupEnds(std::string_view text) : m_text{text} {}
    std::size_t behind(std::size_t at); // the group that begins there; `at` where none does
    // Where the first quote stands that no other one closes; nothing: so far there was none.
    std::optional<std::size_t> unclosedQuote() const { return m_unclosed_quote; }

private:
    std::string_view m_text;
    std::string m_unclosed;
    std::optional<std::size_t> m_unclosed_quote;
};

// Splits a text as a shell does, without its comments. What no shell would take, as a quote that is not
// closed, is text like any other; each byte is looked at a few times at most.
class ShellWords
{
public:
    ShellWords(std::string_view text, ShellText kind) : m_text{text}, m_groups{text}, m_kind{kind} {}
    std::optional<ShellToken> next(); // nothing at the end
    std::optional<std::size_t> unclosedQuote() const { return m_groups.unclosedQuote(); }

private:
    bool beginsLine(std::size_t at) const; // a backslash before the end of a line
    bool isBlank(char c) const;
    bool isOperator(char c) const;
    void skipBlanks();
    ShellToken operation();
    ShellToken word();
    std::size_t behindPiece();

    std::string_view m_text;
    GroupEnds m_groups;
    ShellText m_kind;
    std::size_t m_at = 0;
    int m_parentheses = 0;
    bool m_in_array = false;
};

// What closes the group that begins at `at`: a string in quotes, `..`, $(..), ${..}. 0 where none begins.
// Within another group that `within` closes, fewer begin.
char closerOfGroup(std::string_view text, std::size_t at, char within = '\0');

// Behind the group that begins at `from`; npos where it is not closed.
std::size_t behindGroup(std::string_view text, std::size_t from);

// What an escape, a quote or a string in single quotes at `at` stands for, taken into `plain`; double quotes
// only open and close `is_quoted`. Where it ends; `at` where none begins. `joined` stands for the end of a
// line that goes on.
std::size_t takeQuoting(std::string_view word, std::size_t at, std::string_view joined, bool& is_quoted,
                        std::string& plain);

// The word with one level of quotes less: what a shell reads that is handed the word to run it.
std::string withoutQuotes(std::string_view word);

// How long the name of a variable at the text's beginning is.
std::size_t nameLength(std::string_view text);

} // namespace shardscope
