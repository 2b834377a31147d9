#include "widgets/panels/chart_frame.h"

#include "widgets/plots/bar_chart.h"
#include "widgets/plots/legend_chips.h"
#include "widgets/plots/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace shardscope
{

void layOutChart(QWidget* panel, LegendChips* legend, BarChart* chart, QWidget* right)
{
    auto* head = new QHBoxLayout;
    head->setContentsMargins(6, 3, 6, 0);
    head->setSpacing(6);
    head->addWidget(legend, 1, Qt::AlignTop);
    if (right)
        head->addWidget(right, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout{panel};
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(chart, 1);
}

void paintChart(QPainter& painter, const QRectF& rectangle, const LegendChips& legend, BarChart& chart)
{
    painter.fillRect(rectangle, Theme{chart.palette()}.background());
    const QRectF head = rectangle.adjusted(6.0, 4.0, -6.0, 0.0);
    const double height = legend.paintTo(painter, head);
    chart.paintTo(painter, rectangle.adjusted(0.0, height > 0.0 ? height + 6.0 : 0.0, 0.0, 0.0));
}

} // namespace shardscope
