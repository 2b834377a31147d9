// The table as it leaves the window: a picture with all of its rows and what stands above them, and CSV.
#include "widgets/panels/measurement/analysis_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/measurement/analysis_bar_delegate.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QTableView>

#include <algorithm>
#include <limits>

namespace shardscope
{

namespace
{

constexpr int text_flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
constexpr int verdict_margin = 5;

int verdictHeight(const QString& verdict, const QFont& font, double width)
{
    if (verdict.isEmpty())
        return 0;
    const QRect room{0, 0, static_cast<int>(width) - 2 * verdict_margin, std::numeric_limits<short>::max()};
    return QFontMetrics{pixelFont(font)}.boundingRect(room, text_flags, verdict).height() + verdict_margin;
}

} // namespace

QString AnalysisPanel::csv() const
{
    TableRows text{m_model->table().file_headings};
    for (int row = 0; row < m_order->rowCount(); ++row) { // as on screen
        const int source = m_order->mapToSource(m_order->index(row, 0)).row();
        QStringList cells;
        for (const AnalysisCell& cell : m_model->table().rows[static_cast<std::size_t>(source)].cells)
            cells.append(cell.number && !cell.sorts_alone   ? QString::number(*cell.number, 'g', 17)
                         : cell.text == QStringLiteral("?") ? QString{}
                                                            : cell.text);
        text.push_back(cells);
    }
    return csvText(text);
}

QString AnalysisPanel::heading() const
{
    return title() + ": " + sectionName(section());
}

QSize AnalysisPanel::wholeSize(const QSize& usual) const
{
    if (m_model->rowCount() == 0)
        return usual;
    const QString sentences = verdict();
    const QSize table = tableSize();
    const int width = sentences.isEmpty() ? table.width() : std::max(table.width(), usual.width());
    return {width,
            m_legend->heightForWidth(width) + verdictHeight(sentences, font(), width) + table.height()};
}

QSize AnalysisPanel::tableSize() const
{
    int width = 1;
    for (int column = 0; column < m_model->columnCount(); ++column)
        width += m_view->columnWidth(column);
    return {width, m_view->verticalHeader()->defaultSectionSize() * (m_model->rowCount() + 1)};
}

void AnalysisPanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    painter.fillRect(rectangle, Theme{palette()}.background());
    if (m_model->rowCount() == 0) {
        const double top = paintVerdict(painter, rectangle);
        painter.setPen(Theme{palette()}.faintText());
        painter.drawText(rectangle.adjusted(0.0, top, 0.0, 0.0), Qt::AlignCenter | Qt::TextWordWrap, hint());
        return;
    }
    const double legend = m_legend->paintTo(painter, rectangle.adjusted(5.0, 0.0, -5.0, 0.0));
    const double top = legend + paintVerdict(painter, rectangle.adjusted(0.0, legend, 0.0, 0.0));
    const QSizeF table = tableSize();
    const double scale =
        std::min({1.0, rectangle.width() / table.width(), (rectangle.height() - top) / table.height()});
    if (scale <= 0.0)
        return;
    painter.save();
    painter.translate(rectangle.topLeft() + QPointF{0.0, top});
    painter.scale(scale, scale);
    painter.setFont(pixelFont(font()));
    double left = 0.0;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        paintColumn(painter, column, left);
        left += m_view->columnWidth(column);
    }
    painter.restore();
}

// Returns how high it is.
int AnalysisPanel::paintVerdict(QPainter& painter, const QRectF& rectangle) const
{
    const QString sentences = verdict();
    painter.save();
    painter.setFont(pixelFont(font()));
    painter.setPen(Theme{palette()}.text());
    painter.drawText(rectangle.adjusted(verdict_margin, 0.0, -verdict_margin, 0.0), text_flags, sentences);
    painter.restore();
    return verdictHeight(sentences, font(), rectangle.width());
}

void AnalysisPanel::paintColumn(QPainter& painter, int column, double left)
{
    const Theme theme{palette()};
    const double row_height = m_view->verticalHeader()->defaultSectionSize();
    const double wide = m_view->columnWidth(column);
    for (int row = -1; row < m_model->rowCount(); ++row) {
        const QRectF cell{left, row_height * (row + 1), wide, row_height};
        if (row >= 0 && m_model->cellOf(column) < 0) {
            m_bars->paintBar(painter, cell, m_order->mapToSource(m_order->index(row, column)).row(), theme);
            continue;
        }
        const QVariant text = row < 0 ? m_model->headerData(column, Qt::Horizontal)
                                      : m_order->data(m_order->index(row, column));
        const QVariant side = m_model->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole);
        const QRectF inner = cell.adjusted(5.0, 0.0, -5.0, 0.0);
        painter.setPen(row < 0 ? theme.faintText() : theme.text());
        painter.drawText(inner, side.toInt(),
                         painter.fontMetrics().elidedText(text.toString(), Qt::ElideRight,
                                                          static_cast<int>(inner.width()) + 1));
    }
}

} // namespace shardscope
