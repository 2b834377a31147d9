// The timeline as it leaves the window: every lane, without scrolling.
#include "widgets/panels/timeline/timeline_panel.h"

#include "widgets/panels/timeline/timeline_texts.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"

#include <QPainter>

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr double legend_margin = 6.0;

} // namespace

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
    painter.fillRect(rectangle, Theme{palette()}.background());
    const double height =
        m_legend->paintTo(painter, rectangle.adjusted(legend_margin, 4.0, -legend_margin, 0.0));
    m_view->paintTo(painter, rectangle.adjusted(0.0, height > 0.0 ? height + legend_margin : 0.0, 0.0, 0.0));
}

} // namespace shardscope
