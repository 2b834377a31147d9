#include "widgets/panels/controls/icon_button.h"

#include <QIcon>
#include <QString>
#include <QToolButton>

namespace shardscope
{

QToolButton* iconButton(const QIcon& icon, const QString& tip)
{
    auto* button = new QToolButton;
    button->setIcon(icon);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace shardscope
