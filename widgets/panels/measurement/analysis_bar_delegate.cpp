#include "widgets/panels/measurement/analysis_bar_delegate.h"

#include "widgets/models/analysis_table_model.h"

#include <QPainter>
#include <QSortFilterProxyModel>

namespace shardscope
{

// Communication as in the other pictures where its kind is not told; waits have no colour of a kind.
QColor colourOf(BarPart part, const Theme& theme)
{
    switch (part) {
    case BarPart::communication:
        return theme.colour(Hue::unknown);
    case BarPart::kernels:
        return theme.colour(Hue::compute);
    case BarPart::copies:
        return theme.colour(Hue::memory_copy);
    case BarPart::within_operators:
    case BarPart::host_wait:
        return theme.colour(Hue::bubble);
    case BarPart::kernel_wait:
        return theme.colour(Hue::weights);
    case BarPart::between_operators:
    case BarPart::other_wait:
        return theme.colour(Hue::optimizer);
    case BarPart::idle:
        break;
    }
    return theme.colour(Hue::idle);
}

AnalysisBarDelegate::AnalysisBarDelegate(const AnalysisTableModel& model, QObject* parent)
    : QStyledItemDelegate{parent}, m_model{model}
{
}

void AnalysisBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const
{
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(index.model());
    const QModelIndex source = proxy ? proxy->mapToSource(index) : index;
    if (!m_model.hasBars() || source.column() != 0)
        return QStyledItemDelegate::paint(painter, option, index);
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, option.palette.highlight());
    paintBar(*painter, option.rect, source.row(), Theme{option.palette});
}

// Between a figure, which ends at the right edge, and the word that begins beside it.
void AnalysisBarDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->displayAlignment.testFlag(Qt::AlignRight))
        option->text += QChar{0x2002};
}

void AnalysisBarDelegate::paintBar(QPainter& painter, const QRectF& cell, int row, const Theme& theme) const
{
    const QRectF track = cell.adjusted(5.0, 4.0, -5.0, -4.0);
    painter.fillRect(track, theme.grid());
    double left = track.left();
    for (const auto& [part, share] : m_model.table().rows[static_cast<std::size_t>(row)].bar) {
        const double width = share * track.width();
        painter.fillRect(QRectF{left, track.top(), width, track.height()}, colourOf(part, theme));
        left += width;
    }
}

} // namespace shardscope
