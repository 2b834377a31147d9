#include "core/analysis/classification/name_pattern.h"

#include <algorithm>

namespace shardscope
{

NamePattern::NamePattern(std::string_view pattern)
{
    m_at_start = pattern.starts_with('^');
    if (m_at_start)
        pattern.remove_prefix(1);
    m_at_end = pattern.ends_with('$');
    if (m_at_end)
        pattern.remove_suffix(1);
    const std::string text = lowerCase(pattern);
    std::size_t from = 0;
    for (std::size_t star = text.find('*'); star != std::string::npos; star = text.find('*', from)) {
        m_pieces.push_back(text.substr(from, star - from));
        from = star + 1;
    }
    m_pieces.push_back(text.substr(from));
}

bool NamePattern::matches(std::string_view lower_case_name) const
{
    std::size_t place = 0;
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        const std::string& piece = m_pieces[i];
        const bool first = i == 0 && m_at_start;
        if (i + 1 == m_pieces.size() && m_at_end)
            return lower_case_name.size() >= place + piece.size() && lower_case_name.ends_with(piece)
                   && (!first || lower_case_name.size() == piece.size());
        const std::size_t found = lower_case_name.find(piece, place);
        if (found == std::string_view::npos || (first && found != 0))
            return false;
        place = found + piece.size();
    }
    return true;
}

std::string lowerCase(std::string_view name)
{
    std::string text{name};
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

} // namespace shardscope
