#include "widgets/panels/scenario/scenario_row_label.h"

#include "widgets/plots/theme.h"

#include <QPainter>

namespace shardscope
{

ScenarioRowLabel::ScenarioRowLabel(const QString& label, const QString& symbol, QWidget* parent)
    : QWidget{parent}, m_label{label}, m_symbol{symbol}
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
}

QSize ScenarioRowLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance("Sequence parallel m"), fontMetrics().height() + 4};
}

void ScenarioRowLabel::paintEvent(QPaintEvent*)
{
    QPainter painter{this};
    QRect space = rect();
    if (!m_symbol.isEmpty()) {
        QFont italic = font();
        italic.setItalic(true);
        painter.setFont(italic);
        painter.setPen(Theme{palette()}.faintText());
        painter.drawText(space, Qt::AlignRight | Qt::AlignVCenter, m_symbol);
        space.setRight(space.right() - painter.fontMetrics().horizontalAdvance(m_symbol) - 4);
    }
    painter.setFont(font());
    painter.setPen(
        palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::WindowText));
    painter.drawText(space, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_label, Qt::ElideRight, space.width()));
}

} // namespace shardscope
