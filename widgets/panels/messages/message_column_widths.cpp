#include "widgets/panels/messages/message_column_widths.h"

#include "widgets/panels/messages/message_delegate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope
{

namespace
{

// Of a text: names of kernels may be far longer, but the figures beside them have to be seen.
constexpr double most_letters = 34.0;

// Digits are equally wide: numbers that differ in them alone are measured once.
QString shapeOf(const QString& number)
{
    QString shape = number;
    for (QChar& character : shape)
        if (character.isDigit())
            character = QLatin1Char{'0'};
    return shape;
}

// The header is a little wider than its text, for the arrow of the sort order.
double headerWidth(const MessageTableModel& model, int column, const MessageDelegate& delegate)
{
    const QString header = model.headerData(column, Qt::Horizontal).toString();
    return delegate.cellWidth(header, MessageTableModel::OpColumn) + 8.0;
}

} // namespace

void MessageColumnWidths::forget()
{
    m_longest.fill(0);
    for (QSet<QString>& shapes : m_shapes)
        shapes.clear();
    for (QHash<QString, double>& words : m_words)
        words.clear();
}

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
    for (int column = 0; column < MessageTableModel::ColumnCount; ++column)
        has_grown |= MessageTableModel::isNumber(column) ? growNumbers(column, model, rows, delegate)
                                                         : growWords(column, model, rows, delegate);
    return has_grown;
}

// A number that is cut is another one: "6.097 MiB" has no more characters than "1.531 GiB", and is wider.
// One character more serves those that come later.
bool MessageColumnWidths::growNumbers(int column, const MessageTableModel& model, std::span<const int> rows,
                                      const MessageDelegate& delegate)
{
    const auto place = static_cast<std::size_t>(column);
    const bool is_first = m_longest[place] == 0;
    double wide = is_first ? headerWidth(model, column, delegate) : m_width[place];
    for (const int row : rows) {
        const QString shape = shapeOf(model.text(row, column));
        if (m_shapes[place].contains(shape))
            continue;
        m_shapes[place].insert(shape);
        wide = std::max(wide, delegate.cellWidth(shape, column) + delegate.spareRoom());
    }
    m_longest[place] = 1;
    const int width = static_cast<int>(std::ceil(wide));
    return std::exchange(m_width[place], width) != width || is_first;
}

double MessageColumnWidths::wordWidth(int column, const QString& word, const MessageDelegate& delegate)
{
    QHash<QString, double>& known = m_words[static_cast<std::size_t>(column)];
    auto width = known.find(word);
    if (width == known.end())
        width = known.insert(word, delegate.cellWidth(word, column));
    return *width;
}

// Texts as long as the longest may yet be wider.
bool MessageColumnWidths::growWords(int column, const MessageTableModel& model, std::span<const int> rows,
                                    const MessageDelegate& delegate)
{
    const auto place = static_cast<std::size_t>(column);
    const bool is_first = m_longest[place] == 0;
    qsizetype longest = 0;
    for (const int row : rows)
        longest = std::max(longest, model.text(row, column).size());
    if (longest <= m_longest[place] && !is_first)
        return false;
    double wide = headerWidth(model, column, delegate);
    for (const int row : rows)
        wide = std::max(wide, wordWidth(column, model.text(row, column), delegate));
    const int width = static_cast<int>(std::min(wide, most_letters * delegate.characterWidth()));
    m_longest[place] = std::max<qsizetype>(1, longest);
    m_width[place] = is_first ? width : std::max(width, m_width[place]);
    return true;
}

} // namespace shardscope
