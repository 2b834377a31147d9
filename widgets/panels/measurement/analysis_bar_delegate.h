#pragma once

#include "widgets/models/analysis_table.h"
#include "widgets/plots/theme.h"

#include <QStyledItemDelegate>

namespace shardscope
{

class AnalysisTableModel;

QColor colourOf(BarPart part, const Theme& theme);

// Paints the bar that begins a row of the analysis table, its pieces side by side.
class AnalysisBarDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    explicit AnalysisBarDelegate(const AnalysisTableModel& model, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    void paintBar(QPainter& painter, const QRectF& cell, int row, const Theme& theme) const;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    const AnalysisTableModel& m_model;
};

} // namespace shardscope
