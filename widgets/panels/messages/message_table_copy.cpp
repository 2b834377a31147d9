#include "widgets/models/table_text.h"
#include "widgets/panels/messages/message_table_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTableView>

// The message table as text, for files and for the clipboard.

namespace shardscope
{

std::vector<int> MessageTablePanel::rowsToCopy(bool selected_only) const
{
    std::vector<int> rows;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        if (!selected_only || !m_view->selectionModel()->hasSelection()
            || m_view->selectionModel()->isRowSelected(row))
            rows.push_back(m_filter->mapToSource(m_filter->index(row, 0)).row());
    }
    return rows;
}

std::vector<int> MessageTablePanel::shownColumns() const
{
    std::vector<int> columns;
    for (int column = 0; column < MessageTableModel::ColumnCount; ++column)
        if (!m_view->isColumnHidden(column))
            columns.push_back(column);
    return columns;
}

// Whose they are is in every row, so that files of several stages can be put together. A measured count may
// be that of several rows together: the file says of how many, so that nobody adds it up.
QString MessageTablePanel::csvOf(const std::vector<int>& rows) const
{
    TableRows table;
    const std::vector<int> columns = shownColumns();
    QStringList header{QStringLiteral("whose")};
    for (const int column : columns) {
        header << MessageTableModel::plainHeader(column);
        if (column == MessageTableModel::MeasuredColumn)
            header << QStringLiteral("measured_over_rows");
    }
    table.push_back(header);
    for (const int row : rows) {
        QStringList cells{m_scope_box->currentText().section(',', 0, 0).toLower()};
        for (const int column : columns) {
            cells << m_model->plainText(row, column);
            if (column == MessageTableModel::MeasuredColumn)
                cells << (cells.back().isEmpty() ? QString{}
                                                 : QString::number(m_model->row(row).rows_of_key));
        }
        table.push_back(cells);
    }
    return csvText(table);
}

QString MessageTablePanel::csv() const
{
    return csvOf(rowsToCopy(false));
}

QString MessageTablePanel::markdown() const
{
    TableRows table;
    std::vector<bool> right_aligned;
    QStringList header;
    const std::vector<int> columns = shownColumns();
    for (const int column : columns) {
        header << m_model->headerData(column, Qt::Horizontal).toString();
        right_aligned.push_back(MessageTableModel::isNumber(column));
    }
    table.push_back(header);
    for (const int row : rowsToCopy(true)) {
        QStringList cells;
        for (const int column : columns)
            cells << m_model->text(row, column);
        table.push_back(cells);
    }
    return markdownText(table, right_aligned);
}

void MessageTablePanel::copy(const QString& text) const
{
    QGuiApplication::clipboard()->setText(text);
}

} // namespace shardscope
