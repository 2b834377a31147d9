#include "widgets/plots/changes/change_painting.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr double gap = 12.0;        // between columns
constexpr double least_bars = 90.0; // pixels; cells give way to them
constexpr double most_name_share = 0.42;
constexpr double row_padding = 7.0;
constexpr double range_padding = 0.03; // of the range, so that no bar touches a text

double widestCell(const ChangeScene& scene, int column, const QFontMetricsF& metrics)
{
    double widest = metrics.horizontalAdvance(scene.headings[column]);
    for (const ChangeRow& row : scene.rows)
        if (column < row.cells.size())
            widest = std::max(widest, metrics.horizontalAdvance(row.cells[column]));
    return widest;
}

void setRange(const ChangeScene& scene, ChangeLayout& layout)
{
    double low = scene.mark;
    double high = scene.mark;
    for (const ChangeRow& row : scene.rows) {
        low = std::min({low, row.from, row.to});
        high = std::max({high, row.from, row.to});
    }
    const double least = 1e-6 * std::max(std::fabs(high), 1e-300); // nothing changes: a range all the same
    const double padding = range_padding * std::max(high - low, least);
    layout.low = low - padding;
    layout.high = high + padding;
}

class RowPainting
{
public:
    RowPainting(QPainter& painter, const ChangeScene& scene, const ChangeLayout& layout, const QRectF& area,
                const ChangeStyle& style)
        : m_painter{painter}, m_scene{scene}, m_layout{layout}, m_area{area}, m_style{style}
    {
        m_painter.setFont(style.font);
    }

    void text(double left, double right, const QString& text, Qt::Alignment side, const QColor& colour) const
    {
        const QRectF box{m_area.left() + left, m_area.top(), right - left, m_area.height()};
        m_painter.setPen(colour);
        m_painter.drawText(box, static_cast<int>(side | Qt::AlignVCenter),
                           m_painter.fontMetrics().elidedText(text, Qt::ElideRight,
                                                              static_cast<int>(std::ceil(box.width())) + 1));
    }

    void cells(const QStringList& cells, const QColor& colour, const QColor& last) const
    {
        double left = m_layout.bars_right;
        for (std::size_t i = 0; i < m_layout.cell_rights.size(); ++i) {
            const auto column = static_cast<qsizetype>(i);
            const bool is_last = column + 1 == m_scene.headings.size();
            if (column < cells.size())
                text(left, m_layout.cell_rights[i], cells[column], Qt::AlignRight, is_last ? last : colour);
            left = m_layout.cell_rights[i];
        }
    }

    double x(double value) const { return m_area.left() + m_layout.x(value); }

    void markLine() const
    {
        m_painter.setPen(QPen{m_style.theme.faintText(), 1.0, Qt::DotLine});
        m_painter.drawLine(QPointF{x(m_scene.mark), m_area.top()}, QPointF{x(m_scene.mark), m_area.bottom()});
    }

    void bar(const ChangeRow& row) const
    {
        constexpr double margin = 4.0;
        const double left = std::min(x(row.from), x(row.to));
        const double right = std::max(x(row.from), x(row.to));
        const QRectF box{left, m_area.top() + margin, std::max(1.0, right - left),
                         m_area.height() - 2.0 * margin};
        if (row.is_place) {
            m_painter.fillRect(QRectF{x(row.to) - 1.5, box.top(), 3.0, box.height()}, m_style.theme.text());
        } else if (row.is_hollow) {
            m_painter.setPen(QPen{row.colour, 1.0, Qt::DashLine});
            m_painter.setBrush(m_style.theme.faded(row.colour));
            m_painter.drawRect(box);
        } else {
            m_painter.fillRect(box, row.colour);
        }
    }

    // From where this row ends to where the next one begins.
    void link(const ChangeRow& row) const
    {
        m_painter.setPen(QPen{m_style.theme.faintText(), 1.0});
        m_painter.drawLine(QPointF{x(row.to), m_area.center().y()},
                           QPointF{x(row.to), m_area.bottom() + 4.0});
    }

private:
    QPainter& m_painter;
    const ChangeScene& m_scene;
    const ChangeLayout& m_layout;
    const QRectF& m_area;
    const ChangeStyle& m_style;
};

} // namespace

double ChangeLayout::x(double value) const
{
    return bars_left + (value - low) / (high - low) * (bars_right - bars_left);
}

double ChangeLayout::height(const ChangeScene& scene) const
{
    return row_height * static_cast<double>(scene.rows.size() + 1);
}

ChangeLayout layOutChanges(const ChangeScene& scene, double width, const QFont& font)
{
    const QFontMetricsF metrics{font};
    ChangeLayout layout;
    layout.row_height = std::ceil(metrics.height()) + row_padding;
    layout.name_right = metrics.horizontalAdvance(scene.invitation) + 1.0;
    for (const ChangeRow& row : scene.rows)
        layout.name_right = std::max(layout.name_right, metrics.horizontalAdvance(row.name) + 1.0);
    layout.name_right = gap / 2.0 + std::min(layout.name_right, most_name_share * width);
    layout.bars_left = layout.name_right + gap;
    double room = width - gap / 2.0 - layout.bars_left - least_bars;
    std::vector<double> widths;
    for (int column = 0; column < scene.headings.size(); ++column) {
        const double wide = std::ceil(widestCell(scene, column, metrics)) + gap;
        if (wide > room)
            break;
        widths.push_back(wide);
        room -= wide;
    }
    layout.bars_right = layout.bars_left + least_bars + std::max(0.0, room);
    double right = layout.bars_right;
    for (const double wide : widths)
        layout.cell_rights.push_back(right += wide);
    setRange(scene, layout);
    return layout;
}

void paintChangeHead(QPainter& painter, const ChangeScene& scene, const ChangeLayout& layout,
                     const QRectF& area, const ChangeStyle& style)
{
    const RowPainting painting{painter, scene, layout, area, style};
    const QColor faint = style.theme.faintText();
    painting.cells(scene.headings, faint, faint);
    if (style.answers_clicks)
        painting.text(gap / 2.0, layout.name_right, scene.invitation, Qt::AlignLeft, faint);
    // Over its line, as far as the column of bars lets it.
    const double wide = std::min(QFontMetricsF{style.font}.horizontalAdvance(scene.mark_text) + 2.0,
                                 layout.bars_right - layout.bars_left);
    const double left =
        std::clamp(layout.x(scene.mark) - wide / 2.0, layout.bars_left, layout.bars_right - wide);
    painting.text(left, left + wide, scene.mark_text, Qt::AlignHCenter, faint);
}

void paintChangeRow(QPainter& painter, const ChangeScene& scene, const ChangeLayout& layout, int row,
                    const QRectF& area, const ChangeStyle& style)
{
    const ChangeRow& change = scene.rows[static_cast<std::size_t>(row)];
    if (row == style.current)
        painter.fillRect(area, style.theme.grid());
    const RowPainting painting{painter, scene, layout, area, style};
    const QColor ink = change.is_hollow ? style.theme.faintText() : style.theme.text();
    painting.text(gap / 2.0, layout.name_right, change.name, Qt::AlignLeft, ink);
    painting.markLine();
    if (scene.is_chain && static_cast<std::size_t>(row) + 1 < scene.rows.size())
        painting.link(change);
    painting.bar(change);
    painting.cells(change.cells, ink, change.is_warned ? style.theme.colour(Hue::limit) : ink);
}

} // namespace shardscope
