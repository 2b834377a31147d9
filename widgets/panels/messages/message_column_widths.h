#pragma once

#include "widgets/models/message_table_model.h"

#include <array>
#include <span>

namespace shardscope
{

class MessageDelegate;

// What the columns of the message table need for their texts. They do not shrink while a slider moves:
// nothing trembles.
class MessageColumnWidths
{
public:
    // Looks at the texts of these rows; measures those that are longer than any before. True when a column
    // has grown.
    bool grow(const MessageTableModel& model, std::span<const int> rows, const MessageDelegate& delegate);
    int width(int column) const { return m_width[static_cast<std::size_t>(column)]; }
    // The next texts are measured afresh: another font, another run.
    void forget() { m_longest.fill(0); }
    // The same of columns without numbers: their words change seldom.
    void forgetWords();

private:
    std::array<qsizetype, MessageTableModel::ColumnCount> m_longest{}; // in characters; 0: not measured yet
    std::array<int, MessageTableModel::ColumnCount> m_width{};
};

} // namespace shardscope
