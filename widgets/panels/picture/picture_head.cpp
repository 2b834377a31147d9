#include "widgets/panels/picture/picture_head.h"

#include "widgets/panels/controls/segment_button.h"
#include "widgets/plots/bars/legend_chips.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr int side_margin = 6;
constexpr int one_line = 28; // fits above every picture

QHBoxLayout* emptyHead()
{
    auto* head = new QHBoxLayout;
    head->setContentsMargins(side_margin, 3, side_margin, 0);
    head->setSpacing(side_margin);
    return head;
}

QVBoxLayout* layOutHead(QWidget* panel, QHBoxLayout* head)
{
    auto* layout = new QVBoxLayout{panel};
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    return layout;
}

} // namespace

void layOutPicture(QWidget* panel, LegendChips* legend, const std::vector<QWidget*>& tools, QWidget* picture)
{
    QHBoxLayout* head = emptyHead();
    head->addWidget(legend, 1, Qt::AlignTop);
    head->addStretch(0); // keeps the tools at the right without the legend
    for (QWidget* tool : tools)
        head->addWidget(tool, 0, Qt::AlignTop);
    layOutHead(panel, head)->addWidget(picture, 1);
}

void layOutChoices(QWidget* panel, const std::vector<QWidget*>& choices, LegendChips* legend, QLayout* pages)
{
    QHBoxLayout* head = emptyHead();
    for (QWidget* choice : choices)
        head->addWidget(choice, 0, Qt::AlignTop);
    head->addWidget(legend, 1, Qt::AlignVCenter);
    head->addStretch(0);
    layOutHead(panel, head)->addLayout(pages, 1);
}

void fitLegend(const QWidget& panel, LegendChips& legend, const std::vector<QWidget*>& tools, int most_lines)
{
    int room = panel.width() - 2 * side_margin;
    for (const QWidget* tool : tools)
        if (!tool->isHidden())
            room -= tool->minimumSizeHint().width() + side_margin;
    const bool has_width = room >= legend.minimumSizeHint().width();
    const int most = std::max(one_line, panel.height() / 5);
    for (int lines = most_lines; lines > 0; --lines) {
        legend.setMostLines(lines);
        if (legend.heightForWidth(room) <= most)
            break;
    }
    legend.setVisible(has_width && legend.heightForWidth(room) <= most);
}

void shortenLegend(const QWidget& panel, LegendChips& legend, int low, int lowest)
{
    legend.setMostLines(panel.height() < low ? 1 : 0);
    legend.setVisible(panel.height() >= lowest);
}

SegmentButton* toggleButton(const QString& text, const QString& tip, QWidget* parent)
{
    auto* button = new SegmentButton{text, parent};
    button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    button->setToolTip(tip);
    return button;
}

} // namespace shardscope
