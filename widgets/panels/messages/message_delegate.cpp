#include "widgets/panels/messages/message_delegate.h"

#include "widgets/models/message_table_model.h"

#include <QPainter>
#include <QSortFilterProxyModel>

#include <cmath>

namespace shardscope
{

namespace
{

constexpr double margin = 5.0;
constexpr double chip_space = 5.0;
constexpr double share_bar_width = 34.0; // at least

} // namespace

MessageDelegate::MessageDelegate(const MessageTableModel& model, QObject* parent)
    : QStyledItemDelegate{parent}, m_model{model}, m_theme{QPalette{}}, m_metrics{m_font}
{
}

void MessageDelegate::setStyle(const QFont& font, const QPalette& palette)
{
    m_theme = Theme{palette};
    m_highlight = palette.color(QPalette::Highlight);
    m_font = pixelFont(font);
    m_metrics = QFontMetricsF{m_font};
}

double MessageDelegate::rowHeight() const
{
    return std::ceil(m_metrics.height()) + 5.0;
}

double MessageDelegate::cellWidth(const QString& text, int column) const
{
    double width = m_metrics.horizontalAdvance(text) + 2.0 * margin;
    if (column == MessageTableModel::KindColumn)
        width += std::round(m_metrics.ascent() * 0.8) + chip_space;
    if (column == MessageTableModel::ShareColumn)
        width += share_bar_width + margin;
    return std::ceil(width);
}

int MessageDelegate::shareBarRoom() const
{
    return static_cast<int>(share_bar_width + margin);
}

void MessageDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(index.model());
    const QModelIndex source = proxy ? proxy->mapToSource(index) : index;
    paintCell(*painter, option.rect, source.row(), source.column(),
              option.state.testFlag(QStyle::State_Selected));
}

QColor MessageDelegate::textColour(int row, int column, bool is_faded) const
{
    const Agreement agreement = m_model.row(row).agreement;
    const bool is_neutral =
        column == MessageTableModel::MeasuredColumn && agreement == Agreement::not_recorded;
    if (column == MessageTableModel::MeasuredColumn && !is_faded && !is_neutral
        && agreement != Agreement::alone)
        return m_theme.colour(agreement == Agreement::equal ? Hue::dp : Hue::limit);
    if (is_faded || is_neutral || column == MessageTableModel::PhaseColumn)
        return m_theme.faintText();
    return m_theme.text();
}

void MessageDelegate::paintShare(QPainter& painter, const QRectF& cell, int row, const QColor& colour) const
{
    const double room = cell.width() - 3.0 * margin - m_metrics.horizontalAdvance(QStringLiteral("100.0 %"));
    if (room < 8.0)
        return;
    const QRectF track{cell.left() + margin, cell.top() + 4.0, room, cell.height() - 8.0};
    painter.fillRect(track, m_theme.grid());
    const double share = m_model.row(row).share;
    if (share > 0.0)
        painter.fillRect(QRectF{track.left(), track.top(), std::max(1.0, share * room), track.height()},
                         colour);
}

void MessageDelegate::paintCell(QPainter& painter, const QRectF& cell, int row, int column,
                                bool is_selected) const
{
    const int mark = m_model.data(m_model.index(row, column), MessageTableModel::MarkRole).toInt();
    const bool is_faded = mark == MessageTableModel::Faded;
    QColor colour = m_theme.colour(m_model.row(row).message.kind);
    if (is_faded)
        colour = m_theme.faded(colour);
    if (is_selected || mark == MessageTableModel::Marked) {
        QColor ground = m_highlight;
        ground.setAlpha(is_selected ? 80 : 48);
        painter.fillRect(cell, ground);
    }
    QRectF room = cell.adjusted(margin, 0.0, -margin, 0.0);
    if (column == MessageTableModel::KindColumn) {
        const double size = std::round(m_metrics.ascent() * 0.8);
        painter.fillRect(QRectF{room.left(), std::round(cell.center().y() - size / 2.0), size, size}, colour);
        room.setLeft(room.left() + size + chip_space);
    } else if (column == MessageTableModel::ShareColumn && m_model.row(row).is_predicted) {
        paintShare(painter, cell, row, colour);
    }
    QString text = m_model.text(row, column);
    if (text.isEmpty())
        return;
    double width = m_metrics.horizontalAdvance(text);
    if (width > room.width() + 0.5) {
        text = m_metrics.elidedText(text, Qt::ElideRight, room.width());
        width = m_metrics.horizontalAdvance(text);
    }
    const double left = MessageTableModel::isNumber(column) ? room.right() - width : room.left();
    painter.setFont(m_font);
    painter.setPen(textColour(row, column, is_faded));
    painter.drawText(QPointF{left, cell.center().y() - m_metrics.height() / 2.0 + m_metrics.ascent()}, text);
}

} // namespace shardscope
