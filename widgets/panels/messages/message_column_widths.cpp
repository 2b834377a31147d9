#include "widgets/panels/messages/message_column_widths.h"

#include "widgets/panels/messages/message_delegate.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Of a text: names of kernels may be far longer, but the figures beside them have to be seen.
constexpr double most_letters = 34.0;

} // namespace

void MessageColumnWidths::forgetWords()
{
    for (int column = 0; column < MessageTableModel::ColumnCount; ++column)
        if (!MessageTableModel::isNumber(column))
            m_longest[static_cast<std::size_t>(column)] = 0;
}

bool MessageColumnWidths::isAnyDrawn() const
{
    return std::ranges::any_of(m_drawn, [](const std::optional<int>& width) { return width.has_value(); });
}

bool MessageColumnWidths::grow(const MessageTableModel& model, std::span<const int> rows,
                               const MessageDelegate& delegate)
{
    bool has_grown = false;
    for (int column = 0; column < MessageTableModel::ColumnCount; ++column) {
        const auto place = static_cast<std::size_t>(column);
        const bool is_first = m_longest[place] == 0;
        qsizetype longest = 0;
        for (const int row : rows)
            longest = std::max(longest, model.text(row, column).size());
        if (longest <= m_longest[place] && !is_first)
            continue;
        // The header is a little wider than its text, for the arrow of the sort order.
        const QString header = model.headerData(column, Qt::Horizontal).toString();
        double wide = delegate.cellWidth(header, MessageTableModel::OpColumn) + 8.0;
        // Texts as long as the longest may yet be wider; one character more serves those that come later.
        for (const int row : rows)
            wide =
                std::max(wide, delegate.cellWidth(model.text(row, column), column)
                                   + (MessageTableModel::isNumber(column) ? delegate.characterWidth() : 0.0));
        if (!MessageTableModel::isNumber(column))
            wide = std::min(wide, most_letters * delegate.characterWidth());
        const int width = static_cast<int>(wide);
        m_longest[place] = std::max<qsizetype>(1, longest);
        m_width[place] = is_first ? width : std::max(width, m_width[place]);
        has_grown = true;
    }
    return has_grown;
}

} // namespace shardscope
