#include "core/scenario/shell/shell_words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

bool isAssignmentHead(std::string_view word)
{
    const std::size_t name = nameLength(word);
    const std::string_view rest = word.substr(name);
    return name > 0 && (rest == "=" || rest == "+=");
}

bool isNumber(std::string_view word)
{
    return std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

char closerOfGroup(std::string_view text, std::size_t at, char within)
{
    if (within == '\'' || within == '`')
        return '\0';
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    switch (text[at]) {
    case '$':
        return next == '(' ? ')' : next == '{' ? '}' : '\0';
    case '`':
        return '`';
    case '"':
    case '\'':
        return within == '"' ? '\0' : text[at];
    case '(':
        return within == ')' ? ')' : '\0';
    default:
        return '\0';
    }
}

std::size_t behindGroup(std::string_view text, std::size_t from)
{
    std::string closers; // a stack, so that no depth of nesting is too deep
    std::size_t at = from;
    while (at < text.size()) {
        const char within = closers.empty() ? '\0' : closers.back();
        if (text[at] == '\\' && within != '\'') {
            at += 2;
        } else if (within != '\0' && text[at] == within) {
            closers.pop_back();
            ++at;
            if (closers.empty())
                return at;
        } else if (const char closer = closerOfGroup(text, at, within); closer != '\0') {
            closers.push_back(closer);
            at += text[at] == '$' ? 2 : 1;
        } else {
            ++at;
        }
    }
    return std::string_view::npos;
}

std::size_t GroupEnds::behind(std::size_t at)
{
    if (closerOfGroup(m_text, at) == '\0')
        return at;
    const char opener = m_text[m_text[at] == '$' ? at + 1 : at];
    if (m_unclosed.find(opener) != std::string::npos)
        return at;
    const std::size_t behind = behindGroup(m_text, at);
    if (behind != std::string_view::npos)
        return behind;
    m_unclosed += opener;
    if (!m_unclosed_quote && (opener == '"' || opener == '\''))
        m_unclosed_quote = at;
    return at;
}

std::size_t takeQuoting(std::string_view word, std::size_t at, std::string_view joined, bool& is_quoted,
                        std::string& plain)
{
    const char c = word[at];
    if (c == '\\' && at + 1 < word.size()) {
        const char next = word[at + 1];
        // Other escapes mean themselves between quotes.
        if (is_quoted && std::string_view{"\"\\$`\n"}.find(next) == std::string_view::npos)
            plain += c;
        if (next == '\n')
            plain += joined;
        else
            plain += next;
        return at + 2;
    }
    if (c == '"') {
        is_quoted = !is_quoted;
        return at + 1;
    }
    if (c != '\'' || is_quoted)
        return at;
    const std::size_t end = std::min(word.find('\'', at + 1), word.size());
    plain += word.substr(at + 1, end - at - 1);
    return end + 1;
}

std::string withoutQuotes(std::string_view word)
{
    std::string plain;
    bool is_quoted = false;
    for (std::size_t at = 0; at < word.size();) {
        if (const std::size_t behind = takeQuoting(word, at, " ", is_quoted, plain); behind != at) {
            at = behind;
        } else if (closerOfGroup(word, at, is_quoted ? '"' : '\0') != '\0') {
            const std::size_t end = std::min(behindGroup(word, at), word.size());
            plain += word.substr(at, end - at);
            at = end;
        } else {
            plain += word[at];
            ++at;
        }
    }
    return plain;
}

std::size_t nameLength(std::string_view text)
{
    std::size_t length = 0;
    const auto belongs = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
               || (length > 0 && c >= '0' && c <= '9');
    };
    while (length < text.size() && belongs(text[length]))
        ++length;
    return length;
}

std::optional<ShellToken> ShellWords::next()
{
    skipBlanks();
    if (m_at >= m_text.size())
        return std::nullopt;
    return isOperator(m_text[m_at]) ? operation() : word();
}

bool ShellWords::beginsLine(std::size_t at) const
{
    return m_text.substr(at, 2) == "\\\n";
}

bool ShellWords::isBlank(char c) const
{
    const bool ends_no_command = m_in_array || m_kind == ShellText::quoted_words;
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0'
           || (c == '\n' && ends_no_command);
}

bool ShellWords::isOperator(char c) const
{
    if (m_kind == ShellText::quoted_words)
        return false;
    const bool is_parenthesis = c == '(' || c == ')';
    return c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' || c == '>'
           || (is_parenthesis && m_kind == ShellText::script);
}

void ShellWords::skipBlanks()
{
    while (m_at < m_text.size()) {
        if (isBlank(m_text[m_at]) || (m_in_array && isOperator(m_text[m_at]) && m_text[m_at] != ')'))
            ++m_at;
        else if (beginsLine(m_at))
            m_at += 2;
        else if (m_text[m_at] == '#' && m_kind != ShellText::quoted_words)
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        else
            return;
    }
}

ShellToken ShellWords::operation()
{
    const char c = m_text[m_at];
    const ShellToken token{ShellToken::Kind::end, m_text.substr(m_at++, 1)};
    if (c == '|')
        return {ShellToken::Kind::pipe, token.text};
    if (c == '(')
        ++m_parentheses;
    if (c != ')')
        return token;
    if (m_in_array)
        m_in_array = false;
    else if (m_parentheses > 0)
        --m_parentheses;
    else
        return {ShellToken::Kind::case_pattern, token.text};
    return token;
}

// One character, an escape, or a group.
std::size_t ShellWords::behindPiece()
{
    if (m_text[m_at] == '\\')
        return std::min(m_at + 2, m_text.size());
    return std::max(m_groups.behind(m_at), m_at + 1);
}

ShellToken ShellWords::word()
{
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && !isBlank(m_text[m_at]) && !isOperator(m_text[m_at]) && !beginsLine(m_at))
        m_at = behindPiece();
    const std::string_view text = m_text.substr(begin, m_at - begin);
    const char next = m_at < m_text.size() ? m_text[m_at] : '\0';
    if (m_kind == ShellText::script && !m_in_array && next == '(' && isAssignmentHead(text)) {
        ++m_at;
        m_in_array = true;
        return {ShellToken::Kind::array, text};
    }
    const bool is_redirection = (next == '<' || next == '>') && m_kind != ShellText::quoted_words;
    if (is_redirection && isNumber(text)) // the 2 of 2>&1
        return {ShellToken::Kind::end, text};
    return {ShellToken::Kind::word, text};
}

} // namespace shardscope
