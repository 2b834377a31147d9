// The table of messages as it leaves the window: whole, without scroll bars.
#include "widgets/panels/messages/message_table_panel.h"

#include "widgets/panels/messages/message_column_widths.h"
#include "widgets/panels/messages/message_delegate.h"
#include "widgets/panels/messages/message_scope_box.h"
#include "widgets/plots/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardscope
{

QString MessageTablePanel::heading() const
{
    return tr("%1: %2").arg(title(), m_scope_box->currentText().toLower());
}

QSize MessageTablePanel::wholeSize(const QSize&) const
{
    int width = 0;
    for (const int column : shownColumns())
        width += m_widths.wholeWidth(column);
    const double height = m_delegate->rowHeight() * static_cast<double>(rowsToCopy(false).size() + 1);
    return {width, static_cast<int>(std::ceil(height))};
}

// Made smaller where it would not fit.
void MessageTablePanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    const Theme theme{palette()};
    const std::vector<int> rows = rowsToCopy(false);
    const double row_height = m_delegate->rowHeight();
    const QSizeF whole = wholeSize({});
    const double scale =
        std::min({1.0, rectangle.width() / whole.width(), rectangle.height() / whole.height()});
    painter.save();
    painter.fillRect(rectangle, theme.background());
    painter.translate(rectangle.topLeft());
    painter.scale(scale, scale);
    double x = 0.0;
    for (const int column : shownColumns()) {
        const double wide = m_widths.wholeWidth(column);
        painter.setFont(pixelFont(font()));
        painter.setPen(theme.faintText());
        const auto side = MessageTableModel::isNumber(column) ? Qt::AlignRight : Qt::AlignLeft;
        painter.drawText(QRectF{x + 6.0, 0.0, wide - 12.0, row_height}, side | Qt::AlignVCenter,
                         m_model->headerData(column, Qt::Horizontal).toString());
        for (std::size_t i = 0; i < rows.size(); ++i)
            m_delegate->paintCell(painter, {x, row_height * static_cast<double>(i + 1), wide, row_height},
                                  rows[i], column, false);
        x += wide;
    }
    painter.fillRect(QRectF{0.0, row_height - 1.0, whole.width(), 1.0}, theme.grid());
    painter.restore();
}

} // namespace shardscope
