#include "widgets/panels/controls/elided_choice_box.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>

namespace shardscope
{

QString ElidedChoiceBox::closedText() const
{
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QRect field =
        style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    constexpr int air = 4; // that styles keep around the text
    return fontMetrics().elidedText(currentText(), Qt::ElideRight, field.width() - air);
}

void ElidedChoiceBox::paintEvent(QPaintEvent* event)
{
    Q_UNUSED(event)
    QStylePainter painter{this};
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    option.currentText = closedText();
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace shardscope
