#include "widgets/panels/headline/headline_bar.h"

#include "widgets/panels/controls/glyph.h"
#include "widgets/panels/headline/headline_figures.h"
#include "widgets/panels/headline/headline_tile.h"
#include "widgets/panels/picture/explanation_html.h"
#include "widgets/session/shown_text.h"

#include "core/scenario/scenario_difference.h"

#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>

namespace shardscope
{

namespace
{

// What the scenario has differently from the pinned one, a line each.
QString changesSincePin(const Content& content)
{
    constexpr std::size_t most_told = 16;
    const std::vector<ScenarioDifference> changes =
        differences(content.pinned->scenario, content.predicted->scenario);
    if (changes.empty())
        return QObject::tr("The scenario is as pinned.\n");
    QString text = QObject::tr("Changed since pinned:\n");
    for (std::size_t i = 0; i < std::min(changes.size(), most_told); ++i)
        text +=
            QStringLiteral("%1: %2 → %3\n")
                .arg(toQString(changes[i].key), toQString(changes[i].before), toQString(changes[i].after));
    if (changes.size() > most_told)
        text += QObject::tr("and %1 more\n").arg(changes.size() - most_told);
    return text + '\n';
}

} // namespace

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
            const QString html = explanationHtml(
                explain(which, m_content.predicted->scenario, m_content.predicted->prediction));
            return which == Figure::iteration_time
                       ? html
                             + tr("<p>Click: every measured step that the detailed "
                                  "model was compared with.</p>")
                       : html;
        });
        if (figure.figure == Figure::iteration_time)
            tile->setAction([this] { emit accuracyWished(); });
        line->addWidget(tile);
        m_tiles.push_back(tile);
    }
    addPin();
}

void HeadlineBar::addPin()
{
    m_pin = new QToolButton;
    m_pin->setIcon(glyphIcon(Glyph::pin));
    m_pin->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    m_pin->setCheckable(true);
    m_pin->setAutoRaise(true);
    m_pin->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(m_pin);
    layout()->setAlignment(m_pin, Qt::AlignVCenter);
    connect(m_pin, &QToolButton::clicked, this, &HeadlineBar::pinWished);
    showPin();
}

void HeadlineBar::showPin()
{
    const bool pinned = m_content.pinned != nullptr;
    m_pin->setChecked(pinned);
    m_pin->setText(pinned ? tr("Pinned") : tr("Pin"));
    m_pin->setToolTip(pinned ? changesSincePin(m_content) + tr("Let the pinned scenario go (Ctrl+Shift+P)")
                             : tr("Keep this scenario to compare the next ones with it (Ctrl+P)"));
}

void HeadlineBar::setContent(const Content& content)
{
    m_content = content;
    for (HeadlineTile* tile : m_tiles)
        tile->setEnabled(!content.stale);
    showPin();
    if (!content.predicted)
        return;
    for (std::size_t place = 0; place < m_tiles.size(); ++place)
        m_tiles[place]->setValue(
            headlineValue(headlineFigures()[place], *content.predicted, content.pinned.get()));
}

} // namespace shardscope
