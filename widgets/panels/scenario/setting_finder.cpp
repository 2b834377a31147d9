#include "widgets/panels/scenario/setting_finder.h"

#include "widgets/panels/controls/line_keys.h"

#include <QKeyEvent>

namespace shardscope
{

SettingFinder::SettingFinder(QWidget* parent) : QLineEdit{parent}
{
    setPlaceholderText(tr("Find a setting (Ctrl+F)"));
    setAccessibleName(tr("Find a setting"));
    setToolTip(
        tr("Shows the settings that have all of these words in their name, their key, their group or what "
           "is said of them. Esc shows all again."));
    setClearButtonEnabled(true);
    shareKeysWithWindow(*this);
    // Nothing is being typed any more: its keys are the window's.
    connect(this, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty())
            setModified(false);
    });
}

void SettingFinder::keyPressEvent(QKeyEvent* event)
{
    const bool is_return = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape && !text().isEmpty())
        clear();
    else if (is_return || event->key() == Qt::Key_Down)
        emit goneOn();
    else
        QLineEdit::keyPressEvent(event);
}

} // namespace shardscope
