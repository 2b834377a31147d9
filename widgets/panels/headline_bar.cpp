#include "widgets/panels/headline_bar.h"

#include "widgets/panels/headline_figures.h"
#include "widgets/panels/headline_tile.h"

#include <QHBoxLayout>

namespace shardscope
{

HeadlineBar::HeadlineBar(QWidget* parent) : QWidget{parent}
{
    auto* line = new QHBoxLayout{this};
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    for (const HeadlineFigure& figure : headlineFigures()) {
        auto* tile = new HeadlineTile{QString::fromUtf8(figure.title)};
        tile->setExplanation([this, which = figure.figure] {
            if (!m_content.predicted)
                return QString{};
            return explanationHtml(
                explain(which, m_content.predicted->scenario, m_content.predicted->prediction));
        });
        line->addWidget(tile);
        m_tiles.push_back(tile);
    }
}

void HeadlineBar::setContent(const Content& content)
{
    m_content = content;
    setEnabled(!content.stale);
    if (!content.predicted)
        return;
    for (std::size_t place = 0; place < m_tiles.size(); ++place)
        m_tiles[place]->setValue(
            headlineValue(headlineFigures()[place], *content.predicted, content.pinned.get()));
}

} // namespace shardscope
