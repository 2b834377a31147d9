#include "core/report/text_table.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace shardscope
{

namespace
{

// Characters of a UTF-8 text.
std::size_t shownWidth(std::string_view text)
{
    // Bytes that continue a character are 10xxxxxx.
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

TextTable::TextTable(std::vector<std::string> headings) : m_headings{std::move(headings)}
{
    for (std::string& heading : m_headings) {
        m_right.push_back(heading.starts_with('>'));
        if (m_right.back())
            heading.erase(0, 1);
    }
}

void TextTable::addRow(std::vector<std::string> cells)
{
    cells.resize(m_headings.size());
    m_rows.push_back(std::move(cells));
}

std::string TextTable::text() const
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < m_headings.size(); ++i) {
        widths.push_back(shownWidth(m_headings[i]));
        for (const auto& row : m_rows)
            widths[i] = std::max(widths[i], shownWidth(row[i]));
    }
    std::string text;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string shown;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string blanks(widths[i] - shownWidth(cells[i]), ' ');
            shown += "  ";
            shown += m_right[i] ? blanks + cells[i] : cells[i] + blanks;
        }
        shown.erase(shown.find_last_not_of(' ') + 1);
        text += shown + '\n';
    };
    line(m_headings);
    for (const auto& row : m_rows)
        line(row);
    return text;
}

} // namespace shardscope
