#include "widgets/panels/controls/short_choice_box.h"

#include <QAbstractItemView>
#include <QStyleOptionComboBox>

#include <algorithm>

namespace shardscope
{

ShortChoiceBox::ShortChoiceBox(QWidget* parent) : ElidedChoiceBox{parent}
{
    view()->setTextElideMode(Qt::ElideNone);
    connect(this, &QComboBox::currentTextChanged, this, [this] { updateGeometry(); });
}

QString ShortChoiceBox::closedText() const
{
    for (const QString& text : {currentText(), currentText().section(QLatin1Char{','}, 0, 0)})
        if (width() >= widthFor(text))
            return text;
    return shortText();
}

QSize ShortChoiceBox::sizeHint() const
{
    int widest = widthFor(shortText());
    for (int i = 0; i < count(); ++i)
        widest = std::max(widest, widthFor(itemText(i)));
    return {widest, QComboBox::sizeHint().height()};
}

QSize ShortChoiceBox::minimumSizeHint() const
{
    return {widthFor(shortText()), QComboBox::minimumSizeHint().height()};
}

QString ShortChoiceBox::shortText() const
{
    return currentText().section(QLatin1Char{':'}, 0, 0);
}

int ShortChoiceBox::widthFor(const QString& text) const
{
    QStyleOptionComboBox option;
    initStyleOption(&option);
    constexpr int air = 10; // around the text, beside what the style adds
    const QSize contents{fontMetrics().horizontalAdvance(text) + air, fontMetrics().height()};
    return style()->sizeFromContents(QStyle::CT_ComboBox, &option, contents, this).width();
}

} // namespace shardscope
