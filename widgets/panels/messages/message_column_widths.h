#pragma once

#include "widgets/models/message_table_model.h"

#include <QHash>
#include <QSet>
#include <QString>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace shardscope
{

class MessageDelegate;

// What the columns of the message table need for their texts, and what they were drawn to. They do not shrink
// while a slider moves: nothing trembles.
class MessageColumnWidths
{
public:
    // Looks at the texts of these rows; measures numbers of a shape that was not there before, and words that
    // are longer than any. True when a column has grown.
    bool grow(const MessageTableModel& model, std::span<const int> rows, const MessageDelegate& delegate);
    int width(int column) const { return m_width[static_cast<std::size_t>(column)]; }
    // The next texts are measured afresh: another font, another run.
    void forget();
    // The same of columns without numbers, in the same font: their words change seldom.
    void forgetWords();

    // The user has drawn the border of a column: it keeps that width, whatever its texts become.
    void draw(int column, int width) { m_drawn[static_cast<std::size_t>(column)] = width; }
    void forgetDrawn(int column) { m_drawn[static_cast<std::size_t>(column)].reset(); }
    void forgetDrawn() { m_drawn.fill(std::nullopt); }
    std::optional<int> drawn(int column) const { return m_drawn[static_cast<std::size_t>(column)]; }
    bool isAnyDrawn() const;
    // Where there is room for all: no narrower than the texts, no narrower than it was drawn.
    int wholeWidth(int column) const { return std::max(width(column), drawn(column).value_or(0)); }

private:
    bool growNumbers(int column, const MessageTableModel& model, std::span<const int> rows,
                     const MessageDelegate& delegate);
    bool growWords(int column, const MessageTableModel& model, std::span<const int> rows,
                   const MessageDelegate& delegate);
    double wordWidth(int column, const QString& word, const MessageDelegate& delegate);

    std::array<qsizetype, MessageTableModel::ColumnCount> m_longest{};  // in characters; 0: not measured yet
    std::array<QSet<QString>, MessageTableModel::ColumnCount> m_shapes; // of numbers, with zeros for digits
    std::array<QHash<QString, double>, MessageTableModel::ColumnCount> m_words; // a few, in many rows
    std::array<int, MessageTableModel::ColumnCount> m_width{};
    std::array<std::optional<int>, MessageTableModel::ColumnCount> m_drawn{};
};

} // namespace shardscope
