#pragma once

#include "widgets/plots/theme.h"

#include <QFontMetricsF>
#include <QStyledItemDelegate>

namespace shardscope
{

class MessageTableModel;

// Paints the cells of the message table: a chip of the kind's colour, a bar for the share, numbers to the
// right. Its own strokes instead of the style's, because a table repaints whole while a slider moves; a
// selection is a tint, on which the kinds' colours and the check marks stay legible.
class MessageDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    explicit MessageDelegate(const MessageTableModel& model, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    // The same for any painter; `row` and `column` are the model's own.
    void paintCell(QPainter& painter, const QRectF& cell, int row, int column, bool is_selected) const;

    // Call before painting when font or palette may be others.
    void setStyle(const QFont& font, const QPalette& palette);
    double rowHeight() const;
    double characterWidth() const { return m_metrics.averageCharWidth(); }
    // What cells can do without: the bars of the shares, and the room of figures for one digit more.
    int shareBarRoom() const;
    int spareRoom() const { return static_cast<int>(characterWidth()); }
    // What a text needs with the margins of its cell and what the column adds to it.
    double cellWidth(const QString& text, int column) const;

private:
    void paintShare(QPainter& painter, const QRectF& cell, int row, const QColor& colour) const;
    QColor textColour(int row, int column, bool is_faded) const;

    const MessageTableModel& m_model;
    Theme m_theme;
    QColor m_highlight;
    QFont m_font;
    QFontMetricsF m_metrics;
};

} // namespace shardscope
