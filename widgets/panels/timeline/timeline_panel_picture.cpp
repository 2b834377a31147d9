// The timeline as it leaves the window: every lane, without scrolling.
#include "widgets/panels/timeline/timeline_panel.h"

#include "widgets/panels/picture/legend_frame.h"
#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/bars/legend_chips.h"

#include <QPainter>

#include <algorithm>

namespace shardscope
{

QString TimelinePanel::csv() const
{
    return csvText(timelineTable(m_view->scene(), m_view->selectedRange().value_or(m_view->range())));
}

QSize TimelinePanel::wholeSize(const QSize& usual) const
{
    const int legend = m_legend->heightForWidth(usual.width() - static_cast<int>(2 * legend_margin));
    const int whole = m_view->wholeHeight() + legend + static_cast<int>(2 * legend_margin);
    return {usual.width(), std::max(usual.height(), whole)};
}

void TimelinePanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    m_view->paintTo(painter, paintLegendFrame(painter, rectangle, *m_legend));
}

} // namespace shardscope
