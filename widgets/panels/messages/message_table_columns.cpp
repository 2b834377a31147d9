#include "widgets/panels/messages/message_table_panel.h"

#include "widgets/panels/messages/message_delegate.h"

#include <QAction>
#include <QGuiApplication>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTableView>

#include <algorithm>
#include <numeric>

// How wide the columns of the message table are.
namespace shardscope
{

// A border that is drawn with the mouse; a double click on it, or the menu, hands the column back.
void MessageTablePanel::connectColumns()
{
    QHeaderView* header = m_view->horizontalHeader();
    connect(header, &QHeaderView::sortIndicatorChanged, this, &MessageTablePanel::spreadColumns);
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (m_is_spreading || QGuiApplication::mouseButtons() != Qt::LeftButton)
            return;
        m_widths.draw(column, width);
        m_undraw->setEnabled(true);
    });
    connect(header, &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
        m_widths.forgetDrawn(column);
        m_undraw->setEnabled(m_widths.isAnyDrawn());
        spreadColumns();
    });
    connect(m_undraw, &QAction::triggered, this, [this] {
        m_widths.forgetDrawn();
        m_undraw->setEnabled(false);
        spreadColumns();
    });
}

// To the texts of every row; of a trace with many thousand sizes, to the first of them and those on screen.
void MessageTablePanel::fitColumns()
{
    constexpr int always = 1'000;
    std::vector<int> rows(static_cast<std::size_t>(std::min(always, m_model->rowCount())));
    std::iota(rows.begin(), rows.end(), 0);
    const int below = m_view->rowAt(m_view->viewport()->height());
    const int end = below < 0 ? m_filter->rowCount() : below + 1;
    for (int row = std::max(0, m_view->rowAt(0)); row < end && m_model->rowCount() > always; ++row)
        rows.push_back(m_filter->mapToSource(m_filter->index(row, 0)).row());
    if (m_widths.grow(*m_model, rows, *m_delegate))
        spreadColumns();
}

// By the rows alone: the scroll bars follow the columns, which must not follow them in turn.
int MessageTablePanel::roomForColumns() const
{
    const int rows_height = m_filter->rowCount() * m_view->verticalHeader()->defaultSectionSize();
    const bool scrolls = rows_height > m_view->height() - m_view->horizontalHeader()->height();
    return m_view->width() - (scrolls ? m_view->verticalScrollBar()->sizeHint().width() : 0);
}

// Gives each column what it needs, and the bars of the shares the rest. Where there is too little, the bars
// go first, then the room for figures that may come and the ends of long names. What the user has drawn
// stays.
void MessageTablePanel::spreadColumns()
{
    const QScopedValueRollback spreading{m_is_spreading, true};
    m_spread_over = roomForColumns();
    int sum = 0;
    for (const int column : shownColumns())
        sum += m_widths.drawn(column).value_or(m_widths.width(column));
    int rest = std::min(m_spread_over - sum, 160);
    const auto take = [&rest](int most) { // of a column that can do with less
        const int taken = std::clamp(-rest, 0, most);
        rest += taken;
        return taken;
    };
    const bool shares_are_drawn = m_widths.drawn(MessageTableModel::ShareColumn).has_value();
    const int share = m_widths.width(MessageTableModel::ShareColumn) + std::max(0, rest)
                      - (shares_are_drawn ? 0 : take(m_delegate->shareBarRoom()));
    for (const int column : shownColumns()) {
        int width = share;
        if (m_widths.drawn(column)) {
            width = *m_widths.drawn(column);
        } else if (column != MessageTableModel::ShareColumn) {
            width = m_widths.width(column);
            width -= take(MessageTableModel::isNumber(column)       ? m_delegate->spareRoom()
                          : column == MessageTableModel::WhatColumn ? width / 4
                                                                    : 0);
        } else { // its bars may go, its heading not
            const QString heading = m_model->headerData(column, Qt::Horizontal).toString();
            width = std::max(width, m_view->horizontalHeader()->fontMetrics().horizontalAdvance(heading) + 8);
        }
        // A sorted column's arrow stands beside its name.
        if (!m_widths.drawn(column) && column == m_view->horizontalHeader()->sortIndicatorSection())
            width = std::max(width, m_view->horizontalHeader()->sectionSizeHint(column));
        if (m_view->columnWidth(column) != width)
            m_view->setColumnWidth(column, width);
    }
}

} // namespace shardscope
