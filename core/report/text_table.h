#pragma once

#include <string>
#include <vector>

namespace shardscope
{

// A table of plain text: columns as wide as their widest cell, texts flush left, numbers flush right.
class TextTable
{
public:
    // A heading that starts with `>` belongs to a column of numbers; the sign itself is not shown.
    explicit TextTable(std::vector<std::string> headings);
    // Missing cells are empty.
    void addRow(std::vector<std::string> cells);
    bool empty() const { return m_rows.empty(); }
    // One line a row, headings first, each indented by two blanks.
    std::string text() const;

private:
    std::vector<bool> m_right;
    std::vector<std::vector<std::string>> m_rows; // the headings are not among them
    std::vector<std::string> m_headings;
};

} // namespace shardscope
