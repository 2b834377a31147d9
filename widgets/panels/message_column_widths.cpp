#include "widgets/panels/message_column_widths.h"

#include "widgets/panels/message_delegate.h"

#include <algorithm>

namespace shardscope
{

bool MessageColumnWidths::grow(const MessageTableModel& model, const MessageDelegate& delegate)
{
    bool has_grown = false;
    for (int column = 0; column < MessageTableModel::ColumnCount; ++column) {
        const auto place = static_cast<std::size_t>(column);
        const bool is_first = m_longest[place] == 0;
        qsizetype longest = m_longest[place];
        int longest_row = -1;
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.text(row, column).size() > longest) {
                longest = model.text(row, column).size();
                longest_row = row;
            }
        if (longest_row < 0 && !is_first)
            continue;
        // The header is a little wider than its text, for the arrow of the sort order.
        const QString header = model.headerData(column, Qt::Horizontal).toString();
        const double header_width = delegate.cellWidth(header, MessageTableModel::OpColumn) + 10.0;
        const double text_width =
            longest_row < 0 ? 0.0 : delegate.cellWidth(model.text(longest_row, column), column);
        const int width = static_cast<int>(std::max(header_width, text_width));
        m_longest[place] = std::max<qsizetype>(1, longest);
        m_width[place] = is_first ? width : std::max(width, m_width[place]);
        has_grown = true;
    }
    return has_grown;
}

} // namespace shardscope
